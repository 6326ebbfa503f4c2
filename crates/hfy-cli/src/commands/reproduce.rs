//! `hfy reproduce`: the tables and figures of the paper, made again.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use hfy_lab::data::Place;
use hfy_lab::experiment::{Mode, Setting};
use hfy_lab::experiments;
use hfy_lab::reproduce::{CellCount, Observer, Pieces, Record, Request, Share, Summary, run_pieces};
use serde::Serialize;

use crate::cli::Common;
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::terminal::Align::Left;
use crate::terminal::{Style, Table, Unfinished, Watch};

const EXAMPLES: &str = "\
Examples:
  hfy reproduce all                     everything, as the published code runs
  hfy reproduce table3 --mode both      one table, in both readings
  hfy reproduce fig8 fig11 --quick      to see that it works, in seconds
  hfy reproduce list                    what there is
  hfy reproduce fig11 --cells a.jsonl --only-cells --minutes 30
                                        half an hour of it, into one file

What is computed is kept in DIR/cells: a run that was stopped goes on where it was. Files of cells
from several places are joined by cat.";

/// Make the tables and figures of the paper again, beside the published numbers
///
/// Writes for each experiment result.json and its figures as SVG and PNG, and one page over all, index.html. The data
/// sets are looked for where `hfy data where` says.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// fig1 ... fig14, table3 ... table5, bags, theory; all; or list
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// As the published code runs, as the mathematics says, or both
    #[arg(long, value_enum, default_value = "printed")]
    mode: ModeName,
    /// Random repetitions
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// The most random repetitions of runs that take minutes each, those on the digits of table4
    #[arg(long, value_name = "N", default_value_t = Setting::LONG_SEEDS, value_parser = clap::value_parser!(u64).range(1..=1000))]
    long_seeds: u64,
    /// The folder for results
    #[arg(long, short, value_name = "DIR", default_value = "hfy-reproduction")]
    out: PathBuf,
    /// Fewer and smaller cases, to see that everything works
    #[arg(long)]
    quick: bool,
    /// Pieces of work at a time, each on one core [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Look for data sets in this folder first
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Use the cells, finished pieces of work, in this file, and add new ones to it; given again, files that are only
    /// read
    #[arg(long, value_name = "FILE", help_heading = "In pieces")]
    cells: Vec<PathBuf>,
    /// Use the cells in this file, and do not write to it
    #[arg(long, value_name = "FILE", help_heading = "In pieces")]
    with_cells: Vec<PathBuf>,
    /// Compute cells and write nothing else: to the file of --cells, or else to DIR/cells
    #[arg(long, help_heading = "In pieces")]
    only_cells: bool,
    /// Begin no new cell after so many minutes
    #[arg(long, value_name = "M", value_parser = minutes, allow_negative_numbers = true, help_heading = "In pieces")]
    minutes: Option<Duration>,
    /// Compute the I-th of N shares of the cells, for N processes with a file each; training has a lock that threads of
    /// one process wait for
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = str::parse::<Share>, help_heading = "In pieces")]
    share: Share,
}

