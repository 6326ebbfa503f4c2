//! `hfy map`: a separation map on rows of scores.

mod sink;

use clap::Args;
use hfy::{Batch, Map, Scaled};
use hfy_io::picture::Integers;
use hfy_io::{Options, RowStream, visible};
use serde::Serialize;

use crate::cli::{Common, Reading, positive};
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::io::{Blame as _, Format, Output, Rows, distinct, note_all};
use crate::number::{Number, with_float};
use crate::terminal::{Watch, note, stop_here};
use sink::{Block, Sink};

const EXAMPLES: &str = "\
Examples:
  hfy map sparsemax scores.csv
  hfy map entmax:1.5 scores.npy --beta 4 --out weights.npy
  hfy map normmax:5 batch.npz:scores --support
  printf '1,0.4,-2\\n' | hfy map softmax -";

/// Apply a separation map to rows of scores
///
/// A score of -inf is masked: its weight is zero. A row with nothing left gives zeros and is reported. Rows of csv and
/// npy are read, computed and written a block at a time, so that there may be more of them than fit into memory; only
/// npz, safetensors and JSON are kept until the end.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// softmax, sparsemax, argmax, entmax:ALPHA, normmax:GAMMA, subsets:K, bounded:U,U,..., quadratic, power:R,
    /// exponential
    #[arg(value_name = "MAP")]
    map: Map,
    /// Rows of scores; - for the standard input, csv or npy
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

/// Numbers that are computed at a time.
const BLOCK: usize = 1 << 18;

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let output = match &arguments.out {
        Some(path) if arguments.support => Some(support_output(path, arguments.force)?),
        Some(path) => Some(Output::for_matrix(path, arguments.force)?),
        None => None,
    };
    if common.json && output.as_ref().is_some_and(Output::is_stdout) {
        return Err(Error::Usage("--json and --out - would both write to the standard output".to_owned()));
    }
    let path = output.as_ref().map(Output::path);
    distinct::check(&[("--out", path)], &[std::slice::from_ref(&arguments.file)])?;
    // Scores are numbers, whatever axes their array has.
    let mut options: Options = arguments.reading.options();
    options.picture.integers = Integers::Keep;
    let mut stream = RowStream::open(&arguments.file, &options)?;
    let Some(first) = stream.next_block(BLOCK)? else {
        return Err(Error::data(stream.file(), "holds no rows of numbers"));
    };
    let job = Job { arguments, common, output };
    with_float!(first.float(), T => job.run::<T>(stream, first))
}

fn support_output(path: &str, force: bool) -> Result<Output> {
    let output = Output::for_matrix(path, force)?;
    match output.format() {
        Some(Format::Csv(_) | Format::Npz) => Ok(output),
        _ => Err(Error::Usage(format!("--out {path}: a support is written to csv, tsv, txt or npz"))),
    }
}

/// What was asked for.
struct Job<'a> {
    arguments: &'a Arguments,
    common: Common,
    output: Option<Output>,
}

/// What came of all blocks.
#[derive(Default)]
struct Tally {
    rows: usize,
    columns: usize,
    /// Rows that were masked entirely.
    empty: Vec<usize>,
}

impl Job<'_> {
    fn run<T: Number>(&self, stream: RowStream, first: Rows) -> Result<()> {
        let file = stream.file().to_owned();
        let mut kept = Sink::kept();
        let tally = match &self.output {
            Some(output) if !output.is_stdout() => {
                let mut tally = Tally::default();
                output.write_with(|to| {
                    let mut sink = Sink::of_file(output, self.arguments.support);
                    tally = self.each::<T>(stream, first, |block| sink.put(to, block, output))?;
                    sink.finish(to, output)
                })?;
                tally
            }
            None if self.common.json => self.each::<T>(stream, first, |block| {
                kept.keep(block);
                Ok(())
            })?,
            _ => {
                let mut sink = Sink::text(',', self.arguments.support);
                self.each::<T>(stream, first, |block| {
                    let mut text = Vec::new();
                    sink.put_text(&mut text, &block).map_err(Error::io("write", "standard output"))?;
                    print_bytes(&text)
                })?
            }
        };
        self.report::<T>(&file, tally, kept)
    }

    /// Computes block after block.
    fn each<T: Number>(
        &self,
        mut stream: RowStream,
        first: Rows,
        mut put: impl FnMut(Block<T>) -> Result<()>,
    ) -> Result<Tally> {
        let map = Scaled::with_beta(self.arguments.map.clone(), self.arguments.beta)?;
        let batch = Batch::new(&map);
        let watch = match stream.length() {
            Some(_) => Watch::of_bytes("mapping", self.common.quiet),
            None => Watch::new("mapping", self.common.quiet).of("rows"),
        };
        let mut tally = Tally { columns: first.dim.1, ..Tally::default() };
        let mut next = Some(first);
        while let Some(mut rows) = next {
            let done = stream.length().map(|length| (stream.position(), length));
            let (done, total) = done.unwrap_or((tally.rows as u64, stream.rows().unwrap_or(0) as u64));
            stop_here(&watch, done as usize, total as usize)?;
            note_all(&mut rows);
            let scores = rows.matrix::<T>();
            let block = if self.arguments.support {
                let supports = batch.supports(scores.view()).map_err(|error| rows.wrong(error))?;
                let masked = |row: &usize| scores.row(*row).iter().all(|score| *score == T::neg_infinity());
                tally.empty.extend((0..rows.dim.0).filter(masked).map(|row| rows.first + row));
                Block::Supports(rows.first, supports)
            } else {
                let (weights, report) = batch.map(scores.view()).map_err(|error| rows.wrong(error))?;
                tally.empty.extend(report.empty.iter().map(|row| rows.first + row));
                Block::Weights(weights)
            };
            tally.rows += rows.dim.0;
            put(block)?;
            next = stream.next_block(BLOCK)?;
        }
        stream.take_notes().iter().for_each(|text| note(text));
        Ok(tally)
    }

    /// Says what was done.
    fn report<T: Number>(&self, file: &str, tally: Tally, kept: Sink<T>) -> Result<()> {
        const LISTED: usize = 10;
        let Tally { rows, columns, empty } = tally;
        let arguments = self.arguments;
        if self.common.json {
            let (weights, support) = kept.into_rows();
            let told = self.output.is_none();
            return print_json(&Document {
                map: arguments.map.to_string(),
                beta: arguments.beta,
                rows,
                columns,
                empty,
                weights: (told && !arguments.support).then_some(weights),
                support: (told && arguments.support).then_some(support),
                out: self.output.as_ref().map(|output| output.path().display().to_string()),
            });
        }
        if !empty.is_empty() {
            let mut lines: Vec<String> = empty.iter().take(LISTED).map(|row| (row + 1).to_string()).collect();
            if empty.len() > LISTED {
                lines.push(format!("and {} more", empty.len() - LISTED));
            }
            note(&format!("{file}: everything is masked in row {}; its weights are zeros", lines.join(", ")));
        }
        match &self.output {
            Some(output) if !output.is_stdout() => {
                let path = visible(&output.path().display().to_string());
                print_bytes(format!("{rows} rows of weights written to {path}\n").as_bytes())
            }
            _ => Ok(()),
        }
    }
}
