//! Many processes and threads at one memory.

mod support;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hfy_store::disk::{Disk, DiskFile, SystemDisk};
use hfy_store::{Dtype, Error, Memory, Options, Texts};
use ndarray::{Array2, array};

/// The pattern that writer `w` adds in its step `n` says so.
fn pattern(writer: usize, step: usize) -> Array2<f32> {
    array![[writer as f32, step as f32]]
}

/// Adds patterns one at a time and says their ids; every fourth is removed again.
#[test]
fn child_that_adds() {
    let Some(path) = std::env::var_os("HFY_STORE_ADD_TO").map(PathBuf::from) else { return };
    let number = |name: &str| std::env::var(name).unwrap().parse::<usize>().unwrap();
    let (writer, steps) = (number("HFY_STORE_WRITER"), number("HFY_STORE_STEPS"));
    for step in 0..steps {
        // A new handle now and then, as separate commands would have.
        let memory = Memory::open(&path).unwrap();
        let texts = Texts { labels: vec![Some(format!("{writer}:{step}"))], ..Texts::default() };
        let id = memory.add(pattern(writer, step).view(), &texts).unwrap().start;
        eprintln!("added {id}");
        if step % 4 == 3 {
            memory.remove(&[id]).unwrap();
            eprintln!("removed {id}");
        }
    }
}

fn spawn(path: &Path, writer: usize, steps: usize) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "child_that_adds", "--nocapture"]).env("HFY_STORE_ADD_TO", path);
    child.env("HFY_STORE_WRITER", writer.to_string()).env("HFY_STORE_STEPS", steps.to_string());
    child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// `HFY_STRESS_ADDS` asks for more than 100 additions of each process.
#[test]
fn four_processes_that_add_and_remove_lose_nothing() {
    let steps: usize = std::env::var("HFY_STRESS_ADDS").map_or(100, |steps| steps.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    let memory = Memory::create(&path, Dtype::F32, 2).unwrap();
    let mut children: Vec<Child> = (0..4).map(|writer| spawn(&path, writer, steps)).collect();
    let said: Vec<_> = children.iter_mut().map(|child| child.stderr.take().unwrap()).collect();
    let heard: Vec<_> = said
        .into_iter()
        .map(|said| std::thread::spawn(move || BufReader::new(said).lines().collect::<Result<Vec<_>, _>>().unwrap()))
        .collect();

    // A reader meanwhile: every snapshot is whole, and none goes back in time.
    let (mut generation, mut next, mut snapshots) = (0, 0, 0);
    while heard.iter().any(|thread| !thread.is_finished()) {
        let now = memory.snapshot().unwrap();
        now.verify().unwrap();
        assert!(now.generation() >= generation && now.next_id() >= next);
        (generation, next, snapshots) = (now.generation(), now.next_id(), snapshots + 1);
        let patterns = now.patterns::<f32>().unwrap();
        for record in now.records().unwrap() {
            let record = record.unwrap();
            let row = patterns.row(record.row);
            assert_eq!(record.label, Some(format!("{}:{}", row[0], row[1])), "texts belong to their pattern");
        }
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let (mut given, mut expected) = (BTreeSet::new(), BTreeSet::new());
    for (writer, lines) in heard.into_iter().enumerate() {
        let mut step = 0;
        for line in lines.join().unwrap() {
            let (what, id) = line.split_once(' ').unwrap();
            let id: u64 = id.parse().unwrap();
            if what == "added" {
                assert!(given.insert(id), "id {id} was given twice");
                expected.insert((id, writer, step));
                step += 1;
            } else {
                expected.remove(&(id, writer, step - 1));
            }
        }
        assert_eq!(step, steps);
    }
    let now = memory.snapshot().unwrap();
    let patterns = now.patterns::<f32>().unwrap();
    let rows = now.ids().unwrap().into_iter().zip(patterns.rows());
    let found: BTreeSet<_> = rows.map(|(id, row)| (id, row[0] as usize, row[1] as usize)).collect();
    assert!(found == expected, "{} patterns, {} expected", found.len(), expected.len());
    assert_eq!(now.next_id(), 4 * steps as u64);
    println!("{} additions by 4 processes, {snapshots} snapshots verified meanwhile", 4 * steps);
    assert!(snapshots > 2);
}

#[test]
fn threads_share_a_handle() {
    let memory = Memory::temporary(Dtype::F32, 2).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let memory = memory.clone();
            scope.spawn(move || {
                for step in 0..50 {
                    let id = memory.add(pattern(writer, step).view(), &Texts::default()).unwrap().start;
                    let now = memory.snapshot().unwrap();
                    let row = now.expect_row(id).unwrap();
                    assert_eq!(now.pattern::<f32>(row).unwrap(), pattern(writer, step).row(0));
                }
            });
        }
    });
    assert_eq!(memory.count().unwrap(), 200);
    memory.verify().unwrap();
}

/// Waits in the middle of a write until it is told to go on.
#[derive(Debug)]
struct SlowDisk {
    begun: Mutex<Sender<()>>,
    go: Mutex<Receiver<()>>,
}

impl Disk for SlowDisk {
    fn create(&self, path: &Path) -> std::io::Result<Box<dyn DiskFile>> {
        self.begun.lock().unwrap().send(()).unwrap();
        self.go.lock().unwrap().recv().unwrap();
        SystemDisk.create(path)
    }

    fn sync_folder(&self, folder: &Path) -> std::io::Result<()> {
        SystemDisk.sync_folder(folder)
    }

    fn remove(&self, path: &Path) -> std::io::Result<()> {
        SystemDisk.remove(path)
    }
}

#[test]
fn a_writer_waits_for_another_and_says_for_whom_if_it_takes_too_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    Memory::create(&path, Dtype::F32, 2).unwrap();
    let ((begun, has_begun), (go, may_go)) = (channel(), channel());
    let disk = Arc::new(SlowDisk { begun: Mutex::new(begun), go: Mutex::new(may_go) });
    let slow = Memory::open_with(&path, Options { disk, ..Options::default() }).unwrap();
    let patience = Duration::from_millis(30);
    let hasty = Memory::open_with(&path, Options { patience, ..Options::default() }).unwrap();
    let patient = Memory::open(&path).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| slow.add(pattern(0, 0).view(), &Texts::default()).unwrap());
        has_begun.recv().unwrap();
        let error = hasty.add(pattern(1, 1).view(), &Texts::default()).unwrap_err();
        assert!(matches!(error, Error::Busy { .. }));
        let text = error.to_string();
        let holder = format!("m.hfy: process {} has wanted to add to it for ", std::process::id());
        assert!(text.starts_with("cannot add to ") && text.contains(&holder), "{text}");
        assert!(text.ends_with("; waited 0.03 s"), "{text}");
        // Readers do not wait.
        assert_eq!((hasty.count().unwrap(), hasty.snapshot().unwrap().len()), (0, 0));
        let waiting = scope.spawn(|| patient.add(pattern(2, 2).view(), &Texts::default()).unwrap());
        go.send(()).unwrap();
        assert_eq!((writer.join().unwrap(), waiting.join().unwrap()), (0..1, 1..2));
    });
    assert_eq!(hasty.count().unwrap(), 2);
}
