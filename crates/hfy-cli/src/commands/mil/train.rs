//! `hfy mil train`: a model from bags with labels.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use clap::Args;
use hfy_io::Bags;
use hfy_nn::mil::{self, BagClassifier, BagModel, Split, TrainConfig};
use hfy_nn::train::{Epoch, Fitted, Progress};
use serde::Serialize;

use super::network::{Network, labels};
use super::source::{Source, as_input};
use crate::cli::Common;
use crate::error::{Error, Result};
use crate::io::output::{Output, print_bytes, print_json};
use crate::terminal::{self, Style, Watch, number};

/// Learn from bags with labels
///
/// A part of the bags, drawn evenly from both labels, is set aside to choose the epoch by, and β where several are
/// given. The model that is written holds the classifiers of all seeds; its probabilities are their means. Ctrl-C
/// leaves what is done beside MODEL, and the same command goes on from there.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,
    /// The file for the model
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,
    /// Replace a model that is there
    #[arg(long)]
    force: bool,
    /// Classifiers, each from a seed of its own
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..=1000), help_heading = "Training")]
    seeds: u64,
    /// One part in so many of the bags is set aside for validation
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(2..=1000), help_heading = "Training")]
    validation: u64,
    #[command(flatten)]
    network: Network,
}

#[derive(Serialize)]
struct Document<'a> {
    model: String,
    bags: usize,
    positive: usize,
    instances: usize,
    features: usize,
    validation: Vec<&'a str>,
    beta: f64,
    config: &'a TrainConfig,
    members: Vec<Member>,
}

#[derive(Serialize)]
struct Member {
    seed: u64,
    epoch: usize,
    auc: f64,
    accuracy: f64,
    loss: f64,
    /// What the map has learned: alpha, gamma or the transition of each head.
    #[serde(skip_serializing_if = "Option::is_none")]
    learned: Option<Vec<f32>>,
    epochs: Vec<Epoch>,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let output = Output::file("a model", &arguments.output, arguments.force)?;
    let file = arguments.source.name();
    let bags = arguments.source.read(true)?;
    let labels = labels(&bags, &file)?;
    let configs = arguments.network.configs(&bags, &file)?;
    arguments.network.note_balance(&bags);
    let folds = mil::stratified_folds(labels, arguments.validation as usize, arguments.network.seed);
    let folds = folds.map_err(|what| Error::data(&file, format!("{what}; --validation sets the number of folds")))?;
    let split = Split { validation: folds[0].clone(), train: folds[1..].concat(), test: Vec::new() };
    let trained = train_all(arguments, &bags, &split, &configs, common)?;
    let (config, members) = best(trained, &configs);
    let names = bags.features().to_vec();
    let classifiers: Vec<BagClassifier> = members.iter().map(|fitted| fitted.module.clone()).collect();
    let model = BagModel::new(config.model.clone(), names, classifiers);
    // Asked again, as someone else may have written it since.
    Output::file("a model", &arguments.output, arguments.force)?;
    model.save(output.path())?;
    for config in &configs {
        (0..arguments.seeds).for_each(|seed| drop(std::fs::remove_file(checkpoint(arguments, &bags, config, seed))));
    }
    let document = document(arguments, &bags, &split, config, &members)?;
    if common.json { print_json(&document) } else { print_bytes(text(&document).as_bytes()) }
}

pub(super) type Trained = Fitted<BagClassifier>;

/// Every configuration from every seed.
fn train_all(
    arguments: &Arguments,
    bags: &Bags,
    split: &Split,
    configs: &[TrainConfig],
    common: Common,
) -> Result<Vec<Vec<Trained>>> {
    let input = as_input(bags)?;
    let runs = configs.len() * arguments.seeds as usize;
    let watch = Watch::new("training", common.quiet);
    let mut done = 0;
    let mut train = |config: &TrainConfig, seed: u64| {
        let mut config = config.clone();
        config.fit.seed = arguments.network.seed + seed;
        let mut observer = |progress: Progress<'_>| {
            watch.say(&told(&progress));
            watch.hear(((done as f64 + progress.share()) * 1000.0) as usize, 1000 * runs)
        };
        let path = checkpoint(arguments, bags, &config, seed);
        if path.exists() {
            terminal::note(&format!("goes on with {}", path.display()));
        }
        let follow = hfy_nn::train::Watch { observer: Some(&mut observer), checkpoint: Some(&path) };
        let fitted = mil::train(&config, input.select(&split.train), Some(input.select(&split.validation)), follow)?;
        done += 1;
        Ok(fitted)
    };
    configs.iter().map(|config| (0..arguments.seeds).map(|seed| train(config, seed)).collect()).collect()
}

