//! Cells in one file, a line of JSON each: what pieces of a computation in several places have in common.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cache::{Address, Kept, sorted};
use crate::error::{Error, Result};

/// How every line begins.
const START: &str = "{\"experiment\":";

/// One line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    experiment: String,
    hash: String,
    key: Value,
    value: Value,
    seconds: f64,
}

impl Line {
    fn new(address: &Address, kept: &Kept) -> Self {
        Line {
            experiment: address.experiment.to_owned(),
            hash: address.hash.clone(),
            key: sorted(&kept.key),
            value: sorted(&kept.value),
            seconds: kept.seconds,
        }
    }

    /// Where the line belongs in the file. Older versions of an experiment, and other data, have other hashes.
    fn place(&self) -> Place {
        (self.experiment.clone(), self.key.to_string(), self.hash.clone())
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = serde_json::to_vec(self).map_err(|error| Error::Cell(error.to_string()))?;
        bytes.push(b'\n');
        Ok(bytes)
    }
}

/// Experiment, key and hash of a cell.
type Place = (String, String, String);

/// What is in a file of cells.
#[derive(Debug, Default)]
pub(super) struct Cells {
    lines: BTreeMap<Place, Line>,
}

impl Cells {
    /// Reads a file; `note` hears of lines that are left out.
    pub(super) fn read(path: &Path, note: &dyn Fn(&str)) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
        Self::parse(path, &bytes, note)
    }

    /// Of cells that are there twice the first is taken.
    fn parse(path: &Path, bytes: &[u8], note: &dyn Fn(&str)) -> Result<Self> {
        let mut cells = Cells::default();
        let mut damaged = Vec::new();
        for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let (whole, is_damaged) = parse_line(line);
            for line in whole {
                let line = Line { key: sorted(&line.key), value: sorted(&line.value), ..line };
                cells.lines.entry(line.place()).or_insert(line);
            }
            if is_damaged {
                damaged.push((index + 1, line));
            }
        }
        // A file that is something else altogether must not be written over.
        let foreign = |line: &[u8]| !line.starts_with(START.as_bytes()) && !START.as_bytes().starts_with(line);
        if let Some((number, _)) = damaged.iter().find(|(_, line)| cells.lines.is_empty() && foreign(line)) {
            return Err(Error::format(path, format!("line {number} is not a cell: it must begin with {START}")));
        }
        let last = bytes.split(|&byte| byte == b'\n').count();
        for (number, _) in damaged {
            let what = if number == last { "is torn" } else { "is damaged" };
            note(&format!("{}: line {number} {what}; what is missing there is computed again", path.display()));
        }
        Ok(cells)
    }

    /// What is kept of a cell.
    pub(super) fn get(&self, address: &Address, key: &Value) -> Option<Kept> {
        let place = (address.experiment.to_owned(), sorted(key).to_string(), address.hash.clone());
        let line = self.lines.get(&place)?;
        Some(Kept { key: key.clone(), value: line.value.clone(), seconds: line.seconds })
    }
}

/// The cells of a line, and whether something in it is none. After a line that is torn the next one may follow without
/// a break, where files were put together.
fn parse_line(line: &[u8]) -> (Vec<Line>, bool) {
    if let Ok(whole) = serde_json::from_slice(line) {
        return (vec![whole], false);
    }
    let text = String::from_utf8_lossy(line);
    let starts: Vec<usize> = text.match_indices(START).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let pieces: Vec<&str> = starts.iter().zip(ends).map(|(&start, end)| &text[start..end]).collect();
    let whole: Vec<Line> = pieces.iter().filter_map(|piece| serde_json::from_str(piece).ok()).collect();
    let is_damaged = whole.len() < pieces.len() || !text.starts_with(START);
    (whole, is_damaged)
}

/// A file of cells that a run adds to, and no other run at the same time.
#[derive(Debug)]
pub(super) struct CellFile {
    path: PathBuf,
    open: Mutex<(File, Cells)>,
}

impl CellFile {
    /// Reads the file, or makes it.
    pub(super) fn open(path: &Path, note: &dyn Fn(&str)) -> Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Error::io("create the folder of", path))?;
        }
        let mut file = locked(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(Error::io("read", path))?;
        let cells = Cells::parse(path, &bytes, note)?;
        if bytes.last().is_some_and(|&byte| byte != b'\n') {
            // The next cell begins a line of its own, after one that is torn as well.
            file.write_all(b"\n").map_err(Error::io("write to", path))?;
        }
        Ok(CellFile { path: path.to_owned(), open: Mutex::new((file, cells)) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn get(&self, address: &Address, key: &Value) -> Option<Kept> {
        self.open.lock().expect("no thread panics").1.get(address, key)
    }

    /// Adds a cell as one line, so that a run that is killed loses no other.
    pub(super) fn add(&self, address: &Address, kept: &Kept) -> Result<()> {
        let line = Line::new(address, kept);
        let bytes = line.bytes()?;
        let mut open = self.open.lock().expect("no thread panics");
        let (file, cells) = &mut *open;
        file.write_all(&bytes).and_then(|()| file.sync_data()).map_err(Error::io("write to", &self.path))?;
        cells.lines.entry(line.place()).or_insert(line);
        Ok(())
    }

    /// Writes the file sorted and without what is there twice, whole or not at all, where it is not so already.
    pub(super) fn tidy(self) -> Result<()> {
        let (mut file, cells) = self.open.into_inner().expect("no thread panics");
        let tidy = cells.lines.values().map(Line::bytes).collect::<Result<Vec<_>>>()?.concat();
        let mut bytes = Vec::new();
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes));
        read.map_err(Error::io("read", &self.path))?;
        if bytes == tidy {
            return Ok(());
        }
        let io = |source| hfy_store::Error::Io { action: "write", path: self.path.clone(), source };
        hfy_store::replace_file(&self.path, |mut new| new.write_all(&tidy).map_err(|error| io(error).into()))
    }
}

/// Opens a file to read and to add to, for this run alone.
fn locked(path: &Path) -> Result<File> {
    let open = || OpenOptions::new().read(true).append(true).create(true).open(path).map_err(Error::io("open", path));
    let is_taken = |file: &File| matches!(file.try_lock(), Err(TryLockError::WouldBlock));
    let mut file = open()?;
    if is_taken(&file) {
        return Err(Error::format(
            path,
            "another run adds cells to this file; give each run a file of its own and join them with cat",
        ));
    }
    // A run that has just ended may have put a new file in the place of the one that is open here.
    let other = open()?;
    if !is_taken(&other) {
        file = other;
    }
    Ok(file)
}
