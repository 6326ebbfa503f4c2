//! What is trained, and how.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hfy_io::vectors;
use hfy_lab::data::{Place, glove};
use hfy_nn::text::{Labels, RationaliserConfig, Selector, TextTrainConfig, Vocabulary};
use hfy_nn::train::{FitConfig, Keep};

use super::source::Input;
use crate::cli::positive;
use crate::error::{Error, Result};
use crate::terminal;

/// What labels are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Task {
    /// Names of classes
    Classes,
    /// Numbers
    Numbers,
}

/// The vectors, the selector, the network around it, and the training.
#[derive(Debug, Clone, Args)]
pub(super) struct Network {
    /// Vectors of words: a word and its numbers a line, also gzipped [default: those of hfy data get glove]
    #[arg(long, value_name = "FILE", help_heading = "Network")]
    vectors: Option<PathBuf>,
    /// Look for vectors in this folder first
    #[arg(long, value_name = "DIR", help_heading = "Network")]
    data: Option<PathBuf>,
    /// What selects words: subsets:20%, sequence:20%:t=0.001 (which prefers neighbours), spans:20%, atmost:20%,
    /// softmax, sparsemax, entmax:1.5, ...
    #[arg(long, visible_alias = "omega", default_value = "sequence:20%:t=0.001", help_heading = "Network")]
    selector: String,
    /// Learn the transition of `sequence:K` from this value on
    #[arg(long, value_name = "T", allow_negative_numbers = true, help_heading = "Network")]
    transition: Option<f64>,
    /// Temperature of the selector in training
    #[arg(long, value_name = "T", default_value = "0.1", value_parser = positive, allow_negative_numbers = true, help_heading = "Network")]
    temperature: f64,
    /// Temperature of the selector in use
    #[arg(long, value_name = "T", default_value = "0.001", value_parser = positive, allow_negative_numbers = true, help_heading = "Network")]
    use_temperature: f64,
    /// States of the LSTM in each direction, and width of the pooling; with 0 words are pooled as their vectors,
    /// without an LSTM, so that nothing but the chosen words has a part in the prediction
    #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u64).range(0..=10_000), help_heading = "Network")]
    hidden: u64,
    /// Share of the numbers of word vectors that training leaves out
    #[arg(long, value_name = "SHARE", default_value = "0.2", allow_negative_numbers = true, help_heading = "Network")]
    dropout: f64,
    /// Whether labels are classes or numbers [default: numbers if all are and there are more than ten]
    #[arg(long, value_enum, help_heading = "Training")]
    task: Option<Task>,
    /// The most epochs
    #[arg(long, value_name = "N", default_value = "30", value_parser = clap::value_parser!(u64).range(1..=100_000), help_heading = "Training")]
    epochs: u64,
    /// Stop after so many epochs that are no better on the texts for validation
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u64).range(1..=100_000), help_heading = "Training")]
    patience: u64,
    /// Learning rate
    #[arg(long, value_name = "RATE", default_value = "0.001", value_parser = positive, allow_negative_numbers = true, help_heading = "Training")]
    rate: f64,
    /// Texts a step
    #[arg(long, value_name = "N", default_value = "32", value_parser = clap::value_parser!(u64).range(1..=10_000), help_heading = "Training")]
    batch: u64,
    /// One in so many texts is set aside for validation
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u64).range(2..=1000), help_heading = "Training")]
    pub(super) validation: u64,
    /// Decides first weights, orders, and which texts are set aside
    #[arg(long, value_name = "SEED", default_value = "0", help_heading = "Training")]
    pub(super) seed: u64,
}

/// Words without a vector are noted from this share on.
const MANY_UNKNOWN: f64 = 0.2;
/// A model keeps the words of its texts, and so many of those that come first in the file.
const FREQUENT: u32 = 50_000;

impl Network {
    /// What no later step would say of an option.
    pub(super) fn check(&self) -> Result<()> {
        if !(0.0..1.0).contains(&self.dropout) {
            return Err(Error::Usage(format!("--dropout {}: must lie in 0..1", self.dropout)));
        }
        let checked = self.config(1, 2).model.check();
        checked.map_err(|error| Error::Usage(format!("--selector {}: {error}", self.selector)))
    }

