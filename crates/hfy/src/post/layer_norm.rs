use super::check_finite;
use super::radial::{Radial, length};
use crate::convex::{Convex, Outcome};
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// What the sum of squared deviations of `D` entries is divided by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variance {
    /// By `D`, as layer normalisation usually does.
    #[default]
    Biased,
    /// By `D - 1`, the sample variance.
    Unbiased,
}

impl Variance {
    /// The divisor for `len` entries; zero for a single entry and the unbiased variance.
    pub fn divisor(self, len: usize) -> usize {
        match self {
            Variance::Biased => len,
            Variance::Unbiased => len.saturating_sub(1),
        }
    }
}

/// Layer normalisation: `ŷ(z) = η (z - mean) / √(var + ε) + δ`, with the variance divided by `D` or `D - 1`.
///
/// Let `c` be the divisor, `R = η √c`, and `Pz = z - mean`. The map is exactly the gradient of the convex function
///
/// ```text
/// Ψ*(z) = δ·z + R √(|Pz|² + c ε)
/// ```
///
/// for every `ε ≥ 0`, and so belongs to its conjugate, which lives on a disc through `δ`:
///
/// ```text
/// Ψ(q) = -√(c ε) √(R² - |q - δ|²)   on   S = { q : |q - δ| ≤ R, 1·(q - δ) = 0 }
/// ```
///
/// and is infinite elsewhere. For `ε = 0` it is the indicator of `S`, of radius `η √D` (biased) or `η √(D-1)`
/// (unbiased). For `ε > 0` it is strictly convex on `S`, the image is the open disc instead of its rim, and the map is
/// smooth everywhere. `η` is one number: with one for each coordinate the Jacobian would not be symmetric, and
/// no convex function would have that map.
///
/// A constant `z` gives `δ`; with `ε = 0` every point of `S` is a maximiser there, and the derivative is taken as zero.
/// A single entry has no spread, and always gives `δ`, under either variance. The map is
/// [idempotent](LayerNorm::is_idempotent) only if `ε = 0` and all entries of `δ` are the same.
///
/// Cost: a few passes. Stable where the mean is large beside the spread (the deviations are taken from an entry of
/// the row, so a constant row has a spread of exactly zero), and for entries near overflow and underflow.
///
/// Reference: Ba, Kiros, Hinton, *Layer Normalization*, 2016; the paper's proposition on it, whose proof has the
/// numerator `|z|² - D mean²`.
///
/// ```
/// use hfy::{Convex, LayerNorm, Variance};
///
/// let norm = LayerNorm::new(2.0)?;
/// let mut q = [1e9 + 1.0, 1e9 + 3.0];
/// norm.argmax(&mut q)?;
/// assert_eq!(q, [-2.0, 2.0]);
///
/// let soft = norm.with_epsilon(1e-5)?.with_variance(Variance::Unbiased);
/// assert_eq!(soft.radius(2), 2.0);
/// let z = [0.3, -0.1];
/// let mut q = z;
/// soft.argmax(&mut q)?;
/// assert!(soft.loss(&z, &q)? < 1e-12);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LayerNorm {
    eta: f64,
    delta: Option<Vec<f64>>,
    epsilon: f64,
    variance: Variance,
}

impl LayerNorm {
    /// Gain `η > 0`, no offset, `ε = 0`, the biased variance.
    pub fn new(eta: f64) -> Result<Self> {
        LayerNorm::default().with_eta(eta)
    }

    /// With another gain `η > 0`.
    pub fn with_eta(self, eta: f64) -> Result<Self> {
        if eta > 0.0 && eta.is_finite() {
            Ok(LayerNorm { eta, ..self })
        } else {
            Err(Error::parameter("eta", eta, "the gain must be positive and finite"))
        }
    }

    /// With an offset `δ`, one number for each coordinate.
    pub fn with_delta(self, delta: Vec<f64>) -> Result<Self> {
        match delta.iter().position(|d| !d.is_finite()) {
            None => Ok(LayerNorm { delta: Some(delta), ..self }),
            Some(index) => Err(Error::Entry {
                argument: "delta",
                row: None,
                index,
                value: delta[index],
                rule: "an offset must be finite",
            }),
        }
    }

    /// With `ε ≥ 0` under the root.
    pub fn with_epsilon(self, epsilon: f64) -> Result<Self> {
        if epsilon >= 0.0 && epsilon.is_finite() {
            Ok(LayerNorm { epsilon, ..self })
        } else {
            Err(Error::parameter("epsilon", epsilon, "epsilon must be finite and not negative"))
        }
    }

    /// With another divisor of the variance.
    pub fn with_variance(self, variance: Variance) -> Self {
        LayerNorm { variance, ..self }
    }

    /// The gain.
    pub fn eta(&self) -> f64 {
        self.eta
    }

