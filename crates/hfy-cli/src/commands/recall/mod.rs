//! `hfy recall`: the patterns of a memory one after the other, from one cue.

mod document;
mod free;
mod picture;
mod sequential;

use std::io::Write as _;

use clap::{Args, Subcommand};
use hfy::recall::Recall;
use hfy::{Entmax, FreeRecall, Map, SequentialRecall};

use crate::cli::{Common, Reading, positive, resolve_beta};
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::io::{Blame as _, Output, Rows, distinct, figure};
use crate::number::{Number, with_float};
use crate::patterns::{Chosen, Patterns};
use crate::terminal::{Style, Watch};
use document::{Document, Parameters};

/// Recall patterns one after the other, from one cue
///
/// A retrieval ends at one pattern. Recall goes on from there and keeps account of what has had its turn: freely, each
/// pattern once in any order, or in sequence, each pattern followed by the one that is stored after it.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Free(Box<free::Arguments>),
    Sequential(Box<sequential::Arguments>),
}

/// What both kinds take.
#[derive(Debug, Args)]
struct Shared {
    /// A memory, or rows of any other file
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// Begin with the one row of this file: numbers or a picture
    #[arg(long, value_name = "FILE", conflicts_with = "cue_id")]
    cue: Option<String>,
    /// Begin with this pattern [default: the first]
    #[arg(long, value_name = "ID")]
    cue_id: Option<u64>,
    /// So many rounds [default: as many as patterns]
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,

    /// Inverse temperature [default: that of the memory, or 0.1]
    #[arg(long, short, value_parser = positive, allow_negative_numbers = true, help_heading = "Procedure")]
    beta: Option<f64>,
    /// Updates within a round
    #[arg(long, value_name = "N", default_value = "20", help_heading = "Procedure")]
    steps: usize,

    /// Write the table of rounds to this file: csv or tsv
    #[arg(long, short, value_name = "FILE")]
    out: Option<String>,
    /// Draw what was recalled to this file: svg or png
    #[arg(long, value_name = "FILE")]
    picture: Option<String>,
    /// Print so many rounds; all with --print 0
    #[arg(long, value_name = "N", default_value = "20")]
    print: usize,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    reading: Reading,
}

/// A procedure with all its settings.
enum Procedure {
    Free(FreeRecall),
    Sequential(SequentialRecall),
}

/// Where results go, looked at before the work begins.
struct Outputs {
    table: Option<Output>,
    picture: Option<Output>,
}

pub(crate) fn run(command: &Command, common: Common) -> Result<()> {
    let shared = match command {
        Command::Free(arguments) => &arguments.shared,
        Command::Sequential(arguments) => &arguments.shared,
    };
    shared.reading.files.rows_need(shared.cue.is_some(), "--cue")?;
    let outputs = Outputs::new(shared, common)?;
    let patterns = Patterns::open(&shared.memory, shared.reading.options(), &shared.chosen)?;
    let beta = resolve_beta(shared.beta, patterns.info(), &patterns.file, 0.1)?;
    let (procedure, parameters) = match command {
        Command::Free(arguments) => arguments.procedure(beta)?,
        Command::Sequential(arguments) => arguments.procedure(beta)?,
    };
    with_float!(patterns.float(), T => run_in::<T>(shared, common, &outputs, &patterns, (&procedure, parameters)))
}

