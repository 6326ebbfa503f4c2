//! The paper's propositions on random cases.

mod capacity;
mod descent;
mod figure;
mod formulas;
mod looseness;
mod losses;
mod normalisation;
mod problem;
mod retrieval;
mod statements;
mod structured;
mod structures;
mod tally;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::experiment::{
    Bench, Cell, Claim, Drawing, Experiment, Mode, Outcome, Random, Reading, Results, Series, Setting, TableCell,
};
use looseness::{BETAS, CONDITIONS, Counts, beta};
use statements::Statement;
use tally::Tally;

/// The name of the cells that compare conditions.
const LOOSENESS: &str = "looseness";

/// A repetition of a statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Key {
    statement: String,
    seed: u64,
    rounds: usize,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Theory;

/// The statements of a reading.
fn of(mode: Mode) -> impl Iterator<Item = &'static Statement> {
    statements::ALL.iter().filter(move |statement| statement.modes.contains(&mode))
}

impl Experiment for Theory {
    fn id(&self) -> &'static str {
        "theory"
    }

    fn title(&self) -> &'static str {
        "The propositions, on random cases"
    }

    fn about(&self) -> &'static str {
        "Each proposition of the paper is tried on random cases, many of them at the very boundary that it names: just above \
         and just below a margin, a separation or a radius, and in the worst direction. Energies, losses, normalisations \
         and lists of structures are computed here from their definitions. The numbers say how many cases there were and \
         by how much the worst one misses, relative to the numbers in it; up to about 1e-12 that is rounding."
    }

    fn readings(&self) -> Vec<Reading> {
        vec![
            Reading::new(
                "conjugate of aΩ (Table 1)",
                "a Ω*(y/a)",
                "a Ω*(θ/a)",
                "Only θ is an argument of the conjugate; what follows from it uses the right form.",
            ),
            Reading::new(
                "binary entropy H_b",
                "a minus between its two terms",
                "a plus",
                "With the minus Ψ is not convex and its map is not tanh.",
            ),
            Reading::new(
                "dense memories",
                "Ω = -|y|^s/s; Ω = [y log y - y]₊ with Ψ = H_b/β",
                "Ω = |y|^s/s; Ω = y log y - y with Ψ = -H_b/β",
                "As printed the first and the last are concave and the second has another conjugate; the updates are right.",
            ),
            Reading::new("temperature", "Ω(βy)", "Ω(y)/β", "Energies and updates use the right form."),
            Reading::new(
                "bracket of the level of normmax",
                "up to N^(1-γ) below the best score",
                "up to N^((1-γ)/γ) below it, which is tight",
                "The printed bracket is true, and wider than it needs to be.",
            ),
            Reading::new(
                "conjugate in the proof on layer normalisation",
                "numerator |z|² - D mean",
                "numerator |z|² - D mean²",
                "The printed line is false unless the mean is 0 or 1; the proposition itself is true.",
            ),
            Reading::new(
                "layer normalisation is idempotent",
                "for any shift δ",
                "for a shift of all entries by the same amount",
                "With another shift the second pass moves the state, so patterns in the image do not come back.",
            ),
            Reading::new(
                "length of the bit vectors of a sequence",
                "r = 2N - 1",
                "r² = 2N - 1",
                "None on the results: only D matters, and D ≤ √2 r rather than 2r for binary vectors of one length.",
            ),
            Reading::new(
                "associations of k patterns",
                "fixed points if Δ ≥ k/β",
                "fixed points if and only if Δ ≥ 1/β",
                "The printed condition is true but asks for k times the separation.",
            ),
            Reading::new(
                "sequential associations",
                "Δ ≥ 6k/β and 12Mkε, without transition scores in Δ",
                "Δ ≥ 2k/β and 2Mkε, with transition scores in Δ",
                "As printed it is false for transition scores that pull neighbours together, and three to six times too strict \
                 without them.",
            ),
            Reading::new(
                "number of patterns that a sphere holds",
                "N = O((2/√3)^D)",
                "N = Ω((2/√3)^D)",
                "The bound is from below: at least as many patterns can be placed.",
            ),
        ]
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        let seeds = if setting.quick { 1 } else { setting.seeds };
        let rounds = |full: usize| if setting.quick { (full / 10).max(2) } else { full };
        let key = |statement: &str, seed, rounds| Key { statement: statement.into(), seed, rounds };
        let mut cells = Vec::new();
        for seed in 0..seeds {
            for statement in of(setting.mode) {
                cells.push(Cell::new(&key(statement.id, seed, rounds(statement.rounds)), 0.3));
            }
            cells.push(Cell::new(&key(LOOSENESS, seed, rounds(300)), 0.2));
        }
        cells
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        let key: Key = cell.key()?;
        // A name decides the stream, so that a new statement leaves the others as they are.
        let mut random = Random::new(key.seed, xxh3_64(key.statement.as_bytes()));
        let kept = |value: serde_json::Result<Value>| value.map_err(|error| Error::Cell(error.to_string()));
        if key.statement == LOOSENESS {
            let mut counts = Counts::new();
            for round in 0..key.rounds {
                bench.done(round, key.rounds)?;
                counts.count(&mut random);
            }
            return kept(serde_json::to_value(counts));
        }
        let statement = statements::ALL.iter().find(|statement| statement.id == key.statement);
        let statement = statement.ok_or_else(|| Error::Cell(format!("there is no statement {}", key.statement)))?;
        let mut tally = Tally::default();
        for round in 0..key.rounds {
            bench.done(round, key.rounds)?;
            (statement.check)(&mut random, &mut tally)?;
        }
        kept(serde_json::to_value(tally))
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let parsed = |error: serde_json::Error| Error::Cell(error.to_string());
        let mut tallies: Vec<(&Statement, Tally)> = of(setting.mode).map(|one| (one, Tally::default())).collect();
        let mut counts = Counts::new();
        for (key, value) in results.all::<Key, Value>()? {
            if key.statement == LOOSENESS {
                counts.join(&serde_json::from_value(value).map_err(parsed)?);
            } else if let Some((_, tally)) = tallies.iter_mut().find(|(one, _)| one.id == key.statement) {
                tally.join(serde_json::from_value(value).map_err(parsed)?);
            }
        }
        let cell = |one: &Statement, col: &str, value: f64| TableCell::plain(one.name, col, value).of("Random cases");
        let cells = tallies.iter().flat_map(|(one, tally)| {
            let columns =
                [("cases", tally.cases as f64), ("fail", tally.violated as f64), ("worst miss", tally.worst())];
            columns.map(|(col, value)| cell(one, col, value))
        });
        let halves = CONDITIONS.iter().enumerate().filter_map(|(condition, (structure, name))| {
            let cell = TableCell::plain(*name, *structure, counts.half(condition)?);
            Some(cell.of("β from which on half of the associations of 2 of 8 random patterns satisfy a condition"))
        });
        let claims = tallies.iter().map(|(one, tally)| Claim::new(one.says, tally.holds(), tally.because()));
        let examples: serde_json::Map<String, Value> =
            tallies.iter().map(|(one, tally)| (one.id.to_owned(), json!(tally))).collect();
        let drawn: Vec<(&str, &Tally)> = tallies.iter().map(|(one, tally)| (one.name, tally)).collect();
        Ok(Outcome {
            parameters: json!({ "precision": "double", "seeds": if setting.quick { 1 } else { setting.seeds } }),
            cells: cells.chain(halves).collect(),
            series: series(&counts),
            claims: claims.collect(),
            values: json!({ "statements": examples, "associations": counts.associations }),
            drawings: vec![
                Drawing {
                    name: self.id().into(),
                    caption: "By how much the worst of all random cases misses what is stated, relative to the numbers in it. \
                              Those on the left miss nothing at all. Misses of 1e-12 and less are rounding, and the \
                              gradient is only as good as differences are. A cross has cases that fail."
                        .into(),
                    figure: figure::misses(&drawn),
                },
                Drawing {
                    name: "theory-conditions".into(),
                    caption: format!(
                        "Associations of 2 of 8 random patterns on the unit sphere in 32 dimensions: the share that comes back \
                         to itself, and the shares for which a condition promises it, by inverse temperature ({} \
                         associations, no transition scores). What is printed is true here, but promises \
                         an association only at a β several times larger than needed.",
                        counts.associations
                    ),
                    figure: figure::conditions(&counts),
                },
            ],
        })
    }
}

