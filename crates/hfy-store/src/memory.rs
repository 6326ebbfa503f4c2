//! The memory: a folder that any number of processes read and write.

use std::cell::Cell;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ndarray::ArrayView2;
use serde_json::Value;

use crate::building::Building;
use crate::catalogue::Catalogue;
use crate::disk::{Disk, SystemDisk};
use crate::folder::{Folder, GENERATION, NEXT_ID, Writer, check_dim, info_of};
use crate::progress::{UNWATCHED, Watched};
use crate::snapshot::{check_type, with_value};
use crate::texts::{Checked, Texts, checked_label, checked_metadata};
use crate::{Dtype, Error, Filter, Info, Progress, Result, Snapshot, Storable};

/// How long a writer waits for others, unless told otherwise.
const PATIENCE: Duration = Duration::from_secs(60);
/// Ids are integers of SQLite, which have a sign.
const MAX_ID: u64 = i64::MAX as u64;

/// Patterns of one length and one element type under ids that are never used again, with labels and metadata.
///
/// A memory is a folder: a SQLite catalogue and immutable segments of patterns (`docs/memory-format.md`). Handles are
/// cheap to clone and may be used from any thread. Every change is one transaction: it is on disk when the call
/// returns, or it did not happen. Writers wait for one another; readers work on [snapshots](Snapshot) and never wait.
///
/// A file of the exchange format opens as a memory too, which can only be read.
///
/// ```
/// use hfy_store::{Dtype, Memory, Texts};
/// use ndarray::array;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("letters.hfy");
/// let memory = Memory::create(&path, Dtype::F32, 3)?;
/// let texts = Texts { labels: vec![Some("a".into()), None], ..Texts::default() };
/// memory.add(array![[1.0f32, -1.0, 1.0], [-1.0, 1.0, 1.0]].view(), &texts)?;
///
/// let other = Memory::open(&path)?; // here, or in another process
/// let id = other.add(array![[1.0f32, 1.0, -1.0]].view(), &Texts::default())?.start;
/// other.remove(&[1])?;
/// let now = memory.snapshot()?;
/// assert_eq!(now.ids()?, [0, 2]);
/// assert_eq!(now.row_of(id)?, Some(1));
/// assert_eq!(now.get(0)?.label.as_deref(), Some("a"));
/// assert_eq!(now.patterns::<f32>()?, array![[1.0, -1.0, 1.0], [1.0, 1.0, -1.0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Memory {
    home: Home,
}

#[derive(Debug, Clone)]
enum Home {
    Folder(Arc<Folder>),
    /// An exchange file.
    File(Snapshot),
}

/// How a memory is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long a writer waits for others before it gives up with [`Error::Busy`]: 60 s, unless set.
    pub patience: Duration,
    /// Where segments are written: the file system, unless set.
    pub disk: Arc<dyn Disk>,
}

impl Default for Options {
    fn default() -> Self {
        Options { patience: PATIENCE, disk: Arc::new(SystemDisk) }
    }
}

impl Memory {
    /// Makes an empty memory for patterns of length `dim`.
    pub fn create(path: impl AsRef<Path>, dtype: Dtype, dim: usize) -> Result<Self> {
        Memory::create_with(path.as_ref(), dtype, dim, false, |_| Ok::<_, Error>(()))?;
        Memory::open(path)
    }

    /// Makes a memory and fills it. It appears under its name whole, or not at all.
    ///
    /// With `replace`, a memory or a file that is there under this name makes place; any other folder is refused.
    pub fn create_with<R, E: From<Error>>(
        path: &Path,
        dtype: Dtype,
        dim: usize,
        replace: bool,
        fill: impl FnOnce(&Memory) -> std::result::Result<R, E>,
    ) -> std::result::Result<R, E> {
        check_dim(dim)?;
        if !replace && std::fs::symlink_metadata(path).is_ok() {
            return Err(Error::Exists { path: path.to_owned() }.into());
        }
        if path.is_dir() && !Memory::is_memory(path) {
            let rule = "is a folder, but no memory: it is not replaced";
            return Err(Error::argument("path", path.display(), rule).into());
        }
        // Deleted again if anything fails from here on.
        let building = Building::begin(path)?;
        Folder::fill(building.path(), dtype, dim, true, &SystemDisk)?;
        let memory = Memory::open(building.path())?;
        let filled = fill(&memory)?;
        drop(memory);
        building.finish(path, replace)?;
        Ok(filled)
    }

