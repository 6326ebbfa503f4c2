//! Table 6: predictions from a share of the words, and whether people mark the same words.

use serde_json::{Value as Json, json};

use super::super::{brief, mean};
use super::run::{Chooser, Key, Value};
use super::{paper, range};
use crate::data::TextSet;
use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Claim, Drawing, Experiment, Mode, Outcome, Reading, Results, Setting, TableCell};
use hfy_draw::chart::{Axis, Curve, Grid, Mark, Panel, Style};
use hfy_draw::palette::FAINT;
use hfy_draw::{Figure, Marker};

const CHOOSERS: [Chooser; 2] = [Chooser::Subsets, Chooser::Sequence];
/// The sets of the table, and then further aspects of the beer reviews.
const SETS: [TextSet; 8] = [
    TextSet::Sst,
    TextSet::AgNews,
    TextSet::Imdb,
    TextSet::Appearance,
    TextSet::Aroma,
    TextSet::Palate,
    TextSet::Taste,
    TextSet::Overall,
];
/// The columns of the table, as the paper has them.
const COLUMNS: [&str; 5] = ["SST, F1", "AG News, F1", "IMDB, F1", "Beer, squared error", "Beer, overlap"];

/// See the module.
#[derive(Debug)]
pub(in crate::experiments) struct Table6;

/// Repetitions where padding competes for a sequence: the ties that it makes take ten times as long to differentiate.
const PADDED_REPETITIONS: u64 = 1;

/// Whether padding competes for a sequence of many words.
fn is_padded(set: TextSet, chooser: Chooser, mode: Mode) -> bool {
    let is_long = !matches!(set, TextSet::Sst | TextSet::AgNews);
    mode == Mode::Printed && chooser == Chooser::Sequence && is_long
}

type Found = Vec<(Key, Value)>;

/// The values of a column in the order of the seeds.
fn column(found: &Found, chooser: Chooser, column: usize) -> Vec<f64> {
    let set = SETS[column.min(3)];
    let runs = found.iter().filter(|(key, _)| key.set == set && key.chooser == chooser).map(|(_, value)| value);
    if column < 4 { runs.map(Value::quality).collect() } else { runs.filter_map(Value::overlap).collect() }
}

fn overlaps(found: &Found, chooser: Chooser, set: TextSet) -> Vec<f64> {
    let runs = found.iter().filter(|(key, _)| key.set == set && key.chooser == chooser);
    runs.filter_map(|(_, value)| value.overlap()).collect()
}

