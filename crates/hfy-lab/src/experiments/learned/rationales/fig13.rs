//! Figure 13: beer reviews with the words that models chose, and those that people marked.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::highlights::{Passage, drawn};
use super::own;
use super::run::{Chooser, Key, Value, shown};
use crate::data::TextSet;
use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Claim, Drawing, Experiment, Outcome, Reading, Results, Setting};

const CHOOSERS: [Chooser; 2] = [Chooser::Subsets, Chooser::Sequence];
const SET: TextSet = TextSet::Appearance;

/// A piece of the work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Part {
    /// A run of training.
    Run(Key),
    /// The marked reviews that are shown. They belong to their writers: this is read from the data, and not for
    /// publication.
    Reviews(TextSet),
}

impl Part {
    fn cell(&self) -> Cell {
        match self {
            Part::Run(key) => key.cell(),
            Part::Reviews(set) => Cell::new(self, 0.5).with_texts([*set]),
        }
    }
}

/// The words of the reviews that are shown, and whether people marked them.
type Reviews = Vec<Vec<(String, Option<bool>)>>;

/// See the module.
#[derive(Debug)]
pub(in crate::experiments) struct Fig13;

fn parts(setting: &Setting) -> Vec<Part> {
    let run = |chooser| Part::Run(Key::new(SET, chooser, setting.mode, 0, setting.quick));
    CHOOSERS.map(run).into_iter().chain([Part::Reviews(SET)]).collect()
}

impl Experiment for Fig13 {
    fn id(&self) -> &'static str {
        "fig13"
    }

    fn title(&self) -> &'static str {
        "Rationales beside those of people"
    }

    fn about(&self) -> &'static str {
        "Beer reviews, read by networks that predict the score of the look. Highlighted: the tenth of the words that \
         the network chose. Bold italics: what people marked about the look. Red: where the two differ. The first \
         drawing shows reviews that were written for it, with marks of their writer; the second the first reviews of \
         the data with 40 to 90 words of which people marked between a tenth and a half."
    }

    fn readings(&self) -> Vec<Reading> {
        vec![Reading::new(
            "transition in use, and padding",
            "divided by the temperature twice; padding competes for the budget",
            "divided once; nothing is padded",
            "With the strong transition the chosen words of sequential k-subsets stand together.",
        )]
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        parts(setting).iter().map(Part::cell).collect()
    }

    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Json> {
        let wrong = |error: serde_json::Error| Error::Cell(error.to_string());
        match cell.key::<Part>()? {
            Part::Run(key) => serde_json::to_value(key.compute(bench)?).map_err(wrong),
            Part::Reviews(set) => {
                let corpus = &bench.texts(set)?.corpus;
                let marks: Vec<Vec<Option<bool>>> = corpus.marked.iter().map(|marked| marked.words.clone()).collect();
                let review = |at: usize| {
                    let words = corpus.texts[corpus.marked[at].text].iter().cloned();
                    words.zip(marks[at].iter().copied()).collect()
                };
                serde_json::to_value(shown(&marks).into_iter().map(review).collect::<Reviews>()).map_err(wrong)
            }
        }
    }

    fn gather(&self, _: &Setting, results: &Results) -> Result<Outcome> {
        let wrong = |error: serde_json::Error| Error::Cell(error.to_string());
        let (mut runs, mut reviews): (Vec<(Chooser, Value)>, Reviews) = (Vec::new(), Vec::new());
        for (part, value) in results.all::<Part, Json>()? {
            match part {
                Part::Run(key) => runs.push((key.chooser, serde_json::from_value(value).map_err(wrong)?)),
                Part::Reviews(_) => reviews = serde_json::from_value(value).map_err(wrong)?,
            }
        }
        let (mut own, mut theirs) = (Vec::new(), Vec::new());
        for (at, review) in own::REVIEWS.iter().enumerate() {
            for (chooser, value) in &runs {
                let (chosen, score) = &value.own[at];
                let words = own::marked(review).into_iter().enumerate();
                own.push(Passage {
                    heading: format!("Review {}, {}: predicted score {:.2}", at + 1, chooser.title(), score),
                    words: words.map(|(place, (word, mark))| (word, chosen.contains(&place), Some(mark))).collect(),
                });
            }
        }
        for (at, review) in reviews.iter().enumerate() {
            for (chooser, value) in &runs {
                let chosen = value.shown.get(at).map_or(&[][..], |(_, chosen)| chosen);
                let words = review.iter().enumerate();
                theirs.push(Passage {
                    heading: format!("Review {} of the data, {}", at + 1, chooser.title()),
                    words: words.map(|(place, (word, mark))| (word.clone(), chosen.contains(&place), *mark)).collect(),
                });
            }
        }
        let overlap = |at: usize| runs[at].1.overlap().unwrap_or(f64::NAN);
        let contiguity = |at: usize| runs[at].1.runs;
        Ok(Outcome {
            parameters: json!({ "set": SET, "seed": 0, "seconds of one core": results.seconds().round() }),
            claims: vec![Claim::new(
                "SparseMAP with sequential k-subsets prefers more contiguous rationales.",
                contiguity(1) < contiguity(0),
                format!("{:.1} runs of words a review instead of {:.1}", contiguity(1), contiguity(0)),
            )],
            values: json!({ "overlap": { CHOOSERS[0].title(): overlap(0), CHOOSERS[1].title(): overlap(1) } }),
            drawings: vec![
                Drawing {
                    name: "fig13".into(),
                    caption: "Reviews that were written for this figure.".into(),
                    figure: drawn("Rationales beside those of their writer", &own),
                },
                Drawing {
                    name: "fig13-data".into(),
                    caption: "Reviews of the data, with reconstructed marks of people. They belong to their writers: \
                    not for publication."
                        .into(),
                    figure: drawn("Rationales beside those of people", &theirs),
                },
            ],
            ..Outcome::default()
        })
    }
}