    /// An empty memory that is deleted with its last handle, and never waits for the disk.
    pub fn temporary(dtype: Dtype, dim: usize) -> Result<Self> {
        check_dim(dim)?;
        let folder = tempfile::tempdir().map_err(Error::io("create", std::env::temp_dir()))?;
        let (path, Options { patience, disk }) = (folder.path().to_owned(), Options::default());
        Folder::fill(&path, dtype, dim, false, &*disk)?;
        Ok(Memory { home: Home::Folder(Arc::new(Folder::open(path, patience, disk, Some(folder))?)) })
    }

    /// Opens a memory, or an exchange file to be read. The time does not depend on how many patterns there are.
    ///
    /// While a file is open no program may change it in place or shorten it; the operating system would show the change
    /// or end the process (`SIGBUS`). This crate never does.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Memory::open_with(path, Options::default())
    }

    /// The same, with other options.
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self> {
        let path = path.as_ref();
        let home = if std::fs::metadata(path).map_err(Error::io("open", path))?.is_dir() {
            // The folder of the process may change.
            let path = std::path::absolute(path).map_err(Error::io("open", path))?;
            Home::Folder(Arc::new(Folder::open(path, options.patience, options.disk, None)?))
        } else {
            Home::File(Snapshot::of_file(path)?)
        };
        Ok(Memory { home })
    }

    /// Whether a path leads to a memory or an exchange file, by its first bytes.
    pub fn is_memory(path: &Path) -> bool {
        if path.is_dir() {
            return path.join(crate::catalogue::NAME).is_file();
        }
        path.is_file() && Snapshot::of_file(path).is_ok()
    }

    /// The memory now.
    pub fn snapshot(&self) -> Result<Snapshot> {
        match &self.home {
            Home::Folder(folder) => Snapshot::of_folder(folder),
            Home::File(snapshot) => Ok(snapshot.clone()),
        }
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        match &self.home {
            Home::Folder(folder) => folder.dtype,
            Home::File(snapshot) => snapshot.dtype(),
        }
    }

    /// The length of a pattern.
    pub fn dim(&self) -> usize {
        match &self.home {
            Home::Folder(folder) => folder.dim,
            Home::File(snapshot) => snapshot.dim(),
        }
    }

    /// The folder or the file.
    pub fn path(&self) -> &Path {
        match &self.home {
            Home::Folder(folder) => &folder.path,
            Home::File(snapshot) => snapshot.path(),
        }
    }

    /// Whether this is an exchange file, which can only be read.
    pub fn is_read_only(&self) -> bool {
        matches!(self.home, Home::File(_))
    }

    /// How many patterns there are now.
    pub fn count(&self) -> Result<usize> {
        match &self.home {
            Home::Folder(folder) => {
                folder.read(|catalogue| Ok(catalogue.segments()?.iter().map(|segment| segment.live()).sum()))
            }
            Home::File(snapshot) => Ok(snapshot.len()),
        }
    }

    /// Grows with every change, by whomever.
    pub fn generation(&self) -> Result<u64> {
        match &self.home {
            Home::Folder(folder) => folder.read(|catalogue| catalogue.number(GENERATION)),
            Home::File(_) => Ok(0),
        }
    }

    /// What is known of the memory as a whole.
    pub fn info(&self) -> Result<Info> {
        match &self.home {
            Home::Folder(folder) => folder.read(|catalogue| Ok(info_of(&catalogue.settings()?))),
            Home::File(snapshot) => Ok(snapshot.info().clone()),
        }
    }

    /// Whether a pattern has this id now.
    pub fn contains(&self, id: u64) -> Result<bool> {
        match &self.home {
            Home::Folder(folder) => folder.read(|catalogue| Ok(catalogue.pattern(id)?.is_some())),
            Home::File(snapshot) => Ok(snapshot.row_of(id)?.is_some()),
        }
    }

    /// The label and the metadata of a pattern now.
    pub fn texts(&self, id: u64) -> Result<(Option<String>, Option<Value>)> {
        match &self.home {
            Home::Folder(folder) => folder.read(|catalogue| {
                let unknown = Error::UnknownId { id, next: catalogue.number(NEXT_ID)? };
                let (_, label, metadata) = with_value(catalogue.pattern(id)?.ok_or(unknown)?, &folder.path)?;
                Ok((label, metadata))
            }),
            Home::File(snapshot) => snapshot.get(id).map(|record| (record.label, record.metadata)),
        }
    }

    /// Ids of the patterns that a filter lets through now, ascending.
    pub fn query(&self, filter: &Filter) -> Result<Vec<u64>> {
        match &self.home {
            Home::Folder(folder) => folder.read(|catalogue| catalogue.query(filter)),
            Home::File(snapshot) => snapshot.query(filter),
        }
    }

    fn folder(&self) -> Result<&Folder> {
        match &self.home {
            Home::Folder(folder) => Ok(folder),
            Home::File(snapshot) => Err(Error::ReadOnly { path: snapshot.path().to_owned() }),
        }
    }

    /// Adds the rows of an array, with their texts, and returns their ids, which follow each other. All or none.
    pub fn add<T: Storable>(&self, patterns: ArrayView2<'_, T>, texts: &Texts) -> Result<Range<u64>> {
        let folder = self.folder()?;
        self.check_patterns(patterns)?;
        let texts = texts.check(patterns.nrows())?;
        let patterns = patterns.as_standard_layout();
        let bytes: &[u8] = bytemuck::cast_slice(patterns.as_slice().expect("in standard order"));
        folder.write("add to", |writer| {
            let ids = writer.change(|_| {
                let first = writer.catalogue.number(NEXT_ID)?;
                let ids: Vec<u64> = (first..).take(patterns.nrows()).collect();
                add_rows(writer, &ids, Box::new(std::iter::once(Ok(bytes))), &texts)
            })?;
            tidy(writer);
            Ok(ids)
        })
    }

    /// Adds the patterns of a snapshot of any memory of the same type and length, with their texts, under new ids. All
    /// or none.
    pub fn merge(&self, other: &Snapshot) -> Result<Range<u64>> {
        self.merge_with(other, UNWATCHED)
    }

    /// The same, with progress in bytes of patterns.
    pub fn merge_with(&self, other: &Snapshot, progress: Progress<'_>) -> Result<Range<u64>> {
        let folder = self.folder()?;
        let next = |writer: &Writer<'_>| {
            let first = writer.catalogue.number(NEXT_ID)?;
            Ok((first..).take(other.len()).collect())
        };
        folder.write("merge into", |writer| self.take_in(writer, other, next, progress))
    }

    /// Takes in the patterns of a snapshot under their own ids. The memory must be empty and new.
    pub(crate) fn take_over(&self, other: &Snapshot, progress: Progress<'_>) -> Result<()> {
        self.folder()?.write("import into", |writer| {
            self.take_in(writer, other, |_| other.ids(), progress)?;
            writer.change(|catalogue| {
                writer.set_info(other.info().clone())?;
                check_ids(other.next_id())?;
                catalogue.set(NEXT_ID, &other.next_id().to_string())
            })
        })
    }

    fn take_in(
        &self,
        writer: &Writer<'_>,
        other: &Snapshot,
        ids: impl FnOnce(&Writer<'_>) -> Result<Vec<u64>>,
        progress: Progress<'_>,
    ) -> Result<Range<u64>> {
        if other.dim() != self.dim() {
            let (got, expected) = (vec![other.len(), other.dim()], vec![other.len(), self.dim()]);
            return Err(Error::Shape { argument: "patterns", got, expected });
        }
        if other.dtype() != self.dtype() {
            return Err(Error::Type { argument: "patterns", got: other.dtype(), expected: self.dtype() });
        }
        let (mut labels, mut metadata) = (Vec::with_capacity(other.len()), Vec::with_capacity(other.len()));
        for record in other.records()? {
            let record = record?;
            labels.push(checked_label(record.label.as_deref())?);
            metadata.push(checked_metadata(record.metadata.as_ref())?);
        }
        let texts = Checked::of(labels, metadata);
        let done = Cell::new(0);
        let watched = Watched::new(progress, &done, other.pattern_bytes());
        let ids = writer.change(|_| add_rows(writer, &ids(writer)?, Box::new(other.watched_bytes(watched)), &texts))?;
        tidy(writer);
        Ok(ids)
    }

    /// Replaces patterns, which keep their ids, and their texts where `texts` has any: an empty list leaves those that
    /// are there. All or none.
    pub fn update<T: Storable>(&self, ids: &[u64], patterns: ArrayView2<'_, T>, texts: &Texts) -> Result<()> {
        let folder = self.folder()?;
        if ids.len() != patterns.nrows() {
            return Err(Error::Shape { argument: "ids", got: vec![ids.len()], expected: vec![patterns.nrows()] });
        }
        self.check_patterns(patterns)?;
        let checked = texts.check(ids.len())?;
        let order = ascending(ids)?;
        let sorted: Vec<u64> = order.iter().map(|&at| ids[at]).collect();
        let rows = patterns.select(ndarray::Axis(0), &order);
        let bytes: &[u8] = bytemuck::cast_slice(rows.as_slice().expect("in standard order"));
        folder.write("update", |writer| {
            writer.change(|catalogue| {
                remove_rows(writer, &sorted)?;
                writer.put_segment(&sorted, Box::new(std::iter::once(Ok(bytes))))?;
                put_texts(catalogue, ids, texts, &checked)
            })?;
            tidy(writer);
            Ok(())
        })
    }

    /// Removes patterns. If one id is unknown, nothing is removed.
    pub fn remove(&self, ids: &[u64]) -> Result<()> {
        let mut sorted = ids.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        self.folder()?.write("remove from", |writer| {
            writer.change(|catalogue| {
                remove_rows(writer, &sorted)?;
                sorted.iter().try_for_each(|&id| catalogue.drop_pattern(id))
            })?;
            tidy(writer);
            Ok(())
        })
    }

    /// Sets or takes away the label of a pattern. An empty label is none.
    pub fn set_label(&self, id: u64, label: Option<&str>) -> Result<()> {
        self.set_texts(&[id], &Texts { labels: vec![label.map(str::to_owned)], ..Texts::default() })
    }

    /// Sets or takes away the metadata of a pattern, any JSON value up to 127 levels deep.
    pub fn set_metadata(&self, id: u64, metadata: Option<&Value>) -> Result<()> {
        self.set_texts(&[id], &Texts { metadata: vec![metadata.cloned()], ..Texts::default() })
    }

    /// Sets or takes away texts of patterns: an empty list leaves those that are there. All or none.
    pub fn set_texts(&self, ids: &[u64], texts: &Texts) -> Result<()> {
        let checked = texts.check(ids.len())?;
        ascending(ids)?;
        let put = |catalogue: &Catalogue| put_texts(catalogue, ids, texts, &checked);
        self.folder()?.write("label patterns of", |writer| writer.change(put))
    }

    /// Replaces what is known of the memory as a whole. `extra` cannot use the names of the format.
    pub fn set_info(&self, info: Info) -> Result<()> {
        info.check()?;
        self.folder()?.write("describe", |writer| writer.change(|_| writer.set_info(info)))
    }

    /// Merges all segments into one, without those removed, so that [`Snapshot::patterns`] needs no copy.
    pub fn compact(&self) -> Result<()> {
        self.compact_with(UNWATCHED)
    }

    /// The same, with progress in bytes of patterns.
    pub fn compact_with(&self, progress: Progress<'_>) -> Result<()> {
        self.folder()?.write("compact", |writer| writer.compact_all(progress))
    }

    /// Reads everything and checks it: see [`Snapshot::verify`].
    pub fn verify(&self) -> Result<()> {
        self.snapshot()?.verify()
    }

    fn check_patterns<T: Storable>(&self, patterns: ArrayView2<'_, T>) -> Result<()> {
        let (rows, columns) = patterns.dim();
        if columns != self.dim() {
            let (got, expected) = (vec![rows, columns], vec![rows, self.dim()]);
            return Err(Error::Shape { argument: "patterns", got, expected });
        }
        check_type::<T>("patterns", self.dtype())?;
        check_finite(patterns)
    }
}

