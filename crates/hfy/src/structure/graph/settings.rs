//! How a factor graph is solved.

use crate::error::{Error, Result};

/// When the solver of a [`FactorGraph`](super::FactorGraph) stops, and what it starts with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraphSettings {
    /// Both residuals at the end: 1e-9 unless set. Where scores are so large that their rounding exceeds it, that.
    pub tolerance: f64,
    /// The most rounds: 10 000 unless set.
    pub limit: usize,
    /// The penalty of disagreement in the first round: 1 unless set. It adapts.
    pub penalty: f64,
    /// Whether factors that share no variable are solved by themselves: yes, unless set.
    pub direct: bool,
}

impl Default for GraphSettings {
    fn default() -> Self {
        GraphSettings { tolerance: 1e-9, limit: 10_000, penalty: 1.0, direct: true }
    }
}

impl GraphSettings {
    /// Fails unless a solver can run with these.
    pub fn validate(&self) -> Result<()> {
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return Err(Error::parameter("tolerance", self.tolerance, "the tolerance must be between 0 and 1"));
        }
        if self.limit == 0 {
            return Err(Error::parameter("limit", self.limit, "there must be at least one round"));
        }
        if !(self.penalty > 0.0 && self.penalty.is_finite()) {
            return Err(Error::parameter("penalty", self.penalty, "the penalty must be positive and finite"));
        }
        Ok(())
    }
}
