//! The penalty on what was recalled before.

use super::scores::checked;
use crate::error::{Error, Result};
use crate::real::Real;

/// A penalty `λ` on an average `a` that forgets at the rate `τ`: scores become `X q - λ a`, and the average of `x`
/// moves by `a ← τ x + (1 - τ) a`.
///
/// ```
/// use hfy::recall::Penalty;
///
/// let paper = Penalty::default();
/// assert_eq!((paper.lambda(), paper.tau()), (1e9, 1e-3));
/// assert!(Penalty::new(1e8, 1.5).is_err());
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penalty {
    lambda: f64,
    tau: f64,
}

impl Default for Penalty {
    /// The paper's: `λ = 1e9`, `τ = 0.001`.
    fn default() -> Self {
        Penalty { lambda: 1e9, tau: 1e-3 }
    }
}

impl Penalty {
    /// The penalty `lambda` at the rate `tau`.
    pub fn new(lambda: f64, tau: f64) -> Result<Self> {
        if !(lambda >= 0.0 && lambda.is_finite()) {
            return Err(Error::parameter("lambda", lambda, "a penalty must be finite and not negative"));
        }
        if !(0.0..=1.0).contains(&tau) {
            return Err(Error::parameter("tau", tau, "a rate must lie in [0, 1]"));
        }
        Ok(Penalty { lambda, tau })
    }

    /// The weight of the average in the scores.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The weight of what is new in the average.
    pub fn tau(&self) -> f64 {
        self.tau
    }

    /// `β (θ - λ a)`.
    pub(super) fn scores<T: Real>(&self, theta: &[T], average: &[f64], beta: f64) -> Result<Vec<f64>> {
        let scores: Vec<f64> =
            theta.iter().zip(average).map(|(theta, a)| beta * (theta.wide() - self.lambda * a)).collect();
        checked(&scores, "a score less its penalty must be finite")?;
        Ok(scores)
    }

    /// `a ← τ x + (1 - τ) a`.
    pub(super) fn average(&self, average: &mut [f64], new: &[f64]) {
        average.iter_mut().zip(new).for_each(|(a, x)| *a = self.tau * x + (1.0 - self.tau) * *a);
    }
}
