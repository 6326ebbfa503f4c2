//! Post-transformations Ψ: from the projected pattern to the next state, one a file.
//!
//! Each is a [`Convex`](crate::Convex) function seen through its conjugate, exactly as the separation maps are:
//!
//! | type | q = ŷ(z) | Ψ(q) | Ψ*(z) | idempotent |
//! |---|---|---|---|---|
//! | [`Identity`] | `z` | `\|q\|²/2` | `\|z\|²/2` | yes |
//! | [`Ball`] | `r z/\|z\|` | indicator of `\|q\| ≤ r` | `r \|z\|` | yes |
//! | [`LayerNorm`] | `η (z - mean)/√(var + ε) + δ` | indicator of a disc (ε = 0) | `δ·z + R √(\|z - mean\|² + c ε)` | if ε = 0 and δ is constant |
//! | [`Tanh`] | `tanh(β z)` | Fermi-Dirac entropy, negative, over β | `Σ log(2 cosh β z) / β` | no |
//! | [`Sign`] | `sign(z)` | indicator of `max \|q\| ≤ 1` | `Σ \|z\|` | yes |
//! | [`Linear`] | `A z` | `q·A⁻¹q / 2` | `z·Az / 2` | only `A = I` |
//!
//! [`Post`] is any of them, chosen at run time. There is no masked coordinate in a state: every entry of `z` must be
//! finite ([`Identity`], which is also a separation map, lets minus infinity through as a zero). Whatever the
//! array holds, sums are taken in double precision and rounded once.

mod ball;
mod layer_norm;
mod linear;
mod radial;
mod sign;
mod tanh;
mod transform;

pub use crate::separation::Quadratic as Identity;
pub use ball::Ball;
pub use layer_norm::{LayerNorm, Variance};
pub use linear::Linear;
pub use sign::Sign;
pub use tanh::Tanh;
pub use transform::Post;

use crate::convex::Outcome;
use crate::error::{Error, Result};
use crate::real::Real;

/// Fails on the first entry that is not finite; otherwise says how the row will come out.
fn check_finite<T: Real>(z: &[T]) -> Result<Outcome> {
    match z.iter().position(|v| !v.is_finite()) {
        None if z.is_empty() => Ok(Outcome::Empty),
        None => Ok(Outcome::Solved),
        Some(index) => Err(Error::Entry {
            argument: "scores",
            row: None,
            index,
            value: z[index].wide(),
            rule: "what a post-transformation is given must be finite: no coordinate of a state is masked",
        }),
    }
}
