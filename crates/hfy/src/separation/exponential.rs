use super::{Separation, scale_gradient};
use crate::convex::{Convex, Outcome, all_masked, check_scores, check_second, steep};
use crate::error::{Result, check_len};
use crate::real::{Real, weighted, with_copy};

/// `Ω(y) = Σ y log y - y` on the positive orthant: the exponential map, the separation of exponential dense
/// associative memories. There is no positive part in it: `exp` is its exact gradient map.
///
/// An exponential that would overflow stops at the largest finite number, so that products with it are never NaN;
/// [`scaled`](Exponential::scaled) gives weights relative to their largest instead, with the logarithm of the
/// common factor. Cost: one exponential an entry.
///
/// Reference: Demircigil et al., *On a Model of Associative Memory with Huge Storage Capacity*, 2017.
///
/// ```
/// use hfy::{Convex, Exponential};
///
/// let mut y = [0.0, f64::NEG_INFINITY];
/// Exponential.argmax(&mut y)?;
/// assert_eq!(y, [1.0, 0.0]);
///
/// let mut far = [2000.0, 1999.0];
/// let log = Exponential::scaled(&mut far)?;
/// assert_eq!((far[0], log), (1.0, 2000.0));
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exponential;

impl Exponential {
    /// Writes `exp(θ - m)` for the largest score `m` and returns `m`: the weights in the log domain.
    pub fn scaled<T: Real>(theta: &mut [T]) -> Result<T> {
        check_scores(theta)?;
        let max = theta.iter().copied().fold(T::neg_infinity(), T::max);
        if max == T::neg_infinity() {
            theta.fill(T::zero());
        } else {
            theta.iter_mut().for_each(|s| *s = (*s - max).exp());
        }
        Ok(max)
    }

    /// `log Σ exp(θ)`, the logarithm of the conjugate.
    pub fn log_conjugate<T: Real>(theta: &[T]) -> Result<T> {
        with_copy(theta, |weights| {
            let max = Self::scaled(weights)?;
            Ok(max + weights.iter().copied().sum::<T>().ln())
        })
    }
}

fn saturating_exp<T: Real>(x: T) -> T {
    x.exp().min(T::max_value())
}

impl<T: Real> Convex<T> for Exponential {
    fn value(&self, y: &[T]) -> T {
        if y.iter().any(|v| !(*v >= T::zero())) {
            return T::infinity();
        }
        y.iter().filter(|v| **v > T::zero()).map(|&v| v * v.ln() - v).sum()
    }

    fn conjugate(&self, theta: &[T]) -> Result<T> {
        check_scores(theta)?;
        Ok(theta.iter().map(|&s| saturating_exp(s)).sum())
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        check_scores(theta)?;
        let outcome = if all_masked(theta) { Outcome::Empty } else { Outcome::Solved };
        theta.iter_mut().for_each(|s| *s = saturating_exp(*s));
        Ok(outcome)
    }

    fn vjp(&self, _theta: &[T], y: &[T], g: &mut [T]) -> Result<()> {
        self.pullback(y, g)
    }

    /// `log y`.
    fn gradient(&self, y: &[T], out: &mut [T]) -> Result<()> {
        check_len("out", out.len(), y.len())?;
        if let Some(index) = y.iter().position(|v| v.is_nan() || *v <= T::zero()) {
            return Err(steep(y, index));
        }
        out.iter_mut().zip(y).for_each(|(out, y)| *out = y.ln());
        Ok(())
    }

    /// Relative to the largest weight where that one is beyond half of the range of exponents.
    fn argmax_log(&self, theta: &mut [T]) -> Result<(Outcome, T)> {
        let max = theta.iter().copied().fold(T::neg_infinity(), T::max);
        if max == T::neg_infinity() || max.abs() <= T::max_value().ln() * T::of(0.5) {
            return Ok((self.argmax(theta)?, T::zero()));
        }
        let log = Exponential::scaled(theta)?;
        Ok((Outcome::Solved, log))
    }

    fn second_vjp(&self, _theta: &[T], y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        check_second(y.len(), u, w, out)?;
        out.iter_mut().enumerate().for_each(|(i, o)| *o = weighted(y[i], u[i] * w[i]));
        Ok(())
    }
}

impl<T: Real> Separation<T> for Exponential {
    fn margin(&self) -> Option<T> {
        None
    }

    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), y.len())?;
        scale_gradient(g, |i| y[i])
    }
}
