//! What was acknowledged survives: a process killed at any moment, and a disk that fails at any operation.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hfy_store::disk::{Disk, DiskFile, SystemDisk};
use hfy_store::{Dtype, Error, Memory, Options, Snapshot, Texts};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use support::Numbers;

const DIM: usize = 8;

/// One change of a memory. Patterns follow from the seed, so that a line of text holds the whole of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Change {
    Add { seed: u64, rows: usize },
    Update { seed: u64, ids: Vec<u64> },
    Remove { ids: Vec<u64> },
    Label { id: u64, label: String },
    Compact,
}

/// What a memory has to hold: pattern and label of every id.
#[derive(Debug, Clone, Default, PartialEq)]
struct Model {
    next: u64,
    records: BTreeMap<u64, (Vec<f32>, Option<String>)>,
}

fn patterns(seed: u64, rows: usize) -> Array2<f32> {
    Numbers(seed).array(rows, DIM)
}

fn label(seed: u64, row: usize) -> Option<String> {
    (!seed.is_multiple_of(3)).then(|| format!("{seed}/{row}"))
}

impl Change {
    fn random(numbers: &mut Numbers, ids: &[u64]) -> Self {
        let seed = numbers.below(1 << 30) as u64;
        let mut some = |most: usize| -> Vec<u64> {
            let mut some: Vec<u64> = (0..1 + numbers.below(most))
                .filter_map(|_| ids.get(numbers.below(ids.len().max(1))).copied())
                .collect();
            some.sort_unstable();
            some.dedup();
            some
        };
        match seed % 10 {
            0..=3 => Change::Add { seed, rows: 1 + seed as usize % 40 },
            4..=5 => Change::Update { ids: some(20), seed },
            // As many as are added, so that the memory does not grow for ever.
            6..=7 => Change::Remove { ids: some(60) },
            8 if !ids.is_empty() => {
                Change::Label { id: ids[seed as usize % ids.len()], label: format!("label {seed}") }
            }
            _ => Change::Compact,
        }
    }

    fn make(&self, memory: &Memory) -> hfy_store::Result<()> {
        match self {
            Change::Add { seed, rows } => {
                let labels = (0..*rows).map(|row| label(*seed, row)).collect();
                memory.add(patterns(*seed, *rows).view(), &Texts { labels, ..Texts::default() }).map(drop)
            }
            Change::Update { seed, ids } => memory.update(ids, patterns(*seed, ids.len()).view(), &Texts::default()),
            Change::Remove { ids } => memory.remove(ids),
            Change::Label { id, label } => memory.set_label(*id, Some(label)),
            Change::Compact => memory.compact(),
        }
    }
}

impl Model {
    fn of(snapshot: &Snapshot) -> Self {
        let record = |record: hfy_store::Result<hfy_store::Record>| {
            let record = record.unwrap();
            (record.id, (snapshot.pattern::<f32>(record.row).unwrap().to_vec(), record.label))
        };
        Model { next: snapshot.next_id(), records: snapshot.records().unwrap().map(record).collect() }
    }

    fn apply(&mut self, change: &Change) {
        match change {
            Change::Add { seed, rows } => {
                for (row, pattern) in patterns(*seed, *rows).rows().into_iter().enumerate() {
                    self.records.insert(self.next, (pattern.to_vec(), label(*seed, row)));
                    self.next += 1;
                }
            }
            Change::Update { seed, ids } => {
                for (id, pattern) in ids.iter().zip(patterns(*seed, ids.len()).rows()) {
                    self.records.get_mut(id).unwrap().0 = pattern.to_vec();
                }
            }
            Change::Remove { ids } => self.records.retain(|id, _| !ids.contains(id)),
            Change::Label { id, label } => self.records.get_mut(id).unwrap().1 = Some(label.clone()),
            Change::Compact => {}
        }
    }
}

/// Changes a memory until it is killed: the child of the test below, and nothing without it. It says each change before
/// it is made, and `done` after.
#[test]
fn child_that_changes_a_memory() {
    let Some(path) = std::env::var_os("HFY_STORE_CHANGE").map(PathBuf::from) else { return };
    let mut numbers = Numbers(std::env::var("HFY_STORE_SEED").unwrap().parse().unwrap());
    let memory = Memory::open(path).unwrap();
    let mut said = io::stderr();
    loop {
        let change = Change::random(&mut numbers, &memory.snapshot().unwrap().ids().unwrap());
        writeln!(said, "change {}", serde_json::to_string(&change).unwrap()).unwrap();
        change.make(&memory).unwrap();
        writeln!(said, "done").unwrap();
    }
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn spawn(path: &Path, seed: u64) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "child_that_changes_a_memory", "--nocapture"]);
    child.env("HFY_STORE_CHANGE", path).env("HFY_STORE_SEED", seed.to_string());
    child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// `HFY_STRESS_KILLS` asks for more than 50.
