//! The weights of one step for a batch of queries.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use ndarray::{ArrayView2, CowArray, Ix2};

use super::answer::{Answer, Wanted};
use super::bounded::Bounded;
use super::index::Index;
use super::model::Model;
use super::shortlist::{Reach, Shortlist};
use super::sums::{Origins, pays, shortlists};
use super::tiles::{exact_dot, for_tiles, in_parts};
use crate::error::{Error, Result};
use crate::gram::Gram;
use crate::network::add;
use crate::real::{Real, vectorised};
use crate::separation::{Separation, Support};

/// Queries that are worked on together.
pub(super) const BATCH: usize = 1024;

/// Scores of patterns against queries, filtered as they appear.
///
/// ```
/// use hfy::{Entmax, retrieval::Engine};
/// use ndarray::array;
///
/// let patterns = array![[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]];
/// let engine = Engine::new(patterns.view())?;
/// let supports = engine.supports(&Entmax::SPARSEMAX, 4.0, array![[0.9, 0.1]].view())?;
/// assert_eq!(supports[0].indices(), [0]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug)]
pub struct Engine<'a, T: Real> {
    patterns: CowArray<'a, T, Ix2>,
    largest_norm: f64,
    index: Option<Arc<Index<T>>>,
    gram: OnceLock<Gram<T>>,
}

impl<'a, T: Real> Engine<'a, T> {
    /// An engine over the rows of `patterns`, used where they lie if they are contiguous.
    pub fn new(patterns: ArrayView2<'a, T>) -> Result<Self> {
        let (count, width) = patterns.dim();
        if count == 0 || width == 0 || count > u32::MAX as usize {
            return Err(Error::shape("patterns", &[count, width], &[count.max(1), width.max(1)]));
        }
        let patterns = if patterns.is_standard_layout() {
            CowArray::from(patterns)
        } else {
            CowArray::from(patterns.as_standard_layout().into_owned())
        };
        let slice = patterns.as_slice().expect("the patterns are in standard order");
        // A NaN stays, which the greater of two numbers would lose.
        let greatest = |top: f64, square: f64| if square <= top || top.is_nan() { top } else { square };
        let squares = in_parts(count, |part| {
            let rows = slice[part.start * width..part.end * width].chunks(width);
            rows.map(|row| exact_dot(row, row)).fold(0.0, greatest)
        });
        let largest_norm = squares.into_iter().fold(0.0, greatest).sqrt();
        if !largest_norm.is_finite() {
            check_finite("patterns", patterns.view())?;
        }
        Ok(Engine { patterns, largest_norm, index: None, gram: OnceLock::new() })
    }

    /// The same engine with an index over these patterns, which others may share.
    pub fn with_index(mut self, index: impl Into<Arc<Index<T>>>) -> Result<Self> {
        let index = index.into();
        if index.shape() != self.patterns.dim() {
            let (count, width) = index.shape();
            return Err(Error::shape("index", &[count, width], self.patterns.shape()));
        }
        self.index = Some(index);
        Ok(self)
    }

