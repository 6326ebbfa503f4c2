//! The one idea that everything hangs on: a convex function seen through its conjugate.
//!
//! [`Convex`] is the trait; the other items are the rows of the table of conjugates, each of them a convex
//! function again:
//!
//! | combinator | function | conjugate | map |
//! |---|---|---|---|
//! | [`Scaled`] | `a f(y)` | `a f*(θ/a)` | `ŷ(θ/a)` |
//! | [`Translated`] | `f(y - b)` | `b·θ + f*(θ)` | `b + ŷ(θ)` |
//! | [`Transformed`] | `f(A y)` | `f*(A⁻ᵀ θ)` | `A⁻¹ ŷ(A⁻ᵀ θ)` |
//! | [`SeparableSum`] | `Σ fᵢ(yᵢ)` | `Σ fᵢ*(θᵢ)` | `(ŷ₁(θ₁), ŷ₂(θ₂), ...)` |
//! | [`InfimalConvolution`] | `inf_z f(y - z) + g(z)` | `f*(θ) + g*(θ)` | `ŷ_f(θ) + ŷ_g(θ)` |
//! | [`NormBall`] | indicator of `‖y‖_p ≤ r` | `r ‖θ‖_q`, `1/p + 1/q = 1` | the aligned point of the ball |
//!
//! The remaining row, `‖y‖_p^p / p` with conjugate `‖θ‖_q^q / q`, is [`Power`](crate::separation::Power).

mod infimal;
mod norm_ball;
mod scaled;
mod separable;
mod transformed;
mod translated;

pub use infimal::InfimalConvolution;
pub use norm_ball::NormBall;
pub use scaled::Scaled;
pub use separable::SeparableSum;
pub use transformed::Transformed;
pub(crate) use transformed::product;
pub use translated::Translated;

use crate::error::{Error, Result, check_len};
use crate::real::{Real, weighted, with_copy};

/// How a row came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The map was computed.
    Solved,
    /// Every entry was masked; the output is all zeros.
    Empty,
}

/// A closed convex function `f` with its conjugate `f*(θ) = max_y θ·y - f(y)` and the gradient of that
/// conjugate, the regularised argmax `ŷ(θ) = argmax_y θ·y - f(y)`.
///
/// A score of minus infinity means that the entry is masked: it gets zero weight and zero gradient. A score that
/// is NaN or plus infinity is an error.
///
/// Only four methods have to be written for a function of one's own:
///
/// ```
/// use hfy::{Convex, Outcome, Real, Result};
///
/// /// `f(y) = (c/2) |y|²`, so that `ŷ(θ) = θ / c`.
/// struct Ridge(f64);
///
/// impl<T: Real> Convex<T> for Ridge {
///     fn value(&self, y: &[T]) -> T {
///         T::of(self.0 / 2.0) * y.iter().map(|&v| v * v).sum::<T>()
///     }
///     fn conjugate(&self, theta: &[T]) -> Result<T> {
///         Ok(theta.iter().map(|&v| v * v).sum::<T>() / T::of(2.0 * self.0))
///     }
///     fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
///         theta.iter_mut().for_each(|v| *v = *v / T::of(self.0));
///         Ok(Outcome::Solved)
///     }
///     fn vjp(&self, _theta: &[T], _y: &[T], g: &mut [T]) -> Result<()> {
///         g.iter_mut().for_each(|v| *v = *v / T::of(self.0));
///         Ok(())
///     }
/// }
///
/// let warm = hfy::Scaled::with_beta(Ridge(2.0), 4.0)?;
/// let mut y = [1.0, 2.0];
/// warm.argmax(&mut y)?;
/// assert_eq!(y, [2.0, 4.0]);
/// # Ok::<(), hfy::Error>(())
/// ```
pub trait Convex<T: Real>: Send + Sync {
    /// `f(y)`, plus infinity outside the domain.
    fn value(&self, y: &[T]) -> T;

    /// `f*(θ)`.
    fn conjugate(&self, theta: &[T]) -> Result<T>;

    /// `θ ← ŷ(θ) = ∇f*(θ)`.
    fn argmax(&self, theta: &mut [T]) -> Result<Outcome>;

    /// `y ← ŷ(θ)`: [`argmax`](Self::argmax) that keeps its argument. Threshold maps write the weights from where
    /// the scores lie.
    fn argmax_into(&self, theta: &[T], y: &mut [T]) -> Result<Outcome> {
        check_len("y", y.len(), theta.len())?;
        y.copy_from_slice(theta);
        self.argmax(y)
    }

