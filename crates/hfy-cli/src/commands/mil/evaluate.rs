//! `hfy mil evaluate`: how good a network is on bags that it has not seen.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;

use clap::Args;
use hfy_nn::mil::{self, Bags, Split, TrainConfig, accuracy, mean_and_deviation, nested, roc_auc};
use hfy_nn::train::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::kept::KeptFolds;
use super::network::{Network, labels};
use super::source::{Source, as_input};
use super::train::rank;
use crate::cli::Common;
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::terminal::{Align, Style, Table, Watch, number};

/// More threads that train wait for each other, as all gradients of a process are behind one lock of Burn's.
const TRAINING: usize = 2;

/// Nested cross-validation: how good a network is on bags that it has not seen
///
/// Each fold is tested once with a classifier that learned from the others, one of which chooses the epoch, and β where
/// several are given. All of it is repeated with other folds from each seed.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// Folds
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u64).range(3..=1000), help_heading = "Training")]
    folds: u64,
    /// Repetitions, each with folds and first weights of its own
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(1..=1000), help_heading = "Training")]
    seeds: u64,
    /// Keep finished folds in this file, and go on from it
    #[arg(long, value_name = "FILE", help_heading = "Training")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    network: Network,
}

#[derive(Serialize)]
struct Document<'a> {
    bags: usize,
    positive: usize,
    folds: u64,
    /// Network and training, once for each β.
    configs: &'a [TrainConfig],
    auc: Measure,
    accuracy: Measure,
    /// How many instances of a bag have weight, in the mean over test bags and heads.
    support: Measure,
    repetitions: Vec<Repetition>,
}

/// Mean and standard deviation over repetitions.
#[derive(Serialize)]
struct Measure {
    mean: f64,
    deviation: f64,
}

#[derive(Serialize)]
struct Repetition {
    seed: u64,
    auc: f64,
    accuracy: f64,
    support: f64,
    folds: Vec<Fold>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Fold {
    auc: f64,
    accuracy: f64,
    support: f64,
    beta: f64,
    epochs: usize,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let file = arguments.source.name();
    let bags = arguments.source.read(true)?;
    let labels = labels(&bags, &file)?;
    let configs = arguments.network.configs(&bags, &file)?;
    arguments.network.note_balance(&bags);
    let seeds: Vec<u64> = (0..arguments.seeds).map(|seed| arguments.network.seed + seed).collect();
    let mut work: Vec<(u64, Split)> = Vec::new();
    for &seed in &seeds {
        let splits = nested(labels, arguments.folds as usize, arguments.folds as usize - 1, seed);
        let splits = splits.map_err(|what| Error::data(&file, format!("{what}; --folds sets their number")))?;
        work.extend(splits.into_iter().map(|split| (seed, split)));
    }
    let input = as_input(&bags)?;
    let shares = Shares::new(work.len(), common.quiet);
    let kept = arguments.keep.as_deref().map(|path| KeptFolds::open(path, &bags, &configs)).transpose()?;
    let one = |(at, (seed, split)): (usize, &(u64, Split))| {
        let compute = || compute_fold(&input, split, &configs, *seed, &|share| shares.hear(at, share));
        match &kept {
            Some(kept) => kept.get(*seed, split, compute),
            None => compute(),
        }
    };
    let threads = rayon::current_num_threads().min(TRAINING);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::Data(error.to_string()))?;
    let folds: Vec<Fold> = pool.install(|| work.par_iter().enumerate().map(one).collect::<Result<_>>())?;
    drop(shares);
    let document = document(arguments, &configs, labels, &seeds, &folds);
    if common.json { print_json(&document) } else { print_bytes(text(&document).as_bytes()) }
}

/// How far each of several pieces of work is.
struct Shares {
    watch: Watch,
    shares: Mutex<Vec<f64>>,
}

impl Shares {
    fn new(pieces: usize, quiet: bool) -> Self {
        Shares { watch: Watch::new("folds", quiet), shares: Mutex::new(vec![0.0; pieces]) }
    }

    fn hear(&self, piece: usize, share: f64) -> ControlFlow<()> {
        let (done, pieces) = match self.shares.lock() {
            Ok(mut shares) => {
                shares[piece] = share;
                (shares.iter().sum::<f64>(), shares.len())
            }
            Err(_) => return ControlFlow::Break(()),
        };
        self.watch.hear((1000.0 * done) as usize, 1000 * pieces)
    }
}

