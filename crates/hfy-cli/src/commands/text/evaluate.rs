//! `hfy text evaluate`: how good a model is, and whether people would have chosen the same words.

use std::path::PathBuf;

use clap::Args;
use hfy_nn::text::{self, Agreement, Evaluation, Faithfulness, Read, TextModel, Texts, agreement, faithfulness, runs};
use serde::Serialize;

use super::source::Source;
use super::train::{in_unit, quality};
use crate::cli::Common;
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::terminal::Style;

/// Compare a model with labels, and the words that it chose with those that people marked
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A model that `hfy text train` wrote
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    source: Source,
    /// Compare with passages that people marked, which the file must have
    #[arg(long)]
    rationales: bool,
}

#[derive(Serialize)]
struct Document {
    model: String,
    texts: usize,
    /// Beside the labels. Errors are in the unit of the labels.
    labels: Evaluation,
    /// From the whole text to its rationale, and to the rest.
    faithfulness: Faithfulness,
    /// The mean share of the words that have weight, and the mean number of runs that they come in.
    share: f64,
    runs: f64,
    /// Beside the words that people marked.
    #[serde(skip_serializing_if = "Option::is_none")]
    rationales: Option<Agreement>,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let model = TextModel::read(&arguments.model)?;
    let input = arguments.source.read(true)?;
    let targets = input.targets(model.labels())?;
    let marks = match (arguments.rationales, input.marks()) {
        (true, None) => {
            let rule = "--rationale names the column or key with what people marked";
            return Err(Error::data(&input.file, format!("has no marked passages: {rule}")));
        }
        (true, marks) => marks,
        (false, _) => None,
    };
    let texts = Texts::encode(model.vocabulary(), input.all_words())?;
    let all: Vec<usize> = (0..texts.len()).collect();
    let found = text::read(model.network(), model.vocabulary(), &texts, &all)?;
    let chosen: Vec<Vec<bool>> = found.iter().map(Read::rationale).collect();
    let mean = |of: &dyn Fn(&Vec<bool>) -> f64| chosen.iter().map(of).sum::<f64>() / chosen.len() as f64;
    let document = Document {
        model: arguments.model.display().to_string(),
        texts: texts.len(),
        labels: in_unit(Evaluation::new(&found, &targets, &all), model.labels()),
        faithfulness: faithfulness(model.network(), model.vocabulary(), &texts, &all, &found)?,
        share: mean(&|words| words.iter().filter(|chosen| **chosen).count() as f64 / words.len() as f64),
        runs: mean(&|words| runs(words) as f64),
        rationales: marks.and_then(|marks| agreement(chosen.iter().zip(&marks))),
    };
    if common.json { print_json(&document) } else { print_bytes(told(&document).as_bytes()) }
}

fn told(document: &Document) -> String {
    let style = Style::of_stdout();
    let Faithfulness { sufficiency, comprehensiveness } = document.faithfulness;
    let mut text = format!(
        "{} texts: {}\nrationales: {:.1} % of the words, in {:.1} runs\n\
         sufficiency {sufficiency:.3} (small is good), comprehensiveness {comprehensiveness:.3} (large is good)\n",
        document.texts,
        style.bold(&quality(&document.labels)),
        100.0 * document.share,
        document.runs,
    );
    if let Some(Agreement { f1, precision, recall, macro_f1 }) = document.rationales {
        text += &format!(
            "beside people: F1 of words {}, precision {precision:.3}, recall {recall:.3}; \
             F1 of the means over texts {macro_f1:.3}\n",
            style.bold(&format!("{f1:.3}"))
        );
    }
    text
}
