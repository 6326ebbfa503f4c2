//! Figure 2: regularisation paths.

use hfy::structure::{ActiveSet, Regulariser, Sequence, Structure};
use hfy::{Convex, Map, Scaled, SparseMap};
use hfy_draw::chart::{Axis, Curve, Grid, Panel, Style};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::evenness::evenness;
use crate::error::{Error, Result};
use crate::experiment::{
    Bench, Cell, Claim, Drawing, Experiment, Outcome, Reading, Results, Series, Setting, TableCell,
};

/// Weights of five scores against the temperature, for the maps of the paper.
#[derive(Debug)]
pub(super) struct Fig2;

/// The scores, as the caption gives them.
const THETA: [f64; 5] = [1.0716, -1.1221, -0.3288, 0.3368, 0.0425];
/// The hottest temperature.
const HOTTEST: f64 = 4.0;
/// Steps from cold to hot; a quarter of them go to each unit, so that temperature 1 is among them.
const STEPS: usize = 400;

/// A panel: a map, or sequential subsets with a score for neighbours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Path {
    Map(String),
    Sequence { k: usize, transition: f64 },
}

/// Panels in the order of the figure, then those that have values to be compared with.
fn paths() -> Vec<(&'static str, Path)> {
    let map = |text: &str| Path::Map(text.to_owned());
    let pairs = |transition: f64| Path::Sequence { k: 2, transition };
    vec![
        ("softmax", map("softmax")),
        ("1.5-entmax", map("entmax:1.5")),
        ("sparsemax", map("sparsemax")),
        ("2-normmax", map("normmax:2")),
        ("5-normmax", map("normmax:5")),
        ("∞-normmax", map("normmax:inf")),
        ("2-subsets", map("subsets:2")),
        ("sequential 2-subsets, t = 1", pairs(1.0)),
        ("sequential 2-subsets, t = 2", pairs(2.0)),
        ("sequential 2-subsets, t = 0", pairs(0.0)),
        ("sequential 2-subsets, t = 0.3", pairs(0.3)),
    ]
}

/// What is drawn of them.
const PANELS: usize = 9;

impl Path {
    /// Weights at `β θ`. The scores of neighbours are part of θ, and get colder with it.
    fn weights(&self, beta: f64) -> Result<Vec<f64>> {
        match self {
            Path::Map(text) => Ok(Scaled::with_beta(text.parse::<Map>()?, beta)?.apply(&THETA)?),
            Path::Sequence { k, transition } => {
                let structure = Sequence::new(*k)?.transition(*transition)?;
                let higher: Vec<f64> = structure.higher(THETA.len())?.iter().map(|score| beta * score).collect();
                let scores: Vec<f64> = THETA.iter().map(|score| beta * score).collect();
                let map = SparseMap::new(structure).regulariser(Regulariser::Both);
                Ok(map.solve_with(&scores, &higher, ActiveSet::default())?.marginals)
            }
        }
    }
}

fn temperature(step: usize) -> f64 {
    HOTTEST * step as f64 / STEPS as f64
}

impl Experiment for Fig2 {
    fn id(&self) -> &'static str {
        "fig2"
    }

    fn title(&self) -> &'static str {
        "Regularisation paths"
    }

    fn about(&self) -> &'static str {
        "The weights ŷ(βθ) of five scores against the temperature 1/β. No published script draws this figure; the scores are \
         those of its caption. Sequential subsets count both states of a variable, as the paper and its code do, and their \
         transition score t belongs to θ, so that it grows with β as well."
    }

    fn readings(&self) -> Vec<Reading> {
        Vec::new()
    }

    fn cells(&self, _setting: &Setting) -> Vec<Cell> {
        paths().iter().map(|(_, path)| Cell::new(path, 0.05)).collect()
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        let path: Path = cell.key()?;
        let weights = |step: usize| {
            bench.done(step, STEPS)?;
            path.weights(temperature(step).recip())
        };
        let weights = (1..=STEPS).map(weights).collect::<Result<Vec<Vec<f64>>>>()?;
        serde_json::to_value(weights).map_err(|error| Error::Cell(error.to_string()))
    }

    fn gather(&self, _setting: &Setting, results: &Results) -> Result<Outcome> {
        let weights = results.all::<Path, Vec<Vec<f64>>>()?.into_iter().map(|(_, weights)| weights);
        let all: Vec<(&str, Vec<Vec<f64>>)> = paths().into_iter().map(|(name, _)| name).zip(weights).collect();
        Ok(Outcome {
            parameters: json!({ "theta": THETA, "temperatures": STEPS, "hottest": HOTTEST }),
            cells: table(&all),
            series: all.iter().flat_map(series).collect(),
            claims: claims(&all),
            values: Value::Null,
            drawings: vec![drawing(&all)],
        })
    }
}

