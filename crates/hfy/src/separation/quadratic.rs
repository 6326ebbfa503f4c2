use super::{Separation, scale_gradient};
use crate::convex::{Convex, Outcome, all_masked, check_scores, check_second};
use crate::error::{Result, check_len};
use crate::real::Real;

/// `Ω(y) = |y|²/2` over all of space: the identity map, the separation of the classic Hopfield network.
///
/// A masked entry gets weight zero.
///
/// **Cost.** One pass.
///
/// **Stability.** Nothing is computed. Its value and conjugate overflow where squares of scores do.
///
/// Reference: Hopfield, *Neural networks and physical systems with emergent collective computational abilities*, 1982.
///
/// ```
/// use hfy::{Convex, Quadratic};
///
/// assert_eq!(Quadratic.loss(&[1.0, 2.0], &[1.0, 0.0])?, 2.0);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quadratic;

impl<T: Real> Convex<T> for Quadratic {
    fn value(&self, y: &[T]) -> T {
        if y.iter().any(|v| v.is_nan()) {
            return T::infinity();
        }
        y.iter().map(|&v| v * v).sum::<T>() * T::of(0.5)
    }

    fn conjugate(&self, theta: &[T]) -> Result<T> {
        check_scores(theta)?;
        let visible = theta.iter().filter(|s| **s > T::neg_infinity());
        Ok(visible.map(|&s| s * s).sum::<T>() * T::of(0.5))
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        check_scores(theta)?;
        let outcome = if all_masked(theta) { Outcome::Empty } else { Outcome::Solved };
        theta.iter_mut().filter(|s| **s == T::neg_infinity()).for_each(|s| *s = T::zero());
        Ok(outcome)
    }

    fn vjp(&self, theta: &[T], _y: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), theta.len())?;
        scale_gradient(g, |i| if theta[i] == T::neg_infinity() { T::zero() } else { T::one() })
    }

    fn second_vjp(&self, theta: &[T], _y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        check_second(theta.len(), u, w, out)?;
        out.fill(T::zero());
        Ok(())
    }

    fn gradient(&self, y: &[T], out: &mut [T]) -> Result<()> {
        check_len("out", out.len(), y.len())?;
        out.copy_from_slice(y);
        Ok(())
    }

    fn is_identity(&self) -> bool {
        true
    }

    fn loss(&self, theta: &[T], y: &[T]) -> Result<T> {
        check_len("target", y.len(), theta.len())?;
        check_scores(theta)?;
        if y.iter().any(|v| v.is_nan()) {
            return Ok(T::infinity());
        }
        let change = |(&s, &y): (&T, &T)| if s == T::neg_infinity() { y } else { s - y };
        Ok(theta.iter().zip(y).map(change).map(|d| d * d).sum::<T>() * T::of(0.5))
    }
}

impl<T: Real> Separation<T> for Quadratic {
    fn margin(&self) -> Option<T> {
        None
    }

    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), y.len())?;
        scale_gradient(g, |_| T::one())
    }
}
