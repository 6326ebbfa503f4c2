//! `hfy reproduce`: the tables and figures of the paper, made again.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};
use hfy_lab::data::Place;
use hfy_lab::experiment::{Mode, Setting};
use hfy_lab::experiments;
use hfy_lab::reproduce::{Observer, Record, Request, run as reproduce};
use serde::Serialize;

use crate::cli::Common;
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::terminal::Align::Left;
use crate::terminal::{Style, Table, Watch};

const EXAMPLES: &str = "\
Examples:
  hfy reproduce all                     everything, as the published code runs
  hfy reproduce table3 --mode both      one table, in both readings
  hfy reproduce fig8 fig11 --quick      to see that it works, in seconds
  hfy reproduce list                    what there is

What is computed is kept in DIR/cells: a run that was stopped goes on where it was.";

/// Make the tables and figures of the paper again, beside the published numbers
///
/// Writes for each experiment result.json and its figures as SVG and PNG, and one page over all, index.html. The data sets are
/// looked for where `hfy data where` says.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// fig1 ... fig14, table3, theory; all; or list
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// As the published code runs, as the mathematics says, or both
    #[arg(long, value_enum, default_value = "printed")]
    mode: ModeName,
    /// Random repetitions
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
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
    page: String,
    seconds: f64,
    results: &'a [Record],
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
    let setting = |mode| Setting { mode, seeds: arguments.seeds, quick: arguments.quick };
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
    let results = reproduce(&request, &reporter).map_err(|error| match error {
        hfy_lab::Error::Unknown { .. } => Error::Usage(error.to_string()),
        other => Error::Lab(other),
    })?;
    drop(reporter);
    let page = arguments.out.join("index.html").display().to_string();
    let seconds = start.elapsed().as_secs_f64();
    if common.json {
        return print_json(&Document { page, seconds, results: &results });
    }
    print_bytes(format!("\n{} in {seconds:.0} s: {page}\n", count(results.len())).as_bytes())
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
