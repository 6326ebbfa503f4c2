//! Figure 1: what each kind of map retrieves for one query.

use hfy::post::Identity;
use hfy::{Map, Network, Scaled};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::evenness::evenness;
use super::overview::{self, Row};
use crate::error::{Error, Result};
use crate::experiment::{
    Bench, Cell, Claim, Drawing, Experiment, Outcome, Pictures, Reading, Results, Setting, TableCell,
};

/// Ten digits, a query of which half is hidden, and what the maps of the paper make of it.
#[derive(Debug)]
pub(super) struct Fig1;

/// The digit that is asked for.
const ASKED: usize = 7;
const BETA: f64 = 0.02;
/// Which picture of each digit is stored: one for which the maps differ, so that there is something to see.
const NTH: usize = 1;
/// By then every state rests.
const UPDATES: usize = 200;

/// The maps: what they are called, and what they are for.
const MAPS: [(&str, &str, &str); 6] = [
    ("softmax", "softmax", "blends all patterns"),
    ("entmax:1.5", "1.5-entmax", "ends exactly at one pattern"),
    ("sparsemax", "2-entmax (sparsemax)", "ends there sooner"),
    ("normmax:5", "5-normmax", "averages a few patterns evenly"),
    ("subsets:2", "2-subsets", "retrieves the two best patterns"),
    ("sequence:2:t=2", "sequential 2-subsets", "retrieves two neighbours"),
];

/// What decides a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Terms {
    map: String,
    nth: usize,
    beta: f64,
    asked: usize,
    updates: usize,
}

/// What a map makes of the query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Retrieved {
    scores: Vec<f64>,
    /// Weights of the first update.
    first: Vec<f64>,
    /// Weights of the last one.
    last: Vec<f64>,
    /// How far the last update moved the state.
    residual: f64,
    /// The stored pictures, the query and the last state, a row each, from -1 to 1.
    stored: Vec<Vec<f64>>,
    query: Vec<f64>,
    state: Vec<f64>,
}

impl Experiment for Fig1 {
    fn id(&self) -> &'static str {
        "fig1"
    }

    fn title(&self) -> &'static str {
        "What the scoring functions retrieve"
    }

    fn about(&self) -> &'static str {
        "The second picture of each digit in MNIST is stored, in the order of the digits. The query is the upper half of the 7, \
         which could be that of a 9. Each row runs one map from it, at the same β and without a post-transformation. No \
         published script draws this figure; the pictures and β were chosen so that the maps differ."
    }

    fn readings(&self) -> Vec<Reading> {
        Vec::new()
    }

    fn cells(&self, _setting: &Setting) -> Vec<Cell> {
        let terms = |map: &str| Terms { map: map.to_owned(), nth: NTH, beta: BETA, asked: ASKED, updates: UPDATES };
        MAPS.iter().map(|(map, ..)| Cell::new(&terms(map), 0.1).with([Pictures::Mnist])).collect()
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        let terms: Terms = cell.key()?;
        let images = bench.images(Pictures::Mnist)?;
        let of = |digit: u8| (0..images.len()).filter(move |k| images.labels()[*k] == digit).nth(terms.nth);
        let chosen: Vec<usize> = (0..10).filter_map(of).collect();
        let retrieved = terms.run(&images.patterns(&chosen).mapv(f64::from), bench)?;
        serde_json::to_value(retrieved).map_err(|error| Error::Cell(error.to_string()))
    }

    fn gather(&self, _setting: &Setting, results: &Results) -> Result<Outcome> {
        let all: Vec<Retrieved> = results.all::<Terms, Retrieved>()?.into_iter().map(|(_, value)| value).collect();
        let rows = MAPS.iter().zip(&all).map(|((_, name, role), retrieved)| Row {
            name,
            role,
            first: &retrieved.first,
            last: &retrieved.last,
            picture: &retrieved.state,
        });
        let figure = overview::figure(&all[0].stored, &all[0].query, &rows.collect::<Vec<_>>())?;
        let caption = "Ten stored digits and a query, the upper half of the 7. Bars are the weights of the stored digits, light \
                       after one update and dark when the state rests; at the right, the state itself. Entmax ends exactly at \
                       the closest pattern, normmax at an even average, 2-subsets at the two closest patterns, and sequential \
                       2-subsets at two neighbours.";
        Ok(Outcome {
            parameters: json!({ "beta": BETA, "asked": ASKED, "picture of each digit": NTH, "updates": UPDATES, "maps": MAPS.map(|map| map.0) }),
            cells: table(&all),
            claims: claims(&all),
            drawings: vec![Drawing { name: "fig1".to_owned(), caption: caption.to_owned(), figure }],
            ..Outcome::default()
        })
    }
}

