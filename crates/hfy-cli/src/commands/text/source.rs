//! Where texts come from.

use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use hfy_io::texts::{self, Options, Texts};
use hfy_nn::text::{Labels, Targets, tokens};

use crate::error::{Error, Result};

/// Texts, and how they are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct Source {
    /// Texts: a table (csv, tsv) or a jsonl file, also gzipped
    #[arg(value_name = "TEXTS")]
    pub(super) texts: PathBuf,
    /// The column or key with the text [default: text, review, sentence, tokens or words]
    #[arg(long, value_name = "COLUMN", help_heading = "How texts are read")]
    text: Option<String>,
    /// The column or key with the label [default: label, class, target, sentiment, score or rating]
    #[arg(long, value_name = "COLUMN", help_heading = "How texts are read")]
    label: Option<String>,
    /// The column or key with the passages that people marked [default: rationale, rationales or evidence]
    #[arg(long, value_name = "COLUMN", help_heading = "How texts are read")]
    rationale: Option<String>,
}

/// Texts with their words.
pub(super) struct Input {
    pub(super) file: String,
    pub(super) texts: Texts,
    /// Where the words of each text are, in bytes.
    pub(super) words: Vec<Vec<Range<usize>>>,
}

impl Source {
    /// The texts; `labelled` says whether they must have labels.
    pub(super) fn read(&self, labelled: bool) -> Result<Input> {
        let options = Options {
            text: self.text.clone(),
            label: self.label.clone(),
            rationale: self.rationale.clone(),
            unlabelled: !labelled,
        };
        let (file, texts) = (self.texts.display().to_string(), texts::read(&self.texts, &options)?);
        let words = |text: usize| {
            let found = texts.words(text).map_or_else(|| tokens(texts.text(text)), <[_]>::to_vec);
            let empty = || Error::data(&file, format!("line {}: the text has no words", texts.line(text)));
            if found.is_empty() { Err(empty()) } else { Ok(found) }
        };
        let words = (0..texts.len()).map(words).collect::<Result<Vec<_>>>()?;
        Ok(Input { file, texts, words })
    }
}

impl Input {
    /// The words of a text.
    pub(super) fn words(&self, text: usize) -> Vec<&str> {
        self.words[text].iter().map(|place| &self.texts.text(text)[place.clone()]).collect()
    }

    /// The words of all texts.
    pub(super) fn all_words(&self) -> Vec<Vec<&str>> {
        (0..self.texts.len()).map(|text| self.words(text)).collect()
    }

    /// Whether people marked each word of each text; `None` where the file has no marks.
    pub(super) fn marks(&self) -> Option<Vec<Vec<Option<bool>>>> {
        self.texts.marked()?;
        let is_marked =
            |text: usize| self.words[text].iter().map(|word| Some(self.texts.is_marked(text, word))).collect();
        Some((0..self.texts.len()).map(is_marked).collect())
    }

    /// The labels as a model has them; those that it does not know are refused.
    pub(super) fn targets(&self, labels: &Labels) -> Result<Targets> {
        let given = self.texts.labels().ok_or_else(|| Error::data(&self.file, "has no labels"))?;
        let at = |text: usize, what: String| Error::data(&self.file, format!("line {}: {what}", self.texts.line(text)));
        match labels {
            Labels::Classes(names) => {
                let class = |(text, label): (usize, &String)| {
                    let unknown = || at(text, format!("the label '{label}' is none of {}", names.join(", ")));
                    names.iter().position(|name| name == label).ok_or_else(unknown)
                };
                let of = given.iter().enumerate().map(class).collect::<Result<_>>()?;
                Ok(Targets::Classes { classes: names.len(), of })
            }
            Labels::Number { mean, deviation } => {
                let number = |(text, label): (usize, &String)| {
                    let number = label.parse::<f64>().ok().filter(|number| number.is_finite());
                    let number = number.ok_or_else(|| at(text, format!("the label '{label}' is no number")))?;
                    Ok(((number - mean) / deviation) as f32)
                };
                Ok(Targets::Numbers(given.iter().enumerate().map(number).collect::<Result<_>>()?))
            }
        }
    }
}
