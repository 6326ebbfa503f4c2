//! Runs experiments: cells of work on several threads, kept as they are done, then results, figures and one page over all.

mod cache;
mod json;
mod page;
mod queue;
mod record;
mod work;

use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

pub use queue::CellCount;
pub use record::Record;

use crate::data::Place;
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Setting, Shelf};
use crate::experiments;
use cache::Cache;
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
    /// So many seconds of work of so many are done, by estimate; the work in hand is of this experiment. May stop the run.
    fn progress(&self, done: f64, total: f64, experiment: &str) -> ControlFlow<()>;

    /// An experiment is finished and written.
    fn finished(&self, record: &Record);
}

/// Runs what is asked for. Cells of an earlier run into the same folder are not computed again.
///
/// Under the folder: `MODE/ID/result.json` and the figures of each experiment, `cells/` with what is kept, and `index.html`
/// over everything that is there, of earlier runs as well.
pub fn run(request: &Request, observer: &dyn Observer) -> Result<Vec<Record>> {
    run_experiments(&experiments::named(&request.names)?, request, observer)
}

/// The same for experiments of your own, whatever names the request has.
pub fn run_experiments(
    experiments: &[&dyn Experiment],
    request: &Request,
    observer: &dyn Observer,
) -> Result<Vec<Record>> {
    check(request)?;
    let shelf = Shelf::new(request.place.clone());
    let cache = Cache::new(request.out.join("cells"));
    let parts: Vec<(&dyn Experiment, Setting)> =
        request.settings.iter().flat_map(|&setting| experiments.iter().map(move |&one| (one, setting))).collect();
    let work = Work::new(&parts, &cache, &shelf)?;
    let records = work.run(request.jobs, None, observer, |part, results, seconds| {
        let (experiment, setting) = parts[part];
        let outcome = experiment.gather(&setting, &results)?;
        let record = Record::new(experiment, setting, &outcome, seconds);
        record.write(&request.out, &outcome)?;
        observer.finished(&record);
        Ok(record)
    });
    // What is finished is shown, even if something else failed.
    page::write_over(&request.out)?;
    Ok(records?.0)
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