impl Terms {
    fn run(&self, stored: &Array2<f64>, bench: &Bench<'_>) -> Result<Retrieved> {
        let half = stored.ncols() / 2;
        let shown = stored.row(self.asked);
        let query: Vec<f64> = shown.iter().enumerate().map(|(k, v)| if k < half { *v } else { 0.0 }).collect();
        let network = Network::new(Scaled::with_beta(self.map.parse::<Map>()?, self.beta)?, Identity, stored)?;
        let start = network.step(&query)?;
        let (scores, first) = (start.scores.clone(), start.weights.clone());
        let (mut step, mut residual) = (start, f64::INFINITY);
        for update in 1..self.updates {
            bench.done(update, self.updates)?;
            let next = network.step(&step.state)?;
            residual = next.state.iter().zip(&step.state).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            step = next;
        }
        let stored = stored.rows().into_iter().map(|row| row.to_vec()).collect();
        Ok(Retrieved { scores, first, last: step.weights, residual, stored, query, state: step.state })
    }
}

fn table(all: &[Retrieved]) -> Vec<TableCell> {
    let rows = MAPS.iter().zip(all);
    let cells = rows.flat_map(|((_, name, _), retrieved)| {
        let digit = |(digit, weight): (usize, &f64)| {
            TableCell::plain(*name, digit.to_string(), *weight).of("Weights of the stored digits when the state rests")
        };
        retrieved.last.iter().enumerate().map(digit)
    });
    cells.collect()
}

fn claims(all: &[Retrieved]) -> Vec<Claim> {
    let [softmax, entmax, sparsemax, normmax, subsets, sequence] = all else { return Vec::new() };
    let scores = &softmax.scores;
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let support = |retrieved: &Retrieved| -> Vec<usize> {
        (0..retrieved.last.len()).filter(|k| retrieved.last[*k] > 0.0).collect()
    };
    let weights = |retrieved: &Retrieved| {
        let kept = support(retrieved).into_iter().map(|k| format!("{k}: {:.3}", retrieved.last[k]));
        kept.collect::<Vec<_>>().join(", ")
    };
    let best_two = {
        let mut two = order[..2].to_vec();
        two.sort_unstable();
        two
    };
    let best_neighbours = (0..scores.len() - 1).max_by(|a, b| {
        let pair = |k: usize| scores[k] + scores[k + 1];
        pair(*a).total_cmp(&pair(*b))
    });
    let residual = all.iter().map(|retrieved| retrieved.residual).fold(0.0, f64::max);
    vec![
        Claim::new(
            "Entmax retrieves the closest pattern exactly, where softmax blends all of them.",
            support(entmax) == [order[0]] && support(sparsemax) == [order[0]] && support(softmax).len() == scores.len(),
            format!(
                "1.5-entmax {}; sparsemax {}; softmax keeps {} and gives the asked digit {:.3}.",
                weights(entmax),
                weights(sparsemax),
                support(softmax).len(),
                softmax.last[order[0]]
            ),
        ),
        Claim::new(
            "Normmax tends to an even average of a few patterns.",
            evenness(&normmax.last, 0.0).0 > 1 && evenness(&normmax.last, 0.0).1 > 0.95,
            format!("5-normmax {}.", weights(normmax)),
        ),
        Claim::new(
            "k-subsets favour a mixture of the top k patterns.",
            support(subsets) == best_two && support(subsets).iter().all(|k| subsets.last[*k] == 1.0),
            format!("2-subsets {}; the two best scores are those of {} and {}.", weights(subsets), order[0], order[1]),
        ),
        Claim::new(
            "Sequential k-subsets favour neighbours.",
            best_neighbours.is_some_and(|k| support(sequence) == [k, k + 1]),
            format!(
                "Sequential 2-subsets {}; the best two neighbours by score begin at {}.",
                weights(sequence),
                best_neighbours.unwrap_or(0)
            ),
        ),
        Claim::new(
            "All states rest in the end.",
            residual < 1e-6,
            format!("The last update moves none by more than {residual:.1e}."),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Place;
    use crate::experiment::Shelf;
    use ndarray::array;
    use std::ops::ControlFlow;

    #[test]
    fn half_a_pattern_brings_it_back() {
        let shelf = Shelf::new(Place::find(Some(std::path::Path::new("."))).unwrap());
        let bench = Bench::new(&shelf, &|_| ControlFlow::Continue(()));
        let stored = array![[1.0, 1.0, -1.0, 1.0], [-1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, 1.0]];
        let terms = Terms { map: "sparsemax".into(), nth: 0, beta: 1.0, asked: 1, updates: 5 };
        let retrieved = terms.run(&stored, &bench).unwrap();
        assert_eq!(retrieved.query, [-1.0, 1.0, 0.0, 0.0]);
        assert_eq!((&retrieved.last[..], &retrieved.state[..]), (&[0.0, 1.0, 0.0][..], &[-1.0, 1.0, 1.0, 1.0][..]));
        assert_eq!(retrieved.residual, 0.0);
    }
}
