//! How many patterns a sphere holds.

use crate::error::{Error, Result};

/// A condition of a theorem, looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Condition {
    /// What has to hold, in words.
    pub rule: &'static str,
    /// The number that is compared.
    pub value: f64,
    /// What it is compared with.
    pub bound: f64,
    /// Whether the condition holds.
    pub holds: bool,
}

/// How many patterns, at least, can be stored and retrieved when they are placed in one way.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Placement {
    /// The natural logarithm of the number of patterns, a lower bound; `None` unless every condition holds.
    pub log_patterns: Option<f64>,
    /// The largest perturbation for which the conditions can hold; not positive where none can.
    pub epsilon_limit: f64,
    /// What was asked, and whether it holds.
    pub conditions: Vec<Condition>,
}

/// The paper's two lower bounds of the capacity, for patterns on a sphere and queries perturbed by at most `ε`.
///
/// They hold under different conditions, and neither bounds the other. The optimal placement keeps all patterns 60°
/// apart, and its bound does not grow with `β`. The random one asks only for the angle that `m/β` and `ε` need, which
/// shrinks as `β` grows: so it is often the greater of the two, though some placement always does as well as a random
/// one.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Capacity {
    /// The perturbation `ε`.
    pub epsilon: f64,
    /// The probability of failure that random placement is allowed.
    pub failure: f64,
    /// The least angle between two patterns that exact retrieval under `ε` needs, from `1 - cos = m/(βM²) + 2ε/M`;
    /// `None` where no angle is enough.
    pub least_angle: Option<f64>,
    /// At least this many patterns can be placed so that all are 60° apart, and all are retrieved:
    /// `√(3πD/8) (2/√3)^D`, a lower bound of the kissing number up to a factor that tends to one as `D` grows.
    pub optimal: Placement,
    /// At least this many patterns, placed independently and uniformly: `√(2p/κ) ζ^((D-1)/2)` of them are all
    /// retrieved with probability at least `1 - p`, where `1/ζ` is the least angle and
    /// `κ = Γ(D/2) / ((D-1) √π Γ((D-1)/2))`. Holds for every `D ≥ 2`.
    pub random: Placement,
}

/// A sphere of patterns under a map with a margin.
///
/// ```
/// use hfy::certify::Sphere;
///
/// let capacity = Sphere::new(784, 10.0, 1.0, 1.0)?.capacity(0.5, 0.01)?;
/// let log10 = capacity.optimal.log_patterns.expect("100 > 2 and 0.5 ≤ 2.45") / 10f64.ln();
/// assert!((log10 - 50.46).abs() < 0.01);
/// assert!(capacity.random.log_patterns.is_some());
/// // At a tenth of the norm no perturbation is small enough.
/// assert!(Sphere::new(784, 1.0, 1.0, 1.0)?.capacity(0.0, 0.01)?.optimal.log_patterns.is_none());
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    dimension: usize,
    norm: f64,
    /// `m/β`.
    lead: f64,
}

impl Sphere {
    /// Patterns of `dimension` entries and norm `M`, under a map with a margin at inverse temperature `β`.
    pub fn new(dimension: usize, norm: f64, margin: f64, beta: f64) -> Result<Self> {
        if dimension == 0 {
            return Err(Error::parameter("dimension", dimension, "a pattern has at least one entry"));
        }
        for (argument, value) in [("norm", norm), ("margin", margin), ("beta", beta)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::parameter(argument, value, "must be positive and finite"));
            }
        }
        Ok(Sphere { dimension, norm, lead: margin / beta })
    }

    /// The capacities under perturbations of at most `epsilon`, with a probability of `failure` for random placement.
    pub fn capacity(&self, epsilon: f64, failure: f64) -> Result<Capacity> {
        if !(epsilon >= 0.0 && epsilon.is_finite()) {
            return Err(Error::parameter("epsilon", epsilon, "a perturbation must be finite and not negative"));
        }
        if !(failure > 0.0 && failure < 1.0) {
            return Err(Error::parameter("failure", failure, "a probability of failure must lie in (0, 1)"));
        }
        let opening = self.lead / self.norm / self.norm + 2.0 * epsilon / self.norm;
        // arccos(1 - x), without cancellation for small x.
        let least_angle = (opening <= 2.0).then(|| 2.0 * (opening / 2.0).sqrt().asin());
        let random = self.random(epsilon, failure, least_angle);
        Ok(Capacity { epsilon, failure, least_angle, optimal: self.optimal(epsilon), random })
    }

    fn optimal(&self, epsilon: f64) -> Placement {
        let (d, square) = (self.dimension as f64, self.norm * self.norm);
        let limit = self.norm / 4.0 - self.lead / (2.0 * self.norm);
        let conditions = vec![
            self.wide_enough(),
            Condition { rule: "M² > 2m/β", value: square, bound: 2.0 * self.lead, holds: square > 2.0 * self.lead },
            Condition { rule: "ε ≤ M/4 - m/(2βM)", value: epsilon, bound: limit, holds: epsilon <= limit },
        ];
        let log = 0.5 * (3.0 * std::f64::consts::PI * d / 8.0).ln() + d * (2.0 / 3f64.sqrt()).ln();
        Placement::under(conditions, limit, log)
    }

    fn random(&self, epsilon: f64, failure: f64, least_angle: Option<f64>) -> Placement {
        let limit = self.norm / 2.0 * (1.0 - 1f64.cos()) - self.lead / (2.0 * self.norm);
        let zeta = least_angle.map_or(0.0, |angle| 1.0 / angle);
        let rule = "ε ≤ (M/2)(1 - cos 1/ζ) - m/(2βM) for some ζ > 1";
        let conditions = vec![self.wide_enough(), Condition { rule, value: epsilon, bound: limit, holds: zeta > 1.0 }];
        let d = self.dimension as f64 - 1.0;
        let log = 0.5 * ((2.0 * failure).ln() - log_kappa(self.dimension.max(2) - 1)) + 0.5 * d * zeta.ln();
        Placement::under(conditions, limit, log)
    }

    fn wide_enough(&self) -> Condition {
        Condition { rule: "D ≥ 2", value: self.dimension as f64, bound: 2.0, holds: self.dimension >= 2 }
    }
}

impl Placement {
    fn under(conditions: Vec<Condition>, epsilon_limit: f64, log: f64) -> Self {
        let log_patterns = conditions.iter().all(|c| c.holds).then_some(log);
        Placement { log_patterns, epsilon_limit, conditions }
    }
}

/// The logarithm of `κ_n = Γ((n+1)/2) / (n √π Γ(n/2))`. The quotient of gammas grows like `√(n/2)`, by a factor
/// `(n+1)/n` every two steps from `1/√π` at 1 or `√π/2` at 2.
fn log_kappa(n: usize) -> f64 {
    let root = std::f64::consts::PI.sqrt();
    let (first, mut quotient) = if n % 2 == 1 { (1, 1.0 / root) } else { (2, root / 2.0) };
    for k in (first..n).step_by(2) {
        quotient *= (k + 1) as f64 / k as f64;
    }
    (quotient / (n as f64 * root)).ln()
}
