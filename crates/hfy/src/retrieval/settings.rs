//! When a retrieval stops, and what counts as no match.

use std::fmt;

use crate::error::{Error, Result};
use crate::real::Real;

/// When a query is finished.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Stop {
    /// After this many updates, whatever they do.
    Steps(usize),
    /// Once an update moves the state by at most `tolerance` in the 2-norm, and after `limit` updates in any case.
    Residual {
        /// The largest move that counts as none.
        tolerance: f64,
        /// The most updates.
        limit: usize,
    },
    /// Once an update moves the state by at most `tolerance` times the length of the new state, or gives the same state
    /// again, and after `limit` updates in any case.
    Relative {
        /// The largest move that counts as none, as a share of the state's length.
        tolerance: f64,
        /// The most updates.
        limit: usize,
    },
    /// By the map: at a fixed point, to the last bit, for a sparse map, whose states become exact; otherwise
    /// [`Relative`](Stop::Relative) with a tolerance of 1e-5, in `f32` of 1024 roundings (1.2e-4).
    Auto {
        /// The most updates.
        limit: usize,
    },
    /// Once an update gives the same state again, to the last bit, and after `limit` updates in any case.
    FixedPoint {
        /// The most updates.
        limit: usize,
    },
}

impl Stop {
    /// The most updates of a query.
    pub fn limit(&self) -> usize {
        match *self {
            Stop::Steps(limit)
            | Stop::Residual { limit, .. }
            | Stop::Relative { limit, .. }
            | Stop::Auto { limit }
            | Stop::FixedPoint { limit } => limit,
        }
    }

    /// The rule that [`Auto`](Stop::Auto) comes to; any other rule is itself.
    pub(super) fn resolved<T: Real>(self, sparse: bool) -> Self {
        match self {
            Stop::Auto { limit } if sparse => Stop::FixedPoint { limit },
            Stop::Auto { limit } => Stop::Relative { tolerance: (1024.0 * T::epsilon().wide()).max(1e-5), limit },
            rule => rule,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Steps(1) => write!(f, "after 1 step"),
            Stop::Steps(steps) => write!(f, "after {steps} steps"),
            Stop::Residual { tolerance, limit } => write!(f, "at a residual of {tolerance:e}, at most {limit} steps"),
            Stop::Relative { tolerance, limit } => {
                write!(
                    f,
                    "where a step moves the state by at most {tolerance:.1e} of its length, at most {limit} steps"
                )
            }
            Stop::Auto { limit } => {
                write!(f, "at a fixed point or where the state hardly moves, at most {limit} steps")
            }
            Stop::FixedPoint { limit } => write!(f, "at a fixed point, at most {limit} steps"),
        }
    }
}

/// What a retrieval has to satisfy to be a match at all.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum MatchRule {
    /// The best score `x_i·q` of the final state `q` with a pattern of its support is at least this. Where states are
    /// not as wide as keys, it is the query that is scored.
    Score(f64),
    /// The energy of the final state is at most this.
    Energy(f64),
    /// The distance from the query to the final state is at most this.
    Distance(f64),
}

impl fmt::Display for MatchRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchRule::Score(least) => write!(f, "a score of at least {least}"),
            MatchRule::Energy(most) => write!(f, "an energy of at most {most}"),
            MatchRule::Distance(most) => write!(f, "a distance of at most {most}"),
        }
    }
}

/// How a [`Retriever`](super::Retriever) runs.
///
/// ```
/// use hfy::retrieval::{MatchRule, Settings, Stop};
///
/// let settings = Settings { stop: Stop::Steps(5), rule: Some(MatchRule::Score(0.5)), ..Settings::default() };
/// assert_eq!(settings.stop.to_string(), "after 5 steps");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Settings {
    /// When a query is finished: [`Stop::Auto`], after at most 100 updates, unless set.
    pub stop: Stop,
    /// Whether reports carry the energies of the query and of every state after it: no, unless set.
    pub trace: bool,
    /// What a retrieval has to satisfy to be a match: nothing, unless set.
    pub rule: Option<MatchRule>,
    /// Weights at or below this do not count where a map gives weight to every pattern, as softmax does: they are
    /// neither in the size of a blend nor in the support that is reported. Unbounded weights, which are no
    /// distribution, are held against the largest among them. 0.01, unless set.
    pub blend_floor: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { stop: Stop::Auto { limit: 100 }, trace: false, rule: None, blend_floor: 0.01 }
    }
}

impl Settings {
    /// Fails on the first setting that makes no sense.
    pub fn validate(&self) -> Result<()> {
        if let Stop::Residual { tolerance, .. } | Stop::Relative { tolerance, .. } = self.stop
            && !(tolerance >= 0.0 && tolerance.is_finite())
        {
            return Err(Error::parameter("tolerance", tolerance, "a residual is at least zero and finite"));
        }
        if self.stop.limit() == 0 {
            return Err(Error::parameter("limit", 0, "a retrieval takes at least one step"));
        }
        if !(0.0..1.0).contains(&self.blend_floor) {
            return Err(Error::parameter("blend_floor", self.blend_floor, "a floor of weights must lie in [0, 1)"));
        }
        match self.rule {
            Some(MatchRule::Score(score)) if score.is_nan() => {
                Err(Error::parameter("score", score, "a least score must be a number"))
            }
            Some(MatchRule::Energy(energy)) if energy.is_nan() => {
                Err(Error::parameter("energy", energy, "a largest energy must be a number"))
            }
            Some(MatchRule::Distance(distance)) if !(distance >= 0.0) => {
                Err(Error::parameter("distance", distance, "a largest distance must be at least zero"))
            }
            _ => Ok(()),
        }
    }
}
