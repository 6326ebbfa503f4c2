use super::{Certificate, checked_beta, needed_lead};
use crate::error::{Error, Result};
use crate::real::Real;

/// The share of patterns that are fixed points, as a function of `β`: pattern `i` is one from `β = m/Δ_i` on, and
/// never if `Δ_i ≤ 0`.
///
/// ```
/// use hfy::{Certifier, Entmax};
/// use ndarray::array;
///
/// let patterns = array![[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]];
/// let certifier = Certifier::new(patterns.view(), &Entmax::SPARSEMAX, 1.0)?;
/// let curve = certifier.curve(&certifier.certificates()?);
/// assert_eq!(curve.smallest_beta(0.5)?, Some(0.5));
/// assert_eq!(curve.smallest_beta(1.0)?, None); // the third lies between the others
/// assert_eq!(curve.share(0.5)?, 2.0 / 3.0);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Curve<T> {
    margin: T,
    /// Falling.
    separations: Vec<f64>,
}

impl<T: Real> Curve<T> {
    pub(super) fn new(margin: T, certificates: &[Certificate]) -> Self {
        let mut separations: Vec<f64> = certificates.iter().map(|c| c.separation).collect();
        separations.sort_by(|a, b| b.total_cmp(a));
        Curve { margin, separations }
    }

    /// The share of patterns that are fixed points at `β`, which is rounded to the type of the patterns as the map
    /// does.
    pub fn share(&self, beta: f64) -> Result<f64> {
        let lead = needed_lead(self.margin, checked_beta::<T>(beta)?);
        let fixed = self.separations.partition_point(|&separation| separation >= lead);
        Ok(fixed as f64 / self.separations.len().max(1) as f64)
    }

    /// The smallest `β` of the patterns' type at which at least this share of the patterns are fixed points; `None`
    /// if no finite one will do.
    pub fn smallest_beta(&self, share: f64) -> Result<Option<f64>> {
        if !(share > 0.0 && share <= 1.0) {
            return Err(Error::parameter("share", share, "a share of the patterns must lie in (0, 1]"));
        }
        // The rank, kept from being one too high by the rounding of the product.
        let rank = (share * self.separations.len() as f64 * (1.0 - f64::EPSILON)).ceil().max(1.0) as usize;
        Ok(self.separations.get(rank - 1).and_then(|&separation| self.beta_of(separation)))
    }

    /// Every step of the curve, from the left: a `β` and the share of patterns that are fixed points from there on.
    pub fn steps(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let n = self.separations.len();
        (0..n).filter_map(move |i| {
            let beta = self.beta_of(self.separations[i])?;
            let next = self.separations.get(i + 1).and_then(|&separation| self.beta_of(separation));
            (next != Some(beta)).then_some((beta, (i + 1) as f64 / n as f64))
        })
    }

    /// The least number of the patterns' type that is not below `m/Δ`.
    fn beta_of(&self, separation: f64) -> Option<f64> {
        if separation <= 0.0 {
            return None;
        }
        let below = T::of(self.margin.wide() / separation) * (T::one() - T::of(2.0) * T::epsilon());
        let mut beta = below.max(T::min_positive_value());
        while beta.is_finite() && separation < needed_lead(self.margin, beta) {
            // The next number, since this is more than half and less than one and a half ulps.
            beta += beta * (T::of(0.75) * T::epsilon());
        }
        (beta.is_finite() && (T::one() / beta).is_finite()).then(|| beta.wide())
    }
}
