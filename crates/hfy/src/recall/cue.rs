//! What a recall starts from.

use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// The state before the first round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cue<'a, T> {
    /// A stored pattern, by its row.
    Pattern(usize),
    /// Any other state.
    State(&'a [T]),
}

impl<T> From<usize> for Cue<'_, T> {
    fn from(row: usize) -> Self {
        Cue::Pattern(row)
    }
}

impl<'a, T> From<&'a [T]> for Cue<'a, T> {
    fn from(state: &'a [T]) -> Self {
        Cue::State(state)
    }
}

impl<'a, T> From<&'a Vec<T>> for Cue<'a, T> {
    fn from(state: &'a Vec<T>) -> Self {
        Cue::State(state)
    }
}

impl<'a, T, const D: usize> From<&'a [T; D]> for Cue<'a, T> {
    fn from(state: &'a [T; D]) -> Self {
        Cue::State(state)
    }
}

impl<T: Real> Cue<'_, T> {
    /// The pattern, where it is one.
    pub(super) fn row(&self) -> Option<usize> {
        match *self {
            Cue::Pattern(row) => Some(row),
            Cue::State(_) => None,
        }
    }

    /// Fails unless it is one of `count` patterns or a finite vector of `width` entries.
    pub(super) fn check(&self, (count, width): (usize, usize)) -> Result<()> {
        match *self {
            Cue::Pattern(row) if row >= count => {
                Err(Error::parameter("cue", row, "a cue must be one of the patterns, which are counted from 0"))
            }
            Cue::Pattern(_) => Ok(()),
            Cue::State(state) => {
                check_len("cue", state.len(), width)?;
                let Some(index) = state.iter().position(|v| !v.is_finite()) else { return Ok(()) };
                let (value, rule) = (state[index].wide(), "an entry of a cue must be finite");
                Err(Error::Entry { argument: "cue", row: None, index, value, rule })
            }
        }
    }
}
