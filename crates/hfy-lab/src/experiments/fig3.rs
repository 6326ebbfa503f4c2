//! Figure 3: entropies, predictions and losses of two classes.

use hfy::{Convex, Entmax, Map, Normmax};
use hfy_draw::Marker;
use hfy_draw::chart::{Axis, Curve, Grid, Mark, Panel, Style};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::experiment::{
    Bench, Cell, Claim, Drawing, Experiment, Mode, Outcome, Reading, Results, Series, Setting, TableCell,
};

/// Negentropies, predictions and losses in the binary case, for Tsallis and norm negentropies.
#[derive(Debug)]
pub struct Fig3;

/// Points of p among which a better one than the prediction is looked for.
const FINE: usize = 20_000;
/// No margin is looked for beyond.
const FAR: f64 = 30.0;

/// One of the two families.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Family {
    Tsallis,
    Norm,
}

/// What decides a curve: the three orders are those that the published code takes for one label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Order {
    family: Family,
    /// What it is said to be. JSON has no infinity, so orders are texts.
    label: String,
    entropy: String,
    map: String,
    loss: String,
    /// Whether the entropy lacks the factor 1/α.
    without_factor: bool,
    /// Points of each curve.
    points: usize,
}

/// A curve in all three columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Curves {
    /// Ω([p, 1-p]) at even p; none where it is not a number.
    entropy: Vec<Option<f64>>,
    /// The same at p = 1/2.
    middle: f64,
    /// ŷ([s, 0]) at even s, the first entry.
    prediction: Vec<f64>,
    /// L([s, 0], e₁) at even s.
    loss: Vec<f64>,
    /// From which s on the prediction that belongs to the loss is exactly one-hot, if there is one below [`FAR`].
    margin: Option<f64>,
    /// The loss there, or at [`FAR`], and a hundredth before.
    losses_around: [f64; 2],
    /// How much more some p would gain than the prediction, by s p - Ω([p, 1-p]) with the entropy drawn, at most over s.
    regret: f64,
}

impl Experiment for Fig3 {
    fn id(&self) -> &'static str {
        "fig3"
    }

    fn title(&self) -> &'static str {
        "Entropies, predictions and losses of two classes"
    }

    fn about(&self) -> &'static str {
        "Tsallis negentropies above, norm negentropies below, for two classes: Ω([p, 1-p]) at the left, the first weight of the \
         prediction ŷ([s, 0]) in the middle, and the Fenchel-Young loss L([s, 0], e₁) at the right. Where the loss is zero the \
         margin is reached and the prediction is exactly 1."
    }

    fn readings(&self) -> Vec<Reading> {
        vec![
            Reading::new(
                "Tsallis negentropy",
                "(Σ p^α - 1)/(α - 1)",
                "(Σ p^α - 1)/(α (α - 1))",
                "The entropy that is drawn is α times the one whose prediction and loss are drawn beside it. At α = 1, where \
                 they agree, the code gets no number at p = 0 and p = 1.",
            ),
            Reading::new(
                "α = ∞",
                "9000 for the entropy, 100 for prediction and loss",
                "the limit, argmax",
                "The entropy is -1/8999 instead of 0 and the margin 1/99 instead of 0, which nobody sees.",
            ),
            Reading::new(
                "γ = 1 and γ = ∞",
                "1 for entropy and prediction, 1 + 1e-12 for the loss; 100 for entropy and loss, 1000 for the prediction",
                "the limits: argmax, and the largest weight",
                "At 100 the entropy at p = 1/2 is -0.4965 instead of -0.5.",
            ),
            Reading::new(
                "points of a curve",
                "100",
                "601, among them p = 1/2 and s = -1, 0, 1, 2",
                "The printed curves cut the corners of ∞-normmax.",
            ),
        ]
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        orders(setting.mode).iter().map(|order| Cell::new(order, 0.1)).collect()
    }

    fn compute(&self, cell: &Cell, _bench: &Bench<'_>) -> Result<Value> {
        let curves = cell.key::<Order>()?.curves()?;
        serde_json::to_value(curves).map_err(|error| Error::Cell(error.to_string()))
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let all: Vec<(Order, Curves)> = results.all()?;
        Ok(Outcome {
            parameters: json!({ "p": [0, 1], "s": [-3, 3], "orders": orders(setting.mode) }),
            cells: tables(&all),
            series: all.iter().flat_map(series).collect(),
            claims: claims(&all),
            values: Value::Null,
            drawings: vec![drawing(&all)],
        })
    }
}

