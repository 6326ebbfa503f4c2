//! Scores of a state that is a sum of memories.

use ndarray::{ArrayView2, CowArray, Ix2};

use super::Cue;
use super::settle::State;
use crate::error::{Error, Result};
use crate::gram::Gram;
use crate::network::{add, check_finite, in_rows, times};
use crate::real::Real;

/// `X Xᵀ` is kept if it takes no more than this many bytes.
const MOST_BYTES: f64 = (512_u64 << 20) as f64;
/// A product of matrices takes about this share of the time that the same operations take one vector after another.
const BATCHED: f64 = 1.0 / 16.0;
/// Steps of a round, usually: to another memory, to see that it stays there, and the one that leads away from it.
const USUAL_STEPS: f64 = 3.0;
/// Memories with weight, usually, under a sparse map.
const USUAL_SUPPORT: f64 = 4.0;

/// How the scores `X q` of states `q = Xᵀ c + s q₀` are computed.
#[derive(Debug)]
pub(super) struct Scores<'a, T> {
    patterns: CowArray<'a, T, Ix2>,
    gram: Option<Gram<T>>,
    /// `q₀`, where it is not one of the patterns, and its scores.
    cue: Option<(&'a [T], Vec<T>)>,
}

impl<'a, T: Real> Scores<'a, T> {
    /// For so many rounds, under maps that keep few memories or all of them.
    pub(super) fn new(patterns: ArrayView2<'a, T>, cue: Cue<'a, T>, rounds: usize, sparse: bool) -> Result<Self> {
        let patterns = in_rows(CowArray::from(patterns));
        let (count, width) = patterns.dim();
        let products = gram_pays(count, width, rounds, sparse, size_of::<T>());
        Self::build(patterns, cue, products)
    }

    fn build(patterns: CowArray<'a, T, Ix2>, cue: Cue<'a, T>, products: bool) -> Result<Self> {
        let (count, width) = patterns.dim();
        if count == 0 || width == 0 {
            return Err(Error::shape("patterns", &[count, width], &[count.max(1), width.max(1)]));
        }
        check_finite("patterns", patterns.view())?;
        cue.check((count, width))?;
        let cue = match cue {
            Cue::Pattern(_) => None,
            Cue::State(state) => {
                let mut scores = vec![T::zero(); count];
                times(patterns.view(), state, &mut scores);
                Some((state, scores))
            }
        };
        let slice = patterns.as_slice().expect("rows lie one after the other");
        let gram = products.then(|| Gram::of(slice, width));
        Ok(Scores { patterns, gram, cue })
    }

    /// The scores of a state; an error where one overflows.
    pub(super) fn of(&self, state: &State<T>) -> Result<Vec<T>> {
        let (count, width) = self.patterns.dim();
        // A dense map has weights so small that they are lost in the rounding of the sum.
        let largest = state.coefficients.weights().iter().fold(T::zero(), |top, c| top.max(c.abs()));
        let floor = largest * T::epsilon() / T::of(1024.0 * count as f64);
        let coefficients = || state.coefficients.iter().filter(|(_, c)| c.abs() > floor);
        let (terms, mut scores) = (coefficients().count(), vec![T::zero(); count]);
        let own = self.cue.as_ref().filter(|_| state.cue != T::zero());
        match &self.gram {
            Some(gram) if terms * count <= (terms + count) * width => {
                coefficients().for_each(|(i, c)| add(c, gram.row(i), &mut scores));
                own.iter().for_each(|(_, of_cue)| add(state.cue, of_cue, &mut scores));
            }
            _ => {
                let mut q = vec![T::zero(); width];
                let rows = self.patterns.as_slice().expect("rows lie one after the other");
                coefficients().for_each(|(i, c)| add(c, &rows[i * width..(i + 1) * width], &mut q));
                own.iter().for_each(|(cue, _)| add(state.cue, cue, &mut q));
                times(self.patterns.view(), &q, &mut scores);
            }
        }
        checked(&scores, "the score of the state with this pattern must be finite")?;
        Ok(scores)
    }
}

/// Whether a product of the patterns with themselves makes up for its cost.
fn gram_pays(count: usize, width: usize, rounds: usize, sparse: bool, bytes: usize) -> bool {
    let (n, d, steps) = (count as f64, width as f64, USUAL_STEPS * rounds as f64);
    let terms = if sparse { USUAL_SUPPORT.min(n) } else { n };
    let plain = (terms + n) * d;
    let with = BATCHED * n * n * d + steps * (terms * n).min(plain);
    n * n * bytes as f64 <= MOST_BYTES && with < steps * plain
}

/// Fails unless every score is finite.
pub(super) fn checked<T: Real>(scores: &[T], rule: &'static str) -> Result<()> {
    match scores.iter().position(|s| !s.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Error::Entry { argument: "scores", row: None, index, value: scores[index].wide(), rule }),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::separation::Support;

    #[test]
    fn both_ways_agree() {
        let patterns = Array2::from_shape_fn((7, 3), |(i, j)| ((i * 5 + j * 3) % 11) as f64 - 4.5);
        let cue = [0.5, -1.0, 2.0];
        let mut coefficients = Support::default();
        [(1, 0.25), (4, -1.5), (6, 2.0)].into_iter().for_each(|(i, c)| coefficients.push(i, c));
        let state = State { coefficients, cue: -1.0 };
        let of = |products| {
            let scores = Scores::build(CowArray::from(patterns.view()), Cue::State(&cue), products).expect("fine");
            scores.of(&state).expect("finite")
        };
        let q: Vec<f64> = (0..3)
            .map(|j| 0.25 * patterns[(1, j)] - 1.5 * patterns[(4, j)] + 2.0 * patterns[(6, j)] - cue[j])
            .collect();
        for (i, (a, b)) in of(true).into_iter().zip(of(false)).enumerate() {
            let plain: f64 = (0..3).map(|j| patterns[(i, j)] * q[j]).sum();
            assert!((a - plain).abs() < 1e-12 && (b - plain).abs() < 1e-12, "{a} {b} {plain}");
        }
    }

    #[test]
    fn products_are_made_where_they_pay() {
        assert!(gram_pays(1024, 784, 1024, true, 4));
        assert!(gram_pays(128, 3072, 128, false, 4));
        assert!(!gram_pays(1024, 784, 3, true, 4), "a few rounds");
        assert!(!gram_pays(10_000, 2, 10_000, true, 8), "few columns");
        assert!(!gram_pays(60_000, 784, 60_000, true, 4), "too large");
        assert!(!gram_pays(4096, 16, 4096, false, 8), "everything has weight, and columns are few");
    }
}
