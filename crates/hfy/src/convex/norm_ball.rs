use super::{Convex, Outcome, all_masked, check_gradient, check_scores};
use crate::error::{Error, Result, check_len};
use crate::real::{Real, weighted};

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
        // Minus infinity stands for a masked score, never for a point.
        let inside = y.iter().all(|v| v.is_finite())
            && norm(y, T::of(self.p)) <= T::of(self.radius) * (T::one() + T::domain_tolerance());
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
        let along: T = y.iter().zip(&*g).map(|(&y, &g)| weighted(y, g)).sum::<T>() / radius;
        check_gradient(along, g)?;
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

    /// With `n = y/r` and `D = diag(a^(q-2))` the derivative of `u·J w` is, beside the common factor `r (q-1)/‖θ‖`,
    /// that of `D` and of `‖θ‖` in it, and of both factors of `(n·u)(n·w)`, whose own derivatives are `J u / r` and `J
    /// w / r`.
    fn second_vjp(&self, theta: &[T], y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        check_len("u", u.len(), theta.len())?;
        check_len("w", w.len(), theta.len())?;
        check_len("out", out.len(), theta.len())?;
        out.fill(T::zero());
        let (size, q, radius) = (self.dual_norm(theta), T::of(self.dual().p), T::of(self.radius));
        if size == T::zero() {
            return Ok(());
        }
        let visible = |i: usize| theta[i] != T::neg_infinity() && theta[i] != T::zero();
        let power = |i: usize, p: T| if visible(i) { (theta[i].abs() / size).powf(p) } else { T::zero() };
        let dot = |a: &[T], b: &[T]| a.iter().zip(b).map(|(&a, &b)| weighted(a, b)).sum::<T>() / radius;
        let (along_u, along_w) = (dot(y, u), dot(y, w));
        let diagonal: T = (0..theta.len()).map(|i| weighted(power(i, q - T::of(2.0)), u[i] * w[i])).sum();
        let (mut pulled_u, mut pulled_w) = (u.to_vec(), w.to_vec());
        self.vjp(theta, y, &mut pulled_u)?;
        self.vjp(theta, y, &mut pulled_w)?;
        let bend = q - T::of(2.0);
        for i in 0..theta.len() {
            let normal = y[i] / radius;
            let own = if bend == T::zero() { T::zero() } else { theta[i].signum() * power(i, q - T::of(3.0)) };
            let change = bend * (weighted(own, u[i] * w[i]) - normal * diagonal);
            let shrink = normal * (diagonal - along_u * along_w);
            let mixed = (pulled_u[i] * along_w + along_u * pulled_w[i]) / radius;
            out[i] = radius * (q - T::one()) / size * ((change - shrink) / size - mixed);
        }
        Ok(())
    }
}