/// Rows under ascending ids, which are the greatest so far, with their texts.
fn add_rows<'a>(
    writer: &Writer<'_>,
    ids: &'a [u64],
    patterns: Box<dyn Iterator<Item = Result<&'a [u8]>> + 'a>,
    texts: &Checked,
) -> Result<Range<u64>> {
    let next = writer.catalogue.number(NEXT_ID)?;
    let Some(&last) = ids.last() else { return Ok(next..next) };
    check_ids(last)?;
    writer.put_segment(ids, patterns)?;
    for (row, &id) in ids.iter().enumerate() {
        writer.catalogue.put_pattern(id, texts.label(row), texts.metadata(row))?;
    }
    writer.catalogue.set(NEXT_ID, &(last + 1).to_string())?;
    Ok(ids[0]..last + 1)
}

/// Whether a catalogue can hold ids up to this one.
pub(crate) fn check_ids(last: u64) -> Result<()> {
    if last < MAX_ID { Ok(()) } else { Err(Error::argument("id", last, "ids of a memory are less than 2^63 - 1")) }
}

/// Replaces the kinds of texts that are given, and leaves the others.
fn put_texts(catalogue: &Catalogue, ids: &[u64], texts: &Texts, checked: &Checked) -> Result<()> {
    if texts.labels.is_empty() && texts.metadata.is_empty() {
        return Ok(());
    }
    let next = catalogue.number(NEXT_ID)?;
    for (row, &id) in ids.iter().enumerate() {
        let (_, label, metadata) = catalogue.pattern(id)?.ok_or(Error::UnknownId { id, next })?;
        let label = if texts.labels.is_empty() { label.as_deref() } else { checked.label(row) };
        let metadata = if texts.metadata.is_empty() { metadata.as_deref() } else { checked.metadata(row) };
        catalogue.put_pattern(id, label, metadata)?;
    }
    Ok(())
}