impl Experiment for Table6 {
    fn id(&self) -> &'static str {
        "table6"
    }

    fn title(&self) -> &'static str {
        "Text rationales with structured Hopfield pooling"
    }

    fn about(&self) -> &'static str {
        "An LSTM reads a text, a Hopfield layer pools a share of its words (20 % on SST and AG News, 10 % elsewhere), \
         and a linear layer decides. Macro F1 of classes, the squared error of scores from 0.2 to 1, and the overlap \
         with the words that people marked about the look of a beer (the harmonic mean of mean precision and recall), \
         beside the paper's mean; a number is marked where the ranges of the repetitions do not meet. Our data are \
         smaller than the paper's: vectors of 100 numbers instead of 300, 18,789 texts of AG News instead of 120,000, \
         8,000 reviews of IMDB to train with, 1,727 beer reviews; 990 others have marks that were reconstructed from \
         labels of sentences."
    }

    fn readings(&self) -> Vec<Reading> {
        vec![
            Reading::new(
                "padding",
                "the words of shorter texts of a batch compete with padding for the budget, which is that of the text",
                "nothing is padded",
                "A short text beside a long one may lose a part of its rationale, and of what is pooled.",
            ),
            Reading::new(
                "transition in use",
                "divided by the temperature twice: 1 beside scores of about 1, where 0.001 is meant",
                "divided by the temperature once",
                "The runs of chosen words are longer in use than in training.",
            ),
            Reading::new("depth of the head", "400", "200, as the text says", "The pooling has twice as many weights."),
            Reading::new(
                "temperature of training",
                "0.1 on SST, 0.05 elsewhere",
                "0.1, as the text says",
                "At 0.05 fewer words share the weight, and fewer learn.",
            ),
            Reading::new(
                "dropout",
                "half of the words' weights, but none on AG News, and none with k-subsets on Beer",
                "half of the numbers that the Hopfield layer gives, as the text says",
                "Dropout of weights trains with random parts of the rationale.",
            ),
            Reading::new(
                "training",
                "learning rate 0.001, 4 to 12 epochs, patience 3, texts cut to 256 words; published: 0.0001, 45 to 60 \
                 epochs",
                "the same",
                "The published schedule has five to fifteen times as many epochs. Texts to test with are whole.",
            ),
        ]
    }

    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        let of = |seed| {
            let pairs = SETS.iter().flat_map(|set| CHOOSERS.iter().map(move |chooser| (*set, *chooser)));
            let is_wanted = move |(set, chooser): &(TextSet, Chooser)| {
                seed < PADDED_REPETITIONS || !is_padded(*set, *chooser, setting.mode)
            };
            pairs
                .filter(is_wanted)
                .map(move |(set, chooser)| Key::new(set, chooser, setting.mode, seed, setting.quick).cell())
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
        for (row, chooser) in CHOOSERS.into_iter().enumerate() {
            for (at, name) in COLUMNS.iter().enumerate() {
                cells.push(beside_range(
                    chooser.title(),
                    name,
                    &column(&found, chooser, at),
                    setting,
                    paper::OURS[row].1[at],
                ));
            }
            for set in &SETS[3..] {
                let values = overlaps(&found, chooser, *set);
                let (mean, low, high) = range(&values);
                let cell = TableCell::plain(set.title(), chooser.title(), thousandths(mean))
                    .spread(thousandths((high - low) / 2.0));
                cells.push(cell.of("Overlap with people by aspect (reconstructed marks)"));
            }
        }
        let of = |quality: &dyn Fn(&Value) -> f64| {
            let one = |(key, value): &(Key, Value)| {
                json!({
                    "set": key.set, "chooser": key.chooser, "seed": key.seed, "value": brief(quality(value)),
                })
            };
            found.iter().map(one).collect::<Vec<Json>>()
        };
        Ok(Outcome {
            parameters: json!({
                "repetitions": setting.long_repetitions(),
                "repetitions of sequences of IMDB and Beer as printed": PADDED_REPETITIONS,
                "runs": found.len(),
                "seconds of one core": results.seconds().round(),
                "optimiser": "Adam, rate 1e-3, weight decay 1e-4 in the gradient, gradient norm at most 5, 32 texts a \
                 step",
            }),
            claims: claims(&found),
            values: json!({
                "quoted": paper::QUOTED.map(|(name, row)| json!({ "method": name, "columns": row })),
                "share of words": of(&|value| value.share),
                "runs of words": of(&|value| value.runs),
                "sufficiency": of(&|value| value.faithfulness.sufficiency),
                "comprehensiveness": of(&|value| value.faithfulness.comprehensiveness),
                "token F1 with people": of(&|value| value.people.map_or(f64::NAN, |people| people.f1)),
            }),
            drawings: vec![Drawing {
                name: "table6".into(),
                caption: "Predictions and overlap with people: each repetition as a small mark, the mean as a large \
                          one; what the paper prints for the two methods as a ring over its range, and what it quotes \
                          of others as grey dots."
                    .into(),
                figure: drawn(&found),
            }],
            cells,
            ..Outcome::default()
        })
    }
}

fn thousandths(value: f64) -> f64 {
    (1000.0 * value).round() / 1000.0
}

