//! The cells of a run: which are waiting, which are done, and which parts of the run they make up.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use super::cache::{Address, Kept};
use super::pieces::Share;
use crate::error::{Error, Result};
use crate::experiment::{Cell, Results};

/// How many cells train at a time. With two a process does a fifth more than with one, and with sixteen half as much.
const TRAINING: usize = 2;

/// One experiment in one setting.
struct Part {
    /// Tasks of the search, in the order of its cells.
    searched: Vec<usize>,
    /// Tasks of the chosen cells, in their order; empty before they are chosen.
    chosen: Vec<usize>,
    stage: Stage,
    /// Number and cost of the cells that the search may choose, until it has chosen.
    estimate: (usize, f64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Waits for the values of its search.
    Searching,
    /// A thread chooses its cells.
    Choosing,
    /// Waits for the values of its cells.
    Computing,
    /// A thread has put it together, or is about to.
    Gathered,
}

/// A cell, once for all parts that need it.
pub(super) struct Task {
    /// The first part that needs it.
    pub(super) part: usize,
    pub(super) cell: Cell,
    pub(super) address: Address,
}

/// What a thread does next.
pub(super) enum Step {
    /// Choose the cells of a part from the values of its search.
    Choose(usize, Results),
    /// Put a part together; the number is the seconds of all its cells.
    Gather(usize, Results, f64),
    /// Compute a task.
    Compute(usize, Arc<Task>),
    /// Wait until something changes.
    Wait,
    /// Nothing is left to begin.
    End,
}

/// How many cells are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellCount {
    /// Cells whose values are kept, of this run or an earlier one.
    pub done: usize,
    /// All cells of the run, each distinct one once.
    pub total: usize,
    /// Cells that this run computed.
    pub computed: usize,
    /// Whether a search is not finished, so that `total` counts the cells that it may choose by estimate.
    pub estimated: bool,
}

impl CellCount {
    /// Whether nothing is left to compute.
    pub fn is_whole(&self) -> bool {
        !self.estimated && self.done == self.total
    }
}

/// What the threads of a run share.
#[derive(Default)]
pub(super) struct Queue {
    tasks: Vec<Arc<Task>>,
    known: HashMap<Address, usize>,
    waiting: VecDeque<usize>,
    /// Value and seconds of each task that is done.
    values: Vec<Option<(Value, f64)>>,
    /// The share of each task that is done.
    shares: Vec<f64>,
    parts: Vec<Part>,
    /// Cells that a search may choose, to count each once.
    expected: HashSet<Address>,
    computed: usize,
    /// Tasks that threads compute now.
    running: usize,
    /// Those among them that train.
    training: usize,
    /// Which tasks this run computes.
    share: Share,
    /// The first error of any thread; nothing is begun after it.
    pub(super) failed: Option<Error>,
}

impl Queue {
    /// A queue without parts, of which this share is computed.
    pub(super) fn new(share: Share) -> Self {
        Queue { share, ..Queue::default() }
    }

    /// Adds a part that begins with a search; `estimate` are the cells that it may choose.
    pub(super) fn add_part(
        &mut self,
        search: Vec<(Address, Cell)>,
        estimate: Vec<(Address, Cell)>,
        find: impl Fn(&Address, &Cell) -> Result<Option<Kept>>,
    ) -> Result<()> {
        let part = self.parts.len();
        let mut counted = (0, 0.0);
        for (address, cell) in estimate {
            if self.expected.insert(address) {
                counted = (counted.0 + 1, counted.1 + cell.cost);
            }
        }
        let searched = self.add_tasks(part, search, find)?;
        self.parts.push(Part { searched, chosen: Vec::new(), stage: Stage::Searching, estimate: counted });
        Ok(())
    }

    /// Sets the cells of a part.
    pub(super) fn choose(
        &mut self,
        part: usize,
        cells: Vec<(Address, Cell)>,
        find: impl Fn(&Address, &Cell) -> Result<Option<Kept>>,
    ) -> Result<()> {
        let chosen = self.add_tasks(part, cells, find)?;
        let part = &mut self.parts[part];
        (part.chosen, part.stage, part.estimate) = (chosen, Stage::Computing, (0, 0.0));
        Ok(())
    }

    /// The tasks of cells, of which the new ones are put into the queue unless `find` has their values.
    fn add_tasks(
        &mut self,
        part: usize,
        cells: Vec<(Address, Cell)>,
        find: impl Fn(&Address, &Cell) -> Result<Option<Kept>>,
    ) -> Result<Vec<usize>> {
        let mut add = |(address, cell): (Address, Cell)| {
            if let Some(&task) = self.known.get(&address) {
                return Ok(task);
            }
            let (task, kept) = (self.tasks.len(), find(&address, &cell)?);
            if kept.is_none() && self.share.has(task) {
                self.waiting.push_back(task);
            }
            self.shares.push(f64::from(u8::from(kept.is_some())));
            self.values.push(kept.map(|kept| (kept.value, kept.seconds)));
            self.known.insert(address.clone(), task);
            self.tasks.push(Arc::new(Task { part, cell, address }));
            Ok(task)
        };
        cells.into_iter().map(&mut add).collect()
    }

