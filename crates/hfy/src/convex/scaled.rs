use super::{Convex, Outcome};
use crate::error::{Error, Result};
use crate::real::{Real, weighted, with_copy};

/// `a f`: a temperature. With `a = 1/β` the map becomes `ŷ(β θ)` and the conjugate `f*(β θ) / β`.
///
/// The printed rule `(a f)*(θ) = a f*(y/a)` names the wrong variable; it is `a f*(θ/a)`.
///
/// ```
/// use hfy::{Convex, Entmax, Scaled};
///
/// let cold = Scaled::with_beta(Entmax::SPARSEMAX, 10.0)?;
/// let mut y = [0.5, 0.45, 0.1];
/// cold.argmax(&mut y)?;
/// assert_eq!(y, [0.75, 0.25, 0.0]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaled<F> {
    inner: F,
    beta: f64,
}

impl<F> Scaled<F> {
    /// `a f`, for `a > 0`.
    pub fn new(inner: F, a: f64) -> Result<Self> {
        if !(a > 0.0 && a.is_finite() && (1.0 / a).is_finite()) {
            return Err(Error::parameter("a", a, "a scale must be positive and finite"));
        }
        Ok(Scaled { inner, beta: 1.0 / a })
    }

    /// `f / β`, for an inverse temperature `β > 0`.
    pub fn with_beta(inner: F, beta: f64) -> Result<Self> {
        if !(beta > 0.0 && beta.is_finite() && (1.0 / beta).is_finite()) {
            return Err(Error::parameter("beta", beta, "an inverse temperature must be positive and finite"));
        }
        Ok(Scaled { inner, beta })
    }

    /// The inverse temperature.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// The function at temperature one.
    pub fn inner(&self) -> &F {
        &self.inner
    }

    /// The derivative of `g · ŷ(β θ)` with respect to `β`, from `v`, the [`vjp`](Convex::vjp) of `g`.
    ///
    /// Since `∂ŷ/∂β = J(βθ) θ` and `v = β J g`, it is `v·θ / β`; masked entries count nothing.
    pub fn d_beta<T: Real>(&self, theta: &[T], v: &[T]) -> T {
        theta.iter().zip(v).map(|(&s, &v)| weighted(v, s)).sum::<T>() / T::of(self.beta)
    }

    pub(crate) fn warmed<T: Real, R>(&self, theta: &[T], work: impl FnOnce(&[T]) -> Result<R>) -> Result<R> {
        with_copy(theta, |scaled| {
            self.warm(scaled)?;
            work(scaled)
        })
    }

    /// `θ ← β θ`. A product that overflows is an error: below zero it would pass for a mask, and above it no
    /// longer tells which score was the larger.
    fn warm<T: Real>(&self, theta: &mut [T]) -> Result<()> {
        let beta = T::of(self.beta);
        for (index, s) in theta.iter_mut().enumerate() {
            let scaled = *s * beta;
            if scaled.is_infinite() && s.is_finite() {
                let rule = "a score times beta must be finite";
                return Err(Error::Entry { argument: "scores", row: None, index, value: s.wide(), rule });
            }
            *s = scaled;
        }
        Ok(())
    }
}

impl<T: Real, F: Convex<T>> Convex<T> for Scaled<F> {
    fn value(&self, y: &[T]) -> T {
        self.inner.value(y) / T::of(self.beta)
    }

    fn conjugate(&self, theta: &[T]) -> Result<T> {
        Ok(self.warmed(theta, |scaled| self.inner.conjugate(scaled))? / T::of(self.beta))
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        self.warm(theta)?;
        self.inner.argmax(theta)
    }

    fn argmax_rows(&self, theta: &[T], width: usize, y: &mut [T], report: &mut dyn FnMut(Outcome)) -> Result<()> {
        with_copy(theta, |theta| {
            for (row, scores) in theta.chunks_mut(width.max(1)).enumerate() {
                if let Err(error) = self.warm(scores) {
                    // A row before it may be at fault, too.
                    let before = row * width;
                    self.inner.argmax_rows(&theta[..before], width, &mut y[..before], report)?;
                    return Err(error);
                }
            }
            self.inner.argmax_rows(theta, width, y, report)
        })
    }

    fn vjp(&self, theta: &[T], y: &[T], g: &mut [T]) -> Result<()> {
        self.warmed(theta, |scaled| self.inner.vjp(scaled, y, g))?;
        let beta = T::of(self.beta);
        g.iter_mut().for_each(|g| *g *= beta);
        Ok(())
    }

    fn second_vjp(&self, theta: &[T], y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        self.warmed(theta, |scaled| self.inner.second_vjp(scaled, y, u, w, out))?;
        let square = T::of(self.beta * self.beta);
        out.iter_mut().for_each(|v| *v *= square);
        Ok(())
    }

    fn gradient(&self, y: &[T], out: &mut [T]) -> Result<()> {
        self.inner.gradient(y, out)?;
        out.iter_mut().for_each(|v| *v /= T::of(self.beta));
        Ok(())
    }

    fn argmax_log(&self, theta: &mut [T]) -> Result<(Outcome, T)> {
        self.warm(theta)?;
        self.inner.argmax_log(theta)
    }

    fn argmax_exp(&self, z: &mut [T], c: T) -> Result<Outcome> {
        self.warm(z)?;
        self.inner.argmax_exp(z, c)
    }

    fn vjp_exp(&self, z: &[T], y: &[T], c: T, g: &mut [T]) -> Result<()> {
        self.warmed(z, |scaled| self.inner.vjp_exp(scaled, y, c, g))?;
        g.iter_mut().for_each(|g| *g *= T::of(self.beta));
        Ok(())
    }

    fn beta_derivative(&self, theta: &[T], v: &[T]) -> Option<T> {
        Some(self.d_beta(theta, v))
    }

    fn is_identity(&self) -> bool {
        self.beta == 1.0 && self.inner.is_identity()
    }

    fn mass(&self) -> Option<f64> {
        self.inner.mass()
    }

    fn loss(&self, theta: &[T], y: &[T]) -> Result<T> {
        Ok(self.warmed(theta, |scaled| self.inner.loss(scaled, y))? / T::of(self.beta))
    }
}