/// A mean with half the range of its repetitions, beside a printed one: they agree if the ranges meet.
fn beside_range(row: &str, col: &str, values: &[f64], setting: &Setting, paper: (f64, f64, f64)) -> TableCell {
    let (mean, low, high) = range(values);
    let cell = TableCell::plain(row, col, thousandths(mean)).spread(thousandths((high - low) / 2.0));
    if setting.quick {
        return cell;
    }
    let (printed, least, most) = paper;
    // How far the nearer ends of both ranges may be from the means.
    let tolerance = if mean > printed { (mean - low) + (most - printed) } else { (high - mean) + (printed - least) };
    // Printed numbers are rounded to their last digit.
    let rounding = if printed < 0.1 { 5e-4 } else { 5e-3 };
    cell.beside_paper(printed, tolerance + rounding)
}

fn claims(found: &Found) -> Vec<Claim> {
    let of = |chooser: Chooser, at: usize| mean(&column(found, chooser, at));
    let [subsets, sequence] = CHOOSERS.map(|chooser| of(chooser, 4));
    let runs_of = |chooser: Chooser| {
        let all: Vec<f64> = found
            .iter()
            .filter(|(key, _)| key.chooser == chooser && key.set.aspect().is_some())
            .map(|(_, value)| value.runs)
            .collect();
        mean(&all)
    };
    let (many, few) = (runs_of(Chooser::Subsets), runs_of(Chooser::Sequence));
    let best = |at: usize, higher: bool| {
        let quoted = paper::QUOTED.iter().map(|(_, row)| row[at].0);
        if higher { quoted.fold(f64::MIN, f64::max) } else { quoted.fold(f64::MAX, f64::min) }
    };
    vec![
        Claim::new(
            "Sequential k-subsets agree better with people than k-subsets (Beer, look).",
            sequence > subsets,
            format!("{sequence:.3} and {subsets:.3}; in the paper 0.63 and 0.42"),
        ),
        Claim::new(
            "SparseMAP with sequential k-subsets prefers more contiguous rationales (Beer).",
            few < many,
            format!("{few:.1} runs of words instead of {many:.1}"),
        ),
        Claim::new(
            "On SST the structured poolings are equal to the best of the quoted methods, to 0.02.",
            CHOOSERS.iter().all(|chooser| of(*chooser, 0) > best(0, true) - 0.02),
            format!("{:.3} and {:.3} beside {:.2}", of(Chooser::Subsets, 0), of(Chooser::Sequence, 0), best(0, true)),
        ),
    ]
}

fn drawn(found: &Found) -> Figure {
    let panels = COLUMNS.iter().enumerate().map(|(at, name)| {
        let ticks = [(0.0, "k-subsets".to_owned()), (1.0, "sequential".to_owned()), (2.0, "quoted".to_owned())];
        let mut panel = Panel::new(*name, Axis::linear("").ticked(ticks).within(-0.6, 2.6), Axis::linear(""));
        for (x, chooser) in CHOOSERS.into_iter().enumerate() {
            let (x, values, style) = (x as f64, column(found, chooser, at), Style::series(x));
            for value in &values {
                panel.marks.push(Mark::new((x - 0.18, *value), Marker::Plus, 5.0, style.colour));
            }
            let style = Style { width: 0.0, ..style };
            panel.curves.push(Curve::new(chooser.title(), style, vec![(x - 0.18, mean(&values))]));
            let (printed, low, high) = paper::OURS[x as usize].1[at];
            panel.marks.push(Mark::new((x + 0.18, printed), Marker::Ring, 6.0, FAINT));
            let ends = vec![(x + 0.18, low), (x + 0.18, high)];
            panel.curves.push(Curve::new("printed", Style::line(FAINT, 0.9), ends));
        }
        for (number, (_, row)) in paper::QUOTED.iter().enumerate() {
            let aside = 0.07 * (number as f64 - 4.5);
            panel.marks.push(Mark::new((2.0 + aside, row[at].0), Marker::Circle, 4.0, FAINT));
        }
        panel
    });
    Grid::new("Text rationales", 3, panels.collect()).figure()
}