    /// [`argmax_into`](Self::argmax_into) for rows of `width` entries, one after the other, of which the outcomes are
    /// reported: up to the first row at fault, if there is one. Threshold maps solve many short rows at once, with the
    /// same result.
    fn argmax_rows(&self, theta: &[T], width: usize, y: &mut [T], report: &mut dyn FnMut(Outcome)) -> Result<()> {
        for (theta, y) in theta.chunks(width.max(1)).zip(y.chunks_mut(width.max(1))) {
            report(self.argmax_into(theta, y)?);
        }
        Ok(())
    }

    /// `g ← Jᵀ g`, where `J` is the Jacobian of the map at `theta` and `y = ŷ(theta)`.
    ///
    /// `J` is the Hessian of `f*`, hence symmetric: this is the Jacobian-vector product too. Where the map
    /// has a kink, one element of the generalised Jacobian is used.
    fn vjp(&self, theta: &[T], y: &[T], g: &mut [T]) -> Result<()>;

    /// `out ← ∇_θ (u · J(θ) w)`: the third derivative of `f*` in the directions `u` and `w`, which is what
    /// differentiating a vector-Jacobian product needs.
    fn second_vjp(&self, theta: &[T], y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        let _ = (theta, y, u, w, out);
        Err(Error::Unsupported { function: "this convex function", what: "second derivatives of its map" })
    }

    /// `out ← ∇f(y)`, the inverse of the map, where `f` is differentiable.
    fn gradient(&self, y: &[T], out: &mut [T]) -> Result<()> {
        let _ = (y, out);
        Err(Error::Unsupported { function: "this convex function", what: "a gradient" })
    }

    /// `θ ← w` with `ŷ(θ) = e^c w`, and `c`. It is `ŷ` itself with `c = 0` unless the weights would leave the range of
    /// the type, which only unbounded weights do. A function that overrides this keeps
    /// `vjp(θ, w, g) = e^-c J g`.
    fn argmax_log(&self, theta: &mut [T]) -> Result<(Outcome, T)> {
        Ok((self.argmax(theta)?, T::zero()))
    }

    /// `z ← ŷ(e^c z)`. By default the product stops at the largest finite number; a map that does not need its size
    /// never forms it.
    fn argmax_exp(&self, z: &mut [T], c: T) -> Result<Outcome> {
        magnify(z, c);
        self.argmax(z)
    }

    /// `g ← e^c J g` with the Jacobian at `e^c z`, where `y = ŷ(e^c z)`: the derivative of
    /// [`argmax_exp`](Self::argmax_exp) in `z`.
    fn vjp_exp(&self, z: &[T], y: &[T], c: T, g: &mut [T]) -> Result<()> {
        with_copy(z, |large| {
            magnify(large, c);
            self.vjp(large, y, g)
        })?;
        magnify(g, c);
        Ok(())
    }

    /// The derivative of `g · ŷ(θ)` in the inverse temperature, from `v`, the [`vjp`](Self::vjp) of `g`; `None` for a
    /// function without one, or with several.
    fn beta_derivative(&self, theta: &[T], v: &[T]) -> Option<T> {
        let _ = (theta, v);
        None
    }

    /// Whether this is `|y|²/2` over all of space, whose map is the identity.
    fn is_identity(&self) -> bool {
        false
    }

    /// What the weights of every row sum to, where the domain fixes that.
    fn mass(&self) -> Option<f64> {
        None
    }

    /// `ŷ(θ)` as a new row.
    fn apply(&self, theta: &[T]) -> Result<Vec<T>> {
        let mut y = theta.to_vec();
        self.argmax(&mut y)?;
        Ok(y)
    }

    /// The Fenchel-Young loss `f(y) + f*(θ) - θ·y`: never negative, and zero exactly where `y = ŷ(θ)`.
    fn loss(&self, theta: &[T], y: &[T]) -> Result<T> {
        check_len("target", y.len(), theta.len())?;
        let value = self.value(y);
        if value == T::infinity() {
            return Ok(value);
        }
        let inner: T = theta.iter().zip(y).map(|(&s, &w)| weighted(w, s)).sum();
        Ok((value + self.conjugate(theta)? - inner).max(T::zero()))
    }

