//! What came of a query.

use std::fmt;

use ndarray::Array2;

use super::settings::Stop;
#[cfg(feature = "serde")]
use crate::real::Real;
use crate::separation::{Share, Support};

/// What a query came to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Status {
    /// Exactly this pattern: all weight is on it, so that the state is `ŷ_Ψ` of it, the pattern itself without Ψ; or,
    /// for a map that spreads its weight over every pattern or whose weights are no distribution, the state equals it
    /// in every entry.
    Pattern(usize),
    /// Exactly these patterns, each with weight one, so that the state is `ŷ_Ψ` of their sum; none of them, where the
    /// map may choose nothing.
    Association(Vec<usize>),
    /// A metastable mixture.
    Blend {
        /// How many weights count; see [`Settings::blend_floor`](super::Settings::blend_floor).
        size: usize,
    },
    /// The stopping rule did not hold within its limit.
    StepLimit,
    /// The [rule](super::MatchRule) that was set does not hold.
    NoMatch,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Pattern(index) => write!(f, "pattern {index}"),
            Status::Association(indices) if indices.is_empty() => write!(f, "association of nothing"),
            Status::Association(indices) => {
                write!(f, "association of")?;
                indices.iter().try_for_each(|index| write!(f, " {index}"))
            }
            Status::Blend { size } => write!(f, "blend of {size}"),
            Status::StepLimit => write!(f, "step limit"),
            Status::NoMatch => write!(f, "no match"),
        }
    }
}

/// Why a query stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Stopped {
    /// All steps that were asked for were taken.
    Steps,
    /// A step moved the state by no more than the tolerance.
    Residual,
    /// A step gave the same state again.
    FixedPoint,
    /// The limit of steps was reached first.
    Limit,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stopped::Steps => "all steps taken",
            Stopped::Residual => "residual within tolerance",
            Stopped::FixedPoint => "fixed point",
            Stopped::Limit => "step limit",
        })
    }
}

/// What came of one query.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(bound(serialize = "T: Real + serde::Serialize")))]
pub struct Report<T> {
    /// What it came to.
    pub status: Status,
    /// Which rule ended it.
    pub stopped: Stopped,
    /// How many updates it took.
    pub steps: usize,
    /// By how much the last update moved the state, in the 2-norm; where states are not as wide as queries, the norm of
    /// the state.
    pub residual: T,
    /// The weights of the last update, over their common factor where they have one; of a map that gives weight to
    /// every pattern, those that [count](super::Settings::blend_floor).
    #[cfg_attr(feature = "serde", serde(serialize_with = "support"))]
    pub support: Support<T>,
    /// The structures that the weights are a blend of, for a map over structures such as k-subsets or sequences; one,
    /// with probability one, where it was retrieved exactly. Empty for other maps.
    pub structures: Vec<Share<T>>,
    /// The energy of the final state; `None` where the network has none, or where it was
    /// [not asked for](super::Retriever::without_energy).
    pub energy: Option<T>,
    /// The energies of the query and of every state after it, on request.
    pub trace: Option<Vec<T>>,
}

/// Final states, one a row, and what came of each query.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(bound(serialize = "T: Real + serde::Serialize")))]
pub struct Retrieval<T> {
    /// The final state of each query.
    #[cfg_attr(feature = "serde", serde(serialize_with = "rows"))]
    pub states: Array2<T>,
    /// One report a query.
    pub reports: Vec<Report<T>>,
    /// The rule that was to stop them.
    pub stop: Stop,
}

#[cfg(feature = "serde")]
fn support<T: Real + serde::Serialize, S: serde::Serializer>(
    support: &Support<T>,
    to: S,
) -> std::result::Result<S::Ok, S::Error> {
    use serde::ser::SerializeStruct;
    let mut fields = to.serialize_struct("Support", 2)?;
    fields.serialize_field("indices", support.indices())?;
    fields.serialize_field("weights", support.weights())?;
    fields.end()
}

#[cfg(feature = "serde")]
fn rows<T: Real + serde::Serialize, S: serde::Serializer>(
    states: &Array2<T>,
    to: S,
) -> std::result::Result<S::Ok, S::Error> {
    to.collect_seq(states.rows().into_iter().map(|row| row.to_vec()))
}
