//! Beyond the paper: whether structure agrees more with people, on four sets with marks, with five ways to choose
//! words.

use hfy_draw::chart::{Axis, Curve, Grid, Mark, Panel, Style};
use hfy_draw::{Figure, Marker};
use serde_json::{Value as Json, json};

use super::super::{brief, mean};
use super::range;
use super::run::{Chooser, Key, Value};
use crate::data::TextSet;
use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Claim, Drawing, Experiment, Mode, Outcome, Reading, Results, Setting, TableCell};

const SETS: [TextSet; 4] = [TextSet::Sst, TextSet::Imdb, TextSet::Movies, TextSet::Appearance];

/// See the module.
#[derive(Debug)]
pub(in crate::experiments) struct Rationales;

type Found = Vec<(Key, Value)>;

fn of(found: &Found, set: TextSet, chooser: Chooser) -> impl Iterator<Item = &Value> {
    found.iter().filter(move |(key, _)| key.set == set && key.chooser == chooser).map(|(_, value)| value)
}

/// What is measured, and its name.
type Measure = (&'static str, fn(&Value) -> f64);

const MEASURES: [Measure; 6] = [
    ("quality", Value::quality),
    ("F1 of words with people", |value| value.people.map_or(f64::NAN, |people| people.f1)),
    ("share of words", |value| value.share),
    ("runs of words", |value| value.runs),
    ("sufficiency", |value| value.faithfulness.sufficiency),
    ("comprehensiveness", |value| value.faithfulness.comprehensiveness),
];

impl Experiment for Rationales {
    fn id(&self) -> &'static str {
        "rationales"
    }

    fn title(&self) -> &'static str {
        "Which choice of words agrees with people"
    }

    fn about(&self) -> &'static str {
        "The networks of Table 6 in the reading of its text, with five ways to choose words, on four sets in which \
         people marked words. Quality is macro F1, and on Beer the squared error. Sufficiency is by how much the \
         probability of the predicted class falls if the chosen words alone are read (small is good), \
         comprehensiveness if all others are read (large is good); on Beer they are changes of the predicted score."
    }

    fn readings(&self) -> Vec<Reading> {
        Vec::new()
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        let of = |seed| {
            let pairs = SETS.iter().flat_map(|set| Chooser::ALL.iter().map(move |chooser| (*set, *chooser)));
            pairs.map(move |(set, chooser)| Key::new(set, chooser, Mode::Defined, seed, setting.quick).cell())
        };
        (0..setting.long_repetitions()).flat_map(of).collect()
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Json> {
        let value = cell.key::<Key>()?.compute(bench)?;
        serde_json::to_value(value).map_err(|error| Error::Cell(error.to_string()))
    }

    fn gather(&self, setting: &Setting, results: &Results) -> Result<Outcome> {
        let found: Found = results.all()?;
        let mut cells = Vec::new();
        for set in SETS {
            for chooser in Chooser::ALL {
                for (name, measure) in MEASURES {
                    let values: Vec<f64> = of(&found, set, chooser).map(measure).collect();
                    let (mean, low, high) = range(&values);
                    let cell = TableCell::plain(chooser.title(), name, brief(mean)).spread(brief((high - low) / 2.0));
                    cells.push(cell.of(set.title()));
                }
            }
        }
        let score = |set: TextSet, chooser: Chooser, measure: usize| {
            mean(&of(&found, set, chooser).map(MEASURES[measure].1).collect::<Vec<f64>>())
        };
        let structured = |set: TextSet| score(set, Chooser::Sequence, 1) > score(set, Chooser::Subsets, 1);
        let with_runs: Vec<&str> = SETS.into_iter().filter(|set| structured(*set)).map(TextSet::title).collect();
        Ok(Outcome {
            parameters: json!({
                "repetitions": setting.long_repetitions(),
                "runs": found.len(),
                "seconds of one core": results.seconds().round(),
            }),
            claims: vec![Claim::new(
                "Sequential k-subsets agree better with people than k-subsets on every set.",
                with_runs.len() == SETS.len(),
                format!("on {} of {}: {}", with_runs.len(), SETS.len(), with_runs.join(", ")),
            )],
            values: Json::Null,
            drawings: vec![Drawing {
                name: "rationales".into(),
                caption: "Agreement with people against the quality of predictions: each repetition as a small mark, \
                          the mean as a large one. On Beer the squared error is to the left the better."
                    .into(),
                figure: drawn(&found),
            }],
            cells,
            ..Outcome::default()
        })
    }
}

fn drawn(found: &Found) -> Figure {
    let panels = SETS.into_iter().map(|set| {
        let quality = if set.aspect().is_some() { "squared error" } else { "macro F1" };
        let mut panel = Panel::new(set.title(), Axis::linear(quality), Axis::linear("F1 of words with people"));
        for (at, chooser) in Chooser::ALL.into_iter().enumerate() {
            let points: Vec<(f64, f64)> =
                of(found, set, chooser).map(|value| (value.quality(), MEASURES[1].1(value))).collect();
            let style = Style::series(at);
            for point in &points {
                panel.marks.push(Mark::new(*point, Marker::Plus, 5.0, style.colour));
            }
            let centre = (
                mean(&points.iter().map(|point| point.0).collect::<Vec<_>>()),
                mean(&points.iter().map(|point| point.1).collect::<Vec<_>>()),
            );
            panel.curves.push(Curve::new(chooser.title(), Style { width: 0.0, ..style }, vec![centre]));
        }
        panel
    });
    Grid::new("Agreement with people and quality", 2, panels.collect()).figure()
}