/// Weights at temperature 1, beside those of the published solver, which are known to four decimals.
fn table(all: &[(&str, Vec<Vec<f64>>)]) -> Vec<TableCell> {
    let known = |name: &str| match name {
        "2-subsets" => Some([1.0, 0.0, 0.0, 0.6471, 0.3529]),
        "sequential 2-subsets, t = 0" => Some([0.8955, 0.0, 0.1953, 0.5281, 0.3810]),
        "sequential 2-subsets, t = 0.3" => Some([0.7830, 0.0, 0.2328, 0.5656, 0.4185]),
        "sequential 2-subsets, t = 1" => Some([0.4358, 0.3390, 0.2356, 0.5684, 0.4212]),
        _ => None,
    };
    let mut cells = Vec::new();
    for (name, weights) in all {
        let at_one = &weights[STEPS / HOTTEST as usize - 1];
        for (k, weight) in at_one.iter().enumerate() {
            let cell = TableCell::plain(*name, format!("y{}", k + 1), *weight).of("Weights at temperature 1");
            cells.push(match known(name) {
                // The published solver stops at 1e-6, and four decimals are given.
                Some(known) => cell.beside_reference(known[k], 1e-4),
                None => cell,
            });
        }
    }
    cells
}

fn series((name, weights): &(&str, Vec<Vec<f64>>)) -> Vec<Series> {
    let of = |k: usize| {
        let y: Vec<f64> = weights.iter().map(|weights| weights[k]).collect();
        Series {
            method: (*name).to_owned(),
            dataset: "five scores".to_owned(),
            beta: None,
            measure: format!("y{}", k + 1),
            x: (1..=STEPS).map(temperature).collect(),
            q25: y.clone(),
            q75: y.clone(),
            median: y,
        }
    };
    (0..THETA.len()).map(of).collect()
}

