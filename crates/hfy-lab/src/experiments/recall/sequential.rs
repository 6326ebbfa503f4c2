//! A sequential recall as the paper runs it, and what is measured of it.

use hfy::recall::{Penalty, Recall, SequentialRecall, levenshtein_coefficient, unique_ratio};
use hfy::structure::Regulariser;
use hfy::{Entmax, Real, certify};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::{PENALTY, Precision, Run, STEPS};
use crate::experiment::Mode;

/// A sequential recall from the first memory, Algorithm 3.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct SequentialRun {
    /// Of the entmax in the inner loop.
    pub(crate) alpha: f64,
    pub(crate) count: usize,
    pub(crate) beta: f64,
    pub(crate) inner_beta: f64,
    pub(crate) steps: usize,
    pub(crate) lambda: f64,
    pub(crate) tau: f64,
    pub(crate) omega: f64,
    pub(crate) transition: f64,
    /// Whether the regulariser counts both states of a memory, on and off, or on alone.
    pub(crate) both_states: bool,
    pub(crate) precision: Precision,
}

impl SequentialRun {
    /// With the parameters of the paper's experiments, in one of its readings.
    pub(crate) fn of_paper(alpha: f64, count: usize, mode: Mode) -> Self {
        SequentialRun {
            alpha,
            count,
            beta: 0.1,
            inner_beta: 1.0,
            steps: STEPS,
            lambda: PENALTY.0,
            tau: PENALTY.1,
            omega: 1.1,
            transition: 1e8,
            both_states: mode == Mode::Printed,
            precision: mode.into(),
        }
    }
}

impl Run for SequentialRun {
    fn count(&self) -> usize {
        self.count
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn recall<T: Real>(&self, memories: ArrayView2<'_, T>, progress: certify::Progress<'_>) -> hfy::Result<Recall<T>> {
        let regulariser = if self.both_states { Regulariser::Both } else { Regulariser::On };
        SequentialRecall::new(self.beta, self.steps)?
            .map(Entmax::new(self.alpha)?)
            .inner_beta(self.inner_beta)?
            .penalty(Penalty::new(self.lambda, self.tau)?)
            .omega(self.omega)?
            .transition(self.transition)?
            .regulariser(regulariser)
            .run_with(memories, 0, progress)
    }

    fn seconds(&self) -> f64 {
        1.5e-7 * (self.count as f64).powi(2)
    }
}

/// The unique memory ratio and the Levenshtein coefficient of N rounds over N memories.
///
/// As printed, all N rounds count, although after N - 1 of them nothing is left to recall: no run exceeds `1 - 1/N`. As
/// defined, the N - 1 memories after the cue are asked for, in N - 1 rounds: the right run has 1.
pub(crate) fn scored(recalled: &[usize], mode: Mode) -> (f64, f64) {
    let counted = match mode {
        Mode::Printed => recalled,
        Mode::Defined => &recalled[..recalled.len().saturating_sub(1)],
    };
    (unique_ratio(counted), levenshtein_coefficient(counted))
}

/// What a run in the right order recalls of `count` memories in as many rounds: the last has nowhere to go but back.
pub(crate) fn right_run(count: usize) -> Vec<usize> {
    (1..count).chain([count.saturating_sub(2)]).collect()
}

/// From which memory to which the rounds go, for as long as there is one left to recall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Moves {
    /// To the next one.
    pub(crate) forward: usize,
    /// To the one before.
    pub(crate) backward: usize,
    /// Nowhere.
    pub(crate) stay: usize,
    /// To one that is no neighbour.
    pub(crate) jump: usize,
    /// To a neighbour, in the direction of the move before, which was to a neighbour, too.
    pub(crate) on: usize,
    /// To a neighbour, against the direction of the move before, which was to a neighbour, too.
    pub(crate) back: usize,
}

impl Moves {
    /// Of a run from the first memory.
    pub(crate) fn of(recalled: &[usize]) -> Self {
        let mut moves = Moves::default();
        let (mut before, mut direction) = (0, 0);
        for &now in &recalled[..recalled.len().saturating_sub(1)] {
            let step = now as isize - before as isize;
            match step {
                0 => moves.stay += 1,
                1 => moves.forward += 1,
                -1 => moves.backward += 1,
                _ => moves.jump += 1,
            }
            match step * direction {
                1 => moves.on += 1,
                -1 => moves.back += 1,
                _ => {}
            }
            direction = if step.abs() == 1 { step } else { 0 };
            before = now;
        }
        moves
    }

    /// The same of several runs.
    pub(crate) fn and(self, other: Moves) -> Self {
        Moves {
            forward: self.forward + other.forward,
            backward: self.backward + other.backward,
            stay: self.stay + other.stay,
            jump: self.jump + other.jump,
            on: self.on + other.on,
            back: self.back + other.back,
        }
    }

    /// The share that jumps.
    pub(crate) fn jump_share(&self) -> f64 {
        self.jump as f64 / (self.forward + self.backward + self.stay + self.jump).max(1) as f64
    }

    /// Of the moves within blocks, the share that keeps their direction; 1 where there is none.
    pub(crate) fn straight_share(&self) -> f64 {
        share(self.on, self.back)
    }

    /// Of the moves between neighbours, the share that goes forward; 1 where there is none.
    pub(crate) fn forward_share(&self) -> f64 {
        share(self.forward, self.backward)
    }
}

fn share(part: usize, rest: usize) -> f64 {
    if part + rest == 0 { 1.0 } else { part as f64 / (part + rest) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_run_has_the_ceiling_as_printed_and_one_as_defined() {
        let right = right_run(8);
        assert_eq!(right, [1, 2, 3, 4, 5, 6, 7, 6]);
        assert_eq!(scored(&right, Mode::Printed), (0.875, 0.875));
        assert_eq!(scored(&right, Mode::Defined), (1.0, 1.0));
        let (unique, order) = scored(&[1, 0, 1, 2, 3, 4, 5, 6], Mode::Defined);
        assert!((unique - 6.0 / 7.0).abs() < 1e-12 && order < 1.0);
    }

    #[test]
    fn moves_are_told_apart() {
        // 0 → 1 → 2 → 2 → 6 → 5 → 6; the last round is one too many.
        let moves = Moves::of(&[1, 2, 2, 6, 5, 6, 0]);
        assert_eq!(moves, Moves { forward: 3, backward: 1, stay: 1, jump: 1, on: 1, back: 1 });
        assert_eq!((moves.and(moves).forward_share(), moves.straight_share()), (0.75, 0.5));
        assert_eq!(moves.jump_share(), 1.0 / 6.0);
        assert_eq!((Moves::of(&[1]).forward_share(), Moves::of(&[1]).jump_share()), (1.0, 0.0));
    }
}
