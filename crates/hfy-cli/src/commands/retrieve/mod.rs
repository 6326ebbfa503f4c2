//! `hfy retrieve`: what a memory makes of queries.

mod document;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use hfy::retrieval::{MatchRule, Retrieval, Retriever, Settings, Status, Stop};
use hfy::{AnyNetwork, Network, Scaled};
use ndarray::ArrayView2;

use crate::cli::{Common, Pair, Reading, positive};
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::io::{self, Blame as _, Form, Output, Rows, distinct};
use crate::number::{Number, with_float};
use crate::patterns::{Chosen, Patterns};
use crate::terminal::{Style, Thumb, Watch, side_by_side};
use document::{Document, ReportOut};

const EXAMPLES: &str = "\
Examples:
  hfy retrieve letters.hfy damaged.png --beta 0.1 --show
  hfy retrieve digits.hfy queries.npy --map entmax:1.5 --beta 0.1 --index 128 --out states.npy
  hfy retrieve letters.hfy damaged/ --beta 0.1 --pictures recalled/
  hfy retrieve points.csv query.csv --steps 3 --trace --json
  hfy retrieve letters.hfy photo.png --max-distance 12 --fail-on-no-match && echo known";

/// Retrieve patterns: let queries run to where the network takes them
///
/// Each query ends as exactly one pattern, as an association of several (k-subsets), as a blend, at the limit of steps,
/// or as no match by a rule of yours.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group(ArgGroup::new("stop").args(["steps", "residual"])))]
#[command(group(ArgGroup::new("rule").args(["min_score", "max_energy", "max_distance"])))]
pub(crate) struct Arguments {
    /// A memory, or rows of any other file
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// Queries, one a row: files, pictures, folders of pictures, or - for csv from the standard input
    #[arg(value_name = "QUERIES", required = true)]
    queries: Vec<String>,
    #[command(flatten)]
    pair: Pair,
    /// Recall these rows instead of the patterns: one for each pattern, of any width
    #[arg(long, value_name = "FILE", help_heading = "Network")]
    values: Option<String>,

    /// Take exactly so many steps
    #[arg(long, value_name = "N", help_heading = "When to stop")]
    steps: Option<usize>,
    /// Stop when a step moves the state by at most this; 0 for exact fixed points [default: when it does not move at
    /// all, for sparse maps; for others when it moves by at most 1e-5 of its length, in single precision 1.2e-4]
    #[arg(long, value_name = "DISTANCE", help_heading = "When to stop")]
    residual: Option<f64>,
    /// Take at most so many steps
    #[arg(long, value_name = "N", default_value = "100", help_heading = "When to stop")]
    limit: usize,

    /// No match if the best score of the final state is less than this
    #[arg(long, value_name = "SCORE", allow_negative_numbers = true, help_heading = "What is no match")]
    min_score: Option<f64>,
    /// No match if the energy of the final state is more than this
    #[arg(long, value_name = "ENERGY", allow_negative_numbers = true, help_heading = "What is no match")]
    max_energy: Option<f64>,
    /// No match if the final state is farther from the query than this
    #[arg(long, value_name = "DISTANCE", help_heading = "What is no match")]
    max_distance: Option<f64>,
    /// Exit with code 3 if some query has no match
    #[arg(long, help_heading = "What is no match")]
    fail_on_no_match: bool,

    /// Report the energies of the query and of every state
    #[arg(long)]
    trace: bool,
    /// Build an index of so many principal directions first: worth it for many queries against many patterns
    #[arg(long, value_name = "RANK")]
    index: Option<usize>,
    /// Weights of softmax at or below this do not count
    #[arg(long, value_name = "WEIGHT", default_value = "0.01", value_parser = positive)]
    blend_floor: f64,
    /// Write the final states to this file: npy, npz, csv, tsv or safetensors
    #[arg(long, short, value_name = "FILE")]
    out: Option<String>,
    /// Write the final states as pictures into this folder
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
    /// The kind of those pictures; JPEG loses a little
    #[arg(long, value_name = "KIND", default_value = "png", value_parser = ["png", "jpeg"], requires = "pictures")]
    picture_format: String,
    /// Write the table of reports to this file: csv or tsv
    #[arg(long, value_name = "FILE")]
    reports: Option<String>,
    /// Print the reports of so many queries; of all with --print 0
    #[arg(long, value_name = "N", default_value = "20")]
    print: usize,
    /// Print pictures of queries and final states
    #[arg(long)]
    show: bool,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    reading: Reading,
}

