//! Files of cells: what is in one is not computed again, however it came there, and nothing damages the rest.

use std::fs::{read, read_to_string, write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use hfy_lab::experiment::Mode;
use hfy_lab::reproduce::{Observer, Pieces, Record, Source, Summary, run_pieces};
use hfy_lab::{Error, Result};
use serde_json::Value;

use super::{Listener, Squares, request};

/// Keeps the notes.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Observer for Notes {
    fn progress(&self, _done: f64, _total: f64, _experiment: &str) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn finished(&self, _record: &Record) {}
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push(text.to_owned());
    }
}

fn into(file: &Path) -> Pieces {
    Pieces { cells: vec![file.to_owned()], only_cells: true, ..Pieces::default() }
}

/// A run that writes nothing but cells.
fn go(squares: &Squares, pieces: &Pieces, observer: &dyn Observer) -> Result<Summary> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let summary = run_pieces(&[squares], &request(&out, &[Mode::Printed], 2), pieces, observer);
    assert!(!out.exists());
    summary
}

/// How many cells such a run computes, and what it notes.
fn computed(pieces: &Pieces) -> (usize, Vec<String>) {
    let (squares, notes) = (Squares::default(), Notes::default());
    let summary = go(&squares, pieces, &notes).unwrap();
    assert_eq!((summary.count.done, summary.count.computed), (9, squares.count()));
    (squares.count(), notes.0.into_inner().unwrap())
}

/// A file with all nine cells.
fn whole(folder: &Path) -> (PathBuf, String) {
    let file = folder.join("whole.jsonl");
    assert_eq!(computed(&into(&file)), (9, vec![]));
    let text = read_to_string(&file).unwrap();
    (file, text)
}

#[test]
fn a_line_says_all_about_a_cell() {
    let folder = tempfile::tempdir().unwrap();
    let (_, text) = whole(folder.path());
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let keys: Vec<String> = lines.iter().map(|line| line["key"].to_string()).collect();
    assert_eq!(keys, ["0", "1", "100", "2", "3", "4", "5", "6", "7"], "sorted by the text of the key");
    assert!(text.starts_with("{\"experiment\":\"squares\",\"hash\":\""));
    assert_eq!((&lines[2]["value"], lines[2]["hash"].as_str().map(str::len)), (&Value::from(10_000), Some(32)));
    assert!(lines.iter().all(|line| line["seconds"].as_f64() >= Some(0.0)));
}

#[test]
fn a_run_that_is_stopped_leaves_whole_lines_and_another_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/cells.jsonl");
    let mut one = request(&folder.path().join("out"), &[Mode::Printed], 1);
    let stopped = run_pieces(&[&Squares::default()], &one, &into(&file), &Listener::new(7));
    assert!(matches!(stopped.unwrap_err(), Error::Interrupted));
    assert_eq!(read_to_string(&file).unwrap().lines().count(), 3);
    // Elsewhere: nothing but the file is there.
    one.out = folder.path().join("elsewhere");
    let rest = Squares::default();
    let pieces = Pieces { only_cells: false, ..into(&file) };
    let summary = run_pieces(&[&rest], &one, &pieces, &Listener::new(usize::MAX)).unwrap();
    assert_eq!((rest.count(), summary.count.done), (6, 9));
    assert_eq!(summary.sources, [Source { path: file, cells: 3 }]);
    assert_eq!(summary.records[0].cells.len(), 9);
    let kept = std::fs::read_dir(one.out.join("cells/squares")).unwrap().count();
    assert_eq!(kept, 6, "new cells go to the folder as well");
}

#[test]
fn a_torn_line_costs_its_own_cell_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (file, text) = whole(folder.path());
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    for cut in [last + 1, last + 20, text.len() - 2] {
        write(&file, &text[..cut]).unwrap();
        let note = format!("{}: line 9 is torn; what is missing there is computed again", file.display());
        assert_eq!(computed(&into(&file)), (1, vec![note]), "at {cut}");
        assert_eq!(computed(&into(&file)), (0, vec![]));
        assert_eq!(read_to_string(&file).unwrap().lines().count(), 9);
    }
    // Only the end of the line is missing, or nothing: all cells are there.
    for cut in [text.len() - 1, text.len()] {
        write(&file, &text[..cut]).unwrap();
        assert_eq!(computed(&into(&file)), (0, vec![]));
        assert_eq!(read_to_string(&file).unwrap(), text);
    }
    // The very first line was torn.
    write(&file, &text[..5]).unwrap();
    assert_eq!(computed(&into(&file)).0, 9);
}

#[test]
fn damage_in_the_middle_costs_its_own_cell_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (file, text) = whole(folder.path());
    let lines: Vec<&str> = text.lines().collect();
    let damaged = |second: &[u8]| [lines[0].as_bytes(), second, lines[2..].join("\n").as_bytes()].join(&b'\n');
    for second in [&b"<<<<<<< HEAD"[..], b"{\"experiment\":\"squares\",\"hash\":\xff\xfe\"", b"{}", b"\0\0\0"] {
        write(&file, damaged(second)).unwrap();
        let (computed, notes) = computed(&into(&file));
        assert_eq!(computed, 1);
        assert!(notes.len() == 1 && notes[0].contains("line 2 is damaged"), "{notes:?}");
    }
    // A line that says something else of the same cell is another cell's.
    write(&file, damaged(lines[1].replace("\"key\":1", "\"key\":55").as_bytes())).unwrap();
    assert_eq!(computed(&into(&file)), (1, vec![]));
    assert_eq!(computed(&into(&file)), (0, vec![]));
}

