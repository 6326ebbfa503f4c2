//! Sequential k-subsets: sets of k variables in a row, where neighbours interact.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Add;

use super::check::{check_memory, check_parts};
use super::wide::Wide;
use super::{Structure, Vertex};
use crate::error::{Error, Result};
use crate::real::vectorised;

/// Scores of neighbours.
#[derive(Debug, Clone, PartialEq)]
pub enum Transitions {
    /// One score for every pair of neighbours that are both on.
    Shared(f64),
    /// One for each pair of neighbours that are both on.
    Edges(Vec<f64>),
    /// Four for each pair of neighbours: off-off, off-on, on-off, on-on.
    Tables(Vec<f64>),
}

/// The sets of exactly k of N variables in a row,
///
/// ```text
/// { (a, e) : a in {0, 1}^N, Σ a = k, e_i = a_i a_{i+1} },
/// ```
///
/// scored by the variables that are on and by the pairs of neighbours that both are; with [tables](Sequence::tables),
/// by the states of both neighbours. As the scores of pairs grow, what remains are the windows of k neighbours,
/// [`Spans::of_length`](super::Spans::of_length).
///
/// **Cost.** Dynamic programming, O(Nk).
///
/// **Stability.** Where the scores are so large that sums of k of them would lose digits, they are summed in twice the
/// precision.
///
/// ```
/// use hfy::structure::{Sequence, Structure, Vertex};
///
/// let pairs = Sequence::new(2)?.transition(1.0)?;
/// let scores = [1.0, -0.5, 0.25, 0.5];
/// let mut best = Vertex::default();
/// assert_eq!(pairs.maximise(&scores, &pairs.higher(4)?, &mut best)?, 0.25 + 0.5 + 1.0);
/// best.sort();
/// assert_eq!(best.unary().indices(), [2, 3]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    k: usize,
    transitions: Transitions,
}

impl Sequence {
    /// Sets of `k` variables, whose neighbours do not interact yet.
    pub fn new(k: usize) -> Result<Self> {
        if k == 0 {
            return Err(Error::parameter("k", k, "a sequence must have at least one variable on"));
        }
        Ok(Sequence { k, transitions: Transitions::Shared(0.0) })
    }

    /// With one score for every pair of neighbours that are both on.
    pub fn transition(self, score: f64) -> Result<Self> {
        check_parts("transitions", &[score])?;
        Ok(Sequence { transitions: Transitions::Shared(score), ..self })
    }

    /// With a score for each pair of neighbours that are both on: one fewer than variables.
    pub fn edges(self, scores: Vec<f64>) -> Result<Self> {
        check_parts("transitions", &scores)?;
        Ok(Sequence { transitions: Transitions::Edges(scores), ..self })
    }

    /// With a score for each state of each pair of neighbours: off-off, off-on, on-off, on-on.
    pub fn tables(self, scores: &[[f64; 4]]) -> Result<Self> {
        let scores: Vec<f64> = scores.iter().flatten().copied().collect();
        check_parts("transitions", &scores)?;
        Ok(Sequence { transitions: Transitions::Tables(scores), ..self })
    }

    /// The number of variables that are on.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The scores of neighbours.
    pub fn transitions(&self) -> &Transitions {
        &self.transitions
    }
}

/// A number that paths are scored with.
trait Score: Copy + PartialOrd + Add<f64, Output = Self> {
    const FORBIDDEN: Self;
    const ZERO: Self;
    fn rounded(self) -> f64;
}

impl Score for f64 {
    const FORBIDDEN: Self = f64::NEG_INFINITY;
    const ZERO: Self = 0.0;
    fn rounded(self) -> f64 {
        self
    }
}

impl Score for Wide {
    const FORBIDDEN: Self = Wide::FORBIDDEN;
    const ZERO: Self = Wide::ZERO;
    fn rounded(self) -> f64 {
        self.rounded()
    }
}

#[inline(always)]
fn greater<S: Score>(a: S, b: S) -> S {
    if a > b { a } else { b }
}

/// Scores of pairs: off-off, off-on, on-off, on-on.
trait Edge: Fn(usize) -> [f64; 4] {}
impl<F: Fn(usize) -> [f64; 4]> Edge for F {}