/// The share of associations that satisfy each condition, by β.
fn series(counts: &Counts) -> Vec<Series> {
    let one = |(condition, (structure, name)): (usize, &(&str, &str))| {
        let shares: Vec<f64> = (0..BETAS).map(|place| counts.share(condition, place)).collect();
        Series {
            method: (*structure).to_owned(),
            dataset: "random patterns".into(),
            beta: None,
            measure: (*name).to_owned(),
            x: (0..BETAS).map(beta).collect(),
            median: shares.clone(),
            q25: shares.clone(),
            q75: shares,
        }
    };
    CONDITIONS.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_defined_holds_and_what_is_wrong_is_found() {
        let false_as_printed = [
            "scaling-printed",
            "tanh-printed",
            "polynomial-printed",
            "exponential-printed",
            "exponential-post-printed",
            "temperature-printed",
            "layer-norm-conjugate-printed",
            "layer-norm-idempotent-printed",
            "post-shifted",
            "sequence-length-printed",
            "sequence-printed",
        ];
        for statement in statements::ALL {
            let (mut tally, mut random) = (Tally::default(), Random::new(77, 0));
            for _ in 0..statement.rounds.min(60) {
                (statement.check)(&mut random, &mut tally).unwrap();
            }
            let wrong = false_as_printed.contains(&statement.id);
            assert!(tally.cases > 0, "{} tried nothing", statement.id);
            assert_eq!(tally.violated > 0, wrong, "{}: {}", statement.id, tally.because());
            assert!(!wrong || !statement.modes.contains(&Mode::Defined));
        }
    }

    #[test]
    fn names_differ() {
        for (place, one) in statements::ALL.iter().enumerate() {
            let other = statements::ALL[..place].iter().find(|other| other.id == one.id || other.name == one.name);
            assert!(other.is_none(), "{}", one.id);
        }
    }
}
