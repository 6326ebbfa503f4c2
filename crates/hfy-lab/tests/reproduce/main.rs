//! What runs experiments: cells are computed once, kept, and found again; a run that stops goes on where it was.

mod cells;
mod pieces;
mod search;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hfy_draw::{Anchor, Figure, TextStyle};
use hfy_lab::data::Place;
use hfy_lab::experiment::{
    Bench, Cell, Claim, Drawing, Experiment, Mode, Outcome, Reading, Results, Setting, TableCell,
};
use hfy_lab::reproduce::{Observer, Record, Request, run_experiments};
use hfy_lab::{Error, Result};
use serde_json::{Value, json};

/// Squares of numbers, counted as they are computed.
#[derive(Default)]
pub(crate) struct Squares {
    pub(crate) computed: AtomicUsize,
    pub(crate) fail_at: Option<u64>,
    pub(crate) version: u32,
}

impl Squares {
    pub(crate) fn count(&self) -> usize {
        self.computed.load(Ordering::Relaxed)
    }
}

impl Experiment for Squares {
    fn id(&self) -> &'static str {
        "squares"
    }
    fn title(&self) -> &'static str {
        "Squares & <others>"
    }
    fn about(&self) -> &'static str {
        "Numbers times themselves."
    }
    fn readings(&self) -> Vec<Reading> {
        vec![Reading::new("sign", "plus", "minus", "none")]
    }
    fn version(&self) -> u32 {
        self.version
    }
    fn cells(&self, setting: &Setting) -> Vec<Cell> {
        // The two readings share all but the last.
        let last = if setting.mode == Mode::Printed { 100 } else { 200 };
        (0..setting.seeds).chain([last]).map(|number| Cell::new(&number, 0.1)).collect()
    }
    fn compute(&self, cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        let number: u64 = cell.key()?;
        if self.fail_at == Some(number) {
            return Err(Error::Data(format!("no {number}")));
        }
        self.computed.fetch_add(1, Ordering::Relaxed);
        bench.done(1, 2)?;
        Ok(json!(number * number))
    }
    fn gather(&self, _setting: &Setting, results: &Results) -> Result<Outcome> {
        let all: Vec<(u64, u64)> = results.all()?;
        let mut figure = Figure::new("squares", 60.0, 20.0);
        figure.text((2.0, 14.0), Anchor::Start, TextStyle::default(), "squares");
        let cell = |(n, square): &(u64, u64)| {
            TableCell::plain(n.to_string(), "square", *square as f64).beside_paper((n * n) as f64, 0.0)
        };
        Ok(Outcome {
            cells: all.iter().map(cell).collect(),
            claims: vec![Claim::new("there are some", !all.is_empty(), format!("{}", all.len()))],
            drawings: vec![Drawing { name: "squares".into(), caption: "Squares.".into(), figure }],
            ..Outcome::default()
        })
    }
}

/// Stops after so many words.
pub(crate) struct Listener {
    patience: AtomicUsize,
    last: Mutex<(f64, f64)>,
}

impl Listener {
    pub(crate) fn new(patience: usize) -> Self {
        Listener { patience: AtomicUsize::new(patience), last: Mutex::default() }
    }
}

impl Observer for Listener {
    fn progress(&self, done: f64, total: f64, _experiment: &str) -> ControlFlow<()> {
        *self.last.lock().unwrap() = (done, total);
        match self.patience.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)) {
            Ok(_) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
    fn finished(&self, _record: &Record) {}
}

pub(crate) fn request(out: &Path, modes: &[Mode], jobs: usize) -> Request {
    let settings = modes.iter().map(|&mode| Setting { mode, seeds: 8, long_seeds: 3, quick: false }).collect();
    Request { names: vec![], settings, out: out.to_owned(), jobs, place: Place::find(None).unwrap() }
}

