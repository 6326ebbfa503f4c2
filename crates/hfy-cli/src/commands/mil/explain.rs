//! `hfy mil explain`: which instances a model looked at.

use std::path::PathBuf;

use clap::Args;
use hfy_io::Bags;
use hfy_nn::mil::{BagModel, Evidence};
use serde::Serialize;

use super::evidence::drawn;
use super::page;
use super::source::{Source, as_input, fitted_to};
use crate::cli::Common;
use crate::error::{Error, Result};
use crate::io::output::{Output, print_bytes, print_json};
use crate::terminal::{Align, Style, Table};

/// Show which instances of each bag the heads looked at
///
/// With a sparse separation the support is exact: an instance without weight had no part in what was pooled. With
/// softmax, entmax, normmax and subsets the decision would be the same without it; with sequence and windows it also
/// keeps its neighbours apart.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A model that `hfy mil train` wrote
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    source: Source,
    /// Only these bags, by their names
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Vec<String>,
    /// The most instances of a bag in the table, those with the largest share first
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    top: u64,
    /// Write a page with a drawing of each bag to this file
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,
    /// Replace a page that is there
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Document<'a> {
    model: String,
    omega: &'a str,
    heads: usize,
    bags: Vec<Explained<'a>>,
}

/// A bag and what was looked at.
#[derive(Serialize)]
pub(super) struct Explained<'a> {
    pub(super) bag: &'a str,
    pub(super) probability: f64,
    pub(super) between: (f64, f64),
    pub(super) label: Option<bool>,
    pub(super) instances: Vec<Instance>,
    #[serde(skip)]
    pub(super) evidence: Evidence,
}

/// An instance of a bag.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Instance {
    /// Its place in the bag, and its row in the file, both from 0.
    pub(super) place: usize,
    pub(super) row: usize,
    /// The mean share of the heads' weight.
    pub(super) share: f64,
    /// How many heads give it weight.
    pub(super) heads: usize,
    /// The weight of each head, of one seed after the other.
    pub(super) weights: Vec<f32>,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let output = arguments.output.as_ref().map(|path| Output::new(path, arguments.force)).transpose()?;
    let model = BagModel::read(&arguments.model)?;
    let mut bags = fitted_to(&model, arguments.source.read(false)?, &arguments.source.name())?;
    if !arguments.only.is_empty() {
        bags = bags.select(&chosen(&bags, &arguments.only, &arguments.source.name())?);
    }
    let evidence = model.explain(&as_input(&bags)?)?;
    let document = Document {
        model: arguments.model.display().to_string(),
        omega: &model.config().pooling.omega,
        heads: evidence.first().map_or(0, |evidence| evidence.heads.len()),
        bags: evidence.into_iter().enumerate().map(|(at, evidence)| explained(&bags, at, evidence)).collect(),
    };
    if let Some(output) = &output {
        let members = model.members().len();
        let drawings = document.bags.iter().enumerate().map(|(at, one)| drawn(&bags, at, &one.evidence, members));
        let drawings = drawings.collect::<Result<Vec<String>>>()?;
        let page = page::html(document.omega, &document.bags, &drawings);
        if output.is_stdout() {
            return print_bytes(page.as_bytes());
        }
        output.write(|to| std::io::Write::write_all(to, page.as_bytes()))?;
    }
    if common.json { print_json(&document) } else { print_bytes(text(&document, arguments).as_bytes()) }
}

fn chosen(bags: &Bags, names: &[String], file: &str) -> Result<Vec<usize>> {
    let find = |name: &String| {
        let found = (0..bags.len()).find(|&bag| bags.name(bag) == name);
        found.ok_or_else(|| Error::data(file, format!("has no bag '{}'", hfy_io::visible(name))))
    };
    names.iter().map(find).collect()
}

fn explained(bags: &Bags, bag: usize, evidence: Evidence) -> Explained<'_> {
    let start = bags.offsets()[bag];
    let instance = |place: usize| Instance {
        place,
        row: bags.rows()[start + place],
        share: evidence.share(place),
        heads: evidence.heads_on(place),
        weights: evidence.heads.iter().map(|weights| weights[place]).collect(),
    };
    Explained {
        bag: bags.name(bag),
        probability: evidence.prediction.probability,
        between: evidence.prediction.between,
        label: bags.label(bag),
        instances: (0..bags.bag(bag).nrows()).map(instance).collect(),
        evidence,
    }
}

/// The instances with the largest shares; those without weight are left out.
pub(super) fn foremost(instances: &[Instance], most: usize) -> Vec<&Instance> {
    let mut seen: Vec<&Instance> = instances.iter().filter(|instance| instance.heads > 0).collect();
    seen.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.place.cmp(&b.place)));
    seen.truncate(most);
    seen
}

fn text(document: &Document<'_>, arguments: &Arguments) -> String {
    let mut table = Table::new([
        ("bag", Align::Left),
        ("probability", Align::Right),
        ("label", Align::Left),
        ("with weight", Align::Right),
        ("row", Align::Right),
        ("share %", Align::Right),
        ("heads", Align::Right),
    ]);
    for bag in &document.bags {
        let seen = bag.instances.iter().filter(|instance| instance.heads > 0).count();
        for (line, instance) in foremost(&bag.instances, arguments.top as usize).into_iter().enumerate() {
            let first = |text: String| if line == 0 { text } else { String::new() };
            table.row([
                first(bag.bag.to_owned()),
                first(format!("{:.3}", bag.probability)),
                first(bag.label.map_or("", |label| if label { "positive" } else { "negative" }).to_owned()),
                first(format!("{seen} of {}", bag.instances.len())),
                instance.row.to_string(),
                format!("{:.1}", 100.0 * instance.share),
                format!("{} of {}", instance.heads, document.heads),
            ]);
        }
    }
    let mut text = table.render(Style::of_stdout());
    if let Some(output) = &arguments.output {
        text += &format!("wrote {}\n", output.display());
    }
    text
}
