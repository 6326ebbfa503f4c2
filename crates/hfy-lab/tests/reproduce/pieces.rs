//! Runs that do a part of the work: for some time, or nothing but cells.

use std::fs::read_to_string;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use hfy_lab::experiment::Mode;
use hfy_lab::reproduce::{CellCount, Observer, Pieces, Record, run_pieces};

use super::search::Nearest;
use super::{Listener, Squares, request};

fn patient() -> Listener {
    Listener::new(usize::MAX)
}

/// No time for any cell.
fn no_time(file: &Path) -> Pieces {
    Pieces { cells: vec![file.to_owned()], time: Some(Duration::ZERO), ..Pieces::default() }
}

/// Makes every cell take long.
struct Slow(Duration);

impl Observer for Slow {
    fn progress(&self, _done: f64, _total: f64, _experiment: &str) -> ControlFlow<()> {
        std::thread::sleep(self.0);
        ControlFlow::Continue(())
    }
    fn finished(&self, _record: &Record) {}
}

#[test]
fn no_cell_begins_after_the_time_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cells.jsonl");
    let pieces = Pieces { time: Some(Duration::from_secs(2)), ..no_time(&file) };
    let one = request(&folder.path().join("out"), &[Mode::Printed], 1);
    let first = Squares::default();
    // Two words a cell: the second begins in time, the third does not.
    let summary = run_pieces(&[&first], &one, &pieces, &Slow(Duration::from_millis(600))).unwrap();
    assert_eq!((first.count(), summary.records.len()), (2, 0));
    assert_eq!(summary.count, CellCount { done: 2, total: 9, computed: 2, estimated: false });
    assert_eq!(summary.unfinished, [("squares", Mode::Printed)]);
    let rest = Squares::default();
    let summary = run_pieces(&[&rest], &one, &Pieces { time: None, ..pieces }, &patient()).unwrap();
    assert_eq!((rest.count(), summary.records.len(), summary.unfinished.len()), (7, 1, 0));
    assert!(summary.count.is_whole());
}

#[test]
fn what_is_complete_is_written_although_the_time_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cells.jsonl");
    let one = request(&folder.path().join("out"), &[Mode::Printed], 2);
    run_pieces(&[&Squares::default()], &one, &Pieces { only_cells: true, time: None, ..no_time(&file) }, &patient())
        .unwrap();
    let both = request(&folder.path().join("both"), &Mode::ALL, 2);
    let (squares, nearest) = (Squares::default(), Nearest::to(2));
    let summary = run_pieces(&[&squares, &nearest], &both, &no_time(&file), &patient()).unwrap();
    assert_eq!((squares.count(), nearest.sorted().len()), (0, 0));
    assert_eq!(
        summary.records.iter().map(|record| (&record.id[..], record.setting.mode)).collect::<Vec<_>>(),
        [("squares", Mode::Printed)]
    );
    let unfinished = [("nearest", Mode::Printed), ("squares", Mode::Defined), ("nearest", Mode::Defined)];
    assert_eq!(summary.unfinished, unfinished);
    assert!(Record::read(&both.out, Mode::Printed, "squares").is_some());
    assert!(read_to_string(both.out.join("index.html")).unwrap().contains("10 of 10 agree"));
}

#[test]
fn a_run_for_cells_alone_writes_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cells.jsonl");
    let one = request(&folder.path().join("out"), &Mode::ALL, 3);
    let pieces = Pieces { cells: vec![file.clone()], only_cells: true, ..Pieces::default() };
    let summary = run_pieces(&[&Squares::default()], &one, &pieces, &patient()).unwrap();
    assert!(summary.count.is_whole() && summary.records.is_empty() && summary.unfinished.is_empty());
    let there: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(there, [file], "not even a folder");
    // Without a file, cells go into the folder.
    let pieces = Pieces { cells: vec![], ..pieces };
    run_pieces(&[&Squares::default()], &one, &pieces, &patient()).unwrap();
    let names = std::fs::read_dir(&one.out).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["cells"]);
}

