use super::{Separation, scale_gradient};
use crate::convex::{Convex, Outcome, all_masked, check_scores, check_second};
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// `Ω(y) = ‖y‖_s^s / s` with conjugate `‖θ‖_r^r / r`, `1/r + 1/s = 1`: the signed power `sign(θ)|θ|^(r-1)`, the
/// separation of polynomial dense associative memories.
///
/// The sign in front of Ω is a plus: with the minus of the running text it would be concave. A masked entry gets
/// weight zero, and a power that would overflow stops at the largest finite number, so that products with it
/// are never NaN. Cost: one power an entry.
///
/// Reference: Krotov, Hopfield, *Dense Associative Memory for Pattern Recognition*, 2016.
///
/// ```
/// use hfy::{Convex, Power};
///
/// let mut y = [2.0, -3.0];
/// Power::new(3.0)?.argmax(&mut y)?;
/// assert_eq!(y, [4.0, -9.0]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power {
    r: f64,
}

impl Power {
    /// The function whose conjugate is `‖θ‖_r^r / r`, for `1 < r < ∞`.
    pub fn new(r: f64) -> Result<Self> {
        if r > 1.0 && r.is_finite() {
            Ok(Power { r })
        } else {
            Err(Error::parameter("r", r, "r must lie strictly between 1 and infinity"))
        }
    }

    /// The exponent of the conjugate.
    pub fn r(&self) -> f64 {
        self.r
    }

    /// The conjugate as a function of this kind: `‖·‖_r^r / r` itself.
    pub fn dual(&self) -> Power {
        Power { r: self.s() }
    }

    /// The exponent of the function, dual to `r`.
    fn s(&self) -> f64 {
        self.r / (self.r - 1.0)
    }

    fn slope<T: Real>(&self, s: T) -> T {
        if s == T::neg_infinity() {
            return T::zero();
        }
        if s == T::zero() {
            // The slope at zero is infinite for r < 2; no direction there is usable, so none is given.
            return if self.r == 2.0 { T::one() } else { T::zero() };
        }
        saturated(T::of(self.r - 1.0) * magnitude(s, self.r - 2.0))
    }
}

/// `|x|^p`, at most the largest finite number. Whole powers are multiplied out.
fn magnitude<T: Real>(x: T, p: f64) -> T {
    let x = x.abs();
    let raised = if p.fract() == 0.0 && (0.0..=64.0).contains(&p) { x.powi(p as i32) } else { x.powf(T::of(p)) };
    saturated(raised)
}

fn saturated<T: Real>(x: T) -> T {
    x.min(T::max_value())
}

impl<T: Real> Convex<T> for Power {
    fn value(&self, y: &[T]) -> T {
        if y.iter().any(|v| v.is_nan()) {
            return T::infinity();
        }
        y.iter().map(|&v| magnitude(v, self.s())).sum::<T>() / T::of(self.s())
    }

    fn conjugate(&self, theta: &[T]) -> Result<T> {
        check_scores(theta)?;
        let visible = theta.iter().filter(|s| **s > T::neg_infinity());
        Ok(visible.map(|&s| magnitude(s, self.r)).sum::<T>() / T::of(self.r))
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        check_scores(theta)?;
        let outcome = if all_masked(theta) { Outcome::Empty } else { Outcome::Solved };
        for s in theta {
            let masked = *s == T::neg_infinity() || *s == T::zero();
            *s = if masked { T::zero() } else { s.signum() * magnitude(*s, self.r - 1.0) };
        }
        Ok(outcome)
    }

    /// The slope is `(r-1) y/θ`: from `y`, so that weights in the log domain give theirs.
    fn vjp(&self, theta: &[T], y: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), theta.len())?;
        check_len("output", y.len(), theta.len())?;
        scale_gradient(g, |i| {
            let (s, y) = (theta[i], y[i]);
            let plain = s == T::neg_infinity() || s == T::zero() || self.r == 2.0;
            if plain { self.slope(s) } else { (T::of(self.r - 1.0) * (y / s)).min(T::max_value()) }
        })
    }

    fn gradient(&self, y: &[T], out: &mut [T]) -> Result<()> {
        check_len("out", out.len(), y.len())?;
        out.copy_from_slice(y);
        self.dual().argmax(out).map(|_| ())
    }

    /// Relative to the largest weight where that one is beyond half of the range of exponents.
    fn argmax_log(&self, theta: &mut [T]) -> Result<(Outcome, T)> {
        check_scores(theta)?;
        let top = theta.iter().filter(|s| **s > T::neg_infinity()).fold(T::zero(), |m: T, s| m.max(s.abs()));
        let log = T::of(self.r - 1.0) * top.ln();
        if top == T::zero() || log.abs() <= T::max_value().ln() * T::of(0.5) {
            return Ok((self.argmax(theta)?, T::zero()));
        }
        theta.iter_mut().for_each(|s| *s /= top);
        Ok((self.argmax(theta)?, log))
    }

    fn second_vjp(&self, theta: &[T], _y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        check_second(theta.len(), u, w, out)?;
        let factor = T::of((self.r - 1.0) * (self.r - 2.0));
        let sign = factor.signum();
        for (i, (o, &s)) in out.iter_mut().zip(theta).enumerate() {
            let flat = s == T::neg_infinity() || s == T::zero() || factor == T::zero();
            *o = if flat {
                T::zero()
            } else {
                saturated(factor.abs() * magnitude(s, self.r - 3.0)) * sign * s.signum() * u[i] * w[i]
            };
        }
        Ok(())
    }
}

impl<T: Real> Separation<T> for Power {
    fn margin(&self) -> Option<T> {
        None
    }

    /// The scores are `sign(y) |y|^(1/(r-1))`.
    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), y.len())?;
        let back = 1.0 / (self.r - 1.0);
        scale_gradient(g, |i| self.slope(magnitude(y[i], back)))
    }

    /// `∂y/∂r = y log|θ|`.
    fn parameter_vjp(&self, y: &[T], g: &[T]) -> Result<Option<T>> {
        check_len("gradient", g.len(), y.len())?;
        let visible = y.iter().zip(g).filter(|(y, _)| **y != T::zero());
        Ok(Some(visible.map(|(&y, &g)| g * y * y.abs().ln()).sum::<T>() / T::of(self.r - 1.0)))
    }
}
