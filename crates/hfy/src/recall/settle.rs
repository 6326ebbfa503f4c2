//! The inner loop: updates within a round.

use super::Cue;
use super::scores::Scores;
use crate::error::Result;
use crate::real::Real;
use crate::separation::Support;

/// `q = Xᵀ c + s q₀`.
#[derive(Debug, Clone)]
pub(super) struct State<T> {
    /// `c`, without its zeros.
    pub(super) coefficients: Support<T>,
    /// `s`, zero after the first update of a memory.
    pub(super) cue: T,
}

impl<T: Real> State<T> {
    pub(super) fn of(cue: Cue<'_, T>) -> Self {
        let mut state = State { coefficients: Support::default(), cue: T::zero() };
        match cue {
            Cue::Pattern(row) => state.coefficients.push(row, T::one()),
            Cue::State(_) => state.cue = T::one(),
        }
        state
    }

    /// `q ← Xᵀ p`, in exchange for the coefficients before.
    pub(super) fn become_sum(&mut self, p: &mut Support<T>) {
        std::mem::swap(&mut self.coefficients, p);
        self.cue = T::zero();
    }
}

/// `steps` times `p ← map(X q)`, `q ← Xᵀ p`; the last `p` are the coefficients that it leaves. Notes every `p` in
/// `notes`.
///
/// A state that comes back comes back for ever, so that nothing more is computed.
pub(super) fn settle<T: Real>(
    scores: &Scores<'_, T>,
    state: &mut State<T>,
    steps: usize,
    mut notes: Option<&mut Vec<Support<T>>>,
    mut map: impl FnMut(&[T], &mut Support<T>) -> Result<()>,
) -> Result<()> {
    let mut p = Support::default();
    for step in 0..steps {
        map(&scores.of(state)?, &mut p)?;
        let still = state.cue == T::zero() && state.coefficients == p;
        state.become_sum(&mut p);
        let times = if still { steps - step } else { 1 };
        if let Some(notes) = notes.as_deref_mut() {
            notes.extend(std::iter::repeat_n(&state.coefficients, times).cloned());
        }
        if still {
            break;
        }
    }
    Ok(())
}