fn claims(all: &[(&str, Vec<Vec<f64>>)]) -> Vec<Claim> {
    let of = |name: &str| all.iter().find(|(other, _)| *other == name).map_or(&[][..], |(_, weights)| &weights[..]);
    // At each temperature, where both have as many patterns: two or more, or there is nothing to compare.
    let flatter = |normmax: &str, entmax: &str| {
        let pairs = of(normmax).iter().zip(of(entmax)).map(|(a, b)| (evenness(a, 0.0), evenness(b, 0.0)));
        let pairs: Vec<(f64, f64)> = pairs.filter(|(a, b)| a.0 == b.0 && a.0 > 1).map(|(a, b)| (a.1, b.1)).collect();
        (pairs.iter().filter(|(a, b)| a > b).count(), pairs.len())
    };
    let (two, five) = (flatter("2-normmax", "sparsemax"), flatter("5-normmax", "sparsemax"));
    let coldest = |name: &str| of(name).first().cloned().unwrap_or_default();
    let one_hot = |weights: &Vec<f64>| weights.iter().all(|weight| *weight == 0.0 || *weight == 1.0);
    let sparse = ["1.5-entmax", "sparsemax", "2-normmax", "5-normmax", "∞-normmax", "2-subsets"];
    let support = |weights: &[f64]| weights.iter().filter(|weight| **weight > 0.0).count();
    let least = |name: &str| of(name).iter().map(|weights| support(weights)).min().unwrap_or(0);
    let apart = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // What sequential subsets without transitions give is what subsets give at twice the temperature.
    let doubled = of("2-subsets").iter().skip(1).step_by(2);
    let halves = of("sequential 2-subsets, t = 0").iter().zip(doubled).map(apart).fold(0.0, f64::max);
    vec![
        Claim::new(
            "Normmax favours distributions closer to uniform over the support that it selects.",
            two.0 == two.1 && five.0 == five.1 && two.1 > 0 && five.1 > 0,
            format!(
                "Of the temperatures at which it keeps as many scores as sparsemax, more than one, its weights are more even at {} \
                 of {} for γ = 2 and at {} of {} for γ = 5.",
                two.0, two.1, five.0, five.1
            ),
        ),
        Claim::new(
            "At low temperatures all maps but softmax pick whole patterns.",
            sparse.iter().all(|name| one_hot(&coldest(name))) && least("softmax") == THETA.len(),
            format!(
                "At temperature {} all weights of {} are 0 or 1. Softmax keeps {} weights above 0 at every temperature.",
                temperature(1),
                sparse.join(", "),
                least("softmax")
            ),
        ),
        Claim::new(
            "A transition score makes sequential subsets prefer neighbours: with t = 2 they are at low temperatures the best pair of \
             neighbours, where subsets have the two best scores.",
            coldest("2-subsets") == [1.0, 0.0, 0.0, 1.0, 0.0]
                && coldest("sequential 2-subsets, t = 2") == [0.0, 0.0, 0.0, 1.0, 1.0],
            format!(
                "At temperature {}: 2-subsets {:?}; sequential {:?}. The two best scores lead the best neighbours by 1.03.",
                temperature(1),
                coldest("2-subsets"),
                coldest("sequential 2-subsets, t = 2")
            ),
        ),
        Claim::new(
            "Sequential subsets without transition scores are subsets at twice the temperature, since both states are regularised.",
            halves < 1e-12,
            format!("Largest difference along the path: {halves:.1e}."),
        ),
    ]
}

fn drawing(all: &[(&str, Vec<Vec<f64>>)]) -> Drawing {
    let panel = |(name, weights): &(&str, Vec<Vec<f64>>)| {
        let temperature_axis = Axis::linear("temperature 1/β").within(0.0, HOTTEST);
        let mut panel = Panel::new(*name, temperature_axis, Axis::linear("weight").within(-0.03, 1.05));
        // From the largest score to the smallest.
        for (place, k) in [0, 3, 4, 2, 1].into_iter().enumerate() {
            let points = weights.iter().enumerate().map(|(step, weights)| (temperature(step + 1), weights[k]));
            let name = format!("y{}, θ = {:.2}", k + 1, THETA[k]).replace('-', "−");
            // Curves that coincide show as one on a wider one.
            let width = if place == 0 { 3.2 } else { 1.6 };
            panel.curves.push(Curve::new(name, Style { width, ..Style::series(place).bare() }, points.collect()));
        }
        panel
    };
    let mut grid = Grid::new("", 3, all.iter().take(PANELS).map(panel).collect());
    grid.panel_size = (250.0, 150.0);
    grid.shared_x = true;
    grid.shared_y = true;
    let caption = "Weights of five scores against the temperature. Softmax keeps all of them; entmax and normmax drop them one by \
                   one as it gets colder, normmax with flatter weights over those that are left; 2-subsets keep two, and sequential \
                   2-subsets with a large transition score two neighbours.";
    Drawing { name: "fig2".to_owned(), caption: caption.to_owned(), figure: grid.figure() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn softmax_by_its_formula() {
        let weights = Path::Map("softmax".into()).weights(2.0).unwrap();
        let total: f64 = THETA.iter().map(|score| (2.0 * score).exp()).sum();
        assert!(weights.iter().zip(THETA).all(|(weight, score)| (weight - (2.0 * score).exp() / total).abs() < 1e-15));
    }

    #[test]
    fn a_transition_that_outweighs_scores_picks_neighbours() {
        let weights = Path::Sequence { k: 2, transition: 5.0 }.weights(100.0).unwrap();
        assert_eq!(weights, [0.0, 0.0, 0.0, 1.0, 1.0]);
    }
}