/// Trains with every β, and tests the one that is best on the validation fold.
fn compute_fold(
    bags: &Bags<'_>,
    split: &Split,
    configs: &[TrainConfig],
    seed: u64,
    hear: &dyn Fn(f64) -> ControlFlow<()>,
) -> Result<Fold> {
    let mut best: Option<((f64, f64), Fold)> = None;
    let test = bags.select(&split.test);
    for (at, config) in configs.iter().enumerate() {
        let mut config = config.clone();
        config.fit.seed = seed;
        let mut observer = |progress: Progress<'_>| hear((at as f64 + progress.share()) / configs.len() as f64);
        let watch = hfy_nn::train::Watch { observer: Some(&mut observer), checkpoint: None };
        let validation = bags.select(&split.validation);
        let fitted = mil::train(&config, bags.select(&split.train), Some(validation), watch)?;
        let rank = rank(std::slice::from_ref(&fitted));
        if best.as_ref().is_some_and(|(best, _)| *best >= rank) {
            continue;
        }
        let (logits, report) = mil::explain(&fitted.module, &test)?;
        let pairs = || (0..test.len()).flat_map(|bag| (0..report.heads()).map(move |head| (bag, head)));
        let support: usize = pairs().map(|(bag, head)| report.support(bag, head, 0).len()).sum();
        let fold = Fold {
            auc: roc_auc(&logits, test.positive()).unwrap_or(f64::NAN),
            accuracy: accuracy(&logits, test.positive(), 0.0).unwrap_or(f64::NAN),
            support: support as f64 / pairs().count() as f64,
            beta: beta(&config),
            epochs: fitted.epochs.len(),
        };
        best = Some((rank, fold));
    }
    let _ = hear(1.0);
    Ok(best.expect("there is always a configuration").1)
}

fn beta(config: &TrainConfig) -> f64 {
    match &config.model.pooling.scaling {
        Some(hfy_nn::layers::Scaling::Fixed(betas)) => betas[0],
        _ => f64::NAN,
    }
}

fn document<'a>(
    arguments: &Arguments,
    configs: &'a [TrainConfig],
    labels: &[bool],
    seeds: &[u64],
    folds: &[Fold],
) -> Document<'a> {
    let repetition = |(seed, folds): (&u64, &[Fold])| {
        let mean = |value: &dyn Fn(&Fold) -> f64| folds.iter().map(value).sum::<f64>() / folds.len() as f64;
        Repetition {
            seed: *seed,
            auc: mean(&|fold| fold.auc),
            accuracy: mean(&|fold| fold.accuracy),
            support: mean(&|fold| fold.support),
            folds: folds.to_vec(),
        }
    };
    let repetitions: Vec<Repetition> =
        seeds.iter().zip(folds.chunks(arguments.folds as usize)).map(repetition).collect();
    let measure = |value: &dyn Fn(&Repetition) -> f64| {
        let values: Vec<f64> = repetitions.iter().map(value).collect();
        let (mean, deviation) = mean_and_deviation(&values).unwrap_or((f64::NAN, f64::NAN));
        Measure { mean, deviation }
    };
    Document {
        bags: labels.len(),
        positive: labels.iter().filter(|positive| **positive).count(),
        folds: arguments.folds,
        configs,
        auc: measure(&|one| one.auc),
        accuracy: measure(&|one| one.accuracy),
        support: measure(&|one| one.support),
        repetitions,
    }
}

fn text(document: &Document<'_>) -> String {
    let style = Style::of_stdout();
    let columns = ["seed", "AUC %", "accuracy %", "instances with weight"].map(|name| (name, Align::Right));
    let mut table = Table::new(columns);
    for one in &document.repetitions {
        let percent = |value: f64| format!("{:.1}", 100.0 * value);
        table.row([one.seed.to_string(), percent(one.auc), percent(one.accuracy), format!("{:.1}", one.support)]);
    }
    let mut text = table.render(style);
    let spread = |measure: &Measure| format!("{:.1} ± {:.1} %", 100.0 * measure.mean, 100.0 * measure.deviation);
    let _ = writeln!(
        text,
        "AUC {}, accuracy {}, in the mean of {} repetitions of {} folds over {} bags ({} positive); \
         a head gives {} instances of a bag weight",
        style.bold(&spread(&document.auc)),
        spread(&document.accuracy),
        document.repetitions.len(),
        document.folds,
        document.bags,
        document.positive,
        number((10.0 * document.support.mean).round() / 10.0)
    );
    text
}
