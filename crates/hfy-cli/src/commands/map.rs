//! `hfy map`: a separation map on rows of scores.

use std::fmt::Write;
use std::io::Write as _;

use clap::Args;
use hfy::{Batch, Map, Scaled, Support};
use ndarray::ArrayView2;
use serde::Serialize;

use crate::cli::{Common, Reading, positive};
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::io::{self, Format, Output, Rows, npz};
use crate::number::{Number, with_float};

const EXAMPLES: &str = "\
Examples:
  hfy map sparsemax scores.csv
  hfy map entmax:1.5 scores.npy --beta 4 --out weights.npy
  hfy map normmax:5 batch.npz:scores --support
  printf '1,0.4,-2\\n' | hfy map softmax -";

/// Apply a separation map to rows of scores
///
/// A score of -inf is masked: its weight is zero. A row with nothing left gives zeros and is reported.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// softmax, sparsemax, argmax, entmax:ALPHA, normmax:GAMMA, subsets:K, bounded:U,U,..., quadratic, power:R, exponential
    #[arg(value_name = "MAP")]
    map: Map,
    /// Rows of scores; - for csv from the standard input
    #[arg(value_name = "FILE")]
    file: String,
    /// Inverse temperature
    #[arg(long, short, default_value = "1", value_parser = positive, allow_negative_numbers = true)]
    beta: f64,
    /// Print only weights that are not zero, with their rows and columns (from 0)
    #[arg(long)]
    support: bool,
    /// Write the weights to this file: npy, npz, csv, tsv or safetensors; with --support csv, tsv or npz
    #[arg(long, short, value_name = "FILE")]
    out: Option<String>,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Serialize)]
struct Document<T> {
    map: String,
    beta: f64,
    rows: usize,
    columns: usize,
    /// Rows, from 0, that were masked entirely.
    empty: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<Vec<T>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    support: Option<Vec<Vec<Entry<T>>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
}

#[derive(Serialize)]
struct Entry<T> {
    column: usize,
    weight: T,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let output = match &arguments.out {
        Some(path) if arguments.support => Some(support_output(path, arguments.force)?),
        Some(path) => Some(Output::for_matrix(path, arguments.force)?),
        None => None,
    };
    if common.json && output.as_ref().is_some_and(Output::is_stdout) {
        return Err(Error::Usage("--json and --out - would both write to the standard output".to_owned()));
    }
    let rows = io::read_rows(&arguments.file, arguments.reading.dtype)?;
    with_float!(rows.float(), T => run_in::<T>(arguments, common, &rows, output))
}

fn support_output(path: &str, force: bool) -> Result<Output> {
    let output = Output::for_matrix(path, force)?;
    match output.format() {
        Some(Format::Csv(_) | Format::Npz) => Ok(output),
        _ => Err(Error::Usage(format!("--out {path}: a support is written to csv, tsv, txt or npz"))),
    }
}

fn run_in<T: Number>(arguments: &Arguments, common: Common, rows: &Rows, output: Option<Output>) -> Result<()> {
    let scores = rows.matrix::<T>();
    let map = Scaled::with_beta(arguments.map.clone(), arguments.beta)?;
    let batch = Batch::new(&map);
    let (rows_count, columns) = rows.dim;
    let mut document = Document {
        map: arguments.map.to_string(),
        beta: arguments.beta,
        rows: rows_count,
        columns,
        empty: Vec::new(),
        weights: None,
        support: None,
        out: output.as_ref().map(|output| output.path().display().to_string()),
    };
    if arguments.support {
        let supports = batch.supports(scores.view()).map_err(|error| rows.wrong(error))?;
        let masked = |row: &usize| scores.row(*row).iter().all(|score| *score == T::neg_infinity());
        document.empty = (0..rows_count).filter(masked).collect();
        match &output {
            Some(output) => write_support(output, &supports)?,
            None if common.json => document.support = Some(supports.iter().map(entries).collect()),
            None => print_bytes(support_csv(&supports, ',').as_bytes())?,
        }
    } else {
        let (weights, report) = batch.map(scores.view()).map_err(|error| rows.wrong(error))?;
        document.empty = report.empty;
        match &output {
            Some(output) => output.write_matrix("weights", weights.view())?,
            None if common.json => document.weights = Some(nested(weights.view())),
            None => Output::for_matrix("-", false)?.write_matrix("weights", weights.view())?,
        }
    }
    if common.json {
        return print_json(&document);
    }
    if !document.empty.is_empty() {
        let lines: Vec<String> = document.empty.iter().map(|row| (row + 1).to_string()).collect();
        eprintln!("note: {}: everything is masked in row {}; its weights are zeros", rows.file(), lines.join(", "));
    }
    if let Some(output) = output.filter(|output| !output.is_stdout()) {
        print_bytes(format!("{rows_count} rows of weights written to {}\n", output.path().display()).as_bytes())?;
    }
    Ok(())
}

/// The rows of a matrix, for JSON.
pub(crate) fn nested<T: Number>(matrix: ArrayView2<'_, T>) -> Vec<Vec<T>> {
    matrix.rows().into_iter().map(|row| row.to_vec()).collect()
}

fn entries<T: Number>(support: &Support<T>) -> Vec<Entry<T>> {
    support.iter().map(|(column, weight)| Entry { column, weight }).collect()
}

fn support_csv<T: Number>(supports: &[Support<T>], delimiter: char) -> String {
    let mut text = format!("row{delimiter}column{delimiter}weight\n");
    for (row, support) in supports.iter().enumerate() {
        for (column, weight) in support.iter() {
            let _ = writeln!(text, "{row}{delimiter}{column}{delimiter}{weight}");
        }
    }
    text
}

fn write_support<T: Number>(output: &Output, supports: &[Support<T>]) -> Result<()> {
    match output.format() {
        Some(Format::Npz) => output.write(|to| {
            let rows: Vec<usize> =
                supports.iter().enumerate().flat_map(|(row, support)| vec![row; support.len()]).collect();
            let columns: Vec<usize> = supports.iter().flat_map(|support| support.indices()).copied().collect();
            let weights: Vec<T> = supports.iter().flat_map(|support| support.weights()).copied().collect();
            let mut archive = npz::Archive::new(to);
            archive.indices("row", &rows)?;
            archive.indices("column", &columns)?;
            archive.matrix("weight", io::array::owned(weights, (1, columns.len())).view())?;
            archive.finish()
        }),
        Some(Format::Csv(delimiter)) if !output.is_stdout() => {
            output.write(|to| to.write_all(support_csv(supports, char::from(delimiter)).as_bytes()))
        }
        _ => print_bytes(support_csv(supports, ',').as_bytes()),
    }
}
