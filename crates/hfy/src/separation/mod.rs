//! Separation maps Ω: from scores to weights, one map a file.

mod bounded;
mod combined;
mod entmax;
mod exponential;
mod normmax;
mod power;
mod quadratic;
mod softmax;
mod subsets;

pub use bounded::Bounded;
pub use entmax::Entmax;
pub use exponential::Exponential;
pub use normmax::Normmax;
pub use power::Power;
pub use quadratic::Quadratic;
pub use subsets::Subsets;

use crate::convex::{Convex, Outcome, check_gradient};
use crate::error::{Result, check_len};
use crate::real::{Real, weighted, with_copy};
pub use crate::support::Support;

/// A convex function whose map separates: it has a support, perhaps a margin, and a derivative that needs only
/// its output.
pub trait Separation<T: Real>: Convex<T> {
    /// The least lead of the best score over the next from which on the map is exactly one-hot (for k-subsets: of
    /// the k-th over the next, exactly k-hot). `None` where no finite lead suffices.
    fn margin(&self) -> Option<T>;

    /// `Some((rank, depth))` where every entry with weight scores more than the `rank`-th best score less `depth`: what
    /// lies below need never be looked at. `None` where the support has no such reach.
    fn reach(&self) -> Option<(usize, T)> {
        None
    }

    /// Whether most entries of a long row have no weight, so that each weight counts, however small.
    fn is_sparse(&self) -> bool {
        self.reach().is_some()
    }

    /// `Some(β)` where the weights are `exp(β θ)` over their sum, so that a long row can be summed piece by piece.
    fn exponential_rate(&self) -> Option<T> {
        None
    }

    /// Indices and weights of the support. Threshold maps find it without writing a dense row; where nearly every entry
    /// has weight there is nothing to spare, and the row is computed.
    fn support(&self, theta: &[T], support: &mut Support<T>) -> Result<Outcome> {
        with_copy(theta, |y| {
            let outcome = self.argmax(y)?;
            support.read(y);
            Ok(outcome)
        })
    }

    /// `g ← Jᵀ g` from the output alone.
    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()>;

    /// [`pullback_into`](Self::pullback_into) for rows of `width` entries, one after the other; `done` is called for
    /// each, up to the first row at fault, if there is one. Threshold maps pull many short rows at once, with the same
    /// result.
    fn pullback_rows(&self, y: &[T], g: &[T], width: usize, out: &mut [T], done: &mut dyn FnMut()) -> Result<()> {
        let width = width.max(1);
        for ((y, g), out) in y.chunks(width).zip(g.chunks(width)).zip(out.chunks_mut(width)) {
            self.pullback_into(y, g, out)?;
            done();
        }
        Ok(())
    }

    /// `out ← Jᵀ g`: [`pullback`](Self::pullback) that keeps its argument. What it is where there is no weight does not
    /// matter.
    fn pullback_into(&self, y: &[T], g: &[T], out: &mut [T]) -> Result<()> {
        check_len("out", out.len(), g.len())?;
        out.copy_from_slice(g);
        self.pullback(y, out)
    }

    /// Structures with probabilities whose blend the weights `y` are, for a map over structures; `None` for others.
    fn structures(&self, y: &[T]) -> Result<Option<Vec<Share<T>>>> {
        let _ = y;
        Ok(None)
    }

    /// The derivative of `g · ŷ(θ)` with respect to the map's own parameter (alpha from the right at 1, gamma, k),
    /// from the output alone. `None` where the map has no scalar parameter.
    fn parameter_vjp(&self, y: &[T], g: &[T]) -> Result<Option<T>> {
        let _ = (y, g);
        Ok(None)
    }
}

/// A structure in a blend.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Share<T> {
    /// The entries that it has, ascending.
    pub members: Vec<usize>,
    /// Its probability.
    pub probability: T,
}

/// Whether `y` lies in the probability simplex, up to rounding.
fn in_simplex<T: Real>(y: &[T]) -> bool {
    in_capped_simplex(y, T::one(), T::infinity())
}

/// Whether `0 ≤ y ≤ cap` and the entries sum to `mass`, up to rounding.
fn in_capped_simplex<T: Real>(y: &[T], mass: T, cap: T) -> bool {
    let tolerance = T::domain_tolerance();
    let total: f64 = y.iter().map(|v| v.wide()).sum();
    y.iter().all(|&v| v >= -tolerance && v <= cap + tolerance)
        && (total - mass.wide()).abs() <= tolerance.wide() * mass.wide().max(1.0)
}

/// `Ω(target) - Ω(ŷ) + Σ (θ_i - shift)(ŷ_i - target_i)`: the Fenchel-Young loss of a function whose domain fixes the
/// sum of the entries, so that scores may be shifted before anything is lost to rounding.
fn shifted_loss<T: Real>(
    theta: &[T],
    support: &Support<T>,
    target: &[T],
    shift: T,
    (value, target_value): (T, T),
) -> T {
    let mut inner = T::zero();
    let mut weights = support.iter().peekable();
    for (i, (&s, &t)) in theta.iter().zip(target).enumerate() {
        let y = weights.next_if(|&(j, _)| j == i).map_or(T::zero(), |(_, y)| y);
        let change = y - t;
        if change != T::zero() {
            inner += (s - shift) * change;
        }
    }
    (inner - value + target_value).max(T::zero())
}

/// `g_i ← slope(i) g_i`; where the slope is zero the gradient is not looked at and may be anything.
fn scale_gradient<T: Real>(g: &mut [T], slope: impl Fn(usize) -> T) -> Result<()> {
    for i in 0..g.len() {
        let slope = slope(i);
        if slope != T::zero() {
            check_gradient(g[i], g)?;
        }
        g[i] = weighted(slope, g[i]);
    }
    Ok(())
}