/// Where results go, looked at before the work begins.
struct Outputs {
    states: Option<Output>,
    reports: Option<Output>,
}

impl Outputs {
    fn new(arguments: &Arguments, common: Common) -> Result<Self> {
        let states = arguments.out.as_ref().map(|path| Output::for_matrix(path, arguments.force)).transpose()?;
        let reports = arguments.reports.as_ref().map(|path| Output::new(path, arguments.force)).transpose()?;
        if let Some(output) = &reports
            && output.delimiter().is_none()
        {
            let what = format!("--reports {}: reports are written to csv, tsv or txt", output.path().display());
            return Err(Error::Usage(what));
        }
        let to_stdout = [&states, &reports].into_iter().flatten().filter(|output| output.is_stdout()).count();
        if to_stdout + usize::from(common.json) > 1 {
            return Err(Error::Usage(
                "only one of --json, --out - and --reports - can have the standard output".into(),
            ));
        }
        let path = |output: &Option<Output>| output.as_ref().map(|output| output.path().to_owned());
        let (out, table) = (path(&states), path(&reports));
        let memory = [arguments.memory.clone()];
        distinct::check(
            &[("--out", out.as_deref()), ("--reports", table.as_deref())],
            &[&memory, &arguments.queries, arguments.values.as_slice()],
        )?;
        Ok(Outputs { states, reports })
    }

    fn stdout_is_taken(&self) -> bool {
        [&self.states, &self.reports].into_iter().flatten().any(Output::is_stdout)
    }
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let outputs = Outputs::new(arguments, common)?;
    let settings = settings(arguments)?;
    let patterns = Patterns::open(&arguments.memory, arguments.reading.options(), &arguments.chosen)?;
    let queries = patterns.read_like(&arguments.queries)?;
    with_float!(patterns.float(), T => run_in::<T>(arguments, common, &settings, &outputs, &patterns, &queries))
}

fn settings(arguments: &Arguments) -> Result<Settings> {
    let limit = arguments.limit;
    let stop = match (arguments.steps, arguments.residual) {
        (Some(steps), _) => Stop::Steps(steps),
        (None, Some(tolerance)) => Stop::Residual { tolerance, limit },
        (None, None) => Stop::Auto { limit },
    };
    let rule = match (arguments.min_score, arguments.max_energy, arguments.max_distance) {
        (Some(score), _, _) => Some(MatchRule::Score(score)),
        (_, Some(energy), _) => Some(MatchRule::Energy(energy)),
        (_, _, Some(distance)) => Some(MatchRule::Distance(distance)),
        _ => None,
    };
    if arguments.fail_on_no_match && rule.is_none() {
        let what = "--fail-on-no-match needs a rule: --min-score, --max-energy or --max-distance";
        return Err(Error::Usage(what.to_owned()));
    }
    let settings = Settings { stop, trace: arguments.trace, rule, blend_floor: arguments.blend_floor };
    settings.validate().map_err(|error| Error::Usage(error.to_string()))?;
    Ok(settings)
}

