//! Searches: their values decide which cells there are.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use hfy_lab::experiment::{Bench, Cell, Experiment, Mode, Outcome, Reading, Results, Setting, TableCell};
use hfy_lab::reproduce::{Observer, Record, run_experiments};
use hfy_lab::{Error, Result};
use serde_json::{Value, json};

use super::{Listener, request};

/// Looks for the number nearest to a target, and multiplies it by each seed. Both readings search alike.
#[derive(Default)]
pub(crate) struct Nearest {
    pub(crate) target: u64,
    /// What was computed, in order.
    pub(crate) computed: Mutex<Vec<String>>,
    fail_at: Option<&'static str>,
    panic_at: Option<&'static str>,
}

impl Nearest {
    pub(crate) fn to(target: u64) -> Self {
        Nearest { target, ..Nearest::default() }
    }

    /// The names of the cells that were computed, sorted.
    pub(crate) fn sorted(&self) -> Vec<String> {
        let mut names = self.computed.lock().unwrap().clone();
        names.sort();
        names
    }
}

impl Experiment for Nearest {
    fn id(&self) -> &'static str {
        "nearest"
    }
    fn title(&self) -> &'static str {
        "The nearest number"
    }
    fn about(&self) -> &'static str {
        "A search and what follows from it."
    }
    fn readings(&self) -> Vec<Reading> {
        vec![]
    }
    fn search(&self, _setting: &Setting) -> Vec<Cell> {
        (0..4).map(|candidate| Cell::new(&("search", self.target, candidate), 1.0)).collect()
    }
    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        (0..setting.seeds).map(|seed| Cell::new(&(setting.mode, 0, seed), 10.0)).collect()
    }
    fn chosen(&self, setting: &Setting, searched: &Results) -> Result<Vec<Cell>> {
        let all: Vec<((String, u64, u64), u64)> = searched.all()?;
        assert_eq!(all.iter().map(|((_, _, candidate), _)| *candidate).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert!(searched.searched().all::<Value, Value>()?.is_empty());
        let (best, _) = all.iter().min_by_key(|(_, distance)| *distance).expect("four candidates");
        Ok((0..setting.seeds).map(|seed| Cell::new(&(setting.mode, best.2, seed), 10.0)).collect())
    }
    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        let name = cell.key.to_string();
        if self.panic_at.is_some_and(|at| name.contains(at)) {
            panic!("at {name}");
        }
        if self.fail_at.is_some_and(|at| name.contains(at)) {
            return Err(Error::Data(format!("no {name}")));
        }
        bench.done(1, 2)?;
        self.computed.lock().unwrap().push(name);
        let (phase, first, second): (String, u64, u64) = cell.key()?;
        // A number that decimals without care would not give back.
        let product = (first * second) as f64 + 0.1 + 0.2;
        Ok(if phase == "search" { json!(first.abs_diff(second)) } else { json!(product) })
    }
    fn gather(&self, _setting: &Setting, results: &Results) -> Result<Outcome> {
        let all: Vec<((Mode, u64, u64), f64)> = results.all()?;
        let searched: Vec<((String, u64, u64), u64)> = results.searched().all()?;
        let cell = |((_, best, seed), value): &((Mode, u64, u64), f64)| {
            TableCell::plain(seed.to_string(), best.to_string(), *value)
        };
        Ok(Outcome {
            cells: all.iter().map(cell).collect(),
            values: json!({ "distances": searched.iter().map(|(_, distance)| distance).collect::<Vec<_>>() }),
            ..Outcome::default()
        })
    }
}

/// Hears all of the progress.
#[derive(Default)]
struct Recorder(Mutex<Vec<(f64, f64)>>);

impl Observer for Recorder {
    fn progress(&self, done: f64, total: f64, _experiment: &str) -> ControlFlow<()> {
        self.0.lock().unwrap().push((done, total));
        ControlFlow::Continue(())
    }
    fn finished(&self, _record: &Record) {}
}

#[test]
fn a_search_decides_which_cells_there_are() {
    for jobs in [1, 3] {
        let folder = tempfile::tempdir().unwrap();
        let go = |nearest: &Nearest| {
            run_experiments(&[nearest], &request(folder.path(), &Mode::ALL, jobs), &Listener::new(usize::MAX)).unwrap()
        };
        let nearest = Nearest::to(2);
        let records = go(&nearest);
        let computed = nearest.sorted();
        assert_eq!(computed.len(), 4 + 16, "both readings share the search: {computed:?}");
        assert!(computed[..16].iter().all(|name| name.contains(",2,")), "{computed:?}");
        assert!(nearest.computed.lock().unwrap()[..4].iter().all(|name| name.contains("search")));
        assert_eq!(records[0].values, json!({ "distances": [2, 1, 0, 1] }));
        assert_eq!((records[1].cells[7].col.as_str(), records[1].cells[7].value), ("2", 14.0 + 0.1 + 0.2));

        let again = Nearest::to(2);
        assert_eq!(go(&again), records);
        assert!(again.sorted().is_empty());
        // Another target shares no cell of the search; it chooses other cells.
        let other = Nearest::to(3);
        assert_eq!(go(&other)[0].values, json!({ "distances": [3, 2, 1, 0] }));
        assert_eq!(other.sorted().len(), 4 + 16);
    }
}

#[test]
fn a_run_that_is_stopped_in_its_search_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let first = Nearest::to(1);
    // Two words a cell: the third is stopped when it begins.
    let stopped = run_experiments(&[&first], &request(folder.path(), &[Mode::Printed], 1), &Listener::new(4));
    assert!(matches!(stopped.unwrap_err(), Error::Interrupted));
    assert_eq!(first.sorted().len(), 2);
    let rest = Nearest::to(1);
    let records =
        run_experiments(&[&rest], &request(folder.path(), &[Mode::Printed], 1), &Listener::new(usize::MAX)).unwrap();
    assert_eq!(rest.sorted().len(), 2 + 8);
    assert_eq!(records[0].cells.len(), 8);
}

#[test]
fn progress_counts_the_search_and_estimates_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let recorder = Recorder::default();
    run_experiments(&[&Nearest::to(2)], &request(folder.path(), &[Mode::Printed], 1), &recorder).unwrap();
    let heard = recorder.0.into_inner().unwrap();
    assert!(heard.iter().all(|(_, total)| (total - 84.0).abs() < 1e-9), "4 of 1 s and 8 of 10 s: {heard:?}");
    assert!(heard.is_sorted_by(|(before, _), (after, _)| before <= after), "{heard:?}");
    assert_eq!((heard[0].0, heard.last().unwrap().0), (0.0, 79.0));
}

#[test]
fn a_failure_in_a_search_ends_the_threads_that_wait_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let failing = Nearest { fail_at: Some("search"), ..Nearest::to(2) };
    let failed = run_experiments(&[&failing], &request(folder.path(), &[Mode::Printed], 8), &Listener::new(usize::MAX));
    assert!(failed.unwrap_err().to_string().starts_with("no [\"search\",2,"));
    let panicking = Nearest { panic_at: Some("search\",2,3"), ..Nearest::to(2) };
    let request = request(folder.path(), &[Mode::Printed], 8);
    let panicked =
        catch_unwind(AssertUnwindSafe(|| run_experiments(&[&panicking], &request, &Listener::new(usize::MAX))));
    let message = *panicked.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(message, "at [\"search\",2,3]");
}
