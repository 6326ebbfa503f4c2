//! `hfy energy`: the energies of states.

use clap::Args;
use hfy::Network;
use hfy::network::{AnyNetwork, Parts};
use ndarray::Array2;
use ndarray::Axis;
use serde::Serialize;

use crate::cli::{Common, Pair, Reading};
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::io::{Blame as _, Output, Rows, distinct};
use crate::number::{Number, with_float};
use crate::patterns::{Chosen, Patterns};
use crate::terminal::{Align, Style, Table, Watch, number, stop_here};

/// States between two looks at Ctrl-C: enough for a product of matrices.
const AT_ONCE: usize = 256;

const EXAMPLES: &str = "\
Examples:
  hfy energy letters.hfy damaged.png --beta 0.1
  hfy energy points.npy states.csv --map entmax:1.5 --beta 4 --json";

/// Compute energies of states
///
/// The energy is E(q) = Ψ(q) - Ω*(X q), the sum of a convex and a concave part; it is infinite outside the domain of Ψ.
/// The normalised energy is the paper's, the energy plus Ω*(0) + M²/2 for the largest norm M of a pattern. For entmax
/// and normmax with the identity it is at least zero on the convex hull of the patterns; for other pairs it may be
/// less.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A memory, or rows of any other file
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// States, one a row
    #[arg(value_name = "STATES", required = true)]
    states: Vec<String>,
    #[command(flatten)]
    pair: Pair,
    /// Write the four columns energy, concave, convex, normalised to this file: npy, npz, csv, tsv or safetensors
    #[arg(long, short, value_name = "FILE")]
    out: Option<String>,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Serialize)]
struct Document {
    map: String,
    post: String,
    beta: f64,
    energies: Vec<Energy>,
}

#[derive(Serialize)]
struct Energy {
    row: usize,
    energy: f64,
    concave: f64,
    convex: f64,
    normalised: f64,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let output = arguments.out.as_ref().map(|path| Output::for_matrix(path, arguments.force)).transpose()?;
    if common.json && output.as_ref().is_some_and(Output::is_stdout) {
        return Err(Error::Usage("--json and --out - would both write to the standard output".to_owned()));
    }
    let path = output.as_ref().map(Output::path);
    distinct::check(&[("--out", path)], &[std::slice::from_ref(&arguments.memory), &arguments.states])?;
    let patterns = Patterns::open(&arguments.memory, arguments.reading.options(), &arguments.chosen)?;
    let states = patterns.read_like(&arguments.states)?;
    let document = with_float!(patterns.float(), T => compute::<T>(arguments, &patterns, &states)?);
    if let Some(output) = &output {
        let rows = document.energies.len();
        let columns: Vec<f64> =
            document.energies.iter().flat_map(|e| [e.energy, e.concave, e.convex, e.normalised]).collect();
        let matrix = Array2::from_shape_vec((rows, 4), columns).expect("four columns");
        output.write_matrix("energies", matrix.view())?;
        if output.is_stdout() {
            return Ok(());
        }
    }
    if common.json { print_json(&document) } else { print_bytes(document.text().as_bytes()) }
}

fn compute<T: Number>(arguments: &Arguments, patterns: &Patterns, states: &Rows) -> Result<Document> {
    let (map, post, beta) = arguments.pair.resolve(patterns.info(), &patterns.file)?;
    let (map_text, post_text) = (map.to_string(), post.to_string());
    let omega = hfy::Scaled::with_beta(map, beta)?;
    let network: AnyNetwork<'_, T> =
        Network::new(omega, post, patterns.matrix::<T>()?).map_err(Error::in_file(&patterns.file))?;
    let constant = network.normalising_constant()?;
    let matrix = states.matrix::<T>();
    let mut energies = Vec::with_capacity(states.dim.0);
    let watch = Watch::new("computing", false).of("states");
    for chunk in matrix.axis_chunks_iter(Axis(0), AT_ONCE) {
        let first = energies.len();
        stop_here(&watch, first, states.dim.0)?;
        let parts = network.energies(chunk).map_err(|error| states.wrong_query(shifted(error, first)))?;
        energies.extend((states.first + first..).zip(parts).map(|(row, parts): (usize, Parts<T>)| Energy {
            row,
            energy: parts.total().wide(),
            concave: parts.concave.wide(),
            convex: parts.convex.wide(),
            normalised: (parts.total() + constant).wide(),
        }));
    }
    Ok(Document { map: map_text, post: post_text, beta, energies })
}

/// An error about a state of a chunk, said of its row in all of them.
fn shifted(error: hfy::Error, first: usize) -> hfy::Error {
    match error {
        hfy::Error::Entry { row: Some(row), .. } => error.in_row(first + row),
        other => other,
    }
}

impl Document {
    fn text(&self) -> String {
        let columns = ["row", "energy", "concave", "convex", "normalised"].map(|name| (name, Align::Right));
        let mut table = Table::new(columns);
        for e in &self.energies {
            let values = [e.energy, e.concave, e.convex, e.normalised].map(number);
            table.row([vec![e.row.to_string()], values.to_vec()].concat());
        }
        format!("map {}, post {}, beta {}\n{}", self.map, self.post, self.beta, table.render(Style::of_stdout()))
    }
}
