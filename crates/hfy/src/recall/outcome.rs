//! What a recall brought.

use super::measures::{levenshtein_ceiling, levenshtein_coefficient, unique_ratio};
use crate::real::Real;
use crate::separation::Support;

/// The rounds of a recall, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall<T> {
    /// How many patterns there were to recall.
    pub patterns: usize,
    /// The pattern that was the cue, where it was one.
    pub cue: Option<usize>,
    /// What each round brought.
    pub rounds: Vec<Round<T>>,
}

/// One round.
#[derive(Debug, Clone, PartialEq)]
pub struct Round<T> {
    /// The pattern with the largest weight, the first of them where several have it.
    pub recalled: usize,
    /// By how much its weight exceeds the next largest, which is zero where no other has any.
    pub gap: f64,
    /// The weights `p` of the last update.
    pub weights: Support<T>,
    /// Everything on the way, where it was asked for.
    pub trace: Option<Trace<T>>,
}

/// Everything that a round went through.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace<T> {
    /// The weights of the outer update: the penalised `p`, or the `y` of sequential recall, one an entry. Empty for
    /// constrained recall, which has none.
    pub outer: Vec<f64>,
    /// The weights of every inner update.
    pub inner: Vec<Support<T>>,
    /// The account after the round: the bounds `u`, or the average `a`.
    pub account: Vec<f64>,
}

impl<T: Real> Round<T> {
    pub(super) fn new(weights: Support<T>, trace: Option<Trace<T>>) -> Self {
        let (mut recalled, mut best, mut next) = (0, T::neg_infinity(), T::zero());
        for (index, weight) in weights.iter() {
            if weight > best {
                next = next.max(best);
                (recalled, best) = (index, weight);
            } else {
                next = next.max(weight);
            }
        }
        Round { recalled, gap: best.wide() - next.wide(), weights, trace }
    }
}

impl<T> Recall<T> {
    /// The recalled patterns.
    pub fn recalled(&self) -> Vec<usize> {
        self.rounds.iter().map(|round| round.recalled).collect()
    }

    /// Distinct recalled patterns for each round: 1 where nothing came twice.
    pub fn unique_ratio(&self) -> f64 {
        unique_ratio(&self.recalled())
    }

    /// `1 - d(recalled, [1, 2, .., R])/R` for R rounds, with the edit distance d: how well the order of the patterns
    /// was kept, from the one after the first, which is the cue of a sequential recall. No run of as many rounds as
    /// patterns reaches 1, see [`ceiling`](Recall::ceiling).
    pub fn levenshtein(&self) -> f64 {
        levenshtein_coefficient(&self.recalled())
    }

    /// The best that [`levenshtein`](Recall::levenshtein) can be: `1 - 1/N` for as many rounds as patterns, since
    /// after the last pattern there is none.
    pub fn ceiling(&self) -> f64 {
        levenshtein_ceiling(self.patterns, self.rounds.len())
    }

    /// Which rounds brought a pattern that an earlier one had brought.
    pub fn repeats(&self) -> Vec<bool> {
        let mut seen = vec![false; self.patterns];
        self.rounds.iter().map(|round| std::mem::replace(&mut seen[round.recalled], true)).collect()
    }

    /// Which rounds brought a pattern that is neither the one recalled before (in the first round, the cue) nor stored
    /// next to it. Neighbours have no direction, so that a run backwards is none.
    pub fn jumps(&self) -> Vec<bool> {
        let mut before = self.cue;
        let jump =
            |round: &Round<T>| before.replace(round.recalled).is_some_and(|before| before.abs_diff(round.recalled) > 1);
        self.rounds.iter().map(jump).collect()
    }
}
