//! Networks whose states are sums of patterns up to a factor: `q = s Xᵀ w`.
//!
//! That is so where the post-transformation is the identity, the l2 normalisation, or layer normalisation over patterns
//! that were layer-normalised, since a sum of rows without a mean has none. With the products `G = X Xᵀ` of the
//! patterns, the scores of such a state are `s G w`, its square is `s² w·G w`, and its cosine with a memory is an entry
//! of `G w` over two lengths: after the first scores no state is ever formed. All maps and all temperatures share `G`
//! and the first scores.

use std::ops::Range;

use hfy::{Convex, Map, Post, Scaled};
use hfy_kernel::Kernels;
use ndarray::{Array2, ArrayView2, Axis};

use super::STEPS;
use super::scene::is_retrieved;
use crate::error::{Error, Result};

/// Weights below this are nothing beside a sum of one, even all together: they are left out, since most of those that
/// softmax gives are as small, and numbers near the end of their range take long to compute with.
const NOTHING: f32 = 1e-12;
/// Cues that are updated together.
const BLOCK: usize = 256;
/// Below this share of weights that are not zero rows of `G` are added one by one.
const SPARSE: f64 = 1.0 / 24.0;

/// Patterns and cues after the post-transformation, with their products.
pub(super) struct Spanned<'a> {
    psi: &'a Post,
    patterns: Array2<f32>,
    /// `X Xᵀ`.
    gram: Array2<f32>,
    /// The scores of the cues, one a row.
    first: Array2<f32>,
}

impl<'a> Spanned<'a> {
    pub(super) fn new(psi: &'a Post, memories: ArrayView2<'_, f32>, cues: ArrayView2<'_, f32>) -> Result<Self> {
        if !matches!(psi, Post::Identity(_) | Post::Ball(_) | Post::LayerNorm(_)) {
            return Err(Error::Cell(format!("psi = {psi}: states must be sums of patterns up to a factor")));
        }
        let transformed = |rows: ArrayView2<'_, f32>| {
            let mut rows = rows.as_standard_layout().into_owned();
            let each = |mut row: ndarray::ArrayViewMut1<'_, f32>| {
                psi.argmax(row.as_slice_mut().expect("rows lie one after the other")).map(|_| ())
            };
            rows.rows_mut().into_iter().try_for_each(each)?;
            Ok::<_, Error>(rows)
        };
        let (patterns, cues) = (transformed(memories)?, transformed(cues)?);
        let (gram, first) = (products(&patterns, &patterns), products(&cues, &patterns));
        Ok(Spanned { psi, patterns, gram, first })
    }

    /// The network of the first `count` memories.
    pub(super) fn first(&self, count: usize) -> Network<'_> {
        Network { of: self, field: Field::new(self, count), count }
    }

    /// What the post-transformation multiplies a sum of patterns by, from its square.
    fn factor(&self, square: f64) -> f64 {
        let width = self.patterns.ncols();
        match self.psi {
            Post::Ball(ball) if square > 0.0 => ball.radius() / square.sqrt(),
            Post::LayerNorm(norm) if square > 0.0 => {
                let divisor = norm.variance().divisor(width) as f64;
                norm.radius(width) / (square + divisor * norm.epsilon()).sqrt()
            }
            _ => 1.0,
        }
    }
}

/// The network of some first memories.
pub(super) struct Network<'a> {
    of: &'a Spanned<'a>,
    field: Field,
    count: usize,
}

impl Network<'_> {
    /// How many of its cues are retrieved by a map. `tell` hears the share that is done.
    pub(super) fn retrieved(&self, map: &Scaled<Map>, tell: &dyn Fn(f64) -> Result<()>) -> Result<usize> {
        let count = self.count;
        let mut successes = 0;
        for start in (0..count).step_by(BLOCK) {
            tell(start as f64 / count as f64)?;
            let mut weights = corner(&self.of.first, start..count.min(start + BLOCK), count);
            let mut scores = vec![0.0; weights.len()];
            for step in 1..=STEPS {
                weights.chunks_mut(count).try_for_each(|row| map.argmax(row).map(|_| ()))?;
                weights.iter_mut().filter(|weight| **weight < NOTHING).for_each(|weight| *weight = 0.0);
                self.field.scores(&weights, &mut scores);
                for (cue, (weights, scores)) in (start..).zip(weights.chunks_mut(count).zip(scores.chunks(count))) {
                    let square: f64 = weights.iter().zip(scores).map(|(w, s)| f64::from(*w) * f64::from(*s)).sum();
                    if step == STEPS {
                        let squares = (f64::from(self.of.gram[(cue, cue)]), square);
                        successes += usize::from(is_retrieved(f64::from(scores[cue]), squares));
                    } else {
                        let factor = self.of.factor(square) as f32;
                        weights.iter_mut().zip(scores).for_each(|(to, score)| *to = factor * score);
                    }
                }
            }
        }
        Ok(successes)
    }
}

