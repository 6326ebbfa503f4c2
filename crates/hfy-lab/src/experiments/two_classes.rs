//! Entropy, prediction and loss of two classes, by the orders that stand for one label.

use hfy::{Convex, Entmax, Map, Normmax};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::experiment::Mode;

/// Points of p among which a better one than the prediction is looked for.
const FINE: usize = 20_000;
/// No margin is looked for beyond.
pub(super) const FAR: f64 = 30.0;

/// One of the two families.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Family {
    Tsallis,
    Norm,
}

/// What decides a curve: the three orders are those that the published code takes for one label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) family: Family,
    /// What it is said to be. JSON has no infinity, so orders are texts.
    pub(super) label: String,
    pub(super) entropy: String,
    pub(super) map: String,
    pub(super) loss: String,
    /// Whether the entropy lacks the factor 1/α.
    pub(super) without_factor: bool,
    /// Points of each curve.
    pub(super) points: usize,
}

/// A curve in all three columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Curves {
    /// Ω([p, 1-p]) at even p; none where it is not a number.
    pub(super) entropy: Vec<Option<f64>>,
    /// The same at p = 1/2.
    pub(super) middle: f64,
    /// ŷ([s, 0]) at even s, the first entry.
    pub(super) prediction: Vec<f64>,
    /// L([s, 0], e₁) at even s.
    pub(super) loss: Vec<f64>,
    /// From which s on the prediction that belongs to the loss is exactly one-hot, if there is one below [`FAR`].
    pub(super) margin: Option<f64>,
    /// The loss there, or at [`FAR`], and a hundredth before.
    pub(super) losses_around: [f64; 2],
    /// How much more some p would gain than the prediction, by s p - Ω([p, 1-p]) with the entropy drawn, at most over
    /// s.
    pub(super) regret: f64,
}

/// The curves of the figure, in its order.
pub(super) fn orders(mode: Mode) -> Vec<Order> {
    let printed = mode == Mode::Printed;
    // A hundred points miss the middle and the margins, where curves have kinks.
    let points = if printed { 100 } else { 301 };
    let order = |family, label: &str, [entropy, map, loss]: [&str; 3]| {
        let [label, entropy, map, loss] = [label, entropy, map, loss].map(str::to_owned);
        let without_factor = printed && family == Family::Tsallis;
        Order { family, label, entropy, map, loss, without_factor, points }
    };
    vec![
        order(Family::Tsallis, "1", ["1"; 3]),
        order(Family::Tsallis, "1.5", ["1.5"; 3]),
        order(Family::Tsallis, "2", ["2"; 3]),
        order(Family::Tsallis, "inf", if printed { ["9000", "100", "100"] } else { ["inf"; 3] }),
        order(Family::Norm, "inf", if printed { ["100", "1000", "100"] } else { ["inf"; 3] }),
        order(Family::Norm, "5", ["5"; 3]),
        order(Family::Norm, "2", ["2"; 3]),
        order(Family::Norm, "1", if printed { ["1", "1", "1.000000000001"] } else { ["1"; 3] }),
    ]
}

impl Order {
    /// The map of an order. Normmax of order 1 is the limit, in which the negentropy vanishes.
    fn map(&self, order: &str) -> Result<Map> {
        let order: f64 = order.parse().map_err(|_| Error::Cell(format!("{order} is no order")))?;
        Ok(match self.family {
            Family::Norm if order == 1.0 => Map::from(Entmax::ARGMAX),
            Family::Norm => Map::from(Normmax::new(order)?),
            Family::Tsallis => Map::from(Entmax::new(order)?),
        })
    }

    /// Ω([p, 1-p]) as it is drawn.
    fn entropy(&self, map: &Map, p: f64) -> f64 {
        let defined = map.value(&[p, 1.0 - p]);
        match (self.without_factor, map) {
            (true, Map::Entmax(map)) if map.alpha() == 1.0 && (p == 0.0 || p == 1.0) => f64::NAN,
            (true, Map::Entmax(map)) => defined * map.alpha(),
            _ => defined,
        }
    }

