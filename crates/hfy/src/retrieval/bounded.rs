//! Shortlists from bounds: which patterns can be in a support, mostly without reading them.

use std::ops::Range;

use super::index::{Index, Projected};
use super::shortlist::{BLOCK, Reach, Shortlist, maximum};
use super::tiles::{exact_dot, in_parts, threads, tile_scores};
use crate::real::{Real, vectorised};
use crate::separation::Support;

/// Patterns and queries of a tile of bounds, which stays in the second-level cache.
const TILE: usize = 256;
/// The share of patterns within their bounds above which the full product is cheaper.
const WORTHWHILE: f64 = 0.3;
/// After this many tiles a share above [`HOPELESS`] of patterns within their bounds will not fall enough.
const TRIAL: usize = 8;
const HOPELESS: f64 = 0.6;
/// Patterns whose exact scores are computed at a time take about this many bytes.
const BLOCK_BYTES: usize = 4 << 20;

/// Patterns with their index, and queries with what rounding can add to their scores.
pub(super) struct Bounded<'b, T> {
    pub(super) index: &'b Index<T>,
    pub(super) patterns: &'b [T],
    pub(super) queries: &'b [T],
    pub(super) slacks: Vec<T>,
    pub(super) reach: Reach<T>,
    /// For each query the weights of the update that it came out of, if any: the heaviest pattern likely scores high.
    pub(super) origins: &'b [Option<Support<T>>],
}

