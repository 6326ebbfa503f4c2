//! What the command line looks like, and the arguments that several commands share.

mod reading;

use clap::{Args, Parser, Subcommand};
use hfy::{Map, Post};
use hfy_store::Info;

use crate::commands::{certify, completions, demo, energy, man, map, memory, recall, retrieve};
#[cfg(feature = "lab")]
use crate::commands::{data, reproduce};
#[cfg(feature = "learn")]
use crate::commands::{mil, text};
use crate::error::{Error, Result};
pub(crate) use reading::{Files, Reading};

#[cfg(feature = "lab")]
macro_rules! lab_examples {
    () => {
        "  hfy reproduce all                                 the tables and figures of the paper\n"
    };
}
#[cfg(not(feature = "lab"))]
macro_rules! lab_examples {
    () => {
        ""
    };
}
#[cfg(feature = "learn")]
macro_rules! learn_examples {
    () => {
        "  hfy mil train bags.csv -o model.safetensors       learn from bags of instances with labels\n\
         \x20 hfy text train reviews.csv -o model.safetensors   learn from texts, and see by which words\n"
    };
}
#[cfg(not(feature = "learn"))]
macro_rules! learn_examples {
    () => {
        ""
    };
}
#[cfg(feature = "download")]
macro_rules! download_examples {
    () => {
        "  hfy data get mnist                                a data set, from where it is published\n"
    };
}
#[cfg(not(feature = "download"))]
macro_rules! download_examples {
    () => {
        ""
    };
}

const EXAMPLES: &str = concat!(
    "\
Examples:
  hfy demo                                          a memory of pictures, and a report to read
  hfy memory build letters.hfy letters/             a memory of the pictures in a folder
  hfy retrieve letters.hfy damaged.png --beta 0.1   which one is it?
  hfy recall free letters.hfy                       all of them, one after the other
  hfy certify letters.hfy --beta 0.1                what is guaranteed to come back
  hfy map sparsemax scores.csv                      weights of rows of scores
",
    lab_examples!(),
    learn_examples!(),
    download_examples!(),
    "
Files end in npy, npz, csv, tsv, txt, safetensors, png, jpg, jpeg, bmp, webp, tif or tiff.
FILE:ARRAY names one of several arrays in a file, @LIST a list of files; - is the standard input
or the standard output.
Exit codes: 0 done, 1 the work failed (data or files), 2 the command line cannot be meant so,
3 no match (retrieve --fail-on-no-match), 130 interrupted."
);

/// Associative memories from convex functions.
#[derive(Debug, Parser)]
#[command(name = "hfy", version, after_help = EXAMPLES, max_term_width = 120)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How any command talks.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Common {
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress bars
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Compute with so many threads [default: as many as there are cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(demo::Arguments),
    #[command(subcommand)]
    Memory(memory::Command),
    Retrieve(Box<retrieve::Arguments>),
    #[command(subcommand)]
    Recall(recall::Command),
    Energy(Box<energy::Arguments>),
    Certify(Box<certify::Arguments>),
    Map(Box<map::Arguments>),
    #[cfg(feature = "learn")]
    #[command(subcommand)]
    Mil(mil::Command),
    #[cfg(feature = "learn")]
    #[command(subcommand)]
    Text(text::Command),
    #[cfg(feature = "lab")]
    Reproduce(reproduce::Arguments),
    #[cfg(feature = "lab")]
    #[command(subcommand)]
    Data(data::Command),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

/// The pair of functions that makes patterns a network.
#[derive(Debug, Clone, Args)]
pub(crate) struct Pair {
    /// Separation: softmax, sparsemax, entmax:1.5, normmax:5, subsets:2, sequence:2:t=0.5, windows:3, quadratic,
    /// power:3, exponential, ... [default: that of the memory, or sparsemax]
    #[arg(long, short, help_heading = "Network")]
    pub(crate) map: Option<Map>,
    /// Post-transformation: identity, l2:RADIUS, layernorm, tanh:BETA, sign [default: that of the memory, or identity]
    #[arg(long, short, help_heading = "Network")]
    pub(crate) post: Option<Post>,
    /// Inverse temperature of the separation [default: that of the memory, or 1]
    #[arg(long, short, value_parser = positive, allow_negative_numbers = true, help_heading = "Network")]
    pub(crate) beta: Option<f64>,
}

impl Pair {
    /// What was asked for; else what the memory says; else sparsemax, the identity and 1.
    pub(crate) fn resolve(&self, info: Option<&Info>, file: &str) -> Result<(Map, Post, f64)> {
        let said = |field: &str, text: &Option<String>| text.clone().map(|text| (format!("{file}: {field}"), text));
        let (omega, psi) = match info {
            Some(info) => (said("omega", &info.omega), said("psi", &info.psi)),
            None => (None, None),
        };
        let map = match (&self.map, omega) {
            (Some(map), _) => map.clone(),
            (None, Some((place, text))) => text.parse().map_err(|error: hfy::Error| wrong(&place, &text, &error))?,
            (None, None) => Map::Entmax(hfy::Entmax::SPARSEMAX),
        };
        let post = match (&self.post, psi) {
            (Some(post), _) => post.clone(),
            (None, Some((place, text))) => text.parse().map_err(|error: hfy::Error| wrong(&place, &text, &error))?,
            (None, None) => Post::default(),
        };
        Ok((map, post, resolve_beta(self.beta, info, file, 1.0)?))
    }
}

/// The inverse temperature that was asked for; else what the memory says; else `usual`.
pub(crate) fn resolve_beta(asked: Option<f64>, info: Option<&Info>, file: &str, usual: f64) -> Result<f64> {
    match (asked, info.and_then(|info| info.beta.as_ref())) {
        (Some(beta), _) => Ok(beta),
        (None, Some(text)) => positive(text).map_err(|error| wrong(&format!("{file}: beta"), text, &error)),
        (None, None) => Ok(usual),
    }
}

/// A memory says something that cannot be read.
fn wrong(place: &str, text: &str, error: &dyn std::fmt::Display) -> Error {
    Error::data(place, format!("'{text}': {error}"))
}

/// A number greater than zero.
pub(crate) fn positive(text: &str) -> std::result::Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("must be a positive finite number".to_owned()),
    }
}
