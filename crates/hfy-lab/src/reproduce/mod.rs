//! Runs experiments: cells of work on several threads, kept as they are done, then results, figures and one page over
//! all.

mod cache;
mod cells;
mod json;
mod page;
mod pieces;
mod queue;
mod record;
mod store;
mod work;

use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub use pieces::{Pieces, Share, Summary};
pub use queue::CellCount;
pub use record::Record;
pub use store::Source;

use crate::data::Place;
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Results, Setting, Shelf};
use crate::experiments;
use cache::Cache;
use store::Store;
use work::Work;

/// What is to be run, and where it is written.
#[derive(Debug, Clone)]
pub struct Request {
    /// Names of experiments; `all` is all of them.
    pub names: Vec<String>,
    /// Each experiment is run in each of these settings.
    pub settings: Vec<Setting>,
    /// The folder for everything that is written.
    pub out: PathBuf,
    /// How many cells are computed at a time, each on one core.
    pub jobs: usize,
    /// Where the data are.
    pub place: Place,
}

/// Hears how a run goes on. It may be called from any thread.
pub trait Observer: Sync {
    /// So many seconds of work of so many are done, by estimate; the work in hand is of this experiment. May stop the
    /// run.
    fn progress(&self, done: f64, total: f64, experiment: &str) -> ControlFlow<()>;

    /// An experiment is finished and written.
    fn finished(&self, record: &Record);

    /// Something is left out of a file of cells, such as a line that is damaged.
    fn note(&self, _text: &str) {}
}

/// Runs what is asked for. Cells of an earlier run into the same folder are not computed again.
///
/// Under the folder: `MODE/ID/result.json` and the figures of each experiment, `cells/` with what is kept, and
/// `index.html` over everything that is there, of earlier runs as well.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Vec<Record>> {
    run_experiments(&experiments::named(&request.names)?, request, observer)
}

/// The same for experiments of your own, whatever names the request has.
pub fn run_experiments(
    experiments: &[&dyn Experiment],
    request: &Request,
    observer: &dyn Observer,
) -> Result<Vec<Record>> {
    run_pieces(experiments, request, &Pieces::default(), observer).map(|summary| summary.records)
}

/// The same, with cells from files and into one, and in a limited time.
pub fn run_pieces(
    experiments: &[&dyn Experiment],
    request: &Request,
    pieces: &Pieces,
    observer: &dyn Observer,
) -> Result<Summary> {
    let deadline = pieces.time.and_then(|time| Instant::now().checked_add(time));
    check(request)?;
    let shelf = Shelf::new(request.place.clone());
    let store = Store::new(Cache::new(request.out.join("cells")), pieces, &|text| observer.note(text))?;
    let parts: Vec<(&dyn Experiment, Setting)> =
        request.settings.iter().flat_map(|&setting| experiments.iter().map(move |&one| (one, setting))).collect();
    let gather = |part: usize, results: Results, seconds| {
        if pieces.only_cells {
            return Ok(None);
        }
        let (experiment, setting) = parts[part];
        let outcome = experiment.gather(&setting, &results)?;
        let record = Record::new(experiment, setting, &outcome, seconds);
        record.write(&request.out, &outcome)?;
        observer.finished(&record);
        Ok(Some(record))
    };
    let work = Work::new(&parts, pieces.share, &store, &shelf);
    let done = work.and_then(|work| work.run(request.jobs, deadline, observer, gather));
    // What is done is put in order and shown, even if something else failed.
    let sources = store.close();
    let page = if pieces.only_cells { Ok(()) } else { page::write_over(&request.out) };
    let (gathered, count) = done?;
    page?;
    let names = parts.iter().map(|(experiment, setting)| (experiment.id(), setting.mode));
    let unfinished = names.zip(&gathered).filter(|(_, result)| result.is_none()).map(|(name, _)| name).collect();
    let records = gathered.into_iter().flatten().flatten().collect();
    Ok(Summary { records, unfinished, count, sources: sources? })
}

fn check(request: &Request) -> Result<()> {
    let wrong = |argument, value: u64, rule| Err(Error::Setting { argument, value: value.to_string(), rule });
    if request.jobs == 0 || request.jobs > 1024 {
        return wrong("jobs", request.jobs as u64, "must lie in 1..=1024");
    }
    match request.settings.iter().find(|setting| setting.seeds == 0 || setting.seeds > 1000) {
        Some(setting) => wrong("seeds", setting.seeds, "must lie in 1..=1000"),
        None => Ok(()),
    }
}

/// Writes a whole file, in a folder that is made if it is not there.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let io = |action, source| hfy_store::Error::Io { action, path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| io("create the folder of", error))?;
    }
    hfy_store::replace_file(path, |mut file| file.write_all(bytes).map_err(|error| io("write", error).into()))
}