#[test]
#[cfg(unix)]
fn a_killed_process_loses_nothing_that_was_acknowledged() {
    let kills: u64 = std::env::var("HFY_STRESS_KILLS").map_or(50, |kills| kills.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    Memory::create(&path, Dtype::F32, DIM).unwrap();
    let (mut model, mut numbers) = (Model::default(), Numbers(2026));
    let (mut changes, mut cut_short, mut kept) = (0u64, 0u64, 0u64);
    for round in 0..kills {
        let mut child = Killed(spawn(&path, round));
        let said = BufReader::new(child.0.stderr.take().unwrap());
        let mut lines = said.lines();
        // Not before it is at work, then at any moment.
        let mut heard = vec![lines.next().unwrap().unwrap()];
        std::thread::sleep(Duration::from_micros(numbers.below(120_000) as u64));
        drop(child); // SIGKILL
        heard.extend(lines.map_while(Result::ok));

        let mut pending = None;
        for line in &heard {
            match (line.strip_prefix("change "), line.as_str()) {
                // A line that was cut short belongs to a change that was not begun.
                (Some(change), _) => pending = serde_json::from_str::<Change>(change).ok(),
                (None, "done") => {
                    model.apply(&pending.take().expect("a change before it is done"));
                    changes += 1;
                }
                _ => panic!("round {round}: the child said {line:?}"),
            }
        }
        let memory = Memory::open(&path).unwrap();
        let now = memory.snapshot().unwrap();
        now.verify().unwrap();
        let found = Model::of(&now);
        // The change under way happened, or it did not.
        if let Some(change) = pending {
            cut_short += 1;
            let mut with = model.clone();
            with.apply(&change);
            if found == with {
                kept += u64::from(with != model);
                model = with;
            }
        }
        assert!(found == model, "round {round}: the memory is not what was acknowledged");
    }
    println!("{kills} kills, {changes} changes acknowledged, {cut_short} cut short, {kept} of these kept whole");
    assert!(cut_short > kills / 4 && changes > 0, "kills did not meet changes: {cut_short}, {changes}");
    // A writer deletes what the dead have left.
    Memory::open(&path).unwrap().compact().unwrap();
    let files = fs::read_dir(path.join("segments")).unwrap().count();
    assert_eq!(files, usize::from(!model.records.is_empty()));
}

/// Fails at the operation whose turn it is, and at all that follow if the disk is to be dead from then on.
#[derive(Debug)]
struct FailingDisk {
    left: Arc<AtomicUsize>,
    dead: bool,
}

fn turn(left: &AtomicUsize, dead: bool) -> io::Result<()> {
    let fails = match left.load(Ordering::Relaxed) {
        0 => dead,
        1 => true,
        _ => false,
    };
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(1))).unwrap();
    if fails { Err(io::Error::new(io::ErrorKind::StorageFull, "injected")) } else { Ok(()) }
}

struct FailingFile {
    inner: Box<dyn DiskFile>,
    left: Arc<AtomicUsize>,
    dead: bool,
}

impl Write for FailingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(error) = turn(&self.left, self.dead) {
            // A disk that fills up has room for a part.
            self.inner.write_all(&bytes[..bytes.len() / 2])?;
            return Err(error);
        }
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl Seek for FailingFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

impl DiskFile for FailingFile {
    fn sync(&mut self) -> io::Result<()> {
        turn(&self.left, self.dead)?;
        self.inner.sync()
    }
}

impl Disk for FailingDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        turn(&self.left, self.dead)?;
        Ok(Box::new(FailingFile { inner: SystemDisk.create(path)?, left: Arc::clone(&self.left), dead: self.dead }))
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        turn(&self.left, self.dead)?;
        SystemDisk.sync_folder(folder)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        turn(&self.left, self.dead)?;
        SystemDisk.remove(path)
    }
}

#[test]
fn a_disk_that_fails_at_any_operation_leaves_what_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let changes = [
        Change::Add { seed: 5, rows: 3 },
        // Larger than the buffer of a writer.
        Change::Add { seed: 6, rows: 40_000 },
        Change::Update { seed: 7, ids: vec![1, 4] },
        Change::Remove { ids: vec![0, 1, 2, 3] },
        Change::Compact,
    ];
    let mut injected = 0;
    for (case, (change, dead)) in changes.iter().flat_map(|change| [(change, false), (change, true)]).enumerate() {
        for turns in 1.. {
            let path = folder.path().join(format!("m{case}-{turns}"));
            let memory = Memory::create(&path, Dtype::F32, DIM).unwrap();
            let mut model = Model::default();
            // Enough small segments for a merge after the change.
            for seed in 0..9 {
                let before = Change::Add { seed, rows: 1 };
                before.make(&memory).unwrap();
                model.apply(&before);
            }
            let left = Arc::new(AtomicUsize::new(turns));
            let disk = Arc::new(FailingDisk { left: Arc::clone(&left), dead });
            let failing = Memory::open_with(&path, Options { disk, ..Options::default() }).unwrap();
            let made = change.make(&failing);
            match &made {
                Ok(()) => model.apply(change),
                Err(Error::Io { source, .. }) => assert_eq!(source.to_string(), "injected"),
                Err(other) => panic!("{change:?}, operation {turns}: {other}"),
            }
            drop(failing);
            let reopened = Memory::open(&path).unwrap();
            let now = reopened.snapshot().unwrap();
            now.verify().unwrap();
            assert!(Model::of(&now) == model, "{change:?}, operation {turns}, dead {dead}: {made:?}");
            // And it goes on.
            let after = Change::Add { seed: 99, rows: 2 };
            after.make(&reopened).unwrap();
            model.apply(&after);
            assert!(Model::of(&reopened.snapshot().unwrap()) == model);
            if left.load(Ordering::Relaxed) > 0 {
                assert!(made.is_ok(), "{change:?}: failed without a fault");
                assert!(turns > 4 || matches!(change, Change::Remove { .. }), "{change:?} met only {turns} operations");
                break;
            }
            injected += 1;
        }
    }
    assert!(injected >= 35, "only {injected} faults were injected");
}