    /// The vectors, without those that no text is likely to need.
    pub(super) fn vocabulary(&self, input: &Input) -> Result<Vocabulary> {
        let path = match &self.vectors {
            Some(path) => path.clone(),
            None => {
                let lost = |error: hfy_lab::Error| {
                    Error::Data(format!("no vectors of words were found: {error}; --vectors names a file of one's own"))
                };
                glove::file(&Place::find(self.data.as_deref())?).map_err(lost)?
            }
        };
        let found = vectors::read(&path, None)?;
        found.notes().iter().for_each(|note| terminal::note(note));
        let (words, values) = found.into_parts();
        let all = Vocabulary::new(words, values)?;
        let mut seen = vec![false; all.words().len() + 1];
        let (mut count, mut unknown) = (0_usize, 0_usize);
        for text in input.all_words() {
            for word in text {
                let number = all.find(word);
                (seen[number as usize], count) = (true, count + 1);
                unknown += usize::from(number == Vocabulary::UNKNOWN);
            }
        }
        if unknown == count {
            let what = format!("has no vector for any word of {}; are they of another language?", input.file);
            return Err(Error::data(&path.display().to_string(), what));
        }
        let share = unknown as f64 / count as f64;
        if share > MANY_UNKNOWN {
            terminal::note(&format!("{:.0} % of the words of {} have no vector", 100.0 * share, input.file));
        }
        Ok(all.only(|number| number <= FREQUENT || seen[number as usize])?)
    }

    /// What the labels of texts are.
    pub(super) fn labels(&self, input: &Input) -> Result<Labels> {
        let given = input.texts.labels().ok_or_else(|| Error::data(&input.file, "has no labels"))?;
        let wrong = |what: String| Error::data(&input.file, what);
        if let Some(text) = given.iter().position(String::is_empty) {
            return Err(wrong(format!("line {}: the label is missing", input.texts.line(text))));
        }
        let names: BTreeSet<&str> = given.iter().map(String::as_str).collect();
        let numbers = given.iter().map(|label| label.parse::<f64>().ok().filter(|number| number.is_finite()));
        let numbers: Option<Vec<f64>> = numbers.collect();
        let are_numbers = match self.task {
            Some(task) => task == Task::Numbers,
            None => numbers.is_some() && names.len() > 10,
        };
        if are_numbers {
            let numbers = numbers.ok_or_else(|| wrong("has labels that are no numbers: --task classes".into()))?;
            let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
            let square = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / numbers.len() as f64;
            if square == 0.0 {
                return Err(wrong(format!("all labels are {mean}: there is nothing to learn")));
            }
            return Ok(Labels::Number { mean, deviation: square.sqrt() });
        }
        if let (1, Some(only)) = (names.len(), names.first()) {
            return Err(wrong(format!("all texts have the label '{only}': there must be two classes or more")));
        }
        if 2 * names.len() > given.len() {
            let rule = "--task numbers learns numbers, and --label names another column";
            return Err(wrong(format!("has {} classes for {} texts: {rule}", names.len(), given.len())));
        }
        Ok(Labels::Classes(names.into_iter().map(str::to_owned).collect()))
    }

    /// Everything for vectors of so many numbers and so many outputs.
    pub(super) fn config(&self, vectors: usize, outputs: usize) -> TextTrainConfig {
        let selector = Selector { omega: self.selector.clone(), temperature: self.temperature };
        let used = Selector { temperature: self.use_temperature, ..selector.clone() };
        TextTrainConfig {
            model: RationaliserConfig {
                hidden: self.hidden as usize,
                head: if self.hidden > 0 { self.hidden as usize } else { vectors },
                used,
                transition: self.transition,
                dropout: self.dropout,
                ..RationaliserConfig::new(vectors, outputs, selector)
            },
            rate: self.rate,
            plateau: 1,
            factor: 0.5,
            fit: FitConfig {
                epochs: self.epochs as usize,
                batch: self.batch as usize,
                patience: Some(self.patience as usize),
                keep: Keep::Best,
                seed: self.seed,
            },
            ..TextTrainConfig::default()
        }
    }
}