#[test]
fn readings_share_cells_and_a_second_run_computes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let squares = Squares::default();
    let records =
        run_experiments(&[&squares], &request(folder.path(), &Mode::ALL, 2), &Listener::new(usize::MAX)).unwrap();
    assert_eq!(squares.computed.load(Ordering::Relaxed), 10);
    assert_eq!(records.iter().map(|record| record.setting.mode).collect::<Vec<_>>(), Mode::ALL);
    assert!(records.iter().all(|record| record.verdict.is_whole() && record.verdict.total == 10));
    assert_eq!(records[0].cells.last().unwrap().value, 10_000.0, "cells keep their order");

    let again = Squares::default();
    let second =
        run_experiments(&[&again], &request(folder.path(), &Mode::ALL, 1), &Listener::new(usize::MAX)).unwrap();
    assert_eq!(again.computed.load(Ordering::Relaxed), 0);
    assert_eq!(second, records);
    let newer = Squares { version: 2, ..Squares::default() };
    run_experiments(&[&newer], &request(folder.path(), &[Mode::Printed], 1), &Listener::new(usize::MAX)).unwrap();
    assert_eq!(newer.computed.load(Ordering::Relaxed), 9, "another version is other work");
}

#[test]
fn results_are_written_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let records = run_experiments(
        &[&Squares::default()],
        &request(folder.path(), &[Mode::Defined], 3),
        &Listener::new(usize::MAX),
    )
    .unwrap();
    let own = folder.path().join("defined/squares");
    let result: Value = serde_json::from_slice(&std::fs::read(own.join("result.json")).unwrap()).unwrap();
    assert_eq!(result["mode"], "defined");
    assert_eq!(
        result["cells"][3],
        json!({"row": "3", "col": "square", "value": 9.0, "paper": 9.0, "tolerance": 0.0, "ok": true})
    );
    assert_eq!(Record::read(folder.path(), Mode::Defined, "squares"), Some(records[0].clone()));
    assert!(std::fs::read(own.join("squares.png")).unwrap().starts_with(b"\x89PNG"));
    let page = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
    for part in
        ["Squares &amp; &lt;others&gt;", "10 of 10 agree", "<svg", "<small>paper 9</small>", "Squares.", "not run"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("http://") || page.matches("http://").count() == page.matches("http://www.w3.org").count());
}

#[test]
fn a_run_that_is_stopped_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let first = Squares::default();
    let error =
        run_experiments(&[&first], &request(folder.path(), &[Mode::Printed], 1), &Listener::new(7)).unwrap_err();
    assert!(matches!(error, Error::Interrupted), "{error}");
    // Each cell is heard of when it begins and in its middle: three are whole, the fourth was stopped.
    let kept = std::fs::read_dir(folder.path().join("cells/squares")).unwrap().count();
    assert_eq!((first.computed.load(Ordering::Relaxed), kept), (4, 3));
    let rest = Squares::default();
    let listener = Listener::new(usize::MAX);
    run_experiments(&[&rest], &request(folder.path(), &[Mode::Printed], 1), &listener).unwrap();
    assert_eq!(rest.computed.load(Ordering::Relaxed), 6);
    let (done, total) = *listener.last.lock().unwrap();
    assert!(done > 0.8 * total && done <= total && (total - 0.9).abs() < 1e-9, "{done} of {total}");
}

#[test]
fn a_cell_that_is_damaged_is_computed_again() {
    let folder = tempfile::tempdir().unwrap();
    let go = |squares: &Squares| {
        run_experiments(&[squares], &request(folder.path(), &[Mode::Printed], 2), &Listener::new(usize::MAX)).unwrap()
    };
    let records = go(&Squares::default());
    let mut files: Vec<_> =
        std::fs::read_dir(folder.path().join("cells/squares")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let bytes = std::fs::read(&files[0]).unwrap();
    std::fs::write(&files[0], &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(&files[1], b"").unwrap();
    std::fs::copy(&files[3], &files[2]).unwrap();
    let again = Squares::default();
    let second = go(&again);
    assert_eq!(again.computed.load(Ordering::Relaxed), 3);
    assert_eq!(second[0].cells, records[0].cells);
}

#[test]
fn a_failure_names_itself_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let squares = Squares { fail_at: Some(5), ..Squares::default() };
    let go = run_experiments(&[&squares], &request(folder.path(), &[Mode::Printed], 1), &Listener::new(usize::MAX));
    assert_eq!(go.unwrap_err().to_string(), "no 5");
    assert_eq!(std::fs::read_dir(folder.path().join("cells/squares")).unwrap().count(), 5);
    assert!(!folder.path().join("printed").exists());
    let mut wrong = request(folder.path(), &[Mode::Printed], 1);
    wrong.jobs = 0;
    let error = run_experiments(&[&squares], &wrong, &Listener::new(usize::MAX)).unwrap_err();
    assert_eq!(error.to_string(), "jobs = 0: must lie in 1..=1024");
}
