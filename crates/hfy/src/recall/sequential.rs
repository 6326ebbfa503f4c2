//! Sequential recall: the memories in their order.

use std::ops::ControlFlow;

use ndarray::ArrayView2;

use super::drive::{Rounds, at_least_one, check_beta, drive};
use super::scores::Scores;
use super::settle::{State, settle};
use super::{Cue, Penalty, Recall, Round, Trace};
use crate::convex::{Convex, Scaled};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::real::Real;
use crate::separation::{Entmax, Separation};
use crate::structure::{Regulariser, Sequence, Spans, SparseMap};

/// Sequential recall with sequential 2-subsets: each memory brings the one that is stored after it.
///
/// A round associates the state with a neighbour, takes the state itself away, and lets what remains settle. The
/// account is against going back, and, for `ω > 1`, for staying with what was recalled last. The [module](super) has it
/// in formulas.
///
/// Neighbours have no direction. From the first memory there is only one way; from one in the middle it may go either
/// way, and then keeps to it.
///
/// All settings but the first two have the paper's values until they are set: penalty `λ = 1e9` with `τ = 0.001`, `ω =
/// 1.1`, transition score `1e8`, sparsemax at an inverse temperature of 1 in the inner loop, both states regularised.
///
/// **Cost.** A round takes one SparseMAP problem over N variables and the steps of the inner loop.
///
/// **Stability.** Where the transition score outweighs every difference of scores, as the paper's does, only pairs of
/// neighbours can have weight, and the problem is solved over those, without that score, and so without its rounding.
///
/// ```
/// use hfy::recall::{Penalty, SequentialRecall};
/// use ndarray::Array2;
///
/// let patterns = Array2::from_diag_elem(8, 3.0);
/// let recall = SequentialRecall::new(0.1, 20)?.penalty(Penalty::new(1e8, 0.001)?).run(patterns.view(), 0)?;
/// assert_eq!(recall.recalled()[..7], [1, 2, 3, 4, 5, 6, 7]);
/// assert_eq!(recall.levenshtein(), 1.0 - 1.0 / 8.0); // the best there is: nothing follows the last
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SequentialRecall {
    penalty: Penalty,
    beta: f64,
    inner_beta: f64,
    steps: usize,
    map: Entmax,
    omega: f64,
    transition: f64,
    regulariser: Regulariser,
    k: usize,
    rounds: Rounds,
}

impl Default for SequentialRecall {
    /// The paper's: `β = 0.1` and 20 steps a round.
    fn default() -> Self {
        SequentialRecall {
            penalty: Penalty::default(),
            beta: 0.1,
            inner_beta: 1.0,
            steps: 20,
            map: Entmax::SPARSEMAX,
            omega: 1.1,
            transition: 1e8,
            regulariser: Regulariser::Both,
            k: 2,
            rounds: Rounds::default(),
        }
    }
}

impl SequentialRecall {
    /// At inverse temperature `beta` of the associations, with `steps` inner updates a round, at least one.
    pub fn new(beta: f64, steps: usize) -> Result<Self> {
        check_beta("beta", beta)?;
        at_least_one("steps", steps, "sequential recall needs at least one inner update a round")?;
        Ok(SequentialRecall { beta, steps, ..SequentialRecall::default() })
    }

    /// With another penalty.
    pub fn penalty(self, penalty: Penalty) -> Self {
        SequentialRecall { penalty, ..self }
    }

    /// With another map in the inner loop.
    pub fn map(self, map: Entmax) -> Self {
        SequentialRecall { map, ..self }
    }

    /// With another inverse temperature in the inner loop. The paper's algorithm has none there, which is 1.
    pub fn inner_beta(self, inner_beta: f64) -> Result<Self> {
        check_beta("inner_beta", inner_beta)?;
        Ok(SequentialRecall { inner_beta, ..self })
    }

    /// With another weight of what was recalled in the account; above 1 it is favoured in the next association.
    pub fn omega(self, omega: f64) -> Result<Self> {
        if !(omega >= 0.0 && omega.is_finite()) {
            return Err(Error::parameter("omega", omega, "omega must be finite and not negative"));
        }
        Ok(SequentialRecall { omega, ..self })
    }

    /// With another score of neighbours; infinity admits nothing but neighbours.
    pub fn transition(self, transition: f64) -> Result<Self> {
        if !(transition > f64::NEG_INFINITY) {
            let rule = "a transition score must be finite, or infinite where only neighbours may be associated";
            return Err(Error::parameter("transition", transition, rule));
        }
        Ok(SequentialRecall { transition, ..self })
    }

    /// With another regulariser. The paper's sequences regularise both states of a variable.
    pub fn regulariser(self, regulariser: Regulariser) -> Self {
        SequentialRecall { regulariser, ..self }
    }

    /// With associations of `k` memories, where the paper has 2.
    pub fn k(self, k: usize) -> Result<Self> {
        at_least_one("k", k, "an association must have at least one memory")?;
        Ok(SequentialRecall { k, ..self })
    }

    /// With so many rounds.
    pub fn rounds(self, count: usize) -> Result<Self> {
        Ok(SequentialRecall { rounds: self.rounds.with_count(count)?, ..self })
    }

    /// With a [`Trace`] of every round.
    pub fn traced(mut self) -> Self {
        self.rounds.trace = true;
        self
    }