impl<T: Real> Bounded<'_, T> {
    fn width(&self) -> usize {
        self.index.shape().1
    }

    fn query(&self, q: usize) -> &[T] {
        &self.queries[q * self.width()..(q + 1) * self.width()]
    }

    /// The patterns that may be in the support of each query, in order, with their scores; `None` where the bounds
    /// leave too much.
    pub(super) fn candidates(&self) -> Option<Vec<Vec<(u32, f64)>>> {
        let (count, number) = (self.index.shape().0, self.slacks.len());
        let projected = self.index.project(self.queries);
        // Many queries are shared out, so that each sees the best of all patterns; few share out the patterns.
        let survivors = if number >= TILE / 2 * threads() {
            let lists = in_parts(number, |part| self.survivors(&projected, part, 0..count));
            lists.into_iter().collect::<Option<Vec<_>>>()?.concat()
        } else {
            let lists = in_parts(count, |part| self.survivors(&projected, 0..number, part));
            Shortlist::join_all(lists.into_iter().collect::<Option<Vec<_>>>()?)
        };
        let left: usize = survivors.iter().map(|list| list.entries().len()).sum();
        if left as f64 > WORTHWHILE * (number * count) as f64 {
            return None;
        }
        let mut parts = in_parts(count, |part| self.scored(&survivors, part)).into_iter();
        let mut scored = parts.next().unwrap_or_default();
        for part in parts {
            scored.iter_mut().zip(part).for_each(|(all, part)| all.extend(part));
        }
        Some(scored)
    }

    /// What the bounds leave of some patterns for some queries, with bounds of the centred scores.
    fn survivors(
        &self,
        projected: &Projected<T>,
        queries: Range<usize>,
        patterns: Range<usize>,
    ) -> Option<Vec<Shortlist<T>>> {
        let width = self.index.coarse_width();
        let (mean, radius) = (&self.index.mean, self.index.radius);
        let gamma = (self.width() + 8) as f64 * T::epsilon().wide();
        let mean_norm = exact_dot(mean, mean).sqrt();
        let list = |q: usize| {
            // Bounds are sums over centred queries and over the mean.
            let query = exact_dot(self.query(q), self.query(q)).sqrt() + 2.0 * mean_norm;
            Shortlist::new(self.reach, self.slacks[q] + T::of(gamma * radius * query))
        };
        let mut lists: Vec<Shortlist<T>> = queries.clone().map(list).collect();
        if self.reach.rank == 1 {
            for (q, list) in queries.clone().zip(&mut lists) {
                let origin = self.origins.get(q).and_then(Option::as_ref);
                if let Some(hint) = origin.and_then(heaviest) {
                    list.observe(self.centred_score(projected, q, hint as u32));
                }
            }
        }
        let mut bounds = vec![T::zero(); TILE * TILE.min(queries.len())];
        let mut found = Found::new();
        for (number, first) in patterns.clone().step_by(TILE).enumerate() {
            let tile = TILE.min(patterns.end - first);
            let rows = &self.index.coarse()[first * width..(first + tile) * width];
            for start in queries.clone().step_by(TILE) {
                let chunk = start..queries.end.min(start + TILE);
                let bounds = &mut bounds[..chunk.len() * tile];
                tile_scores(rows, &projected.coarse[chunk.start * width..chunk.end * width], width, bounds);
                for (q, bounds) in chunk.zip(bounds.chunks(tile)) {
                    self.filter(projected, q, first, bounds, &mut lists[q - queries.start], &mut found);
                }
            }
            if number + 1 == TRIAL {
                lists.iter_mut().for_each(Shortlist::prune);
                let left: usize = lists.iter().map(|list| list.entries().len()).sum();
                if left as f64 > HOPELESS * (TRIAL * TILE * queries.len()) as f64 {
                    return None;
                }
            }
        }
        lists.iter_mut().for_each(Shortlist::prune);
        Some(lists)
    }

    /// Takes the coarse bounds of a tile into the list of a query, once the fine coordinates have tightened them.
    fn filter(
        &self,
        projected: &Projected<T>,
        q: usize,
        first: usize,
        bounds: &[T],
        list: &mut Shortlist<T>,
        found: &mut Found<T>,
    ) {
        let floor = list.floor();
        vectorised(
            #[inline(always)]
            || found.above(bounds, first as u32, floor),
        );
        if found.count == 0 {
            return;
        }
        let (index, width) = (self.index, self.index.coarse_width());
        let fine_width = index.fine_width();
        let fine_query = &projected.fine[q * fine_width..(q + 1) * fine_width];
        let entries = &found.entries[..found.count];
        T::dots(index.fine(), fine_query, entries, &mut found.dots);
        let rest = projected.coarse[q * width + width - 2];
        let mut top = (T::neg_infinity(), 0);
        for ((bound, &entry), &dot) in found.bounds.iter_mut().zip(entries).zip(&found.dots) {
            *bound += dot - index.coarse()[entry as usize * width + width - 2] * rest;
            if *bound > top.0 {
                top = (*bound, entry);
            }
        }
        if top.0 > list.best() {
            // Likely to raise the floor: its score is computed.
            list.observe(self.centred_score(projected, q, top.1));
        }
        for (&entry, &bound) in entries.iter().zip(&found.bounds) {
            if bound > list.floor() {
                list.keep(entry, bound);
            }
        }
    }

    fn centred_score(&self, projected: &Projected<T>, q: usize, entry: u32) -> T {
        let mut score = [T::zero()];
        T::dots(self.patterns, self.query(q), &[entry], &mut score);
        T::of(score[0].wide() - projected.offsets[q])
    }

    /// Scores of the survivors among some patterns, a cacheful of patterns at a time.
    fn scored(&self, survivors: &[Shortlist<T>], part: Range<usize>) -> Vec<Vec<(u32, f64)>> {
        let width = self.width();
        let below = |list: &Shortlist<T>, end: usize| list.entries().partition_point(|&(i, _)| (i as usize) < end);
        let mut cursors: Vec<usize> = survivors.iter().map(|list| below(list, part.start)).collect();
        let mut scored = vec![Vec::new(); survivors.len()];
        let block = (BLOCK_BYTES / (width * std::mem::size_of::<T>())).max(1);
        for first in part.clone().step_by(block) {
            let end = part.end.min(first + block);
            for (q, cursor) in cursors.iter_mut().enumerate() {
                let left = &survivors[q].entries()[*cursor..];
                let here = left.partition_point(|&(i, _)| (i as usize) < end);
                let score = |i: u32| exact_dot(&self.patterns[i as usize * width..][..width], self.query(q));
                scored[q].extend(left[..here].iter().map(|&(i, _)| (i, score(i))));
                *cursor += here;
            }
        }
        scored
    }
}

/// Entries of a tile above a floor, with their bounds.
struct Found<T> {
    count: usize,
    entries: [u32; TILE],
    bounds: [T; TILE],
    dots: [T; TILE],
}

impl<T: Real> Found<T> {
    fn new() -> Self {
        Found { count: 0, entries: [0; TILE], bounds: [T::zero(); TILE], dots: [T::zero(); TILE] }
    }

    /// Refills with what lies above `floor`. Every entry is written and then counted or not, which costs less than a
    /// branch that no processor foresees.
    #[inline(always)]
    fn above(&mut self, bounds: &[T], first: u32, floor: T) {
        let mut count = 0;
        for (number, block) in bounds.chunks(BLOCK).enumerate() {
            if maximum(block) > floor {
                for (offset, &bound) in block.iter().enumerate() {
                    self.entries[count % TILE] = first + (number * BLOCK + offset) as u32;
                    self.bounds[count % TILE] = bound;
                    count += usize::from(bound > floor);
                }
            }
        }
        self.count = count;
    }
}

/// The pattern that has most weight.
fn heaviest<T: Real>(support: &Support<T>) -> Option<usize> {
    let heavier = |a: (usize, T), b: (usize, T)| if b.1 > a.1 { b } else { a };
    support.iter().reduce(heavier).map(|(index, _)| index)
}
