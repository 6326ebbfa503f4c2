//! Free recall: the memories in any order, each of them once.

use std::ops::ControlFlow;

use ndarray::ArrayView2;

use super::drive::{Rounds, at_least_one, check_beta, drive};
use super::scores::{Scores, checked};
use super::settle::{State, settle};
use super::{Cue, Penalty, Recall, Round, Trace};
use crate::convex::Scaled;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::real::Real;
use crate::separation::{Bounded, Entmax, Separation, Support};

/// Free recall: from a cue through all memories, in whatever order it takes.
///
/// [`constrained`](FreeRecall::constrained) takes from each memory what it has been given;
/// [`penalised`](FreeRecall::penalised) lowers the scores of those that had their turn, and forgets about that in time.
/// The [module](super) has both in formulas.
///
/// ```
/// use hfy::recall::FreeRecall;
/// use ndarray::array;
///
/// let patterns = array![[2.0, 0.5], [0.0, 2.0], [-2.0, 0.0]];
/// let recall = FreeRecall::constrained(1.0, 5)?.run(patterns.view(), &[0.3, 1.0])?;
/// assert_eq!(recall.recalled(), [1, 0, 2]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreeRecall {
    method: Method,
    beta: f64,
    steps: usize,
    rounds: Rounds,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Method {
    Constrained { clamped: bool },
    Penalised { map: Entmax, penalty: Penalty },
}

impl Default for FreeRecall {
    /// The paper's: constrained, `β = 0.1`, 20 steps a round.
    fn default() -> Self {
        let method = Method::Constrained { clamped: false };
        FreeRecall { method, beta: 0.1, steps: 20, rounds: Rounds::default() }
    }
}

impl FreeRecall {
    /// With constrained sparsemax, at inverse temperature `beta`, `steps` updates a round, at least one.
    ///
    /// The bounds of N memories sum to N less the rounds that are over, so that N rounds are all there can be. A memory
    /// that was given all weight can be given no more, so that memories which are well apart are recalled once each.
    /// Where the last one stands in the same relation to several others (at right angles to all of them, say) these
    /// share the weight evenly, and may go on to share it.
    pub fn constrained(beta: f64, steps: usize) -> Result<Self> {
        check_beta("beta", beta)?;
        at_least_one("steps", steps, "constrained recall needs at least one update a round")?;
        Ok(FreeRecall { beta, steps, ..FreeRecall::default() })
    }

    /// With a penalised entmax, at inverse temperature `beta`; after the penalised update `steps` plain ones, or none.
    pub fn penalised(map: Entmax, penalty: Penalty, beta: f64, steps: usize) -> Result<Self> {
        check_beta("beta", beta)?;
        Ok(FreeRecall { method: Method::Penalised { map, penalty }, beta, steps, rounds: Rounds::default() })
    }

    /// Constrained recall that moves bounds below zero up to it after every round, as the published code does.
    ///
    /// There weights are in single precision, and may exceed their bound. Here none does, and the results are the same.
    pub fn clamped(mut self) -> Self {
        if let Method::Constrained { clamped } = &mut self.method {
            *clamped = true;
        }
        self
    }

    /// With so many rounds; constrained recall has no more than patterns.
    pub fn rounds(self, count: usize) -> Result<Self> {
        Ok(FreeRecall { rounds: self.rounds.with_count(count)?, ..self })
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
        let sparse = match self.method {
            Method::Constrained { .. } if total > count => {
                let rule = "constrained recall has no more rounds than patterns";
                return Err(Error::parameter("rounds", total, rule));
            }
            Method::Constrained { .. } => true,
            Method::Penalised { map, .. } => Separation::<T>::is_sparse(&map),
        };
        let scores = Scores::new(patterns, cue, total, sparse)?;
        let mut state = State::of(cue);
        let rounds = match self.method {
            Method::Constrained { clamped } => {
                let mut upper = vec![1.0; count];
                drive(total, progress, || self.constrained_round(&scores, &mut state, &mut upper, clamped))?
            }
            Method::Penalised { map, penalty } => {
                let inner = Scaled::with_beta(map, self.beta)?;
                let mut average = vec![0.0; count];
                drive(total, progress, || self.penalised_round(&scores, &mut state, &mut average, (inner, penalty)))?
            }
        };
        Ok(Recall { patterns: count, cue: cue.row(), rounds })
    }

    fn constrained_round<T: Real>(
        &self,
        scores: &Scores<'_, T>,
        state: &mut State<T>,
        upper: &mut [f64],
        clamped: bool,
    ) -> Result<Round<T>> {
        let mut inner = self.rounds.trace.then(Vec::new);
        let map = Bounded::new(&*upper)?;
        let mut wide = Support::default();
        settle(scores, state, self.steps, inner.as_mut(), |theta, p| {
            let theta: Vec<f64> = theta.iter().map(|s| self.beta * s.wide()).collect();
            checked(&theta, "a score times beta must be finite")?;
            map.support(&theta, &mut wide)?;
            p.clear();
            wide.iter().for_each(|(i, weight)| p.push(i, T::of(weight)));
            Ok(())
        })?;
        for (i, weight) in wide.iter() {
            upper[i] -= weight;
            if clamped {
                upper[i] = upper[i].max(0.0);
            }
        }
        let trace = inner.map(|inner| Trace { outer: Vec::new(), inner, account: upper.to_vec() });
        Ok(Round::new(state.coefficients.clone(), trace))
    }

    fn penalised_round<T: Real>(
        &self,
        scores: &Scores<'_, T>,
        state: &mut State<T>,
        average: &mut [f64],
        (map, penalty): (Scaled<Entmax>, Penalty),
    ) -> Result<Round<T>> {
        let mut outer = penalty.scores(&scores.of(state)?, average, self.beta)?;
        let mut p: Support<T> = Support::default();
        penalised_support(map.inner(), &mut outer, &mut p)?;
        outer.fill(0.0);
        p.iter().for_each(|(i, weight)| outer[i] = weight.wide());
        penalty.average(average, &outer);
        state.become_sum(&mut p);
        let mut inner = self.rounds.trace.then(Vec::new);
        settle(scores, state, self.steps, inner.as_mut(), |theta, p| map.support(theta, p).map(drop))?;
        let trace = inner.map(|inner| Trace { outer, inner, account: average.to_vec() });
        Ok(Round::new(state.coefficients.clone(), trace))
    }
}

/// The support for scores in double precision, which the type of the patterns may not tell apart: it does once the
/// largest is taken off, and where it does not, nothing hangs on them.
fn penalised_support<T: Real>(map: &Entmax, scores: &mut [f64], p: &mut Support<T>) -> Result<()> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lowest = T::min_value().wide() / 4.0;
    let shifted: Vec<T> = scores.iter().map(|s| T::of((s - most).max(lowest))).collect();
    map.support(&shifted, p).map(drop)
}