fn told(progress: &Progress<'_>) -> String {
    match progress.finished.last() {
        Some(Epoch { loss, validation: Some(found), .. }) => {
            format!("epoch {}, loss {loss:.3}, validation AUC {:.3}", progress.epoch + 1, found.score)
        }
        _ => format!("epoch {}", progress.epoch + 1),
    }
}

/// The configuration whose classifiers have the highest score on the validation bags, in the mean, then the lowest
/// loss.
fn best(trained: Vec<Vec<Trained>>, configs: &[TrainConfig]) -> (&TrainConfig, Vec<Trained>) {
    let mut all = trained.into_iter().zip(configs);
    let mut best = all.next().expect("there is always a configuration");
    for one in all {
        if rank(&one.0) > rank(&best.0) {
            best = one;
        }
    }
    (best.1, best.0)
}

/// How good classifiers are on their validation bags: the larger the better. A score of ranks alone is often 1 on few
/// bags.
pub(super) fn rank(members: &[Trained]) -> (f64, f64) {
    let found = members.iter().filter_map(|fitted| fitted.epochs[fitted.kept].validation);
    found.fold((0.0, 0.0), |(score, loss), one| (score + one.score, loss - one.loss))
}

/// Where a run is kept until the model is written: beside the model, under a name that says what is trained on what.
fn checkpoint(arguments: &Arguments, bags: &Bags, config: &TrainConfig, seed: u64) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    // The number of epochs and the patience may change from one command to the next.
    let model = serde_json::json!([config.model, config.rate, config.decay, config.loss, config.fit.batch]);
    (model.to_string(), arguments.network.seed, seed, arguments.validation).hash(&mut hasher);
    (bags.offsets(), bags.labels(), bags.features()).hash(&mut hasher);
    bags.instances().iter().for_each(|value| value.to_bits().hash(&mut hasher));
    let name = arguments.output.file_name().unwrap_or_default().to_string_lossy();
    let folder = arguments.output.parent().unwrap_or(Path::new(""));
    folder.join(format!(".{name}.{:016x}.checkpoint", hasher.finish()))
}

fn document<'a>(
    arguments: &'a Arguments,
    bags: &'a Bags,
    split: &Split,
    config: &'a TrainConfig,
    members: &[Trained],
) -> Result<Document<'a>> {
    let validation = as_input(bags)?.select(&split.validation);
    let member = |(seed, fitted): (usize, &Trained)| {
        let logits = mil::logits(&fitted.module, &validation)?;
        let found = fitted.epochs[fitted.kept].validation;
        Ok(Member {
            seed: arguments.network.seed + seed as u64,
            epoch: fitted.kept + 1,
            auc: found.map_or(f64::NAN, |found| found.score),
            accuracy: mil::accuracy(&logits, validation.positive(), 0.0).unwrap_or(f64::NAN),
            loss: found.map_or(f64::NAN, |found| found.loss),
            learned: fitted.module.pooling().and_then(|pooling| pooling.hopfield().omega_parameter()),
            epochs: fitted.epochs.clone(),
        })
    };
    let beta = match &config.model.pooling.scaling {
        Some(hfy_nn::layers::Scaling::Fixed(betas)) => betas[0],
        _ => f64::NAN,
    };
    Ok(Document {
        model: arguments.output.display().to_string(),
        bags: bags.len(),
        positive: bags.labels().unwrap_or_default().iter().filter(|positive| **positive).count(),
        instances: bags.instances().nrows(),
        features: bags.features().len(),
        validation: split.validation.iter().map(|&bag| bags.name(bag)).collect(),
        beta,
        config,
        members: members.iter().enumerate().map(member).collect::<Result<_>>()?,
    })
}

fn text(document: &Document<'_>) -> String {
    let Document { bags, positive, instances, features, validation, .. } = document;
    let style = Style::of_stdout();
    let mut text = format!("{bags} bags, {positive} of them positive; {instances} instances of {features} features\n");
    let pooling = &document.config.model.pooling;
    let _ = writeln!(
        text,
        "{} heads of {} with {}, β = {}; {} bags were set aside for validation",
        pooling.num_heads,
        pooling.hidden_size.unwrap_or(0),
        pooling.omega,
        number(document.beta),
        validation.len()
    );
    for member in &document.members {
        let Member { seed, epoch, auc, accuracy, epochs, learned, .. } = member;
        let _ = writeln!(
            text,
            "seed {seed}: best after {epoch} of {} epochs, validation AUC {auc:.3}, accuracy {:.1} %",
            epochs.len(),
            100.0 * accuracy
        );
        if let Some(learned) = learned {
            let heads: Vec<String> = learned.iter().map(|value| format!("{value:.2}")).collect();
            let _ = writeln!(text, "        learned for the heads: {}", heads.join(", "));
        }
    }
    let _ = writeln!(text, "{}", style.good(&format!("wrote {}", document.model)));
    text
}
