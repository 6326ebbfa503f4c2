//! A save is whole or not at all: whatever fails, and whenever the process dies.

mod support;

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hfy_store::{Dtype, Error, Memory, replace_file};
use ndarray::{Array2, array};
use support::{Numbers, bytes};

/// Fails once so many bytes have been written, having written them.
struct Failing<W> {
    inner: W,
    left: usize,
}

impl<W: Write> Write for Failing<W> {
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

impl<W: Seek> Seek for Failing<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn a_disk_that_fills_up_after_any_byte_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    let mut memory = Memory::from_patterns(array![[1.0f32, 2.0], [3.0, 4.0]].view()).unwrap();
    memory.save_as(&path).unwrap();
    let old = fs::read(&path).unwrap();
    memory.add(array![5.0f32, 6.0].view()).unwrap();
    memory.set_label(0, Some("new")).unwrap();
    let new = bytes(&memory);
    // The tensors once, the header twice.
    let header = 8 + u64::from_le_bytes(*new.first_chunk().unwrap()) as usize;
    let total = new.len() + header;
    for left in 0..total {
        let save = |file: &File| memory.write_to(BufWriter::with_capacity(16, Failing { inner: file, left }));
        let error = replace_file(&path, save).unwrap_err();
        assert!(matches!(error, Error::Io { .. }), "{left}: {error}");
        assert_eq!(fs::read(&path).unwrap(), old, "{left}");
        assert_eq!(names(folder.path()), ["m.hfy"], "{left}: nothing is left behind");
    }
    let save = |file: &File| memory.write_to(BufWriter::with_capacity(16, Failing { inner: file, left: total }));
    replace_file(&path, save).unwrap();
    assert_eq!(fs::read(&path).unwrap(), new);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no").join("m.hfy");
    let mut memory = Memory::new(Dtype::F32, 2).unwrap();
    let text = memory.save_as(&path).unwrap_err().to_string();
    assert!(text.contains("cannot create") && text.contains("m.hfy"), "{text}");
    assert!(memory.save_as("/").is_err() && memory.save_as("").is_err());
    assert!(memory.save_as(folder.path()).is_err());
}

const ROWS: usize = 8_000;
const DIM: usize = 128;

/// The whole of a version, from its number.
fn version(number: u64) -> Array2<f32> {
    Numbers(number + 1).array(ROWS + number as usize, DIM)
}

/// Saves version 0 and version 1 in turn until it is killed: the child of the test below, and nothing without it.
#[test]
fn child_that_saves_forever() {
    let Some(path) = std::env::var_os("HFY_STORE_SAVE_TO").map(PathBuf::from) else { return };
    let versions = [version(0), version(1)];
    for number in (0..2).cycle() {
        let mut memory = Memory::from_patterns(versions[number].view()).unwrap();
        memory.save_as(&path).unwrap();
    }
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[cfg(unix)]
fn a_process_killed_while_saving_leaves_a_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    Memory::from_patterns(version(0).view()).unwrap().save_as(&path).unwrap();
    let versions = [version(0), version(1)];
    let mut numbers = Numbers(2026);
    let (mut seen, mut unfinished) = ([0, 0], 0);
    for round in 0..25 {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "child_that_saves_forever"]).env("HFY_STORE_SAVE_TO", &path);
        let child = Killed(child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        // Wait until it is at work, then a random while longer.
        let begun = Instant::now();
        let at_work = |name: &String| name.ends_with(".part") && name.contains(&format!(".{}-", child.0.id()));
        while !names(folder.path()).iter().any(at_work) {
            assert!(begun.elapsed() < Duration::from_secs(60), "the child does not save");
        }
        std::thread::sleep(Duration::from_micros(numbers.below(40_000) as u64));
        drop(child); // SIGKILL

        let memory = Memory::open(&path).unwrap();
        memory.verify().unwrap();
        let patterns = memory.patterns::<f32>().unwrap();
        let number = patterns.nrows() - ROWS;
        assert_eq!(patterns, versions[number], "round {round}");
        seen[number] += 1;
        unfinished += names(folder.path()).iter().filter(|name| name.ends_with(".part")).count();
    }
    assert!(unfinished > 0, "no kill met a save; seen {seen:?}");
    // The next save deletes what the dead left.
    Memory::from_patterns(version(0).view()).unwrap().save_as(&path).unwrap();
    assert_eq!(names(folder.path()), ["m.hfy"]);
}

#[test]
fn what_others_are_writing_is_not_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    let foreign = [".m.hfy.notes.part", ".m.hfy.1-x.part", ".other.hfy.1-1.part", "m.hfy.1-1.part"];
    foreign.iter().for_each(|name| fs::write(folder.path().join(name), b"mine").unwrap());
    let save = |_: &File| {
        // A second save of the same name while the first is under way.
        Memory::new(Dtype::F32, 3).unwrap().save_as(&path)
    };
    replace_file(&path, |file| {
        save(file)?;
        Memory::new(Dtype::F32, 4).unwrap().write_to(BufWriter::new(file))
    })
    .unwrap();
    assert_eq!(Memory::open(&path).unwrap().dim(), 4);
    let mut left = names(folder.path());
    left.sort();
    let mut expected: Vec<_> = foreign.map(str::to_owned).to_vec();
    expected.push("m.hfy".into());
    expected.sort();
    assert_eq!(left, expected);
}

#[test]
fn readers_keep_the_file_they_opened_and_the_second_writer_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.hfy");
    let mut first = Memory::from_patterns(array![[1.0f32, 2.0]].view()).unwrap();
    first.save_as(&path).unwrap();
    let reader = Memory::open(&path).unwrap();
    let mut second = Memory::open(&path).unwrap();

    first.add(array![3.0f32, 4.0].view()).unwrap();
    first.save().unwrap();
    first.add(array![5.0f32, 6.0].view()).unwrap();
    first.save().unwrap();
    assert_eq!(reader.patterns::<f32>().unwrap(), array![[1.0f32, 2.0]]);

    second.save().unwrap(); // nothing to save
    second.remove(&[0]).unwrap();
    let text = second.save().unwrap_err().to_string();
    assert!(text.contains("was replaced after this memory opened it"), "{text}");
    assert_eq!(Memory::open(&path).unwrap().len(), 3);
    second.save_as(&path).unwrap();
    assert_eq!(Memory::open(&path).unwrap().len(), 0);
}

#[test]
#[cfg(unix)]
fn permissions_are_kept_and_links_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("m.hfy"), folder.path().join("link.hfy"));
    let mut memory = Memory::new(Dtype::F32, 2).unwrap();
    memory.save_as(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&path, &link).unwrap();
    memory.add(array![1.0f32, 2.0].view()).unwrap();
    memory.save_as(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
    assert_eq!(Memory::open(&path).unwrap().len(), 1);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}