    pub(super) fn curves(&self) -> Result<Curves> {
        let [entropy, map, loss] = [&self.entropy, &self.map, &self.loss].map(|order| self.map(order));
        let (entropy, map, loss) = (entropy?, map?, loss?);
        let predicted = |s: f64| Ok(map.apply(&[s, 0.0])?[0]);
        let lost = |s: f64| Ok(loss.loss(&[s, 0.0], &[1.0, 0.0])?);
        let ps: Vec<f64> = (0..=FINE).map(|k| k as f64 / FINE as f64).collect();
        let heights: Vec<f64> = ps.iter().map(|p| self.entropy(&entropy, *p)).collect();
        let best = |s: f64| {
            let gains = ps.iter().zip(&heights).map(|(p, height)| s * p - height).filter(|gain| !gain.is_nan());
            gains.fold(f64::NEG_INFINITY, f64::max)
        };
        let prediction = even(self.points, -3.0, 3.0).map(predicted).collect::<Result<Vec<f64>>>()?;
        let regret = |(s, p): (f64, &f64)| best(s) - (s * p - self.entropy(&entropy, *p));
        let regret = even(self.points, -3.0, 3.0).zip(&prediction).map(regret).fold(0.0, f64::max);
        let margin = margin(|s| Ok(loss.apply(&[s, 0.0])?[1] == 0.0))?;
        let edge = margin.unwrap_or(FAR);
        Ok(Curves {
            losses_around: [lost(edge)?, lost(edge - 0.01)?],
            entropy: even(self.points, 0.0, 1.0)
                .map(|p| Some(self.entropy(&entropy, p)).filter(|v| v.is_finite()))
                .collect(),
            loss: even(self.points, -3.0, 3.0).map(lost).collect::<Result<Vec<f64>>>()?,
            middle: self.entropy(&entropy, 0.5),
            margin,
            prediction,
            regret,
        })
    }

    /// What the paper states: `1/(α-1)` for α > 1, and 1 for γ > 1. So near to 1 as the code takes γ, the weights that
    /// the margin speaks of are below what a number can hold.
    pub(super) fn stated_margin(&self) -> Option<f64> {
        let order: f64 = self.loss.parse().ok()?;
        match self.family {
            Family::Tsallis if order > 1.0 => Some(1.0 / (order - 1.0)),
            Family::Norm if order > 1.0 + 1e-6 => Some(1.0),
            _ => None,
        }
    }

    pub(super) fn name(&self) -> String {
        let order = if self.label == "inf" { "∞" } else { &self.label };
        match (self.family, self.label.as_str()) {
            (Family::Tsallis, "1") => "1-entmax (softmax)".to_owned(),
            (Family::Tsallis, "2") => "2-entmax (sparsemax)".to_owned(),
            (Family::Tsallis, "inf") => "∞-entmax (argmax)".to_owned(),
            (Family::Tsallis, _) => format!("{order}-entmax"),
            (Family::Norm, "1") => "1-normmax (argmax)".to_owned(),
            (Family::Norm, _) => format!("{order}-normmax"),
        }
    }
}

/// So many numbers from end to end.
fn even(points: usize, low: f64, high: f64) -> impl Iterator<Item = f64> {
    (0..points).map(move |k| low + (high - low) * k as f64 / (points - 1) as f64)
}

/// The least s from which on something holds, by halving; none if it does not hold at [`FAR`].
fn margin(holds: impl Fn(f64) -> Result<bool>) -> Result<Option<f64>> {
    let (mut low, mut high) = (-1.0, FAR);
    if !holds(high)? {
        return Ok(None);
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if holds(middle)? { high = middle } else { low = middle }
    }
    Ok(Some(high))
}

impl Curves {
    /// The entropy against p, where it is a number.
    pub(super) fn entropy_points(&self) -> Vec<(f64, f64)> {
        even(self.entropy.len(), 0.0, 1.0).zip(&self.entropy).filter_map(|(p, height)| Some((p, (*height)?))).collect()
    }
}

/// Values against s.
pub(super) fn over_scores(values: &[f64]) -> Vec<(f64, f64)> {
    even(values.len(), -3.0, 3.0).zip(values.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(mode: Mode, family: Family, label: &str) -> Order {
        orders(mode).into_iter().find(|order| order.family == family && order.label == label).unwrap()
    }

    #[test]
    fn entropies_of_sparsemax_with_and_without_the_factor() {
        for (mode, height) in [(Mode::Printed, -0.5), (Mode::Defined, -0.25)] {
            let order = order(mode, Family::Tsallis, "2");
            assert_eq!(order.entropy(&order.map("2").unwrap(), 0.5), height);
        }
        let shannon = order(Mode::Printed, Family::Tsallis, "1");
        assert!(shannon.entropy(&shannon.map("1").unwrap(), 0.0).is_nan());
    }

    #[test]
    fn the_margin_is_where_it_begins() {
        assert!((margin(|s| Ok(s >= 0.25)).unwrap().unwrap() - 0.25).abs() < 1e-12);
        assert_eq!(margin(|_| Ok(false)).unwrap(), None);
    }

    #[test]
    fn only_the_defined_entropy_belongs_to_the_prediction() {
        for (mode, same) in [(Mode::Printed, false), (Mode::Defined, true)] {
            let regret = order(mode, Family::Tsallis, "1.5").curves().unwrap().regret;
            assert_eq!(regret < 1e-9, same, "{regret}");
        }
    }
}
