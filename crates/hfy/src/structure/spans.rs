//! Contiguous runs of variables.

use std::borrow::Cow;

use super::check::{at_least, check_higher};
use super::wide::Wide;
use super::{Structure, Vertex};
use crate::error::{Error, Result};

/// One run of neighbouring variables,
///
/// ```text
/// { a : a_i = 1 where start ≤ i < end, otherwise 0 },   shortest ≤ end - start ≤ longest.
/// ```
///
/// Runs of one length, the windows, are what sequential k-subsets tend to as the score of neighbours grows. The empty
/// run is not among them unless [`or_none`](Spans::or_none) says so.
///
/// The oracle only adds, and in twice the precision: a score within one run does not blur those of runs without it, nor
/// does a score that runs share, such as 1e8, blur what tells them apart.
///
/// **Cost.** Linear in N, whatever the length: a run of at most `k` meets at most two of the blocks of length `k`, so
/// it lies in one, where the best run is Kadane's, or is the end of one and the beginning of the next.
///
/// Reference: Bentley, *Programming Pearls: Algorithm Design Techniques*, 1984.
///
/// ```
/// use hfy::structure::{Spans, Structure, Vertex};
///
/// let scores = [2.0, -1.0, 2.0, -4.0, 2.5];
/// let mut best = Vertex::default();
/// assert_eq!(Spans::any().maximise(&scores, &[], &mut best)?, 3.0);
/// assert_eq!(best.unary().indices(), [0, 1, 2]);
///
/// let mut window = Vertex::default();
/// assert_eq!(Spans::of_length(2)?.maximise(&scores, &[], &mut window)?, 1.0);
/// assert_eq!(window.unary().indices(), [0, 1]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spans {
    shortest: usize, // 1, or the longest
    longest: usize,
    none: bool,
}

/// The best run so far.
struct Best {
    score: Wide,
    start: usize,
    end: usize,
}

impl Best {
    fn offer(&mut self, score: Wide, start: usize, end: usize) {
        if score > self.score {
            *self = Best { score, start, end };
        }
    }
}

impl Spans {
    /// Runs of any length but zero.
    pub fn any() -> Self {
        Spans { shortest: 1, longest: usize::MAX, none: false }
    }

    /// Runs of exactly `k` variables: windows.
    pub fn of_length(k: usize) -> Result<Self> {
        at_least(1, "k", k, "a run must have at least one variable")?;
        Ok(Spans { shortest: k, longest: k, none: false })
    }

    /// Runs of one to `k` variables.
    pub fn up_to(k: usize) -> Result<Self> {
        at_least(1, "k", k, "a run must have at least one variable")?;
        Ok(Spans { shortest: 1, longest: k, none: false })
    }

    /// The same runs, and the empty one, which scores zero and is preferred where no run scores more.
    pub fn or_none(self) -> Self {
        Spans { none: true, ..self }
    }

    fn windows(&self, unary: &[f64], best: &mut Best) {
        let k = self.longest;
        let ends = tails(unary, k);
        for start in (0..unary.len().saturating_sub(k - 1)).step_by(k) {
            // Windows that begin in the block at `start`: the end of it, and as much of the next.
            let mut head = Wide::ZERO;
            best.offer(ends[start], start, start + k);
            for end in start + k + 1..unary.len().min(start + 2 * k - 1) + 1 {
                head = head + unary[end - 1];
                best.offer(ends[end - k] + head, end - k, end);
            }
        }
    }

    fn up_to_longest(&self, unary: &[f64], best: &mut Best) {
        let k = self.longest.min(unary.len());
        let ends = tails(unary, k);
        for start in (0..unary.len()).step_by(k) {
            let (mut run, mut from) = (Wide::FORBIDDEN, start);
            for i in start..unary.len().min(start + k) {
                (run, from) = if run > Wide::ZERO { (run + unary[i], from) } else { (Wide::from(unary[i]), i) };
                best.offer(run, from, i + 1);
            }
            if start + k >= unary.len() {
                break;
            }
            // Runs from `first` in this block into the next, no further than `k` allows.
            let mut head = Wide::ZERO;
            let mut crossing = Best { score: Wide::FORBIDDEN, start, end: start + k };
            for first in start + 1..start + k {
                if let Some(&score) = unary.get(first + k - 1) {
                    head = head + score;
                    crossing.offer(head, start, first + k);
                }
                best.offer(ends[first] + crossing.score, first, crossing.end);
            }
        }
    }
}

/// Sums of the scores from each position to the end of its block of length `k`.
fn tails(unary: &[f64], k: usize) -> Vec<Wide> {
    let mut tails = vec![Wide::ZERO; unary.len()];
    for (block, scores) in tails.chunks_mut(k).zip(unary.chunks(k)) {
        let mut sum = Wide::ZERO;
        for (tail, &score) in block.iter_mut().zip(scores).rev() {
            sum = sum + score;
            *tail = sum;
        }
    }
    tails
}

impl Structure for Spans {
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>> {
        if variables < self.shortest && !self.none {
            return Err(Error::shape("unary", &[variables], &[self.shortest]));
        }
        Ok(Cow::Borrowed(&[]))
    }

    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        check_higher(higher, self.higher(unary.len())?.len())?;
        let empty = if self.none { Wide::ZERO } else { Wide::FORBIDDEN };
        let mut best = Best { score: empty, start: 0, end: 0 };
        if unary.len() >= self.shortest {
            if self.shortest == self.longest {
                self.windows(unary, &mut best);
            } else {
                self.up_to_longest(unary, &mut best);
            }
        }
        (best.start..best.end).for_each(|i| vertex.choose(i));
        Ok(best.score.rounded())
    }

    fn mass(&self) -> Option<f64> {
        (self.shortest == self.longest && !self.none).then_some(self.longest as f64)
    }
}