    /// The offset; `None` is zero for any number of coordinates.
    pub fn delta(&self) -> Option<&[f64]> {
        self.delta.as_deref()
    }

    /// What is added to the variance.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The convention of the variance.
    pub fn variance(&self) -> Variance {
        self.variance
    }

    /// The radius of the disc `S` for `len` coordinates.
    pub fn radius(&self, len: usize) -> f64 {
        self.eta * (self.variance.divisor(len) as f64).sqrt()
    }

    /// Whether the map leaves its own image where it is: `ε = 0`, and `δ` a multiple of the vector of ones. Any other
    /// `δ` shifts the mean or the spread of what it is added to.
    pub fn is_idempotent(&self) -> bool {
        let delta = self.delta.as_deref().unwrap_or(&[]);
        self.epsilon == 0.0 && delta.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// The map after a multiplication by `e^c`, which only changes what `ε` means.
    fn magnified(&self, c: f64) -> Self {
        let epsilon = if self.epsilon == 0.0 { 0.0 } else { (self.epsilon * (-2.0 * c).exp()).min(f64::MAX) };
        LayerNorm { epsilon, ..self.clone() }
    }

    fn radial(&self, len: usize) -> Radial {
        let soft = (self.variance.divisor(len) as f64).sqrt() * self.epsilon.sqrt();
        Radial { radius: self.radius(len), soft, centred: true }
    }

    fn offset(&self, i: usize) -> f64 {
        self.delta.as_ref().map_or(0.0, |delta| delta[i])
    }

    fn fits(&self, argument: &'static str, len: usize) -> Result<()> {
        self.delta.as_ref().map_or(Ok(()), |delta| check_len(argument, len, delta.len()))
    }

    /// `q - δ`.
    fn disc<T: Real>(&self, q: &[T]) -> impl Iterator<Item = f64> + Clone {
        q.iter().enumerate().map(|(i, v)| v.wide() - self.offset(i))
    }
}

impl Default for LayerNorm {
    fn default() -> Self {
        LayerNorm { eta: 1.0, delta: None, epsilon: 0.0, variance: Variance::Biased }
    }
}

impl<T: Real> Convex<T> for LayerNorm {
    fn value(&self, q: &[T]) -> T {
        if self.fits("q", q.len()).is_err() {
            return T::infinity();
        }
        let radial = self.radial(q.len());
        // Adding δ has rounded q in proportion to δ.
        let rounding = 2.0 * T::epsilon().wide() * length(self.delta.iter().flatten().copied());
        let slack = T::domain_tolerance().wide() * radial.radius + rounding;
        T::of(radial.dual(self.disc(q), slack))
    }

    fn conjugate(&self, z: &[T]) -> Result<T> {
        check_finite(z)?;
        self.fits("scores", z.len())?;
        let shift: f64 = z.iter().enumerate().map(|(i, v)| self.offset(i) * v.wide()).sum();
        Ok(T::of(shift + self.radial(z.len()).at(z).value()))
    }

    fn argmax(&self, z: &mut [T]) -> Result<Outcome> {
        let outcome = check_finite(z)?;
        self.fits("scores", z.len())?;
        let at = self.radial(z.len()).at(z);
        z.iter_mut().enumerate().for_each(|(i, v)| *v = T::of(at.gradient(*v) + self.offset(i)));
        Ok(outcome)
    }

    fn vjp(&self, z: &[T], _q: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), z.len())?;
        self.radial(z.len()).at(z).vjp(z, g);
        Ok(())
    }

    fn argmax_exp(&self, z: &mut [T], c: T) -> Result<Outcome> {
        self.magnified(c.wide()).argmax(z)
    }

    fn vjp_exp(&self, z: &[T], q: &[T], c: T, g: &mut [T]) -> Result<()> {
        self.magnified(c.wide()).vjp(z, q, g)
    }

    fn second_vjp(&self, z: &[T], _q: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        check_len("u", u.len(), z.len())?;
        check_len("w", w.len(), z.len())?;
        check_len("out", out.len(), z.len())?;
        self.radial(z.len()).at(z).second_vjp(z, (u, w), out);
        Ok(())
    }

    /// `δ·z` and the mean of `z` cancel, so they are never added: `Ψ(q) + R √(|Pz|² + c ε) - Pz·(q - δ)`.
    fn loss(&self, z: &[T], q: &[T]) -> Result<T> {
        check_len("target", q.len(), z.len())?;
        check_finite(z)?;
        self.fits("scores", z.len())?;
        let value = self.value(q);
        if value == T::infinity() {
            return Ok(value);
        }
        let at = self.radial(z.len()).at(z);
        Ok(T::of((value.wide() + (at.value() - at.inner(z, self.disc(q)))).max(0.0)))
    }
}
