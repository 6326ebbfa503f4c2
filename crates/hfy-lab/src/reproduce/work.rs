//! Cells of work on several threads.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use serde_json::Value;

use super::Observer;
use super::cache::{Address, Kept};
use super::pieces::Share;
use super::queue::{CellCount, Queue, Step, Task};
use super::store::Store;
use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Experiment, Results, Setting, Shelf};

/// All the cells of a run, each distinct one once: those of searches first, then those that the searches choose.
pub(super) struct Work<'a> {
    parts: &'a [(&'a dyn Experiment, Setting)],
    store: &'a Store,
    shelf: &'a Shelf,
    queue: Mutex<Queue>,
    /// Told when the queue changes, to threads that wait for a search.
    changed: Condvar,
}

impl<'a> Work<'a> {
    /// Finds what has to be done and what is kept already.
    pub(super) fn new(
        parts: &'a [(&'a dyn Experiment, Setting)],
        share: Share,
        store: &'a Store,
        shelf: &'a Shelf,
    ) -> Result<Self> {
        let queue = Mutex::new(Queue::new(share));
        let work = Work { parts, store, shelf, queue, changed: Condvar::new() };
        for (part, &(experiment, setting)) in parts.iter().enumerate() {
            let search = work.addressed(part, experiment.search(&setting))?;
            let estimate =
                if search.is_empty() { Vec::new() } else { work.addressed(part, experiment.cells(&setting))? };
            work.with(|queue| queue.add_part(search, estimate, |address, cell| store.load(address, cell)))?;
        }
        // Where nothing has to be searched for, the cells are known before any work begins.
        while let Some((part, searched)) = work.with(|queue| queue.next_choice()) {
            work.choose(part, &searched)?;
        }
        Ok(work)
    }

    /// Computes what is not kept, and hands each part that is complete to `gather`. No cell is begun after the
    /// `deadline`: of a part that is not complete then nothing comes back.
    pub(super) fn run<R: Send>(
        self,
        jobs: usize,
        deadline: Option<Instant>,
        observer: &dyn Observer,
        gather: impl Fn(usize, Results, f64) -> Result<R> + Sync,
    ) -> Result<(Vec<Option<R>>, CellCount)> {
        let gathered: Mutex<Vec<Option<R>>> = Mutex::new(self.parts.iter().map(|_| None).collect());
        let worker = || {
            // Each thread computes alone: cells are many, and one core each wastes nothing.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            let pool = pool.map_err(|error| Error::Cell(error.to_string()))?;
            loop {
                match self.next(deadline) {
                    Step::Choose(part, searched) => self.choose(part, &searched)?,
                    Step::Gather(part, results, seconds) => {
                        let result = gather(part, results, seconds)?;
                        gathered.lock().expect("no thread panics")[part] = Some(result);
                    }
                    Step::Compute(index, task) => {
                        let (value, seconds) = pool.install(|| self.compute(index, &task, observer))?;
                        self.with(|queue| queue.finish(index, value, seconds));
                    }
                    Step::Wait | Step::End => return Ok(()),
                }
                self.changed.notify_all();
            }
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(|| self.guarded(worker))).collect();
            threads.into_iter().for_each(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        });
        let queue = self.queue.into_inner().expect("no thread panics");
        let count = queue.count();
        if let Some(error) = queue.failed {
            return Err(error);
        }
        Ok((gathered.into_inner().expect("no thread panics"), count))
    }

    /// Runs a worker; if it fails, the others hear of it, even where they wait for what it was to compute.
    fn guarded(&self, worker: impl Fn() -> Result<()>) {
        let (error, panic) = match catch_unwind(AssertUnwindSafe(worker)) {
            Ok(Ok(())) => return,
            Ok(Err(error)) => (error, None),
            Err(panic) => (Error::Interrupted, Some(panic)),
        };
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).failed.get_or_insert(error);
        self.changed.notify_all();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    fn with<R>(&self, act: impl FnOnce(&mut Queue) -> R) -> R {
        act(&mut self.queue.lock().expect("no thread panics"))
    }

    /// The next step that is not to wait.
    fn next(&self, deadline: Option<Instant>) -> Step {
        let mut queue = self.queue.lock().expect("no thread panics");
        loop {
            match queue.next(deadline.is_some_and(|deadline| Instant::now() >= deadline)) {
                Step::Wait => queue = self.changed.wait(queue).expect("no thread panics"),
                step => return step,
            }
        }
    }

    fn choose(&self, part: usize, searched: &Results) -> Result<()> {
        let (experiment, setting) = self.parts[part];
        let cells = self.addressed(part, experiment.chosen(&setting, searched)?)?;
        self.with(|queue| queue.choose(part, cells, |address, cell| self.store.load(address, cell)))
    }

    fn addressed(&self, part: usize, cells: Vec<Cell>) -> Result<Vec<(Address, Cell)>> {
        let experiment = self.parts[part].0;
        cells.into_iter().map(|cell| Ok((Address::new(experiment, &cell, self.shelf)?, cell))).collect()
    }

    fn compute(&self, index: usize, task: &Task, observer: &dyn Observer) -> Result<(Value, f64)> {
        let experiment = self.parts[task.part].0;
        let progress = |share: f64| {
            let (done, total) = {
                let mut queue = self.queue.lock().expect("no thread panics");
                queue.advance(index, share);
                if queue.failed.is_some() {
                    return ControlFlow::Break(());
                }
                queue.progress()
            };
            observer.progress(done, total, experiment.id())
        };
        if progress(0.0).is_break() {
            return Err(Error::Interrupted);
        }
        let start = Instant::now();
        let value = experiment.compute(&task.cell, &Bench::new(self.shelf, &progress))?;
        let seconds = start.elapsed().as_secs_f64();
        let kept = Kept { key: task.cell.key.clone(), value, seconds };
        self.store.keep(&task.address, &kept)?;
        Ok((kept.value, seconds))
    }
}