fn minutes(text: &str) -> std::result::Result<Duration, String> {
    let within = text.trim().parse::<f64>().ok().filter(|minutes| (0.0..=1e9).contains(minutes));
    within.map(|minutes| Duration::from_secs_f64(60.0 * minutes)).ok_or_else(|| "must lie in 0..=1e9".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeName {
    Printed,
    Defined,
    Both,
}

impl ModeName {
    fn modes(self) -> Vec<Mode> {
        match self {
            ModeName::Printed => vec![Mode::Printed],
            ModeName::Defined => vec![Mode::Defined],
            ModeName::Both => Mode::ALL.to_vec(),
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    page: Option<String>,
    seconds: f64,
    results: &'a [Record],
    unfinished: Vec<Unwritten>,
    cells: Counted,
    sources: Vec<Source>,
}

#[derive(Serialize)]
struct Unwritten {
    id: &'static str,
    mode: Mode,
}

#[derive(Serialize)]
struct Counted {
    done: usize,
    total: usize,
    computed: usize,
    estimated: bool,
}

#[derive(Serialize)]
struct Source {
    file: String,
    cells: usize,
}

impl<'a> Document<'a> {
    fn new(page: Option<String>, seconds: f64, summary: &'a Summary) -> Self {
        let CellCount { done, total, computed, estimated } = summary.count;
        let source = |source: &hfy_lab::reproduce::Source| Source {
            file: source.path.display().to_string(),
            cells: source.cells,
        };
        Document {
            page,
            seconds,
            results: &summary.records,
            unfinished: summary.unfinished.iter().map(|&(id, mode)| Unwritten { id, mode }).collect(),
            cells: Counted { done, total, computed, estimated },
            sources: summary.sources.iter().map(source).collect(),
        }
    }
}

/// Shows how far the work is, and a line for each experiment that is done.
struct Reporter {
    watch: Watch,
    lines: bool,
    style: Style,
}

impl Observer for Reporter {
    fn progress(&self, done: f64, total: f64, experiment: &str) -> ControlFlow<()> {
        self.watch.say(experiment);
        // The bar counts tenths of seconds of estimated work.
        self.watch.hear((10.0 * done) as usize, (10.0 * total).ceil() as usize)
    }

    fn finished(&self, record: &Record) {
        if self.lines {
            self.watch.print(&line(record, self.style));
        }
    }

    fn note(&self, text: &str) {
        self.watch.note(text);
    }
}

fn line(record: &Record, style: Style) -> String {
    let verdict = match record.verdict {
        none if none.total == 0 => style.dim("nothing to compare"),
        all if all.is_whole() => style.good(&format!("{} of {} agree", all.agree, all.total)),
        some => style.bad(&format!("{} of {} agree", some.agree, some.total)),
    };
    format!("{:<7} {:<8} {verdict}  {}", record.id, record.setting.mode.name(), style.dim(&record.title))
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    if arguments.ids.iter().any(|id| id == "list") {
        return list(common);
    }
    let setting =
        |mode| Setting { mode, seeds: arguments.seeds, long_seeds: arguments.long_seeds, quick: arguments.quick };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let request = Request {
        names: arguments.ids.clone(),
        settings: arguments.mode.modes().into_iter().map(setting).collect(),
        out: arguments.out.clone(),
        jobs: arguments.jobs.map_or(cores.min(1024), usize::from),
        place: Place::find(arguments.data.as_deref())?,
    };
    let start = Instant::now();
    let lines = !common.json && !common.quiet;
    let reporter = Reporter { watch: Watch::new("reproducing", common.quiet), lines, style: Style::of_stdout() };
    let experiments = experiments::named(&request.names).map_err(|error| Error::Usage(error.to_string()))?;
    let pieces = Pieces {
        cells: arguments.cells.clone(),
        with_cells: arguments.with_cells.clone(),
        only_cells: arguments.only_cells,
        time: arguments.minutes,
        share: arguments.share,
    };
    let unfinished = pieces.cells.first().map(|path| Unfinished::new(path));
    let summary = run_pieces(&experiments, &request, &pieces, &reporter)?;
    drop((reporter, unfinished));
    let page = (!pieces.only_cells).then(|| arguments.out.join("index.html").display().to_string());
    let seconds = start.elapsed().as_secs_f64();
    if common.json {
        return print_json(&Document::new(page, seconds, &summary));
    }
    let mut text = in_pieces(&summary, &pieces);
    if let Some(page) = page.filter(|_| !summary.records.is_empty()) {
        let _ = write!(text, "\n{} in {seconds:.0} s: {page}\n", count(summary.records.len()));
    }
    print_bytes(text.as_bytes())
}

/// Where cells came from and how many are done; nothing where all was computed at once.
fn in_pieces(summary: &Summary, pieces: &Pieces) -> String {
    let mut text = String::new();
    for source in &summary.sources {
        let cells = if source.cells == 1 { "1 cell was".to_owned() } else { format!("{} cells were", source.cells) };
        let _ = writeln!(text, "{cells} taken from {}", source.path.display());
    }
    let CellCount { done, total, computed, estimated } = summary.count;
    let is_whole = summary.count.is_whole();
    if is_whole && !pieces.only_cells {
        return text;
    }
    if !pieces.only_cells {
        let names = summary.unfinished.iter().map(|(id, mode)| format!("{id} {}", mode.name()));
        let _ = writeln!(text, "unfinished: {}", names.collect::<Vec<_>>().join(", "));
    }
    let about = if estimated { "about " } else { "" };
    let _ = write!(text, "{done} of {about}{total} cells are done ({computed} computed now)");
    text + if is_whole { "\n" } else { "; run the same command again to go on\n" }
}

fn count(results: usize) -> String {
    if results == 1 { "1 result".to_owned() } else { format!("{results} results") }
}

#[derive(Serialize)]
struct Listed {
    id: &'static str,
    title: &'static str,
    about: &'static str,
}

fn list(common: Common) -> Result<()> {
    let all = experiments::ALL.iter();
    if common.json {
        let listed = |one: &&dyn hfy_lab::experiment::Experiment| Listed {
            id: one.id(),
            title: one.title(),
            about: one.about(),
        };
        return print_json(&all.map(listed).collect::<Vec<_>>());
    }
    let mut table = Table::new([("id", Left), ("shows", Left)]);
    all.for_each(|one| table.row([one.id().to_owned(), one.title().to_owned()]));
    print_bytes(table.render(Style::of_stdout()).as_bytes())
}
