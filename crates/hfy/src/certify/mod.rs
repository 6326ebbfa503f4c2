//! What is guaranteed: margins, separation, basins, capacity.
//!
//! A map with a [`Margin`] gives weights that are exactly one-hot if and only if one score leads all others by the
//! margin. So for stored patterns `X`, and with no other assumption, one can say which patterns are fixed points,
//! how far from each a query may be and still return it exactly in one step, at which `β` that begins, and how many
//! patterns there is room for. Reference: the paper's propositions on exact retrieval in a single iteration, on storage
//! capacity and on normalisation, with the sharp form of the radius and of the condition for k-subsets.
//!
//! # What is certified
//!
//! One step of the whole update, `q ↦ ŷ_Ψ(Xᵀ ŷ_Ω(β X q))`. Where Ω puts all weight on pattern `i`, `Xᵀ ŷ_Ω` is `x_i` to
//! the last bit, and the step returns the state `c_i = ŷ_Ψ(x_i)`: every entry is what Ψ gives for `x_i` in the type of
//! the patterns (0 and -0 count as equal). So, for any Ψ:
//!
//! - **From where**: every query within `radius_sharp` of the *state* `c_i`, and every query within
//!   `radius_pattern` of the *pattern* `x_i`, returns `c_i` in one step.
//! - **A fixed point** is the state `c_i`: one step from it returns it, and so does every further step.
//! - **The stored pattern itself** comes back if and only if `c_i = x_i`, that is, if `moved = |c_i - x_i|` is zero.
//! - The radii are **sharp** in the weights: just beyond, they are no longer all on pattern `i`.
//!
//! | Ψ | `c_i` | when `c_i = x_i` |
//! |---|---|---|
//! | identity | `x_i` | always |
//! | `l2:R` | `R x_i/\|x_i\|`; zero for zeros, which are never certified | patterns of norm R (up to rounding) |
//! | layer norm | `η (x_i - mean)/√(var + ε) + δ`; `δ` for a constant pattern | patterns in its image, if idempotent |
//! | `tanh:B` | `tanh(B x_i)` | entries with `x = tanh(B x)`, such as 0, and ±1 where that rounds to 1 |
//! | sign | `sign(x_i)`, zero where an entry of `x_i` is | patterns of -1, 0 and 1 |
//! | linear | `A x_i`, in the space of the queries again | patterns with `A x_i = x_i` |
//!
//! With the sign, l2 or layer normalisation a blend may happen to give `c_i` too, so that more queries than the
//! certified ones can return it.
//!
//! For an association the same holds of `c = ŷ_Ψ(Σ x_i)`, its members summed in their order. Where separate values
//! `v_i` are recalled (hetero-association), certify the keys without Ψ: every query within the radius of key `i`
//! returns `ŷ_Ψ(v_i)`; the output is no query, so that nothing is said of fixed points.
//!
//! **In floating point.** Separations and distances are computed from differences of patterns in double precision.
//! Radii are made smaller by what rounding can do to the scores: a query within the radius returns its state exactly in
//! the arithmetic of the patterns' type, in whatever order the D products of a score are summed. For that the margin
//! `m/β` is raised by `γ (|x_i| + |x_j|) |q|` with `γ` about `(D + 8)` half-ulps, twice that in `f64` where these
//! computations themselves round no better. A state that is called a fixed point with a radius of zero is within that
//! rounding of the boundary.

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
pub use certifier::Certifier;

pub use crate::progress::Progress;
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