    /// Recalls `patterns`, one a row, from a cue: the number of one of them, or any state.
    pub fn run<'a, T: Real>(&self, patterns: ArrayView2<'a, T>, cue: impl Into<Cue<'a, T>>) -> Result<Recall<T>> {
        self.run_with(patterns, cue, &|_, _| ControlFlow::Continue(()))
    }

    /// The same, with progress, which hears how many rounds are done. Stopping is [`Error::Interrupted`].
    pub fn run_with<'a, T: Real>(
        &self,
        patterns: ArrayView2<'a, T>,
        cue: impl Into<Cue<'a, T>>,
        progress: Progress<'_>,
    ) -> Result<Recall<T>> {
        self.compute(patterns, cue.into(), progress)
    }

    pub(crate) fn compute<'a, T: Real>(
        &self,
        patterns: ArrayView2<'a, T>,
        cue: Cue<'a, T>,
        progress: Progress<'_>,
    ) -> Result<Recall<T>> {
        let (count, total) = (patterns.nrows(), self.rounds.of(patterns.nrows()));
        let scores = Scores::new(patterns, cue, total, Separation::<T>::is_sparse(&self.map))?;
        if self.k > count {
            return Err(Error::parameter("k", self.k, "an association must not have more memories than there are"));
        }
        let mut state = State::of(cue);
        let mut average = vec![0.0; count];
        let rounds = drive(total, progress, || self.round(&scores, &mut state, &mut average))?;
        Ok(Recall { patterns: count, cue: cue.row(), rounds })
    }

    fn round<T: Real>(&self, scores: &Scores<'_, T>, state: &mut State<T>, average: &mut [f64]) -> Result<Round<T>> {
        let mut y = self.penalty.scores(&scores.of(state)?, average, self.beta)?;
        self.associate(&mut y)?;
        // q ← Xᵀ y - q.
        let mut coefficients: Vec<T> = y.iter().map(|&y| T::of(y)).collect();
        state.coefficients.iter().for_each(|(i, c)| coefficients[i] -= c);
        state.coefficients.read(&coefficients);
        state.cue = -state.cue;
        let mut inner = self.rounds.trace.then(Vec::new);
        let map = Scaled::with_beta(self.map, self.inner_beta)?;
        settle(scores, state, self.steps, inner.as_mut(), |theta, p| map.support(theta, p).map(drop))?;
        let mut change = y.clone();
        state.coefficients.iter().for_each(|(i, p)| change[i] -= self.omega * p.wide());
        self.penalty.average(average, &change);
        let trace = inner.map(|inner| Trace { outer: y, inner, account: average.to_vec() });
        Ok(Round::new(state.coefficients.clone(), trace))
    }

    /// `θ ← y`.
    fn associate(&self, theta: &mut [f64]) -> Result<()> {
        if self.only_windows(theta) {
            let windows = SparseMap::new(Spans::of_length(self.k)?);
            windows.regulariser(self.regulariser).argmax(theta)?;
        } else {
            let sequences = SparseMap::new(Sequence::new(self.k)?.transition(self.transition)?);
            sequences.regulariser(self.regulariser).argmax(theta)?;
        }
        Ok(())
    }

    /// Whether no set of variables that are not all neighbours can be in the solution.
    ///
    /// Such a set has a pair of neighbours fewer than a window. In the residual scores `θ - y`, with `0 ≤ y ≤ 1`, it is
    /// at most the sum of the k largest `θ`, and the best window is at least that of `θ` less k; with both states
    /// regularised, twice that.
    fn only_windows(&self, theta: &[f64]) -> bool {
        if self.transition == f64::INFINITY {
            return true;
        }
        let mut order = theta.to_vec();
        order.select_nth_unstable_by(self.k - 1, |a, b| b.total_cmp(a));
        let most: f64 = order[..self.k].iter().sum();
        let best = theta.windows(self.k).map(|window| window.iter().sum()).fold(f64::NEG_INFINITY, f64::max);
        let rounding = 1e-12 * self.k as f64 * theta.iter().fold(0.0, |top: f64, s| top.max(s.abs()));
        self.transition >= most - best + 2.0 * self.k as f64 + rounding
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_what_sequences_come_to() {
        let theta = [3.0, -1.0, 0.5, 2.75, 2.5, -4.0, 2.0];
        for (regulariser, k) in [(Regulariser::On, 2), (Regulariser::Both, 2), (Regulariser::Both, 3)] {
            let recall = SequentialRecall::default().regulariser(regulariser).k(k).expect("positive");
            let needed = (0..).map(f64::from).find(|&t| recall.transition(t).expect("finite").only_windows(&theta));
            let needed = needed.expect("some score suffices");
            let [mut near, mut far, mut all] = [theta; 3];
            let sequences = SparseMap::new(Sequence::new(k).expect("k").transition(needed).expect("finite"));
            sequences.regulariser(regulariser).argmax(&mut near).expect("solved");
            recall.transition(needed).expect("finite").associate(&mut far).expect("solved");
            recall.transition(f64::INFINITY).expect("infinite").associate(&mut all).expect("solved");
            assert_eq!(far, all);
            near.iter().zip(far).for_each(|(a, b)| assert!((a - b).abs() < 1e-13, "{near:?} {far:?}"));
        }
    }
}