fn run_in<T: Number>(
    arguments: &Arguments,
    common: Common,
    settings: &Settings,
    outputs: &Outputs,
    patterns: &Patterns,
    queries: &Rows,
) -> Result<()> {
    let (map, post, beta) = arguments.pair.resolve(patterns.info(), &patterns.file)?;
    let head = (map.to_string(), post.to_string(), beta);
    let values: Option<Rows> = arguments
        .values
        .as_ref()
        .map(|file| io::read_patterns(std::slice::from_ref(file), Some(T::FLOAT)))
        .transpose()?;
    let network: AnyNetwork<'_, T> = Network::new(Scaled::with_beta(map, beta)?, post, patterns.matrix::<T>()?)
        .map_err(Error::in_file(&patterns.file))?;
    let network = match &values {
        Some(values) => network.with_values(values.matrix::<T>()).map_err(|error| values.wrong(error))?,
        None => network,
    };
    let shape = match &values {
        Some(values) => values.picture,
        None => patterns.picture().or(queries.picture),
    };
    let form = shape.unwrap_or(Form::grey(0, 0));
    if shape.is_none() && (arguments.show || arguments.pictures.is_some()) {
        return Err(Error::Usage("these states are no pictures: neither memory nor queries were".to_owned()));
    }
    let pictures = match &arguments.pictures {
        Some(folder) => picture_files(folder, &arguments.picture_format, arguments.force, queries)?,
        None => Vec::new(),
    };

    let found = retrieve(arguments, common, settings, &network, queries)?;
    let mut document = Document::new(head, settings, &found, queries, patterns)?;
    if let Some(output) = &outputs.states {
        output.write_matrix("states", found.states.view())?;
    }
    for (output, state) in pictures.iter().zip(found.states.rows()) {
        output.write_picture(&form, &state.iter().map(|value| value.wide()).collect::<Vec<_>>())?;
        document.pictures.push(output.path().display().to_string());
    }
    if let Some(output) = &outputs.reports {
        match output.is_stdout() {
            true => print_bytes(document.csv(',').as_bytes())?,
            false => {
                let delimiter = output.delimiter().unwrap_or(',');
                output.write(|to| to.write_all(document.csv(delimiter).as_bytes()))?;
            }
        }
    }
    if common.json {
        print_json(&document)?;
    } else if !outputs.stdout_is_taken() {
        let rows = if arguments.print == 0 { usize::MAX } else { arguments.print };
        let mut text = String::new();
        if arguments.show {
            let (before, after) = (queries.matrix::<T>(), found.states.view());
            let reports = &document.reports[..rows.min(document.reports.len())];
            text += &pictures_text(&form, reports, before.view(), after);
        }
        text += &document.text(Style::of_stdout(), rows);
        print_bytes(text.as_bytes())?;
    }
    let count = found.reports.iter().filter(|report| report.status == Status::NoMatch).count();
    if arguments.fail_on_no_match && count > 0 {
        return Err(Error::NoMatch { count, total: found.reports.len() });
    }
    Ok(())
}

fn retrieve<T: Number>(
    arguments: &Arguments,
    common: Common,
    settings: &Settings,
    network: &AnyNetwork<'_, T>,
    queries: &Rows,
) -> Result<Retrieval<T>> {
    let mut retriever = Retriever::new(network)?.with_settings(settings.clone())?;
    if let Some(rank) = arguments.index {
        retriever = retriever.with_index(rank)?;
    }
    let watch = Watch::new("retrieving", common.quiet).of("queries");
    let found = retriever.retrieve_with(queries.matrix::<T>().view(), &|done, total| watch.hear(done, total));
    found.map_err(|error| queries.wrong_query(error))
}

/// The files `ROW-NAME.png` (or `.jpg`) for the final states, in a folder that is made if need be.
fn picture_files(folder: &Path, format: &str, force: bool, queries: &Rows) -> Result<Vec<Output>> {
    let ending = if format == "jpeg" { "jpg" } else { format };
    std::fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))?;
    let file = |row: usize| {
        let name = queries.names.as_ref().and_then(|names| names.get(row));
        let name = name.map(|name| format!("-{name}")).unwrap_or_default();
        Output::new(folder.join(format!("{:04}{name}.{ending}", queries.first + row)), force)
    };
    (0..queries.dim.0).map(file).collect()
}

/// Each query beside what became of it.
fn pictures_text<T: Number>(
    form: &Form,
    reports: &[ReportOut],
    queries: ArrayView2<'_, T>,
    states: ArrayView2<'_, T>,
) -> String {
    let mut text = String::new();
    for (report, (query, state)) in reports.iter().zip(queries.rows().into_iter().zip(states.rows())) {
        let wide =
            |row: ndarray::ArrayView1<'_, T>| form.greys(&row.iter().map(|value| value.wide()).collect::<Vec<_>>());
        let (before, after) = (wide(query), wide(state));
        let (caption, size) = (format!("query {}", report.row), form.size());
        let thumbs = [
            Thumb { caption, size, greys: &before },
            Thumb { caption: format!("→ {}", report.result()), size, greys: &after },
        ];
        side_by_side(&thumbs, 4).iter().for_each(|line| text += &format!("{line}\n"));
        text.push('\n');
    }
    text
}
