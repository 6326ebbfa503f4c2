//! The outer loop: round after round, heard and stopped from outside.

use super::Round;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// How many rounds, and what to note of them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Rounds {
    /// As many as there are patterns unless it says otherwise.
    pub(super) count: Option<usize>,
    pub(super) trace: bool,
}

impl Rounds {
    pub(super) fn with_count(self, count: usize) -> Result<Self> {
        at_least_one("rounds", count, "there must be at least one round")?;
        Ok(Rounds { count: Some(count), ..self })
    }

    pub(super) fn of(&self, patterns: usize) -> usize {
        self.count.unwrap_or(patterns)
    }
}

/// Runs the rounds.
pub(super) fn drive<T>(
    total: usize,
    progress: Progress<'_>,
    mut round: impl FnMut() -> Result<Round<T>>,
) -> Result<Vec<Round<T>>> {
    let mut rounds = Vec::with_capacity(total.min(1 << 16));
    for done in 1..=total {
        rounds.push(round()?);
        if progress(done, total).is_break() && done < total {
            return Err(Error::Interrupted { done, total });
        }
    }
    Ok(rounds)
}

pub(super) fn at_least_one(argument: &'static str, value: usize, rule: &'static str) -> Result<()> {
    if value > 0 { Ok(()) } else { Err(Error::parameter(argument, value, rule)) }
}

/// Fails unless `beta` can be an inverse temperature.
pub(super) fn check_beta(argument: &'static str, beta: f64) -> Result<()> {
    if beta > 0.0 && beta.is_finite() && (1.0 / beta).is_finite() {
        return Ok(());
    }
    Err(Error::parameter(argument, beta, "an inverse temperature must be positive and finite"))
}
