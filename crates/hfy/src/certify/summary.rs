//! A whole stored set in a few numbers.

use super::{Capacity, Certificate, Certifier, Condition, Sphere};
use crate::error::{Error, Result};
use crate::real::Real;

/// Values at fixed ranks: entry `⌈p n⌉` of the `n` values in rising order.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Quantiles {
    /// The smallest.
    pub min: f64,
    /// A tenth are no greater.
    pub p10: f64,
    /// A quarter are no greater.
    pub p25: f64,
    /// The (lower) median.
    pub median: f64,
    /// Three quarters are no greater.
    pub p75: f64,
    /// Nine tenths are no greater.
    pub p90: f64,
    /// The largest.
    pub max: f64,
}

impl Quantiles {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let at = |percent: usize| values[(values.len() * percent).div_ceil(100).max(1) - 1];
        Quantiles { min: at(0), p10: at(10), p25: at(25), median: at(50), p75: at(75), p90: at(90), max: at(100) }
    }
}

/// The smallest `β` for a share of the patterns.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BetaFor {
    /// At least this share of the patterns are fixed points ...
    pub share: f64,
    /// ... from this `β` on; `None` if at no finite one.
    pub beta: Option<f64>,
}

/// The certificates of a stored set, summed up.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Summary {
    /// How many patterns there are.
    pub patterns: usize,
    /// How many entries each has.
    pub dimension: usize,
    /// The margin of the map.
    pub margin: f64,
    /// The inverse temperature.
    pub beta: f64,
    /// The share of patterns whose state `c_i` is a fixed point.
    pub fixed_points: f64,
    /// The share of patterns from which one step returns `c_i`.
    pub recalled: f64,
    /// The share of patterns that Ψ does not move, `c_i = x_i` in every entry: one without Ψ.
    pub unmoved: f64,
    /// How many patterns are separated from no rival, `Δ_i ≤ 0`, and are a fixed point at no `β`.
    pub inseparable: usize,
    /// Separations.
    pub separation: Quantiles,
    /// The paper's radii, around `c_i`.
    pub radius_paper: Quantiles,
    /// The sharp radii, around `c_i`.
    pub radius_sharp: Quantiles,
    /// The sharp radii around the patterns `x_i`.
    pub radius_pattern: Quantiles,
    /// How far Ψ moves the patterns.
    pub moved: Quantiles,
    /// For shares of 0.5, 0.9, 0.99 and 1.
    pub smallest_beta: Vec<BetaFor>,
    /// Whether the patterns lie on one sphere, as both capacities suppose: the smallest norm against the largest.
    pub on_sphere: Condition,
    /// How many patterns a sphere through the largest pattern holds at least; `None` where every pattern is zero.
    pub capacity: Option<Capacity>,
}

impl<T: Real> Certifier<'_, T> {
    /// Sums up the certificates of this set; `epsilon` and `failure` are for the [capacities](Sphere::capacity).
    ///
    /// ```
    /// use hfy::{Certifier, Entmax};
    /// use ndarray::array;
    ///
    /// let patterns = array![[2.0, 0.0], [0.0, 2.0], [-2.0, 0.0]];
    /// let certifier = Certifier::new(patterns.view(), &Entmax::SPARSEMAX, 1.0)?;
    /// let summary = certifier.summary(&certifier.certificates()?, 0.1, 0.01)?;
    /// assert_eq!((summary.fixed_points, summary.smallest_beta[3].beta), (1.0, Some(0.25)));
    /// assert!(summary.on_sphere.holds);
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn summary(&self, certificates: &[Certificate], epsilon: f64, failure: f64) -> Result<Summary> {
        let n = self.patterns.len();
        if certificates.len() != n {
            return Err(Error::shape("certificates", &[certificates.len()], &[n]));
        }
        let curve = self.curve(certificates);
        let smallest = |share| Ok(BetaFor { share, beta: curve.smallest_beta(share)? });
        let (least, largest) = (self.patterns.smallest_norm(), self.patterns.largest_norm());
        let (margin, beta) = (self.margin().lead().wide(), self.beta().wide());
        let sphere =
            if largest > 0.0 { Some(Sphere::new(self.patterns.width(), largest, margin, beta)?) } else { None };
        // A row that was normalised has its norm to within a rounding of each entry.
        let tolerance = T::epsilon().wide() * largest;
        let rule = "every pattern has the same norm";
        let part =
            |holds: &dyn Fn(&Certificate) -> bool| certificates.iter().filter(|c| holds(c)).count() as f64 / n as f64;
        Ok(Summary {
            patterns: n,
            dimension: self.patterns.width(),
            margin,
            beta,
            fixed_points: part(&|c| c.fixed_point),
            recalled: part(&|c| c.recalled),
            unmoved: part(&|c| c.moved == 0.0),
            inseparable: certificates.iter().filter(|c| c.separation <= 0.0).count(),
            separation: Quantiles::of(certificates.iter().map(|c| c.separation)),
            radius_paper: Quantiles::of(certificates.iter().map(|c| c.radius_paper)),
            radius_sharp: Quantiles::of(certificates.iter().map(|c| c.radius_sharp)),
            radius_pattern: Quantiles::of(certificates.iter().map(|c| c.radius_pattern)),
            moved: Quantiles::of(certificates.iter().map(|c| c.moved)),
            smallest_beta: [0.5, 0.9, 0.99, 1.0].into_iter().map(smallest).collect::<Result<_>>()?,
            on_sphere: Condition { rule, value: least, bound: largest, holds: largest - least <= 4.0 * tolerance },
            capacity: sphere.map(|sphere| sphere.capacity(epsilon, failure)).transpose()?,
        })
    }
}
