//! Tables of the paper whose numbers come from training.

mod assumption;
mod bags;
mod benchmark;
mod digits;
mod figures;
mod looks;
mod paper;
mod rationales;
mod search;
mod table4;
mod table5;

pub(super) use bags::BeyondBags;
pub(super) use rationales::{Fig13, Rationales, Table6};
pub(super) use table4::Table4;
pub(super) use table5::Table5;

use hfy_nn::train::{Epoch, Validation};
use serde::{Deserialize, Serialize};

use crate::experiment::TableCell;

/// The separation maps of Table 4, and how they are written.
const METHODS: [(&str, &str); 8] = [
    ("softmax", "1-entmax (softmax)"),
    ("entmax:1.5", "1.5-entmax"),
    ("sparsemax", "2-entmax (sparsemax)"),
    ("normmax:2", "2-normmax"),
    ("normmax:5", "5-normmax"),
    ("subsets:2", "2-subsets"),
    ("subsets:3", "3-subsets"),
    ("subsets:5", "5-subsets"),
];

/// What a search chooses.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Hyper {
    /// The learning rate of the first epoch, and its factor from one epoch to the next.
    rate: f64,
    decay: f64,
    /// Width of the embedding's layers.
    embedding: usize,
    /// Width of a head, and how many there are.
    hidden: usize,
    heads: usize,
    beta: f64,
    /// Share of the weights that training leaves out.
    dropout: f64,
}

/// A mean over repetitions in percent with its deviation (of the population, as in the paper), beside the printed ones.
/// They differ if they are further apart than twice both deviations together.
fn beside_paper(row: &str, col: &str, repetitions: &[f64], paper: Option<(f64, f64)>) -> TableCell {
    let percents: Vec<f64> = repetitions.iter().map(|value| 100.0 * value).collect();
    let (mean, deviation) = hfy_nn::mil::mean_and_deviation(&percents).unwrap_or((f64::NAN, f64::NAN));
    let hundredths = |value: f64| (100.0 * value).round() / 100.0;
    let cell = TableCell::plain(row, col, hundredths(mean)).spread(hundredths(deviation));
    match paper {
        Some((paper, spread)) => cell.beside_mean(paper, spread),
        None => cell,
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Six digits, so that files of results stay small.
fn brief(value: f64) -> f64 {
    format!("{value:.5e}").parse().expect("a number that was just written")
}

fn brief_epoch(epoch: Epoch) -> Epoch {
    let validation = epoch.validation.map(|found| Validation { score: brief(found.score), loss: brief(found.loss) });
    Epoch { loss: brief(epoch.loss), norm: brief(epoch.norm), rate: brief(epoch.rate), validation }
}