/// `a bᵀ`.
fn products(a: &Array2<f32>, b: &Array2<f32>) -> Array2<f32> {
    let mut to = Array2::zeros((a.nrows(), b.nrows()));
    let (width, rows) = (a.ncols(), "rows lie one after the other");
    f32::products(a.as_slice().expect(rows), b.as_slice().expect(rows), width, to.as_slice_mut().expect(rows));
    to
}

/// The first columns of some rows.
fn corner(matrix: &Array2<f32>, rows: Range<usize>, columns: usize) -> Vec<f32> {
    let rows = matrix.slice_axis(Axis(0), rows.into());
    rows.slice_axis(Axis(1), (..columns).into()).iter().copied().collect()
}

/// `w ↦ G w` for the first patterns.
struct Field {
    gram: Vec<f32>,
    /// Patterns by rows and by columns, where two products with them are less work than one with `G`.
    patterns: Option<(Vec<f32>, Vec<f32>)>,
    count: usize,
    width: usize,
}

impl Field {
    fn new(of: &Spanned<'_>, count: usize) -> Self {
        let width = of.patterns.ncols();
        let gram = corner(&of.gram, 0..count, count);
        let rows = of.patterns.slice_axis(Axis(0), (..count).into());
        let patterns = || (rows.iter().copied().collect(), rows.t().iter().copied().collect());
        Field { gram, patterns: (count > 2 * width).then(patterns), count, width }
    }

    fn scores(&self, weights: &[f32], scores: &mut [f32]) {
        let Field { gram, patterns, count, width } = self;
        let nonzero = weights.iter().filter(|w| **w != 0.0).count();
        if (nonzero as f64) < SPARSE * weights.len() as f64 {
            scores.fill(0.0);
            for (weights, scores) in weights.chunks(*count).zip(scores.chunks_mut(*count)) {
                for (weight, row) in weights.iter().zip(gram.chunks(*count)).filter(|(w, _)| **w != 0.0) {
                    scores.iter_mut().zip(row).for_each(|(score, g)| *score += weight * g);
                }
            }
        } else if let Some((rows, columns)) = patterns {
            let mut sums = vec![0.0; weights.len() / count * width];
            f32::products(weights, columns, *count, &mut sums);
            f32::products(&sums, rows, *width, scores);
        } else {
            f32::products(weights, gram, *count, scores);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::matches;
    use super::*;
    use crate::experiment::Random;
    use hfy::AnyNetwork;
    use hfy::retrieval::{Retriever, Settings, Stop};

    /// Patterns alike enough that some cues are retrieved and some are not; more of them than twice their width.
    fn patterns(count: usize) -> (Array2<f32>, Array2<f32>) {
        let mut random = Random::new(1, 0);
        let memories = Array2::from_shape_simple_fn((count, 24), || 0.3 + random.normal() as f32);
        let cues = memories.mapv(|v| v + 1.1 * random.normal() as f32);
        (memories, cues)
    }

    #[test]
    fn it_retrieves_what_the_library_retrieves() {
        let (memories, cues) = patterns(90);
        for psi in ["identity", "l2", "layernorm:eps=1e-5"] {
            let post: Post = psi.parse().unwrap();
            let spanned = Spanned::new(&post, memories.view(), cues.view()).unwrap();
            let apply = |rows: &Array2<f32>| {
                let mut rows = rows.clone();
                rows.rows_mut().into_iter().for_each(|mut row| {
                    post.argmax(row.as_slice_mut().unwrap()).unwrap();
                });
                rows
            };
            for (omega, beta) in [("softmax", 0.2), ("softmax", 3.0), ("sparsemax", 0.05), ("normmax:5", 1.0)] {
                let map = Scaled::with_beta(omega.parse().unwrap(), beta).unwrap();
                for count in [20, 90] {
                    let rows = |all: &Array2<f32>| apply(&all.slice_axis(Axis(0), (..count).into()).to_owned());
                    let (memories, cues) = (rows(&memories), rows(&cues));
                    let network = AnyNetwork::from_text(omega, psi, beta, &memories).unwrap();
                    let settings = Settings { stop: Stop::Steps(STEPS), ..Settings::default() };
                    let retriever = Retriever::new(&network).unwrap().with_settings(settings).unwrap();
                    let states = retriever.retrieve(cues.view()).unwrap().states;
                    let pairs = memories.rows().into_iter().zip(states.rows());
                    let right = pairs.filter(|(m, s)| matches(m.as_slice().unwrap(), s.as_slice().unwrap())).count();
                    let found = spanned.first(count).retrieved(&map, &|_| Ok(())).unwrap();
                    assert_eq!(found, right, "{omega} {psi} {beta} {count}");
                }
            }
        }
    }

    #[test]
    fn a_tangent_is_refused() {
        let (memories, cues) = patterns(3);
        let error = Spanned::new(&"tanh".parse().unwrap(), memories.view(), cues.view()).err().unwrap();
        assert!(error.to_string().contains("psi = tanh"), "{error}");
    }
}
