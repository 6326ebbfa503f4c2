use super::check_finite;
use crate::convex::{Convex, Outcome};
use crate::error::{Result, check_len};
use crate::real::Real;

/// `sign(z)`: `argmax z·q` over the box `max |q_j| ≤ 1`, the post-transformation of the binary Hopfield network.
///
/// Ψ is the indicator of the box and `Ψ*(z) = Σ |z_j|`. Where `z_j = 0` (of either sign) the whole interval is optimal;
/// the map gives its middle, `sign(0) = 0`. A network of `±1` states that wants to keep its old state there has to say
/// so itself.
///
/// The map is idempotent and piecewise constant, so its derivatives are zero. Cost: one pass. Exact.
///
/// Reference: Hopfield, *Neural networks and physical systems with emergent collective computational abilities*, 1982.
///
/// ```
/// use hfy::{Convex, Sign};
///
/// let mut q = [0.5, -1e-310, 0.0];
/// Sign.argmax(&mut q)?;
/// assert_eq!(q, [1.0, -1.0, 0.0]);
/// assert_eq!(Sign.conjugate(&[0.5, -2.0])?, 2.5);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sign;

fn sign<T: Real>(v: T) -> T {
    if v == T::zero() { T::zero() } else { v.signum() }
}

impl<T: Real> Convex<T> for Sign {
    fn value(&self, q: &[T]) -> T {
        let inside = q.iter().all(|v| v.abs() <= T::one() + T::domain_tolerance());
        if inside { T::zero() } else { T::infinity() }
    }

    fn conjugate(&self, z: &[T]) -> Result<T> {
        check_finite(z)?;
        Ok(T::of(z.iter().map(|v| v.wide().abs()).sum()))
    }

    fn argmax(&self, z: &mut [T]) -> Result<Outcome> {
        let outcome = check_finite(z)?;
        z.iter_mut().for_each(|v| *v = sign(*v));
        Ok(outcome)
    }

    fn vjp(&self, z: &[T], _q: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), z.len())?;
        g.fill(T::zero());
        Ok(())
    }

    fn second_vjp(&self, z: &[T], _q: &[T], _u: &[T], _w: &[T], out: &mut [T]) -> Result<()> {
        check_len("out", out.len(), z.len())?;
        out.fill(T::zero());
        Ok(())
    }

    /// The sign does not change with the size.
    fn argmax_exp(&self, z: &mut [T], _c: T) -> Result<Outcome> {
        self.argmax(z)
    }

    /// `Σ |z_j| (1 - sign(z_j) q_j)`, without cancellation.
    fn loss(&self, z: &[T], q: &[T]) -> Result<T> {
        check_len("target", q.len(), z.len())?;
        check_finite(z)?;
        if self.value(q) == T::infinity() {
            return Ok(T::infinity());
        }
        let total: f64 = z.iter().zip(q).map(|(&z, q)| z.wide().abs() * (1.0 - sign(z).wide() * q.wide())).sum();
        Ok(T::of(total.max(0.0)))
    }
}