/// Fails once so many bytes have been written, having written them.
struct Full<W> {
    inner: W,
    left: usize,
}

impl<W: Write> Write for Full<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no room"));
        }
        let written = self.inner.write(&bytes[..bytes.len().min(self.left)])?;
        self.left -= written;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W: Seek> Seek for Full<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

#[test]
fn an_export_to_a_disk_that_fills_up_after_any_byte_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    let memory = Memory::temporary(Dtype::F32, DIM).unwrap();
    Change::Add { seed: 1, rows: 2 }.make(&memory).unwrap();
    memory.snapshot().unwrap().export(&path).unwrap();
    let old = fs::read(&path).unwrap();
    Change::Add { seed: 2, rows: 2 }.make(&memory).unwrap();
    let now = memory.snapshot().unwrap();
    let new = support::bytes(&now);
    // The tensors once, the header twice.
    let total = new.len() + 8 + u64::from_le_bytes(*new.first_chunk().unwrap()) as usize;
    for left in 0..=total {
        let saved = hfy_store::replace_file(&path, |file| {
            now.write_to(io::BufWriter::with_capacity(16, Full { inner: file, left }))
        });
        if left == total {
            saved.unwrap();
            assert_eq!(fs::read(&path).unwrap(), new);
            break;
        }
        assert!(matches!(saved, Err(Error::Io { .. })), "{left}");
        assert_eq!(fs::read(&path).unwrap(), old, "{left}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{left}: nothing is left behind");
    }
}

#[test]
fn files_that_others_are_writing_are_not_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    let foreign = [".m.hfy.notes.part", ".m.hfy.1-x.part", ".other.hfy.1-1.part", "m.hfy.1-1.part"];
    foreign.iter().for_each(|name| fs::write(folder.path().join(name), b"mine").unwrap());
    let of_dim = |dim| Memory::temporary(Dtype::F32, dim).unwrap().snapshot().unwrap();
    hfy_store::replace_file(&path, |file| {
        // A second export to the same name while the first is under way.
        of_dim(3).export(&path)?;
        of_dim(4).write_to(io::BufWriter::new(file))
    })
    .unwrap();
    assert_eq!(Memory::open(&path).unwrap().dim(), 4);
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut left: Vec<String> = names.collect();
    left.sort();
    let mut expected: Vec<String> = foreign.map(str::to_owned).to_vec();
    expected.push("m.hfy".into());
    expected.sort();
    assert_eq!(left, expected);
}

/// Builds a memory and never ends: the child of the test below, and nothing without it.
#[test]
fn child_that_builds() {
    let Some(path) = std::env::var_os("HFY_STORE_BUILD").map(PathBuf::from) else { return };
    let waiting = |_: &Memory| -> hfy_store::Result<()> {
        eprintln!("building");
        std::thread::sleep(Duration::from_secs(60));
        Ok(())
    };
    Memory::create_with(&path, Dtype::F32, DIM, false, waiting).unwrap();
}

#[test]
#[cfg(unix)]
fn an_unfinished_memory_is_deleted_when_its_builder_is_gone_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "child_that_builds", "--nocapture"]).env("HFY_STORE_BUILD", &path);
    let mut child = Killed(child.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(child.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "building\n");
    let count = || fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(count(), 1);
    Memory::create(&path, Dtype::F32, DIM).unwrap();
    assert_eq!(count(), 2, "the builder lives");
    drop(child); // SIGKILL
    fs::remove_dir_all(&path).unwrap();
    Memory::create(&path, Dtype::F32, DIM).unwrap();
    assert_eq!(count(), 1);
}

#[test]
#[cfg(unix)]
fn exports_keep_permissions_and_follow_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("m.hfy"), folder.path().join("link.hfy"));
    let memory = Memory::temporary(Dtype::F32, 2).unwrap();
    memory.snapshot().unwrap().export(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&path, &link).unwrap();
    memory.add(ndarray::array![[1.0f32, 2.0]].view(), &Texts::default()).unwrap();
    memory.snapshot().unwrap().export(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
    assert_eq!(Memory::open(&path).unwrap().count().unwrap(), 1);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}
