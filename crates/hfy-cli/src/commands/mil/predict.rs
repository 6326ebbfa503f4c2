//! `hfy mil predict`: what a model says of bags.

use std::path::PathBuf;

use clap::Args;
use hfy_nn::mil::BagModel;
use serde::Serialize;

use super::source::{Source, as_input, fitted_to};
use crate::cli::Common;
use crate::error::Result;
use crate::io::output::{Output, print_bytes, print_json};
use crate::terminal::{Align, Style, Table};

/// Say for each bag how likely it is positive
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A model that `hfy mil train` wrote
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
struct Document<'a> {
    model: String,
    threshold: f64,
    bags: Vec<Bag<'a>>,
}

#[derive(Serialize)]
struct Bag<'a> {
    bag: &'a str,
    probability: f64,
    /// The lowest and the highest of the classifiers.
    between: (f64, f64),
    positive: bool,
    label: Option<bool>,
    instances: usize,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let output = arguments.output.as_ref().map(|path| Output::new(path, arguments.force)).transpose()?;
    let model = BagModel::read(&arguments.model)?;
    let bags = fitted_to(&model, arguments.source.read(false)?, &arguments.source.name())?;
    let predictions = model.predict(&as_input(&bags)?)?;
    let bag = |(at, prediction): (usize, hfy_nn::mil::Prediction)| Bag {
        bag: bags.name(at),
        probability: prediction.probability,
        between: prediction.between,
        positive: prediction.probability >= 0.5,
        label: bags.label(at),
        instances: bags.bag(at).nrows(),
    };
    let document = Document {
        model: arguments.model.display().to_string(),
        threshold: 0.5,
        bags: predictions.into_iter().enumerate().map(bag).collect(),
    };
    if let Some(output) = &output {
        let csv = csv(&document);
        if output.is_stdout() {
            return print_bytes(csv.as_bytes());
        }
        output.write(|to| std::io::Write::write_all(to, csv.as_bytes()))?;
    }
    if common.json { print_json(&document) } else { print_bytes(text(&document).as_bytes()) }
}

fn csv(document: &Document<'_>) -> String {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let line = |bag: &Bag<'_>| {
        let label = bag.label.map_or(String::new(), |label| u8::from(label).to_string());
        format!("{},{},{},{label}\n", quoted(bag.bag), bag.probability, u8::from(bag.positive))
    };
    "bag,probability,positive,label\n".to_owned() + &document.bags.iter().map(line).collect::<String>()
}

fn text(document: &Document<'_>) -> String {
    let style = Style::of_stdout();
    let mut table = Table::new([
        ("bag", Align::Left),
        ("instances", Align::Right),
        ("probability", Align::Right),
        ("decision", Align::Left),
        ("label", Align::Left),
    ]);
    let name = |positive: bool| if positive { "positive" } else { "negative" };
    for bag in &document.bags {
        table.row([
            bag.bag.to_owned(),
            bag.instances.to_string(),
            format!("{:.3}", bag.probability),
            name(bag.positive).to_owned(),
            bag.label.map_or(String::new(), |label| name(label).to_owned()),
        ]);
    }
    let mut text = table.render(style);
    let known: Vec<bool> = document.bags.iter().filter_map(|bag| Some(bag.label? == bag.positive)).collect();
    if !known.is_empty() {
        let right = known.iter().filter(|right| **right).count();
        text += &format!("{right} of {} decisions agree with the labels\n", known.len());
    }
    text
}
