//! The patterns that can still be in a query's support, while scores come in.

use crate::real::{Real, greater};

/// How far below the `rank`-th best score an entry may lie and still have weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reach<T> {
    /// Which of the best scores counts, from one.
    pub(crate) rank: usize,
    /// How far below it the support may extend.
    pub(crate) depth: T,
}

/// The best scores of one query and the entries within reach of them.
#[derive(Debug, Clone)]
pub(crate) struct Shortlist<T> {
    /// Up to `rank` lower bounds of the best scores, descending.
    best: Vec<T>,
    rank: usize,
    depth: T,
    floor: T,
    entries: Vec<(u32, T)>,
    pruned_at: usize,
}

/// Lists are pruned whenever they have grown by this much.
const GROWTH: usize = 1024;
pub(super) const BLOCK: usize = 32;
const LANES: usize = 8;

impl<T: Real> Shortlist<T> {
    /// A list for scores that carry errors of at most `slack`.
    pub(crate) fn new(reach: Reach<T>, slack: T) -> Self {
        // A score may be too low by the slack where the best is too high by it.
        let depth = reach.depth + T::of(2.0) * slack;
        Shortlist {
            best: Vec::with_capacity(reach.rank),
            rank: reach.rank,
            depth,
            floor: T::neg_infinity(),
            entries: Vec::new(),
            pruned_at: 0,
        }
    }

    /// Scores at or below this cannot matter any more.
    pub(crate) fn floor(&self) -> T {
        self.floor
    }

    /// The score that the reach is counted from: the `rank`-th best so far.
    pub(crate) fn best(&self) -> T {
        if self.best.len() == self.rank { self.best[self.rank - 1] } else { T::neg_infinity() }
    }

    /// Entries within reach of the best seen so far, with what was known of their scores.
    pub(crate) fn entries(&self) -> &[(u32, T)] {
        &self.entries
    }

    /// Counts `score` among the best.
    pub(crate) fn observe(&mut self, score: T) {
        if self.best.len() == self.rank {
            if score <= self.best[self.rank - 1] {
                return;
            }
            self.best.pop();
        }
        let place = self.best.partition_point(|&b| b >= score);
        self.best.insert(place, score);
        if self.best.len() == self.rank {
            self.floor = self.best[self.rank - 1] - self.depth;
        }
    }

    /// Keeps entry `index`, whose score is at most `bound`.
    pub(crate) fn keep(&mut self, index: u32, bound: T) {
        self.entries.push((index, bound));
        if self.entries.len() >= self.pruned_at + GROWTH {
            self.prune();
        }
    }

    /// Drops what the best scores have left behind.
    pub(crate) fn prune(&mut self) {
        let floor = self.floor;
        self.entries.retain(|&(_, bound)| bound > floor);
        self.pruned_at = self.entries.len();
    }

    /// Takes in a stretch of scores, the first of which belongs to pattern `first`.
    #[inline(always)]
    pub(crate) fn take(&mut self, scores: &[T], first: usize) {
        for (number, block) in scores.chunks(BLOCK).enumerate() {
            if maximum(block) > self.floor {
                for (offset, &score) in block.iter().enumerate() {
                    self.offer((first + number * BLOCK + offset) as u32, score);
                }
            }
        }
    }

    /// Takes in one score.
    pub(crate) fn offer(&mut self, index: u32, score: T) {
        if score > self.floor {
            self.observe(score);
            self.keep(index, score);
        }
    }

    /// Joins the lists of parts of the patterns, query by query.
    pub(crate) fn join_all(parts: Vec<Vec<Shortlist<T>>>) -> Vec<Shortlist<T>> {
        let mut parts = parts.into_iter();
        let mut lists = parts.next().unwrap_or_default();
        for part in parts {
            for (list, other) in lists.iter_mut().zip(&part) {
                list.join(other);
            }
        }
        lists.iter_mut().for_each(Shortlist::prune);
        lists
    }

    /// Joins the list of another part of the patterns.
    fn join(&mut self, other: &Shortlist<T>) {
        for &score in &other.best {
            self.observe(score);
        }
        self.entries.extend_from_slice(&other.entries);
        self.prune();
    }
}

#[inline(always)]
pub(super) fn maximum<T: Real>(block: &[T]) -> T {
    let mut top = [T::neg_infinity(); LANES];
    let (parts, rest) = block.as_chunks::<LANES>();
    for part in parts {
        for l in 0..LANES {
            top[l] = greater(part[l], top[l]);
        }
    }
    for (l, &v) in rest.iter().enumerate() {
        top[l] = greater(v, top[l]);
    }
    for half in [4, 2, 1] {
        for l in 0..half {
            top[l] = greater(top[l], top[l + half]);
        }
    }
    top[0]
}