#[test]
fn a_search_goes_on_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cells.jsonl");
    let one = request(&folder.path().join("out"), &[Mode::Printed], 1);
    let pieces = Pieces { cells: vec![file.clone()], only_cells: true, ..Pieces::default() };
    // Two words a cell: stopped in the search, then in what it chose.
    let first = Nearest::to(2);
    run_pieces(&[&first], &one, &pieces, &Listener::new(4)).unwrap_err();
    let summary =
        run_pieces(&[&Nearest::to(2)], &one, &Pieces { time: Some(Duration::ZERO), ..pieces.clone() }, &patient());
    assert_eq!(summary.unwrap().count, CellCount { done: 2, total: 12, computed: 0, estimated: true });
    let second = Nearest::to(2);
    run_pieces(&[&second], &one, &pieces, &Listener::new(10)).unwrap_err();
    assert_eq!((first.sorted().len(), second.sorted().len()), (2, 5));
    let third = Nearest::to(2);
    let summary = run_pieces(&[&third], &one, &Pieces { only_cells: false, ..pieces.clone() }, &patient()).unwrap();
    assert_eq!(summary.count, CellCount { done: 12, total: 12, computed: 5, estimated: false });
    assert!(third.sorted().iter().all(|name| name.starts_with("[\"printed\",2,")));
    let again = run_pieces(&[&Nearest::to(2)], &one, &no_time(&file), &patient()).unwrap();
    assert_eq!(again.records, summary.records, "numbers come back as they were");
}

#[test]
fn a_failure_keeps_the_cells_before_it_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cells.jsonl");
    let one = request(&folder.path().join("out"), &[Mode::Printed], 1);
    let pieces = Pieces { cells: vec![file.clone()], ..Pieces::default() };
    let failing = Squares { fail_at: Some(5), ..Squares::default() };
    assert_eq!(run_pieces(&[&failing], &one, &pieces, &patient()).unwrap_err().to_string(), "no 5");
    assert_eq!(read_to_string(&file).unwrap().lines().count(), 5);
    let rest = Squares::default();
    run_pieces(&[&rest], &one, &pieces, &patient()).unwrap();
    assert_eq!(rest.count(), 4);
}

#[test]
fn shares_make_up_the_whole_and_each_ends_where_a_search_waits_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let one = request(&folder.path().join("out"), &[Mode::Printed], 2);
    let joined = folder.path().join("joined.jsonl");
    std::fs::write(&joined, "").unwrap();
    // Two rounds: the search, and what it chooses.
    let mut computed = Vec::new();
    for round in 0..2 {
        let mut texts = vec![read_to_string(&joined).unwrap()];
        for which in 1..=3 {
            let file = folder.path().join(format!("{round}-{which}.jsonl"));
            let pieces = Pieces {
                cells: vec![file.clone()],
                with_cells: vec![joined.clone()],
                only_cells: true,
                share: format!("{which}/3").parse().unwrap(),
                ..Pieces::default()
            };
            let nearest = Nearest::to(2);
            run_pieces(&[&nearest], &one, &pieces, &patient()).unwrap();
            computed.push(nearest.sorted());
            texts.push(read_to_string(&file).unwrap());
        }
        std::fs::write(&joined, texts.concat()).unwrap();
    }
    let counts: Vec<usize> = computed.iter().map(Vec::len).collect();
    assert_eq!((counts[..3].iter().sum::<usize>(), counts[3..].iter().sum::<usize>()), (4, 8), "{counts:?}");
    assert!(counts.iter().all(|&count| count <= 3), "{counts:?}");
    let mut names = computed.concat();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 12, "nothing is computed twice");
    let rest = Nearest::to(2);
    let pieces = Pieces { with_cells: vec![joined], ..Pieces::default() };
    let summary = run_pieces(&[&rest], &one, &pieces, &patient()).unwrap();
    assert_eq!((rest.sorted().len(), summary.records.len()), (0, 1));
}

#[test]
fn shares_are_read() {
    let read = |text: &str| text.parse::<hfy_lab::reproduce::Share>();
    assert_eq!(read("1/1").unwrap(), hfy_lab::reproduce::Share::default());
    for wrong in ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2"] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}
