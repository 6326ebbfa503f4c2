//! Figure 3: entropies, predictions and losses of two classes.

use hfy_draw::Marker;
use hfy_draw::chart::{Axis, Curve, Grid, Mark, Panel, Style};
use serde_json::{Value, json};

use super::two_classes::{Curves, FAR, Family, Order, orders, over_scores};
use crate::error::{Error, Result};
use crate::experiment::{
    Bench, Cell, Claim, Drawing, Experiment, Outcome, Reading, Results, Series, Setting, TableCell,
};

/// Negentropies, predictions and losses in the binary case, for Tsallis and norm negentropies.
#[derive(Debug)]
pub(super) struct Fig3;

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
                "301, among them p = 1/2 and s = -1, 0, 1, 2",
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
