use super::check_finite;
use crate::convex::{Convex, Outcome, steep};
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// `tanh(β z)`: the post-transformation of the continuous Hopfield network at temperature `1/β`.
///
/// Ψ is the negative Fermi-Dirac entropy of `p = (1 + q)/2` on the box `[-1, 1]^D`,
///
/// ```text
/// Ψ(q)  = (1/β) Σ p log p + (1 - p) log(1 - p),     Ψ*(z) = (1/β) Σ log(2 cosh(β z))
/// ```
///
/// with a plus between the two terms: the printed minus gives a function that is neither convex nor has this map.
/// Ψ is finite on the border of the box, zero at its corners, and infinite beyond it. As `β` grows the map
/// becomes [`Sign`](super::Sign).
///
/// Cost: one hyperbolic tangent an entry. Stable for any finite `β z`, overflow included: `log(2 cosh x)` is taken as
/// `|x| + log(1 + exp(-2|x|))`, and the derivative `β (1 - q²)` from `z`, where it does not yet vanish when `q` rounds
/// to 1.
///
/// Reference: Hopfield, *Neurons with graded response have collective computational properties like those of
/// two-state neurons*, 1984.
///
/// ```
/// use hfy::{Convex, Tanh};
///
/// let tanh = Tanh::new(1.0)?;
/// let mut q = [0.0, 1e300];
/// tanh.argmax(&mut q)?;
/// assert_eq!(q, [0.0, 1.0]);
/// assert_eq!(tanh.conjugate(&[0.0])?, 2f64.ln());
/// assert_eq!((tanh.value(&[1.0]), tanh.value(&[1.1])), (0.0, f64::INFINITY));
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tanh {
    beta: f64,
}

impl Tanh {
    /// At an inverse temperature `β > 0`.
    pub fn new(beta: f64) -> Result<Self> {
        if beta > 0.0 && beta.is_finite() && (1.0 / beta).is_finite() {
            Ok(Tanh { beta })
        } else {
            Err(Error::parameter("beta", beta, "an inverse temperature must be positive and finite"))
        }
    }

    /// The inverse temperature.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// The map after a multiplication by `e^c`.
    fn magnified(&self, c: f64) -> Self {
        // Four times it is still finite, which the slope needs.
        Tanh { beta: (self.beta * c.exp()).min(f64::MAX / 8.0) }
    }

    /// `exp(-2β|z|)`.
    fn tail(&self, z: f64) -> f64 {
        (-2.0 * (self.beta * z.abs())).exp()
    }

    /// `β (1 - tanh²(βz))`.
    fn slope(&self, z: f64) -> f64 {
        let tail = self.tail(z);
        self.beta * (4.0 * tail / (1.0 + tail).powi(2))
    }

    /// One term of Ψ, for an entry of the box.
    fn entropy(&self, q: f64) -> f64 {
        // The rarer of the two states; its logarithm keeps its precision near the border.
        let rare = 0.5 * (1.0 - q.abs()).max(0.0);
        if rare == 0.0 { 0.0 } else { (rare * rare.ln() + (1.0 - rare) * (-rare).ln_1p()) / self.beta }
    }
}

impl Default for Tanh {
    /// At temperature one.
    fn default() -> Self {
        Tanh { beta: 1.0 }
    }
}

impl<T: Real> Convex<T> for Tanh {
    fn value(&self, q: &[T]) -> T {
        let inside = q.iter().all(|v| v.abs() <= T::one() + T::domain_tolerance());
        if inside { T::of(q.iter().map(|v| self.entropy(v.wide())).sum()) } else { T::infinity() }
    }

    fn conjugate(&self, z: &[T]) -> Result<T> {
        check_finite(z)?;
        let term = |z: f64| z.abs() + self.tail(z).ln_1p() / self.beta;
        Ok(T::of(z.iter().map(|v| term(v.wide())).sum()))
    }

    fn argmax(&self, z: &mut [T]) -> Result<Outcome> {
        let outcome = check_finite(z)?;
        z.iter_mut().for_each(|v| *v = T::of((self.beta * v.wide()).tanh()));
        Ok(outcome)
    }

    fn vjp(&self, z: &[T], _q: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), z.len())?;
        g.iter_mut().zip(z).for_each(|(g, z)| *g = T::of(self.slope(z.wide()) * g.wide()));
        Ok(())
    }

    /// `artanh(q) / β`, inside the box.
    fn gradient(&self, q: &[T], out: &mut [T]) -> Result<()> {
        check_len("out", out.len(), q.len())?;
        if let Some(index) = q.iter().position(|v| v.is_nan() || v.abs() >= T::one()) {
            return Err(steep(q, index));
        }
        out.iter_mut().zip(q).for_each(|(out, q)| *out = T::of(q.wide().atanh() / self.beta));
        Ok(())
    }

    fn argmax_exp(&self, z: &mut [T], c: T) -> Result<Outcome> {
        self.magnified(c.wide()).argmax(z)
    }

    fn vjp_exp(&self, z: &[T], q: &[T], c: T, g: &mut [T]) -> Result<()> {
        self.magnified(c.wide()).vjp(z, q, g)
    }

    fn second_vjp(&self, z: &[T], q: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        check_len("q", q.len(), z.len())?;
        check_len("u", u.len(), z.len())?;
        check_len("w", w.len(), z.len())?;
        check_len("out", out.len(), z.len())?;
        for (i, out) in out.iter_mut().enumerate() {
            let curvature = -2.0 * self.beta * q[i].wide() * self.slope(z[i].wide());
            *out = T::of(curvature * u[i].wide() * w[i].wide());
        }
        Ok(())
    }

    /// Entry by entry, with `|z| - z q = |z| (1 - sign(z) q)`: large scores cancel before they are added.
    fn loss(&self, z: &[T], q: &[T]) -> Result<T> {
        check_len("target", q.len(), z.len())?;
        check_finite(z)?;
        if self.value(q) == T::infinity() {
            return Ok(T::infinity());
        }
        let term = |(z, q): (f64, f64)| {
            z.abs() * (1.0 - z.signum() * q) + (self.tail(z).ln_1p() / self.beta + self.entropy(q))
        };
        let total: f64 = z.iter().zip(q).map(|(z, q)| term((z.wide(), q.wide()))).sum();
        Ok(T::of(total.max(0.0)))
    }
}
