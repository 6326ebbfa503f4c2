use super::check_finite;
use super::radial::{Radial, length};
use crate::convex::{Convex, Outcome};
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// l2 normalisation: `ŷ(z) = argmax z·q` over the ball `|q| ≤ r`, which is `r z / |z|`.
///
/// Ψ is the indicator of the ball and `Ψ*(z) = r |z|`. At `z = 0` every point of the ball is a maximiser; the map gives
/// the centre, and its derivative there is taken as zero. Elsewhere `J = (r/|z|)(I - u uᵀ)` with `u = z/|z|`.
///
/// The map is idempotent, and its image is the sphere of radius `r`.
///
/// Cost: a few passes. Stable for entries from the smallest denormal to the largest finite number: the row is
/// brought near one by a power of two before anything is squared. It is [`NormBall`](crate::NormBall) of order 2
/// without that type's general powers, exact for denormals too, and with a second derivative.
///
/// Reference: Krotov, Hopfield, *Large Associative Memory Problem in Neurobiology and Machine Learning*, 2021.
///
/// ```
/// use hfy::{Ball, Convex};
///
/// let ball = Ball::new(10.0)?;
/// let mut q = [3.0, 4.0];
/// ball.argmax(&mut q)?;
/// assert_eq!(q, [6.0, 8.0]);
/// assert_eq!(ball.conjugate(&[3.0, 4.0])?, 50.0);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    radius: f64,
}

impl Ball {
    /// The ball of radius one.
    pub const UNIT: Ball = Ball { radius: 1.0 };

    /// The ball of a positive radius.
    pub fn new(radius: f64) -> Result<Self> {
        if radius > 0.0 && radius.is_finite() {
            Ok(Ball { radius })
        } else {
            Err(Error::parameter("radius", radius, "a radius must be positive and finite"))
        }
    }

    /// The radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    fn radial(&self) -> Radial {
        Radial { radius: self.radius, soft: 0.0, centred: false }
    }
}

impl Default for Ball {
    fn default() -> Self {
        Ball::UNIT
    }
}

impl<T: Real> Convex<T> for Ball {
    fn value(&self, q: &[T]) -> T {
        let inside = length(q.iter().map(|v| v.wide())) <= self.radius * (1.0 + T::domain_tolerance().wide());
        if inside { T::zero() } else { T::infinity() }
    }

    fn conjugate(&self, z: &[T]) -> Result<T> {
        check_finite(z)?;
        Ok(T::of(self.radial().at(z).value()))
    }

    fn argmax(&self, z: &mut [T]) -> Result<Outcome> {
        let outcome = check_finite(z)?;
        let at = self.radial().at(z);
        z.iter_mut().for_each(|v| *v = T::of(at.gradient(*v)));
        Ok(outcome)
    }

    fn vjp(&self, z: &[T], _q: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), z.len())?;
        self.radial().at(z).vjp(z, g);
        Ok(())
    }

    /// The direction does not change with the size.
    fn argmax_exp(&self, z: &mut [T], _c: T) -> Result<Outcome> {
        self.argmax(z)
    }

    fn vjp_exp(&self, z: &[T], q: &[T], _c: T, g: &mut [T]) -> Result<()> {
        self.vjp(z, q, g)
    }

    fn second_vjp(&self, z: &[T], _q: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        check_len("u", u.len(), z.len())?;
        check_len("w", w.len(), z.len())?;
        check_len("out", out.len(), z.len())?;
        self.radial().at(z).second_vjp(z, (u, w), out);
        Ok(())
    }
}
