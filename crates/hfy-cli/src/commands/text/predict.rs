//! `hfy text predict`: what a model says of texts.

use std::path::PathBuf;

use clap::Args;
use hfy_nn::text::{Labels, Rationale, TextModel};
use serde::Serialize;

use super::source::Source;
use crate::cli::Common;
use crate::error::{Error, Result};
use crate::io::output::{Output, print_bytes, print_json};
use crate::terminal::{Align, Style, Table};

/// Say what a model makes of each text
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A model that `hfy text train` wrote
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    source: Source,
    /// Write the table as csv to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Document {
    model: String,
    texts: Vec<Said>,
}

/// What is said of a text.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Said {
    /// The line of the file in which the text begins.
    pub(super) line: usize,
    /// The class, or the number.
    pub(super) predicted: String,
    /// The probability of the class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) probability: Option<f64>,
    /// What the file says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) label: Option<String>,
}

impl Said {
    pub(super) fn new(line: usize, rationale: &Rationale, labels: &Labels, label: Option<&String>) -> Self {
        let (predicted, probability) = match labels {
            Labels::Classes(names) => (names[rationale.class].clone(), Some(rationale.probabilities[rationale.class])),
            Labels::Number { .. } => (rationale.number.map_or(String::new(), |number| format!("{number:.4}")), None),
        };
        Said { line, predicted, probability, label: label.cloned() }
    }

    /// Whether a class is that of the file.
    pub(super) fn is_right(&self) -> Option<bool> {
        self.probability?;
        Some(self.label.as_ref()? == &self.predicted)
    }
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let output = arguments.output.as_ref().map(|path| Output::new(path, arguments.force)).transpose()?;
    let model = TextModel::read(&arguments.model)?;
    let input = arguments.source.read(false)?;
    let found = model.explain(&input.all_words())?;
    let label = |text: usize| input.texts.labels().map(|labels| &labels[text]);
    let said = |(text, rationale)| Said::new(input.texts.line(text), rationale, model.labels(), label(text));
    let texts = found.iter().enumerate().map(said).collect();
    let document = Document { model: arguments.model.display().to_string(), texts };
    if let Some(output) = &output {
        let csv = csv(&document).map_err(|error| Error::Data(error.to_string()))?;
        if output.is_stdout() {
            return print_bytes(csv.as_bytes());
        }
        output.write(|to| std::io::Write::write_all(to, csv.as_bytes()))?;
    }
    if common.json { print_json(&document) } else { print_bytes(text(&document).as_bytes()) }
}

fn csv(document: &Document) -> std::result::Result<String, std::fmt::Error> {
    use std::fmt::Write as _;
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let mut csv = "line,predicted,probability,label\n".to_owned();
    for said in &document.texts {
        let probability = said.probability.map_or(String::new(), |probability| probability.to_string());
        let label = said.label.as_deref().map_or(String::new(), quoted);
        writeln!(csv, "{},{},{probability},{label}", said.line, quoted(&said.predicted))?;
    }
    Ok(csv)
}

fn text(document: &Document) -> String {
    let mut table = Table::new([
        ("line", Align::Right),
        ("predicted", Align::Left),
        ("probability", Align::Right),
        ("label", Align::Left),
    ]);
    for said in &document.texts {
        table.row([
            said.line.to_string(),
            said.predicted.clone(),
            said.probability.map_or(String::new(), |probability| format!("{probability:.3}")),
            said.label.clone().unwrap_or_default(),
        ]);
    }
    let mut text = table.render(Style::of_stdout());
    let known: Vec<bool> = document.texts.iter().filter_map(Said::is_right).collect();
    if !known.is_empty() {
        let right = known.iter().filter(|right| **right).count();
        text += &format!("{right} of {} predictions agree with the labels\n", known.len());
    }
    text
}