    /// What a thread does next. Parts whose values are there come before new work, which is not begun when the time is
    /// `up`.
    pub(super) fn next(&mut self, up: bool) -> Step {
        if self.failed.is_some() {
            return Step::End;
        }
        if let Some((part, searched)) = self.next_choice() {
            return Step::Choose(part, searched);
        }
        let ready = |part: &Part| part.stage == Stage::Computing && self.have(&part.chosen);
        if let Some(part) = self.parts.iter().position(ready) {
            self.parts[part].stage = Stage::Gathered;
            let (results, seconds) = self.results(part);
            return Step::Gather(part, results, seconds);
        }
        if up {
            return Step::End;
        }
        match self.take_waiting() {
            Some(task) => Step::Compute(task, Arc::clone(&self.tasks[task])),
            None if !self.waiting.is_empty() => Step::Wait,
            // What is left of a search may be another run's share.
            None if self.searching() && (self.running > 0 || self.choosing()) => Step::Wait,
            None => Step::End,
        }
    }

    /// The next task that may begin.
    fn take_waiting(&mut self) -> Option<usize> {
        let may_train = self.training < TRAINING;
        let at = self.waiting.iter().position(|&task| may_train || !self.tasks[task].cell.trains)?;
        let task = self.waiting.remove(at)?;
        self.running += 1;
        self.training += usize::from(self.tasks[task].cell.trains);
        Some(task)
    }

    /// A part whose search is finished, with the results of the search; it is the caller's to choose its cells.
    pub(super) fn next_choice(&mut self) -> Option<(usize, Results)> {
        let ready = |part: &Part| part.stage == Stage::Searching && self.have(&part.searched);
        let part = self.parts.iter().position(ready)?;
        self.parts[part].stage = Stage::Choosing;
        Some((part, self.results(part).0.searched()))
    }

    /// Whether some part has no cells yet.
    fn searching(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.stage, Stage::Searching | Stage::Choosing))
    }

    /// Whether a thread chooses the cells of a part.
    fn choosing(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.stage, Stage::Choosing))
    }

    fn have(&self, tasks: &[usize]) -> bool {
        tasks.iter().all(|&task| self.values[task].is_some())
    }

    /// The values of a part, and the seconds that its distinct cells took.
    fn results(&self, part: usize) -> (Results, f64) {
        let part = &self.parts[part];
        let value = |&task: &usize| {
            let (value, _) = self.values[task].as_ref().expect("the part is ready");
            (self.tasks[task].cell.clone(), value.clone())
        };
        let mut seen = HashSet::new();
        let distinct = part.searched.iter().chain(&part.chosen).filter(|&&task| seen.insert(task));
        let seconds = distinct.filter_map(|&task| self.values[task].as_ref()).map(|(_, seconds)| seconds).sum();
        let of = |tasks: &[usize]| tasks.iter().map(value).collect();
        let spent = |tasks: &[usize]| tasks.iter().filter_map(|&task| Some(self.values[task].as_ref()?.1)).sum();
        let spent = (spent(&part.chosen), spent(&part.searched));
        (Results { cells: of(&part.chosen), searched: of(&part.searched), seconds: spent }, seconds)
    }

    /// Notes the share of a task that is done.
    pub(super) fn advance(&mut self, task: usize, share: f64) {
        self.shares[task] = share.clamp(0.0, 1.0);
    }

    /// Takes the value of a task.
    pub(super) fn finish(&mut self, task: usize, value: Value, seconds: f64) {
        self.running -= 1;
        self.training -= usize::from(self.tasks[task].cell.trains);
        self.values[task] = Some((value, seconds));
        self.shares[task] = 1.0;
        self.computed += 1;
    }

    /// Seconds of work that are done and seconds in all, by the costs of the cells.
    pub(super) fn progress(&self) -> (f64, f64) {
        let costs = self.tasks.iter().map(|task| task.cell.cost);
        let estimate: f64 = self.parts.iter().map(|part| part.estimate.1).sum();
        let done = costs.clone().zip(&self.shares).map(|(cost, share)| cost * share).sum();
        (done, costs.sum::<f64>() + estimate)
    }

    /// How many cells are done.
    pub(super) fn count(&self) -> CellCount {
        CellCount {
            done: self.values.iter().flatten().count(),
            total: self.tasks.len() + self.parts.iter().map(|part| part.estimate.0).sum::<usize>(),
            computed: self.computed,
            estimated: self.searching(),
        }
    }
}