    /// The patterns, one a row.
    pub fn patterns(&self) -> ArrayView2<'_, T> {
        self.patterns.view()
    }

    fn data(&self) -> &[T] {
        self.patterns.as_slice().expect("the patterns are in standard order")
    }

    fn row(&self, index: usize) -> &[T] {
        let width = self.patterns.ncols();
        &self.data()[index * width..(index + 1) * width]
    }

    /// The weights `ŷ(β X q)` of each query, for a map whose support has a finite reach.
    pub fn supports(
        &self,
        omega: &dyn Separation<T>,
        beta: f64,
        queries: ArrayView2<'_, T>,
    ) -> Result<Vec<Support<T>>> {
        let width = self.patterns.ncols();
        if queries.ncols() != width {
            return Err(Error::shape("queries", queries.shape(), &[queries.nrows(), width]));
        }
        if !(beta > 0.0 && beta.is_finite()) {
            return Err(Error::parameter("beta", beta, "an inverse temperature must be positive and finite"));
        }
        check_finite("queries", queries)?;
        if omega.reach().is_none() {
            return Err(Error::Unsupported { function: "this map", what: "a support of finite reach" });
        }
        let queries = queries.as_standard_layout();
        let queries = queries.as_slice().expect("the queries are in standard order");
        if let Some(row) = queries.chunks(width).position(|query| self.may_overflow(query)) {
            let (value, rule) = (queries[row * width].wide(), "the scores of the query must not overflow");
            return Err(Error::Entry { argument: "queries", row: Some(row), index: 0, value, rule });
        }
        let mut supports = Vec::with_capacity(queries.len() / width);
        for batch in queries.chunks(BATCH * width) {
            let done = supports.len();
            let weighed = self.weighed(omega, beta, batch, Origins::none(), |q, entries, scores| {
                weigh(omega, entries, scores, done + q)
            });
            supports.extend(weighed?);
        }
        Ok(supports)
    }

    /// The answers of a network over these patterns to a batch of states whose scores cannot overflow; the number of
    /// the state that an error is about goes with it.
    pub(super) fn answers(
        &self,
        model: &Model<'_, T>,
        states: &[T],
        origins: Origins<'_, T>,
        wanted: Wanted,
    ) -> std::result::Result<Vec<Answer<T>>, (usize, Error)> {
        let omega = model.omega;
        let answer = |q: usize, entries: &[u32], scores: &[T]| {
            let support = weigh(omega, entries, scores, q)?;
            let conjugate = if wanted.conjugate { Some(omega.conjugate(scores)?) } else { None };
            let mut projection = Vec::new();
            if wanted.projection {
                projection.resize(model.output_width(), T::zero());
                support.iter().for_each(|(i, weight)| add(weight, model.value(i), &mut projection));
            }
            Ok(Answer { support, complete: true, projection, log_scale: T::zero(), conjugate })
        };
        self.weighed(omega, 1.0, states, origins, |q, entries, scores| answer(q, entries, scores).map_err(|e| (q, e)))
    }

    /// Runs `work` on each query of a batch: on its number, the patterns that may be in its support, and their scores,
    /// computed exactly and times `beta`.
    fn weighed<R: Send, E: Send>(
        &self,
        omega: &dyn Separation<T>,
        beta: f64,
        batch: &[T],
        origins: Origins<'_, T>,
        work: impl Fn(usize, &[u32], &[T]) -> std::result::Result<R, E> + Sync + Send,
    ) -> std::result::Result<Vec<R>, E> {
        let (rank, depth) = omega.reach().expect("callers make sure that the map has a finite reach");
        let reach = Reach { rank: rank.clamp(1, self.patterns.nrows()), depth: T::of(depth.wide() / beta) };
        let candidates = self.candidates(reach, batch, origins);
        let solved = in_parts(candidates.len(), |part| {
            let (mut entries, mut scores, mut ranked) = (Vec::new(), Vec::new(), Vec::new());
            let one = |q: usize| {
                let heated = candidates[q].iter().map(|&(i, score)| (i, T::of(beta * score)));
                let level = level(heated.clone().map(|(_, score)| score), &mut ranked, rank, depth);
                entries.clear();
                scores.clear();
                for (entry, score) in heated.filter(|&(_, score)| score >= level) {
                    entries.push(entry);
                    scores.push(score);
                }
                work(q, &entries, &scores)
            };
            part.map(one).collect::<std::result::Result<Vec<_>, E>>()
        });
        let mut results = Vec::with_capacity(candidates.len());
        for part in solved {
            results.extend(part?);
        }
        Ok(results)
    }

    /// Whether a score of this query, or a part of one, may leave the range of the type.
    pub(super) fn may_overflow(&self, query: &[T]) -> bool {
        !(self.largest_norm * exact_dot(query, query).sqrt() < T::max_value().wide() / 4.0)
    }

    /// What rounding can add to a score of this query.
    fn slack(&self, query: &[T]) -> T {
        let gamma = (query.len() + 8) as f64 * T::epsilon().wide();
        // Products that vanish lose up to the least positive number each.
        let vanished = query.len() as f64 * T::min_positive_value().wide();
        T::of(gamma * self.largest_norm * exact_dot(query, query).sqrt()) + T::of(vanished)
    }

    /// The patterns that may be in the support of each query, in order, with their scores.
    fn candidates(&self, reach: Reach<T>, queries: &[T], origins: Origins<'_, T>) -> Vec<Vec<(u32, f64)>> {
        let width = self.patterns.ncols();
        let slacks: Vec<T> = queries.chunks(width).map(|query| self.slack(query)).collect();
        let empty: Vec<_> = slacks.iter().map(|&slack| Shortlist::new(reach, slack)).collect();
        let lists = if let Some(gram) = self.gram(slacks.len(), origins) {
            shortlists(gram, origins.supports, reach, width, self.largest_norm)
        } else if let Some(index) = &self.index {
            let bounded = Bounded { index, patterns: self.data(), queries, slacks, reach, origins: origins.supports };
            match bounded.candidates() {
                Some(candidates) => return candidates,
                None => self.full(&empty, queries),
            }
        } else {
            self.full(&empty, queries)
        };
        let exact = in_parts(lists.len(), |part| {
            let one = |q: usize| {
                let query = &queries[q * width..(q + 1) * width];
                let score = |&(i, _): &(u32, T)| (i, exact_dot(self.row(i as usize), query));
                lists[q].entries().iter().map(score).collect()
            };
            part.map(one).collect::<Vec<Vec<_>>>()
        });
        exact.concat()
    }

    /// The products of patterns with one another, where they spare more than they cost.
    fn gram(&self, queries: usize, origins: Origins<'_, T>) -> Option<&Gram<T>> {
        let (count, width) = self.patterns.dim();
        if !origins.are_sums(width) || !self.largest_norm.is_finite() {
            return None;
        }
        if self.gram.get().is_none() && !pays::<T>(count, queries, origins.steps) {
            return None;
        }
        Some(self.gram.get_or_init(|| Gram::of(self.data(), width)))
    }

    /// From the full product.
    fn full(&self, empty: &[Shortlist<T>], queries: &[T]) -> Vec<Shortlist<T>> {
        let width = self.patterns.ncols();
        let parts = in_parts(self.patterns.nrows(), |part| {
            let mut lists = empty.to_vec();
            for_tiles(self.data(), width, part, queries, |first, tile, scores| {
                vectorised(
                    #[inline(always)]
                    || {
                        for (list, scores) in lists.iter_mut().zip(scores.chunks(tile)) {
                            list.take(scores, first);
                        }
                    },
                );
            });
            lists
        });
        Shortlist::join_all(parts)
    }
}