/// Fills `table`, for each variable the best scores with it off and then with it on, for each number of variables that
/// are on so far.
#[inline(always)]
fn forward<S: Score>(unary: &[f64], shift: f64, k: usize, edge: impl Edge, table: &mut Vec<S>) {
    let width = k + 1;
    table.resize(unary.len() * 2 * width, S::FORBIDDEN);
    table[..2 * width].fill(S::FORBIDDEN);
    table[0] = S::ZERO;
    table[width + 1] = S::ZERO + unary[0] + -shift;
    for i in 1..unary.len() {
        let (before, here) = table[(i - 1) * 2 * width..(i + 1) * 2 * width].split_at_mut(2 * width);
        let (off, on) = before.split_at(width);
        let (to_off, to_on) = here.split_at_mut(width);
        let (score, [off_off, off_on, on_off, on_on]) = (unary[i] - shift, edge(i - 1));
        for ((to, &off), &on) in to_off.iter_mut().zip(off).zip(on) {
            *to = greater(off + off_off, on + on_off);
        }
        to_on[0] = S::FORBIDDEN;
        for ((to, &off), &on) in to_on[1..].iter_mut().zip(off).zip(on) {
            *to = greater(off + off_on, on + on_on) + score;
        }
    }
}

/// Follows the best path back and calls `visit` with each edge and the states at its ends, then with the last variable.
fn backward<S: Score>(table: &[S], k: usize, edge: impl Edge, mut visit: impl FnMut(usize, bool, bool)) -> f64 {
    let width = k + 1;
    let n = table.len() / (2 * width);
    let at = |i: usize, state: bool, count: usize| table[i * 2 * width + if state { width } else { 0 } + count];
    let mut on = at(n - 1, true, k) > at(n - 1, false, k);
    let best = at(n - 1, on, k).rounded();
    if best == f64::NEG_INFINITY {
        return best;
    }
    let mut count = k;
    visit(n - 1, on, on);
    for i in (1..n).rev() {
        let scores = edge(i - 1);
        count -= usize::from(on);
        let (off_to, on_to) = (scores[usize::from(on)], scores[2 + usize::from(on)]);
        let before = at(i - 1, true, count) + on_to > at(i - 1, false, count) + off_to;
        visit(i - 1, before, on);
        on = before;
    }
    best
}

thread_local! {
    static NARROW: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
    static WIDE: RefCell<Vec<Wide>> = const { RefCell::new(Vec::new()) };
}

impl Sequence {
    /// The best path, and its score. Every path has k variables on, so that what their scores have in common does not
    /// decide.
    fn best(&self, unary: &[f64], largest: f64, edge: impl Edge, visit: impl FnMut(usize, bool, bool)) -> f64 {
        let finite = || unary.iter().copied().filter(|s| s.is_finite());
        let (most, least) = (finite().fold(f64::NEG_INFINITY, f64::max), finite().fold(f64::INFINITY, f64::min));
        if most == f64::NEG_INFINITY {
            return most; // nothing may be on
        }
        // A rounding of a sum should be far below the differences that decide.
        if !((most - least).max(largest) * self.k as f64 <= 1e3) {
            return WIDE.with_borrow_mut(|table| {
                forward(unary, 0.0, self.k, &edge, table);
                backward(table, self.k, &edge, visit)
            });
        }
        NARROW.with_borrow_mut(|table| {
            vectorised(
                #[inline(always)]
                || forward(unary, most, self.k, &edge, table),
            );
            backward(table, self.k, &edge, visit) + most * self.k as f64
        })
    }
}

impl Structure for Sequence {
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>> {
        if self.k > variables {
            return Err(Error::parameter("k", self.k, "k must not exceed the number of entries in a row"));
        }
        check_memory("k", self.k, variables.saturating_mul(2).saturating_mul(self.k + 1))?;
        let (scores, each) = match &self.transitions {
            Transitions::Shared(score) => return Ok(vec![*score; variables - 1].into()),
            Transitions::Edges(scores) => (scores, 1),
            Transitions::Tables(scores) => (scores, 4),
        };
        if scores.len() != each * (variables - 1) {
            return Err(Error::shape("transitions", &[scores.len() / each], &[variables - 1]));
        }
        Ok(Cow::Borrowed(scores))
    }

    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        let largest = higher.iter().filter(|s| s.is_finite()).fold(0.0, |top: f64, s| top.max(s.abs()));
        let tables = matches!(self.transitions, Transitions::Tables(_));
        let last = unary.len() - 1;
        let visit = |i: usize, on: bool, next: bool| {
            if on {
                vertex.choose(i);
            }
            if i == last {
            } else if tables {
                vertex.link(4 * i + 2 * usize::from(on) + usize::from(next));
            } else if on && next {
                vertex.link(i);
            }
        };
        Ok(if tables {
            let edge = |i: usize| [higher[4 * i], higher[4 * i + 1], higher[4 * i + 2], higher[4 * i + 3]];
            self.best(unary, largest, edge, visit)
        } else {
            self.best(unary, largest, |i: usize| [0.0, 0.0, 0.0, higher[i]], visit)
        })
    }

    fn mass(&self) -> Option<f64> {
        Some(self.k as f64)
    }
}