#[test]
fn files_are_joined_by_cat() {
    let folder = tempfile::tempdir().unwrap();
    let (file, text) = whole(folder.path());
    let lines: Vec<&str> = text.lines().collect();
    let joined = |parts: &[&str]| {
        write(&file, parts.concat()).unwrap();
        let done = computed(&into(&file));
        (done.0, done.1.len(), read_to_string(&file).unwrap())
    };
    let (front, back) = (lines[..5].join("\n") + "\n", lines[3..].join("\n") + "\n");
    assert_eq!(joined(&[&back, &front]), (0, 0, text.clone()), "two cells are in both");
    // Of the same cell the first is taken.
    let other = lines[0].replace("\"value\":0", "\"value\":-1") + "\n";
    assert!(joined(&[&other, &text]).2.starts_with(&other));
    assert_eq!(joined(&[&text, &other]).2, text);
    // The first file has no end of line, is torn where the second begins, or ends in an editor of another system.
    assert_eq!(joined(&[front.trim_end(), &back]), (0, 0, text.clone()));
    assert_eq!(joined(&[&front, &lines[8][..30], &back]), (0, 1, text.clone()));
    assert_eq!(joined(&[&front.replace('\n', "\r\n"), "\n \n", &back]), (0, 0, text.clone()));
}

#[test]
fn a_file_is_written_in_the_same_order_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let (file, text) = whole(folder.path());
    let reversed: Vec<&str> = text.lines().rev().collect();
    write(&file, reversed.join("\n")).unwrap();
    assert_eq!(computed(&into(&file)).0, 0);
    assert_eq!(read_to_string(&file).unwrap(), text);
    // What is in order is left alone, and what this run does not use is not lost.
    let newer = Squares { version: 2, ..Squares::default() };
    let before = std::fs::metadata(&file).unwrap().modified().unwrap();
    assert_eq!(computed(&into(&file)).0, 0);
    assert_eq!(std::fs::metadata(&file).unwrap().modified().unwrap(), before);
    go(&newer, &into(&file), &Listener::new(usize::MAX)).unwrap();
    assert_eq!(newer.count(), 9);
    let both = read_to_string(&file).unwrap();
    assert!(both.lines().count() == 18 && text.lines().all(|line| both.contains(line)), "{both}");
}

#[test]
fn files_that_are_only_read_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let (file, text) = whole(folder.path());
    let half = folder.path().join("half.jsonl");
    // Its order is not that of a file that a run writes.
    write(&half, text.lines().rev().take(4).collect::<Vec<_>>().join("\n")).unwrap();
    let before = read(&half).unwrap();
    for pieces in [
        Pieces { with_cells: vec![half.clone()], ..into(&folder.path().join("a.jsonl")) },
        Pieces { cells: vec![folder.path().join("b.jsonl"), half.clone()], only_cells: true, ..Pieces::default() },
    ] {
        let summary = go(&Squares::default(), &pieces, &Listener::new(usize::MAX)).unwrap();
        assert_eq!((summary.count.computed, &summary.sources[..]), (5, &[Source { path: half.clone(), cells: 4 }][..]));
        assert_eq!(read(&half).unwrap(), before);
        assert_eq!(read_to_string(&pieces.cells[0]).unwrap().lines().count(), 9, "the other file takes them over");
    }
    let missing = Pieces { with_cells: vec![folder.path().join("nowhere")], ..into(&file) };
    let error = go(&Squares::default(), &missing, &Listener::new(usize::MAX)).unwrap_err();
    assert!(error.to_string().starts_with("cannot read "), "{error}");
}

#[test]
fn what_is_no_file_of_cells_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("README.md");
    write(&file, "\n# Notes\n").unwrap();
    let error = go(&Squares::default(), &into(&file), &Listener::new(usize::MAX)).unwrap_err();
    let says = format!("{}: line 2 is not a cell: it must begin with {{\"experiment\":", file.display());
    assert_eq!(error.to_string(), says);
    assert_eq!(read_to_string(&file).unwrap(), "\n# Notes\n");
}

#[test]
fn one_run_at_a_time_adds_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let (file, text) = whole(folder.path());
    let held = std::fs::OpenOptions::new().append(true).open(&file).unwrap();
    held.lock().unwrap();
    let error = go(&Squares::default(), &into(&file), &Listener::new(usize::MAX)).unwrap_err();
    assert!(error.to_string().contains("another run adds cells to this file"), "{error}");
    drop(held);
    assert_eq!(computed(&into(&file)).0, 0);
    assert_eq!(read_to_string(&file).unwrap(), text);
}