fn orders(mode: Mode) -> Vec<Order> {
    let printed = mode == Mode::Printed;
    // A hundred points miss the middle and the margins, where curves have kinks.
    let points = if printed { 100 } else { 601 };
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

    fn curves(&self) -> Result<Curves> {
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

    /// What the paper states: `1/(α-1)` for α > 1, and 1 for γ > 1. So near to 1 as the code takes γ, the weights that the
    /// margin speaks of are below what a number can hold.
    fn stated_margin(&self) -> Option<f64> {
        let order: f64 = self.loss.parse().ok()?;
        match self.family {
            Family::Tsallis if order > 1.0 => Some(1.0 / (order - 1.0)),
            Family::Norm if order > 1.0 + 1e-6 => Some(1.0),
            _ => None,
        }
    }

    fn name(&self) -> String {
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

fn tables(all: &[(Order, Curves)]) -> Vec<TableCell> {
    // Weights vanish with a power of the distance to the margin: near it they are below rounding.
    const TOLERANCE: f64 = 1e-6;
    let mut cells = Vec::new();
    for (order, curves) in all {
        if let Some(margin) = curves.margin {
            let cell = TableCell::plain(order.name(), "margin", margin);
            cells.push(match order.stated_margin() {
                Some(stated) => cell.beside_paper(stated, TOLERANCE),
                None => cell,
            });
        }
        cells.push(TableCell::plain(order.name(), "Ω at p = 1/2", curves.middle));
        cells.push(TableCell::plain(order.name(), "loss at s = 3", curves.loss[curves.loss.len() - 1]));
    }
    cells
}

fn series((order, curves): &(Order, Curves)) -> [Series; 3] {
    let of = |measure: &str, points: Vec<(f64, f64)>| {
        let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        Series {
            method: order.name(),
            dataset: "two classes".to_owned(),
            beta: Some(1.0),
            measure: measure.to_owned(),
            x,
            q25: y.clone(),
            q75: y.clone(),
            median: y,
        }
    };
    [
        of("negentropy", curves.entropy_points()),
        of("prediction", over_scores(&curves.prediction)),
        of("loss", over_scores(&curves.loss)),
    ]
}

fn over_scores(values: &[f64]) -> Vec<(f64, f64)> {
    even(values.len(), -3.0, 3.0).zip(values.iter().copied()).collect()
}

impl Curves {
    fn entropy_points(&self) -> Vec<(f64, f64)> {
        even(self.entropy.len(), 0.0, 1.0).zip(&self.entropy).filter_map(|(p, height)| Some((p, (*height)?))).collect()
    }
}

fn claims(all: &[(Order, Curves)]) -> Vec<Claim> {
    let of = |family: Family| all.iter().filter(move |(order, _)| order.family == family);
    let margins = |family: Family| -> (bool, String) {
        let stated = || of(family).filter_map(|(order, curves)| Some((order, curves, order.stated_margin()?)));
        let holds = stated().all(|(_, curves, stated)| {
            let zero_from_there = curves.losses_around[0] < 1e-12 && curves.losses_around[1] > 0.0;
            curves.margin.is_some_and(|margin| (margin - stated).abs() < 1e-6) && (zero_from_there || stated == 0.0)
        });
        let said = stated().map(|(order, curves, stated)| {
            format!("{}: {:.6}, stated {stated:.6}", order.name(), curves.margin.unwrap_or(f64::INFINITY))
        });
        (holds, said.collect::<Vec<_>>().join("; ") + ".")
    };
    let (tsallis, tsallis_said) = margins(Family::Tsallis);
    let (norm, norm_said) = margins(Family::Norm);
    let (softmax, others): (Vec<_>, Vec<_>) =
        all.iter().partition(|(order, _)| order.family == Family::Tsallis && order.label == "1");
    let worst = all.iter().map(|(_, curves)| curves.regret).fold(0.0, f64::max);
    let said = all.iter().map(|(order, curves)| format!("{} {:.1e}", order.name(), curves.regret));
    vec![
        Claim::new("The loss of a Tsallis negentropy has the margin 1/(α-1).", tsallis, tsallis_said),
        Claim::new("The loss of a norm negentropy has the margin 1, whatever γ is.", norm, norm_said),
        Claim::new(
            "Softmax never reaches zero and has no margin; all the others become exactly sparse.",
            softmax.iter().all(|(_, curves)| curves.margin.is_none() && curves.losses_around[0] > 0.0)
                && others.iter().all(|(_, curves)| curves.margin.is_some()),
            format!("The loss of softmax at s = {FAR} is {:.1e}.", softmax[0].1.losses_around[0]),
        ),
        Claim::new(
            "Each prediction maximises s p - Ω([p, 1-p]) for the entropy that is drawn beside it.",
            worst < 1e-9,
            format!("The most that another p would gain, over all s: {}.", said.collect::<Vec<_>>().join(", ")),
        ),
    ]
}

fn drawing(all: &[(Order, Curves)]) -> Drawing {
    let mut panels = Vec::new();
    for family in [Family::Tsallis, Family::Norm] {
        let first = family == Family::Tsallis;
        let title = |text: &str| if first { text.to_owned() } else { String::new() };
        let score = || Axis::linear("s").within(-3.0, 3.0);
        let mut entropy =
            Panel::new(title("Negentropy Ω([p, 1-p])"), Axis::linear("p").within(0.0, 1.0), Axis::linear(""));
        let mut prediction =
            Panel::new(title("Prediction ŷ([s, 0]), first weight"), score(), Axis::linear("").within(-0.04, 1.04));
        let mut loss = Panel::new(title("Loss L([s, 0], e₁)"), score(), Axis::linear("").within(-0.12, 3.2));
        for (k, (order, curves)) in all.iter().enumerate().filter(|(_, (order, _))| order.family == family) {
            let style = Style::series(k).bare();
            let curve = |points| Curve::new(order.name(), style, points);
            entropy.curves.push(curve(curves.entropy_points()));
            prediction.curves.push(curve(over_scores(&curves.prediction)));
            loss.curves.push(curve(over_scores(&curves.loss)));
            if let Some(margin) = curves.margin {
                loss.marks.push(Mark::new((margin, 0.0), Marker::Circle, 6.0, style.colour));
            }
        }
        panels.extend([entropy, prediction, loss]);
    }
    let mut grid = Grid::new("", 3, panels);
    grid.row_labels = vec!["Tsallis".to_owned(), "norm".to_owned()];
    let caption = "Negentropies of two classes, what they predict for a score s against 0, and the loss of the first class. Discs \
                   on the losses are the margins: from there on the loss is zero.";
    Drawing { name: "fig3".to_owned(), caption: caption.to_owned(), figure: grid.figure() }
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
