//! `hfy text explain`: the words that a prediction rests on.

use std::path::PathBuf;

use clap::Args;
use hfy_nn::text::{Rationale, TextModel};
use serde::Serialize;

use super::page;
use super::predict::Said;
use super::source::{Input, Source};
use crate::cli::Common;
use crate::error::Result;
use crate::io::output::{Output, print_bytes, print_json};
use crate::terminal::Style;

/// Show the words that each prediction rests on
///
/// What has no weight had no part in what was pooled; it is seen only through the states of the words around it. Words
/// that have no vector are known by their neighbours alone.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A model that `hfy text train` wrote
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    source: Source,
    /// The most texts, from the first one on
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    most: u64,
    /// Write a page to this file
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,
    /// Replace a page that is there
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    model: String,
    selector: &'a str,
    texts: Vec<Explained<'a>>,
}

/// A text and what was chosen in it.
#[derive(Serialize)]
pub(super) struct Explained<'a> {
    #[serde(flatten)]
    pub(super) said: Said,
    /// The words with weight, with their places in bytes.
    rationale: Vec<Word<'a>>,
    /// The share of the words that have weight, and how many runs of neighbours they come in.
    pub(super) share: f64,
    pub(super) runs: usize,
    /// Pieces of the text: as it is between words, and the words with their share of the largest weight.
    #[serde(skip)]
    pub(super) pieces: Vec<(&'a str, f32)>,
}

#[derive(Serialize)]
struct Word<'a> {
    word: &'a str,
    start: usize,
    end: usize,
    weight: f32,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let output = arguments.output.as_ref().map(|path| Output::new(path, arguments.force)).transpose()?;
    let model = TextModel::read(&arguments.model)?;
    let input = arguments.source.read(false)?;
    let mut words = input.all_words();
    words.truncate(arguments.most as usize);
    let found = model.explain(&words)?;
    let label = |text: usize| input.texts.labels().map(|labels| &labels[text]);
    let one = |(text, rationale): (usize, &Rationale)| Explained {
        said: Said::new(input.texts.line(text), rationale, model.labels(), label(text)),
        rationale: chosen(&input, text, rationale),
        share: rationale.share(),
        runs: rationale.runs(),
        pieces: pieces(&input, text, rationale),
    };
    let texts: Vec<Explained<'_>> = found.iter().enumerate().map(one).collect();
    if let Some(output) = &output {
        let page = page::html(&model.config().selector.omega, &texts);
        output.write(|to| std::io::Write::write_all(to, page.as_bytes()))?;
    }
    let selector = model.config().used.omega.as_str();
    let document = Document { model: arguments.model.display().to_string(), selector, texts };
    if common.json {
        return print_json(&document);
    }
    let mut text = text(&document);
    if let Some(path) = &arguments.output {
        text += &format!("{}\n", Style::of_stdout().good(&format!("wrote {}", path.display())));
    }
    print_bytes(text.as_bytes())
}

fn chosen<'a>(input: &'a Input, text: usize, rationale: &Rationale) -> Vec<Word<'a>> {
    let word = |at: usize| {
        let place = input.words[text][at].clone();
        let word = &input.texts.text(text)[place.clone()];
        Word { word, start: place.start, end: place.end, weight: rationale.weights[at] }
    };
    rationale.chosen().into_iter().map(word).collect()
}

fn pieces<'a>(input: &'a Input, text: usize, rationale: &Rationale) -> Vec<(&'a str, f32)> {
    let (whole, mut end, mut pieces) = (input.texts.text(text), 0, Vec::new());
    let most = rationale.weights.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
    for (place, weight) in input.words[text].iter().zip(&rationale.weights) {
        pieces.push((&whole[end..place.start], 0.0));
        pieces.push((&whole[place.clone()], weight / most));
        end = place.end;
    }
    pieces.push((&whole[end..], 0.0));
    pieces
}

fn text(document: &Document<'_>) -> String {
    let style = Style::of_stdout();
    let mut all = String::new();
    for explained in &document.texts {
        let Explained { said, share, runs, pieces, .. } = explained;
        let probability = said.probability.map_or(String::new(), |probability| format!(" {probability:.3}"));
        let label = match (&said.label, said.is_right()) {
            (Some(label), Some(false)) => style.bad(&format!(", labelled {label}")),
            (Some(label), _) => format!(", labelled {label}"),
            (None, _) => String::new(),
        };
        let how = format!("{:.0} % of the words, in {runs} {}", 100.0 * share, if *runs == 1 { "run" } else { "runs" });
        all += &format!("line {}: {}{probability}{label}; {how}\n  ", said.line, style.bold(&said.predicted));
        for (piece, weight) in pieces {
            let plain = piece.replace(['\n', '\r', '\t'], " ");
            all += &if *weight > 0.0 { style.marked(&plain) } else { plain };
        }
        all += "\n\n";
    }
    all
}
