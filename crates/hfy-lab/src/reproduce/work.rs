//! Cells of work on several threads.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use serde_json::Value;

use super::Observer;
use super::cache::{Cache, Kept};
use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Experiment, Results, Setting, Shelf};

/// All the cells of a run, each distinct one once.
pub(super) struct Work<'a> {
    parts: &'a [(&'a dyn Experiment, Setting)],
    shelf: &'a Shelf,
    tasks: Vec<Task>,
    /// For each part the tasks that make it up, in the order of its cells.
    needs: Vec<Vec<usize>>,
}

struct Task {
    /// The first part that needs it.
    part: usize,
    cell: Cell,
    path: PathBuf,
    kept: Option<Kept>,
}

/// What the threads share.
struct Hall {
    waiting: VecDeque<usize>,
    /// The share that is done of each task.
    done: Vec<f64>,
    values: Vec<Option<(Value, f64)>>,
    /// Parts that no thread has put together yet.
    open: Vec<bool>,
    failed: Option<Error>,
}

impl<'a> Work<'a> {
    /// Finds what has to be done and what is kept already.
    pub(super) fn new(parts: &'a [(&'a dyn Experiment, Setting)], cache: &Cache, shelf: &'a Shelf) -> Result<Self> {
        let (mut tasks, mut needs) = (Vec::new(), Vec::new());
        let mut known: HashMap<PathBuf, usize> = HashMap::new();
        for (part, &(experiment, setting)) in parts.iter().enumerate() {
            let mut needed = Vec::new();
            for cell in experiment.cells(&setting) {
                let path = cache.path(experiment, &cell, shelf)?;
                let task = *known.entry(path.clone()).or_insert_with(|| {
                    let kept = Cache::load(&path, &cell);
                    tasks.push(Task { part, cell, path, kept });
                    tasks.len() - 1
                });
                needed.push(task);
            }
            needs.push(needed);
        }
        Ok(Work { parts, shelf, tasks, needs })
    }

    /// Computes what is not kept, and hands each part that is complete to `finish`.
    pub(super) fn run<R: Send>(
        &self,
        jobs: usize,
        observer: &dyn Observer,
        finish: impl Fn(usize, Results, f64) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let kept = |task: &Task| task.kept.as_ref().map(|kept| (kept.value.clone(), kept.seconds));
        let values: Vec<Option<(Value, f64)>> = self.tasks.iter().map(kept).collect();
        let hall = Mutex::new(Hall {
            waiting: (0..self.tasks.len()).filter(|&task| values[task].is_none()).collect(),
            done: values.iter().map(|value| f64::from(u8::from(value.is_some()))).collect(),
            values,
            open: vec![true; self.parts.len()],
            failed: None,
        });
        let finished: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
        let worker = || {
            // Each thread computes alone: cells are many, and one core each wastes nothing.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            let pool = pool.map_err(|error| Error::Cell(error.to_string()))?;
            loop {
                if let Some((part, results, seconds)) = self.complete(&hall) {
                    let result = finish(part, results, seconds)?;
                    finished.lock().expect("no thread panics").push((part, result));
                    continue;
                }
                let next = {
                    let mut hall = hall.lock().expect("no thread panics");
                    if hall.failed.is_some() { None } else { hall.waiting.pop_front() }
                };
                let Some(task) = next else { return Ok(()) };
                let (value, seconds) = pool.install(|| self.compute(task, &hall, observer))?;
                let mut hall = hall.lock().expect("no thread panics");
                hall.values[task] = Some((value, seconds));
                hall.done[task] = 1.0;
            }
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..jobs)
                .map(|_| {
                    scope.spawn(|| {
                        if let Err(error) = worker() {
                            let mut hall = hall.lock().expect("no thread panics");
                            hall.failed.get_or_insert(error);
                        }
                    })
                })
                .collect();
            threads.into_iter().for_each(|thread| thread.join().expect("no thread panics"));
        });
        if let Some(error) = hall.into_inner().expect("no thread panics").failed {
            return Err(error);
        }
        let mut finished = finished.into_inner().expect("no thread panics");
        finished.sort_by_key(|(part, _)| *part);
        Ok(finished.into_iter().map(|(_, result)| result).collect())
    }

    /// A part all of whose cells are there, which is then this thread's to put together.
    fn complete(&self, hall: &Mutex<Hall>) -> Option<(usize, Results, f64)> {
        let mut hall = hall.lock().expect("no thread panics");
        if hall.failed.is_some() {
            return None;
        }
        let whole =
            |part: &usize| hall.open[*part] && self.needs[*part].iter().all(|&task| hall.values[task].is_some());
        let part = (0..self.parts.len()).find(whole)?;
        hall.open[part] = false;
        let value = |&task: &usize| hall.values[task].clone().expect("all are there");
        let values: Vec<(Value, f64)> = self.needs[part].iter().map(value).collect();
        let seconds = values.iter().map(|(_, seconds)| seconds).sum();
        let cells = self.needs[part].iter().zip(values);
        let cells = cells.map(|(&task, (value, _))| (self.tasks[task].cell.clone(), value)).collect();
        Some((part, Results { cells }, seconds))
    }

    fn compute(&self, task: usize, hall: &Mutex<Hall>, observer: &dyn Observer) -> Result<(Value, f64)> {
        let Task { part, cell, path, .. } = &self.tasks[task];
        let experiment = self.parts[*part].0;
        let progress = |share: f64| {
            let (done, total) = {
                let mut hall = hall.lock().expect("no thread panics");
                hall.done[task] = share.clamp(0.0, 1.0);
                if hall.failed.is_some() {
                    return ControlFlow::Break(());
                }
                let cost = self.tasks.iter().map(|task| task.cell.cost);
                let total: f64 = cost.clone().sum();
                (cost.zip(&hall.done).map(|(cost, done)| cost * done).sum::<f64>(), total)
            };
            observer.progress(done, total, experiment.id())
        };
        if progress(0.0).is_break() {
            return Err(Error::Interrupted);
        }
        let start = Instant::now();
        let value = experiment.compute(cell, &Bench::new(self.shelf, &progress))?;
        let seconds = start.elapsed().as_secs_f64();
        let kept = Kept { key: cell.key.clone(), value, seconds };
        Cache::keep(path, &kept)?;
        Ok((kept.value, seconds))
    }
}