    /// `theta ← ŷ(θ) - y`, the gradient of [`loss`](Self::loss) in the scores.
    fn loss_gradient(&self, theta: &mut [T], y: &[T]) -> Result<Outcome> {
        check_len("target", y.len(), theta.len())?;
        let outcome = self.argmax(theta)?;
        theta.iter_mut().zip(y).for_each(|(t, &y)| *t -= y);
        Ok(outcome)
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<T: Real, F: Convex<T> + ?Sized> Convex<T> for $pointer {
            fn value(&self, y: &[T]) -> T {
                (**self).value(y)
            }
            fn conjugate(&self, theta: &[T]) -> Result<T> {
                (**self).conjugate(theta)
            }
            fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
                (**self).argmax(theta)
            }
            fn argmax_into(&self, theta: &[T], y: &mut [T]) -> Result<Outcome> {
                (**self).argmax_into(theta, y)
            }
            fn argmax_rows(
                &self,
                theta: &[T],
                width: usize,
                y: &mut [T],
                report: &mut dyn FnMut(Outcome),
            ) -> Result<()> {
                (**self).argmax_rows(theta, width, y, report)
            }
            fn vjp(&self, theta: &[T], y: &[T], g: &mut [T]) -> Result<()> {
                (**self).vjp(theta, y, g)
            }
            fn second_vjp(&self, theta: &[T], y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
                (**self).second_vjp(theta, y, u, w, out)
            }
            fn gradient(&self, y: &[T], out: &mut [T]) -> Result<()> {
                (**self).gradient(y, out)
            }
            fn argmax_log(&self, theta: &mut [T]) -> Result<(Outcome, T)> {
                (**self).argmax_log(theta)
            }
            fn argmax_exp(&self, z: &mut [T], c: T) -> Result<Outcome> {
                (**self).argmax_exp(z, c)
            }
            fn vjp_exp(&self, z: &[T], y: &[T], c: T, g: &mut [T]) -> Result<()> {
                (**self).vjp_exp(z, y, c, g)
            }
            fn beta_derivative(&self, theta: &[T], v: &[T]) -> Option<T> {
                (**self).beta_derivative(theta, v)
            }
            fn is_identity(&self) -> bool {
                (**self).is_identity()
            }
            fn mass(&self) -> Option<f64> {
                (**self).mass()
            }
            fn loss(&self, theta: &[T], y: &[T]) -> Result<T> {
                (**self).loss(theta, y)
            }
            fn loss_gradient(&self, theta: &mut [T], y: &[T]) -> Result<Outcome> {
                (**self).loss_gradient(theta, y)
            }
        }
    )*};
}

forward!(&F, Box<F>, std::sync::Arc<F>);

/// Fails on the first score that is NaN or plus infinity.
pub(crate) fn check_scores<T: Real>(theta: &[T]) -> Result<()> {
    match theta.iter().position(|&s| !(s < T::infinity())) {
        None => Ok(()),
        Some(index) => Err(Error::Entry {
            argument: "scores",
            row: None,
            index,
            value: theta[index].wide(),
            rule: "a score must be finite, or minus infinity where it is masked",
        }),
    }
}

/// `values ← e^c values`, entries that would overflow stopping at the largest finite number.
pub(crate) fn magnify<T: Real>(values: &mut [T], c: T) {
    let (factor, most) = (c.exp(), T::max_value());
    if c == T::zero() {
        return;
    }
    for v in values {
        let size = if factor.is_finite() { factor * v.abs() } else { (c + v.abs().ln()).exp() };
        *v = if *v == T::zero() { T::zero() } else { v.signum() * size.min(most) };
    }
}

/// The gradient of a function that is infinite, or infinitely steep, at `y[index]`.
pub(crate) fn steep<T: Real>(y: &[T], index: usize) -> Error {
    let rule = "a gradient exists only inside the domain";
    Error::Entry { argument: "y", row: None, index, value: y[index].wide(), rule }
}

/// Fails where `sum`, made of those upstream gradients that matter, is not finite: one of them was not.
pub(crate) fn check_gradient<T: Real>(sum: T, g: &[T]) -> Result<()> {
    if sum.is_finite() {
        return Ok(());
    }
    let index = g.iter().position(|v| !v.is_finite()).unwrap_or(0);
    let value = g.get(index).map_or(f64::NAN, |v| v.wide());
    let rule = "an upstream gradient must be finite wherever the weight is not zero";
    Err(Error::Entry { argument: "gradient", row: None, index, value, rule })
}

/// Whether every entry is masked; an empty slice is.
pub(crate) fn all_masked<T: Real>(theta: &[T]) -> bool {
    theta.iter().all(|&s| s == T::neg_infinity())
}

/// Fails unless the arguments of a second derivative are as long as the row.
pub(crate) fn check_second<T: Real>(n: usize, u: &[T], w: &[T], out: &[T]) -> Result<()> {
    check_len("u", u.len(), n)?;
    check_len("w", w.len(), n)?;
    check_len("out", out.len(), n)
}
