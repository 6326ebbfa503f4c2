//! `hfy text train`: a model from texts with labels.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use clap::Args;
use hfy_nn::Random;
use hfy_nn::text::{self, Evaluation, Labels, Targets, TextModel, TextTrainConfig, Texts};
use hfy_nn::train::{Epoch, Progress};
use serde::Serialize;

use super::network::Network;
use super::source::Source;
use crate::cli::Common;
use crate::error::{Error, Result};
use crate::io::output::{Output, print_bytes, print_json};
use crate::terminal::{self, Style, Watch};

/// Learn from texts with labels
///
/// A part of the texts is set aside to choose the epoch by. Ctrl-C leaves what is done beside MODEL, and the same
/// command goes on from there.
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
    #[command(flatten)]
    network: Network,
}

#[derive(Serialize)]
struct Document<'a> {
    model: String,
    texts: usize,
    words: usize,
    labels: &'a Labels,
    validation: usize,
    /// On the texts that were set aside. Errors are in the unit of the labels.
    found: Evaluation,
    epoch: usize,
    transition: Option<f64>,
    config: &'a TextTrainConfig,
    epochs: Vec<Epoch>,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let output = Output::file("a model", &arguments.output, arguments.force)?;
    arguments.network.check()?;
    let input = arguments.source.read(true)?;
    let labels = arguments.network.labels(&input)?;
    let targets = input.targets(&labels)?;
    let vocabulary = arguments.network.vocabulary(&input)?;
    let texts = Texts::encode(&vocabulary, input.all_words())?;
    let config = arguments.network.config(vocabulary.width(), targets.outputs());
    let (train, validation) = split(&targets, &arguments.network);
    if validation.is_empty() {
        let rule = format!("--validation {} sets none of them aside", arguments.network.validation);
        return Err(Error::data(&input.file, format!("has {} texts: {rule}", texts.len())));
    }
    let watch = Watch::new("training", common.quiet);
    let mut observer = |progress: Progress<'_>| {
        watch.say(&told(&progress));
        watch.hear((progress.share() * 100_000.0) as usize, 100_000)
    };
    let path = checkpoint(arguments, &config, &texts, &targets);
    if path.exists() {
        terminal::note(&format!("goes on with {}", path.display()));
    }
    let follow = hfy_nn::train::Watch { observer: Some(&mut observer), checkpoint: Some(&path) };
    let fitted = text::train(&config, &vocabulary, &texts, &targets, [&train, &validation], follow)?;
    let model = TextModel::new(&fitted.module, labels, vocabulary)?;
    let read = text::read(model.network(), model.vocabulary(), &texts, &validation)?;
    // Asked again, as someone else may have written it since.
    Output::file("a model", &arguments.output, arguments.force)?;
    model.save(output.path())?;
    drop(std::fs::remove_file(&path));
    let document = Document {
        model: arguments.output.display().to_string(),
        texts: texts.len(),
        words: texts.words().len(),
        labels: model.labels(),
        validation: validation.len(),
        found: in_unit(Evaluation::new(&read, &targets, &validation), model.labels()),
        epoch: fitted.kept + 1,
        transition: fitted.module.transition(),
        config: &config,
        epochs: fitted.epochs,
    };
    if common.json { print_json(&document) } else { print_bytes(told_of(&document).as_bytes()) }
}

/// Texts to train with and texts for validation: one in so many of each class, by chance.
fn split(targets: &Targets, network: &Network) -> (Vec<usize>, Vec<usize>) {
    let groups = match targets {
        Targets::Classes { classes, of } => {
            (0..*classes).map(|class| (0..of.len()).filter(|text| of[*text] == class).collect()).collect()
        }
        Targets::Numbers(numbers) => vec![(0..numbers.len()).collect::<Vec<usize>>()],
    };
    let (mut random, mut parts) = (Random::new(network.seed, SPLIT), (Vec::new(), Vec::new()));
    let every = network.validation as usize;
    for group in groups {
        for (place, at) in random.order(group.len()).into_iter().enumerate() {
            if place % every == every - 1 { &mut parts.1 } else { &mut parts.0 }.push(group[at]);
        }
    }
    parts
}

/// The purpose of the random numbers that set texts aside.
const SPLIT: u64 = 0x0073_706c_6974;

/// Errors in the unit of the labels.
pub(super) fn in_unit(found: Evaluation, labels: &Labels) -> Evaluation {
    match (found, labels) {
        (Evaluation::Numbers { squared_error, absolute_error }, Labels::Number { deviation, .. }) => {
            Evaluation::Numbers {
                squared_error: squared_error * deviation * deviation,
                absolute_error: absolute_error * deviation,
            }
        }
        (found, _) => found,
    }
}

fn told(progress: &Progress<'_>) -> String {
    match progress.finished.last() {
        Some(Epoch { loss, validation: Some(found), .. }) => {
            format!("epoch {}, loss {loss:.3}, validation loss {:.3}", progress.epoch + 1, found.loss)
        }
        _ => format!("epoch {}", progress.epoch + 1),
    }
}

/// Where a run is kept until the model is written: beside the model, under a name that says what is trained on what.
fn checkpoint(arguments: &Arguments, config: &TextTrainConfig, texts: &Texts, targets: &Targets) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    // The number of epochs and the patience may change from one command to the next.
    let fixed = serde_json::json!([config.model, config.rate, config.fit.batch, config.fit.seed, targets]);
    (fixed.to_string(), texts.words(), arguments.network.validation).hash(&mut hasher);
    let name = arguments.output.file_name().unwrap_or_default().to_string_lossy();
    let folder = arguments.output.parent().unwrap_or(Path::new(""));
    folder.join(format!(".{name}.{:016x}.checkpoint", hasher.finish()))
}

/// How good a model is, in a line.
pub(super) fn quality(found: &Evaluation) -> String {
    match found {
        Evaluation::Classes { macro_f1, accuracy, .. } => {
            format!("macro F1 {macro_f1:.3}, accuracy {:.1} %", 100.0 * accuracy)
        }
        Evaluation::Numbers { squared_error, absolute_error } => {
            format!("squared error {squared_error:.4}, absolute error {absolute_error:.3}")
        }
    }
}

fn told_of(document: &Document<'_>) -> String {
    let style = Style::of_stdout();
    let labels = match document.labels {
        Labels::Classes(names) => format!("classes {}", names.join(", ")),
        Labels::Number { mean, deviation } => format!("numbers around {mean:.3} ± {deviation:.3}"),
    };
    let mut text = format!(
        "{} texts of {} words with {labels}; {} were set aside for validation\n",
        document.texts, document.words, document.validation
    );
    let _ = writeln!(
        text,
        "best after {} of {} epochs: {}",
        document.epoch,
        document.epochs.len(),
        style.bold(&quality(&document.found))
    );
    if let Some(transition) = document.transition {
        let _ = writeln!(text, "learned transition: {transition:.4}");
    }
    let _ = writeln!(text, "{}", style.good(&format!("wrote {}", document.model)));
    text
}