fn run_in<T: Number>(
    shared: &Shared,
    common: Common,
    outputs: &Outputs,
    patterns: &Patterns,
    (procedure, parameters): (&Procedure, Parameters),
) -> Result<()> {
    let cue = match &shared.cue {
        Some(file) => Some(cue_rows(patterns, file)?),
        None => None,
    };
    let row = patterns.row(shared.cue_id.unwrap_or(patterns.id(0)))?;
    let state = cue.as_ref().map(|cue| cue.matrix::<T>().row(0).to_vec());
    let matrix = patterns.matrix::<T>()?;
    let watch = Watch::new("recalling", common.quiet).of("rounds");
    let progress = |done: usize, total: usize| watch.hear(done, total);
    let cued = state.as_deref().map_or(hfy::recall::Cue::Pattern(row), hfy::recall::Cue::State);
    let recall: Recall<T> = match procedure {
        Procedure::Free(free) => free.run_with(matrix.view(), cued, &progress),
        Procedure::Sequential(sequential) => sequential.run_with(matrix.view(), cued, &progress),
    }
    .map_err(|error| match (error, &cue) {
        (error @ hfy::Error::Entry { argument: "cue", .. }, Some(cue)) => cue.wrong(error.in_row(0)),
        (error @ hfy::Error::Parameter { .. }, _) => Error::Usage(error.to_string()),
        (error, _) => Error::in_file(&patterns.file)(error),
    })?;
    drop(watch);

    let ordered = matches!(procedure, Procedure::Sequential(_));
    let mut document = Document::new(parameters, &recall, patterns, ordered)?;
    if let Some(output) = &outputs.picture {
        let start = state.unwrap_or_else(|| matrix.row(row).to_vec());
        figure::write(&picture::of(&document, patterns, (&matrix.view(), &start))?, output)?;
        document.picture = Some(output.path().display().to_string());
    }
    if let Some(output) = &outputs.table {
        match output.is_stdout() {
            true => return print_bytes(document.csv(',').as_bytes()),
            false => {
                let delimiter = output.delimiter().unwrap_or(',');
                output.write(|to| to.write_all(document.csv(delimiter).as_bytes()))?;
                document.out = Some(output.path().display().to_string());
            }
        }
    }
    if common.json {
        return print_json(&document);
    }
    let rows = if shared.print == 0 { usize::MAX } else { shared.print };
    print_bytes(document.text(Style::of_stdout(), rows).as_bytes())
}

/// A file with one row.
fn cue_rows(patterns: &Patterns, file: &str) -> Result<Rows> {
    let rows = patterns.read_like(&[file.to_owned()])?;
    match rows.dim.0 {
        1 => Ok(rows),
        count => Err(Error::data(file, format!("has {count} rows, where one cue is expected"))),
    }
}

/// The entmax that is asked for by its name or its parameter; sparsemax otherwise.
fn entmax(map: Option<&Map>, alpha: Option<f64>) -> Result<Entmax> {
    match (map, alpha) {
        (Some(Map::Entmax(map)), _) => Ok(*map),
        (Some(other), _) => {
            Err(Error::Usage(format!("--map {other}: recall takes softmax, sparsemax, argmax or entmax:ALPHA")))
        }
        (None, Some(alpha)) => Entmax::new(alpha).map_err(usage),
        (None, None) => Ok(Entmax::SPARSEMAX),
    }
}

/// The library refused a setting.
fn usage(error: hfy::Error) -> Error {
    Error::Usage(error.to_string())
}

impl Outputs {
    fn new(shared: &Shared, common: Common) -> Result<Self> {
        let table = shared.out.as_ref().map(|path| Output::new(path, shared.force)).transpose()?;
        if let Some(output) = &table {
            if output.delimiter().is_none() {
                let what = format!("--out {}: the rounds are written to csv, tsv or txt", output.path().display());
                return Err(Error::Usage(what));
            }
            if output.is_stdout() && common.json {
                return Err(Error::Usage("only one of --json and --out - can have the standard output".to_owned()));
            }
        }
        let picture =
            shared.picture.as_ref().map(|path| figure::output("--picture", path, shared.force)).transpose()?;
        let paths = [("--out", table.as_ref().map(Output::path)), ("--picture", picture.as_ref().map(Output::path))];
        distinct::check(&paths, &[std::slice::from_ref(&shared.memory), shared.cue.as_slice()])?;
        Ok(Outputs { table, picture })
    }
}
