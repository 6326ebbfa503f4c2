//! What is guaranteed: margins, separation, basins, capacity.
//!
//! A map with a [`Margin`] gives weights that are exactly one-hot if and only if one score leads all others by the
//! margin. So for stored patterns `X`, and with no other assumption, one can say which patterns are fixed points,
//! how far from each a query may be and still return it exactly in one step, at which `β` that begins, and how many
//! patterns there is room for. Reference: the paper's propositions on exact retrieval in a single iteration, on storage
//! capacity and on normalisation, with the sharp form of the radius and of the condition for k-subsets.
//!
//! **In floating point.** Separations and distances are computed from differences of patterns in double precision.
//! Radii are made smaller by what rounding can do to the scores: a query within the radius returns its pattern exactly
//! in the arithmetic of the patterns' type, in whatever order the D products of a score are summed. For that the
//! margin `m/β` is raised by `γ (|x_i| + |x_j|) |q|` with `γ` about `(D + 8)` half-ulps, twice that in `f64` where these
//! computations themselves round no better. A pattern that is called a fixed point with a radius of zero is within
//! that rounding of the boundary.

mod association;
mod capacity;
mod certificate;
mod certifier;
mod curve;
mod guarantee;
mod margin;
mod patterns;
mod rounding;
mod scan;
mod structured;
mod summary;

pub use association::Association;
pub use capacity::{Capacity, Condition, Placement, Sphere};
pub use certificate::Certificate;
pub use certifier::{Certifier, Progress};
pub use curve::Curve;
pub use guarantee::Guarantee;
pub use margin::Margin;
pub use structured::{StructuredAssociation, StructuredCertifier, StructuredGuarantee};
pub use summary::{BetaFor, Quantiles, Summary};

use crate::error::{Error, Result};
use crate::real::Real;

/// `β` in the type of the patterns, if it can be an inverse temperature there.
fn checked_beta<T: Real>(beta: f64) -> Result<T> {
    let rounded = T::of(beta);
    if rounded > T::zero() && rounded.is_finite() && (T::one() / rounded).is_finite() {
        Ok(rounded)
    } else {
        Err(Error::parameter("beta", beta, "an inverse temperature must be positive and finite"))
    }
}

/// `m/β`, never rounded to zero: equal scores are not apart.
fn needed_lead<T: Real>(margin: T, beta: T) -> f64 {
    (margin.wide() / beta.wide()).max(f64::from_bits(1))
}