/// The score below which no entry has weight: `depth` below the `rank`-th best, and what rounding that may hide. It
/// depends on the scores alone, so that the same entries are weighed whichever way they were found.
fn level<T: Real>(scores: impl Iterator<Item = T>, ranked: &mut Vec<T>, rank: usize, depth: T) -> T {
    ranked.clear();
    ranked.extend(scores);
    let Some(last) = ranked.len().checked_sub(rank) else { return T::neg_infinity() };
    let (_, best, _) = ranked.select_nth_unstable_by(last, |a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    *best - depth - T::of(16.0) * T::epsilon() * (depth + best.abs())
}

/// The support among some entries, from their scores.
fn weigh<T: Real>(omega: &dyn Separation<T>, entries: &[u32], scores: &[T], row: usize) -> Result<Support<T>> {
    let mut support = Support::default();
    omega.support(scores, &mut support).map_err(|e| e.in_row(row))?;
    support.relabel(|i| entries[i] as usize);
    Ok(support)
}

pub(super) fn check_finite<T: Real>(argument: &'static str, matrix: ArrayView2<'_, T>) -> Result<()> {
    if let Some(slice) = matrix.as_slice() {
        // A sum that is a number needs no search: zero times what is not finite is NaN.
        let sum = |part: std::ops::Range<usize>| slice[part].iter().fold(T::zero(), |sum, &v| sum + v * T::zero());
        if in_parts(slice.len(), sum).into_iter().all(|sum| sum == T::zero()) {
            return Ok(());
        }
    }
    match matrix.indexed_iter().find(|(_, v)| !num_traits::Float::is_finite(**v)) {
        None => Ok(()),
        Some(((row, index), value)) => {
            Err(Error::Entry { argument, row: Some(row), index, value: value.wide(), rule: "an entry must be finite" })
        }
    }
}
