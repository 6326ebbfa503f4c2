use super::{Convex, Outcome, all_masked, check_scores};
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// The indicator of the ball `‖y‖_p ≤ r`: its conjugate is `r` times the dual norm, `r ‖θ‖_q` with
/// `1/p + 1/q = 1`, and its map is the point of the sphere that is aligned with the scores,
/// `y_i = r sign(θ_i) (|θ_i| / ‖θ‖_q)^(q-1)`.
///
/// At `θ = 0` every point of the ball is a maximiser; the map gives the centre.
///
/// ```
/// use hfy::{Convex, NormBall};
///
/// let ball = NormBall::new(2.0, 1.0)?;
/// assert_eq!(ball.conjugate(&[3.0, 4.0])?, 5.0);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormBall {
    p: f64,
    radius: f64,
}

impl NormBall {
    /// The ball of the `p`-norm, `1 < p < ∞`, with a positive radius.
    pub fn new(p: f64, radius: f64) -> Result<Self> {
        if !(p > 1.0 && p.is_finite()) {
            return Err(Error::parameter("p", p, "the order of the norm must lie strictly between 1 and infinity"));
        }
        if !(radius > 0.0 && radius.is_finite()) {
            return Err(Error::parameter("radius", radius, "a radius must be positive and finite"));
        }
        Ok(NormBall { p, radius })
    }

    /// The order of the norm.
    pub fn order(&self) -> f64 {
        self.p
    }

    /// The ball of the dual norm, of order `q = p / (p - 1)`, with the same radius.
    pub fn dual(&self) -> NormBall {
        NormBall { p: self.p / (self.p - 1.0), radius: self.radius }
    }

    fn dual_norm<T: Real>(&self, theta: &[T]) -> T {
        norm(theta, T::of(self.dual().p))
    }
}

/// `‖x‖_p` without overflow; masked entries count nothing.
pub(crate) fn norm<T: Real>(x: &[T], p: T) -> T {
    let visible = || x.iter().filter(|v| **v != T::neg_infinity()).map(|v| v.abs());
    let largest = visible().fold(T::zero(), T::max);
    if largest == T::zero() {
        return largest;
    }
    largest * visible().map(|v| (v / largest).powf(p)).sum::<T>().powf(T::one() / p)
}

impl<T: Real> Convex<T> for NormBall {
    fn value(&self, y: &[T]) -> T {
        let inside = norm(y, T::of(self.p)) <= T::of(self.radius) * (T::one() + T::domain_tolerance());
        if inside { T::zero() } else { T::infinity() }
    }

    fn conjugate(&self, theta: &[T]) -> Result<T> {
        check_scores(theta)?;
        Ok(T::of(self.radius) * self.dual_norm(theta))
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        check_scores(theta)?;
        let outcome = if all_masked(theta) { Outcome::Empty } else { Outcome::Solved };
        let (size, power) = (self.dual_norm(theta), T::of(self.dual().p - 1.0));
        for s in theta.iter_mut() {
            *s = if *s == T::neg_infinity() || *s == T::zero() {
                T::zero()
            } else {
                T::of(self.radius) * s.signum() * (s.abs() / size).powf(power)
            };
        }
        Ok(outcome)
    }

    /// With `a_i = |θ_i|/‖θ‖` and `y = r sign a^(q-1)`: `J = (r (q-1)/‖θ‖) (diag(a^(q-2)) - (y/r)(y/r)ᵀ)`.
    fn vjp(&self, theta: &[T], y: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), theta.len())?;
        let (size, q) = (self.dual_norm(theta), T::of(self.dual().p));
        if size == T::zero() {
            g.fill(T::zero());
            return Ok(());
        }
        let radius = T::of(self.radius);
        let along: T = y.iter().zip(&*g).map(|(&y, &g)| y * g).sum::<T>() / radius;
        for ((g, &s), &y) in g.iter_mut().zip(theta).zip(y) {
            let bend = if s == T::neg_infinity() {
                T::zero()
            } else if s == T::zero() {
                // |θ|^(q-1) bends at zero for q < 2; its one-sided slopes are infinite and we take none.
                if q == T::of(2.0) { *g } else { T::zero() }
            } else {
                (s.abs() / size).powf(q - T::of(2.0)) * *g
            };
            *g = radius * (q - T::one()) / size * (bend - y / radius * along);
        }
        Ok(())
    }
}