/// The order of distinct ids.
fn ascending(ids: &[u64]) -> Result<Vec<usize>> {
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by_key(|&at| ids[at]);
    match order.windows(2).find(|pair| ids[pair[0]] == ids[pair[1]]) {
        Some(pair) => Err(Error::argument("ids", ids[pair[0]], "must not occur twice")),
        None => Ok(order),
    }
}

/// Marks the rows of these ids as removed.
fn remove_rows(writer: &Writer<'_>, ids: &[u64]) -> Result<()> {
    let mut segments = writer.catalogue.segments()?;
    for &id in ids {
        let (at, row) = writer.locate(&segments, id)?;
        writer.catalogue.remove_row(&mut segments[at], row)?;
    }
    segments.iter().try_for_each(|segment| writer.catalogue.put_segment(segment))
}

/// Merges where it pays. The change before is done: what fails here is tried again by the next writer.
fn tidy(writer: &Writer<'_>) {
    let _ = writer.compact_where_it_pays();
}

fn check_finite<T: Storable>(patterns: ArrayView2<'_, T>) -> Result<()> {
    if patterns.iter().fold(true, |all, &value| all & value.is_finite()) {
        return Ok(());
    }
    let found = patterns.indexed_iter().find(|(_, value)| !value.is_finite());
    let value = found.map(|((row, index), value)| format!("{} in row {row}, column {index}", value.to_f64()));
    Err(Error::argument("patterns", value.unwrap_or_default(), "must be finite"))
}
