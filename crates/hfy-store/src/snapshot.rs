//! A memory as it was at one moment.

use std::cell::Cell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use half::{bf16, f16};
use ndarray::{Array2, ArrayView1, ArrayView2, CowArray, Ix2};
use serde_json::Value;

use crate::bytes::Bytes;
use crate::catalogue::{Catalogue, SegmentRow, TextRow};
use crate::connection::{Connection, hold, locked};
use crate::error::Fault;
use crate::folder::{Folder, GENERATION, NEXT_ID, info_of};
use crate::memory::check_ids;
use crate::pattern_file::PatternFile;
use crate::progress::{UNWATCHED, Watched};
use crate::run::{Run, Source, joined, runs};
use crate::text::Kind;
use crate::{Dtype, Error, Filter, Info, Progress, Result, Storable};

/// Ids, patterns and texts as they were at one moment, whatever others write meanwhile.
///
/// **Rows.** Row after row ids ascend. A pattern keeps its id for ever; its row changes when patterns before it are
/// removed. [`Snapshot::row_of`] and [`Snapshot::id_of`] go from one to the other in O(log n).
///
/// **What is copied.** [`Snapshot::parts`] reads everything in place. [`Snapshot::patterns`] is a view without a copy
/// where the patterns are one stretch of one segment, as after [`Memory::compact`](crate::Memory::compact); otherwise
/// it copies them, at each call.
///
/// **What is checked.** A block of patterns (1 MiB) is held against its checksum the first time it is read, and so are
/// ids and texts. [`Memory::verify`](crate::Memory::verify) reads everything.
///
/// A snapshot keeps SQLite from shortening its log, so it should not be held for days, but
/// [without texts](Self::without_texts).
#[derive(Debug, Clone)]
pub struct Snapshot {
    origin: Arc<Origin>,
    runs: Arc<[Run]>,
    len: usize,
}

#[derive(Debug)]
struct Origin {
    path: PathBuf,
    dtype: Dtype,
    dim: usize,
    info: Info,
    next_id: u64,
    generation: u64,
    /// Patterns in all, let through by a filter or not.
    total: usize,
    files: Vec<Arc<PatternFile>>,
    /// The path of each file.
    paths: Vec<PathBuf>,
    /// In a transaction that reads; none for an exchange file, which has its texts itself.
    catalogue: Option<Connection>,
}

/// The patterns of a snapshot, whatever their type.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum AnyPatterns<'a> {
    F32(CowArray<'a, f32, Ix2>),
    F64(CowArray<'a, f64, Ix2>),
    F16(CowArray<'a, f16, Ix2>),
    Bf16(CowArray<'a, bf16, Ix2>),
}

/// The texts of one pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its id.
    pub id: u64,
    /// Its row in the snapshot.
    pub row: usize,
    /// Its label.
    pub label: Option<String>,
    /// Its metadata.
    pub metadata: Option<Value>,
}

impl Snapshot {
    /// What the folder holds now.
    pub(crate) fn of_folder(folder: &Folder) -> Result<Self> {
        let catalogue = folder.read(|catalogue| catalogue.reopened(folder.patience))?;
        let mut before = None;
        loop {
            catalogue.execute("BEGIN")?;
            let generation = catalogue.number(GENERATION)?;
            let segments = catalogue.segments()?;
            match sources(folder, &catalogue, &segments) {
                Ok(sources) => return Snapshot::new(folder, catalogue, generation, sources, &segments),
                // A merge deleted the file between the reading of its name and its opening: look again. A file that is
                // missing in the same generation is missing.
                Err(Error::Io { source, .. })
                    if source.kind() == std::io::ErrorKind::NotFound && before != Some(generation) =>
                {
                    before = Some(generation);
                    catalogue.execute("ROLLBACK")?;
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn new(
        folder: &Folder,
        catalogue: Catalogue,
        generation: u64,
        sources: Vec<Source>,
        segments: &[SegmentRow],
    ) -> Result<Self> {
        let runs = runs(&sources)?;
        folder.forget_others(segments);
        let origin = Origin {
            path: folder.path.clone(),
            dtype: folder.dtype,
            dim: folder.dim,
            info: info_of(&catalogue.settings()?),
            next_id: catalogue.number(NEXT_ID)?,
            generation,
            total: segments.iter().map(SegmentRow::live).sum(),
            paths: segments.iter().map(|segment| folder.segment_path(segment.number)).collect(),
            files: sources.into_iter().map(|source| source.file).collect(),
            catalogue: Some(hold(catalogue)),
        };
        Ok(Snapshot::of_runs(Arc::new(origin), runs))
    }

    /// An exchange file.
    pub(crate) fn of_file(path: &Path) -> Result<Self> {
        Snapshot::of_pattern_file(PatternFile::open(path)?, path.to_owned())
    }

    /// Reads an exchange file that is in memory already. Copies it once.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Snapshot::of_pattern_file(PatternFile::new(Bytes::copy(bytes), "bytes".to_owned())?, PathBuf::new())
    }

    fn of_pattern_file(file: PatternFile, path: PathBuf) -> Result<Self> {
        let (rows, first_id) = (file.rows(), file.ids()?.first().copied().unwrap_or(0));
        let layout = &file.layout;
        let origin = Origin {
            path: path.clone(),
            dtype: layout.dtype,
            dim: layout.dim,
            info: layout.info.clone(),
            next_id: layout.next_id,
            generation: 0,
            total: rows,
            files: vec![Arc::new(file)],
            paths: vec![path],
            catalogue: None,
        };
        let run = (rows > 0).then_some(Run { file: 0, rows: 0..rows, first_id, first: 0 });
        Ok(Snapshot::of_runs(Arc::new(origin), run.into_iter().collect()))
    }

    fn of_runs(origin: Arc<Origin>, runs: Vec<Run>) -> Self {
        let len = runs.last().map_or(0, |run| run.first + run.rows.len());
        Snapshot { origin, runs: runs.into(), len }
    }

    /// Closes the connection to the catalogue, so that SQLite can shorten its log however long this is kept. Ids and
    /// patterns stay; labels and metadata can no longer be asked for, of clones neither.
    pub fn without_texts(self) -> Self {
        if let Some(connection) = &self.origin.catalogue {
            *locked(connection) = None;
        }
        self
    }

    /// The memory that this was taken of.
    pub fn path(&self) -> &Path {
        &self.origin.path
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        self.origin.dtype
    }

    /// The length of a pattern.
    pub fn dim(&self) -> usize {
        self.origin.dim
    }

    /// How many patterns there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What is known of the memory as a whole.
    pub fn info(&self) -> &Info {
        &self.origin.info
    }

    /// The id that the next added pattern gets. No id from it upwards was ever given out.
    pub fn next_id(&self) -> u64 {
        self.origin.next_id
    }

    /// Grows with every change of the memory.
    pub fn generation(&self) -> u64 {
        self.origin.generation
    }

    /// Bytes of the files that hold the patterns.
    pub fn bytes(&self) -> u64 {
        self.origin.files.iter().map(|file| file.len() as u64).sum()
    }

    /// How many files hold the patterns.
    pub fn segments(&self) -> usize {
        self.origin.files.len()
    }

    fn file(&self, run: &Run) -> &PatternFile {
        &self.origin.files[run.file]
    }

    fn run_of(&self, row: usize) -> Option<&Run> {
        let at = self.runs.partition_point(|run| run.first <= row);
        self.runs[..at].last().filter(|_| row < self.len)
    }

    /// The id of a row; an error where there is no such row.
    pub fn id_of(&self, row: usize) -> Result<u64> {
        let Some(run) = self.run_of(row) else {
            return Err(Error::argument("row", row, "must be less than the number of patterns"));
        };
        Ok(self.file(run).ids()?[run.rows.start + row - run.first])
    }

    /// The row of an id; `None` where no pattern of this snapshot has it.
    pub fn row_of(&self, id: u64) -> Result<Option<usize>> {
        let at = self.runs.partition_point(|run| run.first_id <= id);
        let Some(run) = self.runs[..at].last() else { return Ok(None) };
        let row = self.file(run).find(id)?.filter(|row| run.rows.contains(row));
        Ok(row.map(|row| run.first + row - run.rows.start))
    }

    /// The row of an id that must be there.
    pub fn expect_row(&self, id: u64) -> Result<usize> {
        self.row_of(id)?.ok_or(Error::UnknownId { id, next: self.next_id() })
    }

    /// All ids, row after row.
    pub fn ids(&self) -> Result<Vec<u64>> {
        let mut ids = Vec::with_capacity(self.len);
        for run in self.runs.iter() {
            ids.extend_from_slice(&self.file(run).ids()?[run.rows.clone()]);
        }
        Ok(ids)
    }

    /// The patterns as one array: in place if they lie together, copied otherwise.
    ///
    /// ```
    /// use hfy_store::{Memory, Texts};
    /// use ndarray::array;
    ///
    /// let memory = Memory::temporary(hfy_store::Dtype::F32, 1)?;
    /// memory.add(array![[1.0f32], [2.0], [3.0]].view(), &Texts::default())?;
    /// assert!(memory.snapshot()?.patterns::<f32>()?.is_view());
    /// memory.remove(&[1])?;
    /// assert_eq!(memory.snapshot()?.patterns::<f32>()?, array![[1.0], [3.0]]);
    /// memory.compact()?;
    /// assert!(memory.snapshot()?.patterns::<f32>()?.is_view());
    /// # Ok::<(), hfy_store::Error>(())
    /// ```
    pub fn patterns<T: Storable>(&self) -> Result<CowArray<'_, T, Ix2>> {
        self.check_type::<T>("patterns")?;
        if let [run] = &self.runs[..] {
            return Ok(self.view(self.file(run).patterns(run.rows.clone())?).into());
        }
        let mut values: Vec<T> = Vec::new();
        let count = self.len * self.dim();
        let bytes = count.saturating_mul(size_of::<T>());
        let full = |_| Error::Allocation { what: "a copy of the patterns", bytes };
        values.try_reserve_exact(count).map_err(full)?;
        for run in self.runs_of_bytes() {
            values.extend_from_slice(bytemuck::cast_slice(run?));
        }
        Ok(Array2::from_shape_vec((self.len, self.dim()), values).expect("as many values as rows").into())
    }

    /// [`Snapshot::patterns`], for a type known at run time only.
    pub fn any_patterns(&self) -> Result<AnyPatterns<'_>> {
        Ok(match self.dtype() {
            Dtype::F32 => AnyPatterns::F32(self.patterns()?),
            Dtype::F64 => AnyPatterns::F64(self.patterns()?),
            Dtype::F16 => AnyPatterns::F16(self.patterns()?),
            Dtype::Bf16 => AnyPatterns::Bf16(self.patterns()?),
        })
    }

    /// The patterns in place, a block at a time, each with its first row. Never copies; blocks are checked before they
    /// are reached, some at a time and by all threads.
    pub fn parts<T: Storable>(&self) -> Result<impl Iterator<Item = Result<(usize, ArrayView2<'_, T>)>>> {
        self.check_type::<T>("patterns")?;
        Ok(self.runs.iter().flat_map(move |run| {
            let file = self.file(run);
            let mut start = run.rows.start;
            std::iter::from_fn(move || {
                let rows = start..file.block_end(start, run.rows.end);
                start = rows.end;
                let first = run.first + rows.start - run.rows.start;
                (!rows.is_empty()).then(|| {
                    file.check_ahead(rows.start..run.rows.end)?;
                    Ok((first, self.view(file.patterns(rows)?)))
                })
            })
        }))
    }

    /// The pattern of a row.
    pub fn pattern<T: Storable>(&self, row: usize) -> Result<ArrayView1<'_, T>> {
        self.check_type::<T>("pattern")?;
        Ok(ArrayView1::from(bytemuck::cast_slice(self.row_bytes(row)?)))
    }

    /// The pattern of a row, widened, whatever type it is stored in.
    pub fn pattern_f64(&self, row: usize) -> Result<Vec<f64>> {
        Ok(self.dtype().widen(self.row_bytes(row)?))
    }

    fn row_bytes(&self, row: usize) -> Result<&[u8]> {
        let run =
            self.run_of(row).ok_or_else(|| Error::argument("row", row, "must be less than the number of patterns"))?;
        let row = run.rows.start + row - run.first;
        self.file(run).patterns(row..row + 1)
    }

    /// The file and the bytes in it that hold all patterns, row after row, after they were checked; `None` unless they
    /// are one stretch of one file. For programs that map the file themselves.
    pub fn place_in_file(&self) -> Result<Option<(&Path, Range<usize>)>> {
        let [run] = &self.runs[..] else { return Ok(None) };
        let file = self.file(run);
        file.patterns(run.rows.clone())?;
        let (start, width) = (file.layout.patterns.start, file.width());
        let path = &self.origin.paths[run.file];
        Ok(Some((path, start + run.rows.start * width..start + run.rows.end * width)))
    }

    /// The label and the metadata of an id.
    pub fn get(&self, id: u64) -> Result<Record> {
        let row = self.expect_row(id)?;
        match &self.origin.catalogue {
            Some(catalogue) => {
                let found = self.read(catalogue, |catalogue| catalogue.pattern(id))?;
                let texts = found.ok_or_else(|| self.missing(id))?;
                self.record(row, texts)
            }
            None => self.record_of_file(row),
        }
    }

    /// The label of a row.
    pub fn label_of(&self, row: usize) -> Result<Option<String>> {
        Ok(self.get(self.id_of(row)?)?.label)
    }

    /// Reads from the catalogue, in the transaction of this snapshot.
    fn read<R>(&self, connection: &Connection, work: impl FnOnce(&Catalogue) -> Result<R>) -> Result<R> {
        match &*locked(connection) {
            Some(catalogue) => work(catalogue),
            None => Err(Error::Released { path: self.origin.path.clone() }),
        }
    }

    /// How many patterns have a label.
    pub fn labelled(&self) -> Result<usize> {
        match &self.origin.catalogue {
            // A snapshot that was filtered knows fewer patterns than its catalogue.
            Some(catalogue) if self.len == self.origin.total => self.read(catalogue, Catalogue::labelled),
            _ => self.records()?.try_fold(0, |count, record| Ok(count + usize::from(record?.label.is_some()))),
        }
    }

    /// The labels and metadata of all rows. A thousand are read at a time.
    pub fn records(&self) -> Result<impl Iterator<Item = Result<Record>>> {
        self.records_of(0..self.len)
    }

    /// The same of some rows.
    pub fn records_of(&self, rows: Range<usize>) -> Result<impl Iterator<Item = Result<Record>>> {
        const AT_ONCE: usize = 1000;
        if rows.end > self.len {
            return Err(Error::argument("rows", rows.end, "must not exceed the number of patterns"));
        }
        let mut waiting: std::collections::VecDeque<TextRow> = Default::default();
        Ok(rows.map(move |row| {
            let Some(catalogue) = &self.origin.catalogue else { return self.record_of_file(row) };
            let id = self.id_of(row)?;
            loop {
                match waiting.pop_front() {
                    Some(texts) if texts.0 < id => {}
                    Some(texts) if texts.0 == id => return self.record(row, texts),
                    Some(_) => return Err(self.missing(id)),
                    None => {
                        waiting.extend(self.read(catalogue, |held| held.patterns_from(id, AT_ONCE))?);
                        if waiting.is_empty() {
                            return Err(self.missing(id));
                        }
                    }
                }
            }
        }))
    }

    fn missing(&self, id: u64) -> Error {
        Fault::new(format!("id {id}"), "nothing", "has a pattern, but no entry in the catalogue")
            .in_file(&self.origin.path.display().to_string())
    }

    fn record(&self, row: usize, texts: TextRow) -> Result<Record> {
        let (id, label, metadata) = with_value(texts, &self.origin.path)?;
        Ok(Record { id, row, label, metadata })
    }

    fn record_of_file(&self, row: usize) -> Result<Record> {
        let run =
            self.run_of(row).ok_or_else(|| Error::argument("row", row, "must be less than the number of patterns"))?;
        let (file, place) = (self.file(run), run.rows.start + row - run.first);
        let label = file.label(place)?.map(str::to_owned);
        Ok(Record { id: file.ids()?[place], row, label, metadata: file.metadata(place)? })
    }

    /// Ids of the patterns that a filter lets through, ascending.
    pub fn query(&self, filter: &Filter) -> Result<Vec<u64>> {
        match &self.origin.catalogue {
            Some(catalogue) => {
                let ids = self.read(catalogue, |catalogue| catalogue.query(filter))?;
                // A snapshot that was filtered already has fewer.
                let mut kept = Vec::with_capacity(ids.len());
                for id in ids {
                    if self.row_of(id)?.is_some() {
                        kept.push(id);
                    }
                }
                Ok(kept)
            }
            None => {
                // A file may have ids that no catalogue can order.
                if let Some(last) = self.len.checked_sub(1) {
                    check_ids(self.id_of(last)?)?;
                }
                // The texts of a file in a catalogue of their own, so that there is one meaning of a filter.
                let folder = tempfile::tempdir().map_err(Error::io("create", std::env::temp_dir()))?;
                let catalogue = Catalogue::create(folder.path(), false)?;
                catalogue.change(|catalogue| {
                    for record in self.records()? {
                        let Record { id, label, metadata, .. } = record?;
                        let metadata = metadata.map(|value| value.to_string());
                        catalogue.put_pattern(id, label.as_deref(), metadata.as_deref())?;
                    }
                    Ok(())
                })?;
                catalogue.query(filter)
            }
        }
    }

    /// The same moment, with the patterns that a filter lets through.
    pub fn filtered(&self, filter: &Filter) -> Result<Self> {
        let mut rows = Vec::new();
        for id in self.query(filter)? {
            let row = self.expect_row(id)?;
            if let Some(run) = self.run_of(row) {
                rows.push((run.file, run.rows.start + row - run.first, id));
            }
        }
        Ok(Snapshot::of_runs(Arc::clone(&self.origin), joined(rows.into_iter())))
    }

    /// Reads everything: SQLite's own check, checksums, texts, whether all patterns are finite, and whether catalogue
    /// and segments speak of the same ids. The first fault is the error.
    pub fn verify(&self) -> Result<()> {
        self.verify_with(UNWATCHED)
    }

    /// The same, with progress in bytes of patterns.
    pub fn verify_with(&self, progress: Progress<'_>) -> Result<()> {
        let total: usize = self.origin.files.iter().map(|file| file.rows() * file.width()).sum();
        let done = Cell::new(0);
        let watched = Watched::new(progress, &done, total as u64);
        if let Some(catalogue) = &self.origin.catalogue {
            self.read(catalogue, Catalogue::verify)?;
        }
        self.origin.files.iter().try_for_each(|file| file.verify(watched))?;
        for record in self.records()? {
            record?;
        }
        let Some(catalogue) = &self.origin.catalogue else { return Ok(()) };
        self.read(catalogue, |catalogue| {
            let (known, there) = (catalogue.count()?, self.origin.total);
            if known != there {
                let rule = format!("but segments hold {there} patterns that are not removed");
                let file = catalogue.path.display().to_string();
                return Err(Fault::new("patterns in the catalogue", known, rule).in_file(&file));
            }
            Ok(())
        })
    }

    /// Rows in place, as many at a time as lie together.
    pub(crate) fn runs_of_bytes(&self) -> impl Iterator<Item = Result<&[u8]>> {
        self.runs.iter().map(|run| self.file(run).patterns(run.rows.clone()))
    }

    /// The same, in steps that are watched.
    pub(crate) fn watched_bytes<'a>(&'a self, watched: Watched<'a>) -> impl Iterator<Item = Result<&'a [u8]>> {
        self.runs.iter().flat_map(move |run| self.file(run).watched_patterns(run.rows.clone(), watched))
    }

    /// Bytes of the patterns alone.
    pub(crate) fn pattern_bytes(&self) -> u64 {
        (self.len * self.dim() * self.dtype().size()) as u64
    }

    /// Labels and metadata, one text a row, empty where there is none.
    pub(crate) fn raw_texts(&self) -> Result<[Vec<String>; 2]> {
        let mut texts = [Vec::with_capacity(self.len), Vec::with_capacity(self.len)];
        for record in self.records()? {
            let record = record?;
            texts[Kind::Label as usize].push(record.label.unwrap_or_default());
            texts[Kind::Metadata as usize].push(record.metadata.map(|value| value.to_string()).unwrap_or_default());
        }
        Ok(texts)
    }

    pub(crate) fn check_type<T: Storable>(&self, argument: &'static str) -> Result<()> {
        check_type::<T>(argument, self.dtype())
    }

    fn view<'a, T: Storable>(&self, bytes: &'a [u8]) -> ArrayView2<'a, T> {
        let values: &[T] = bytemuck::cast_slice(bytes);
        let shape = (values.len() / self.dim(), self.dim());
        ArrayView2::from_shape(shape, values).expect("whole rows, whose size fits in memory")
    }
}

/// Texts as the catalogue has them, with the metadata read.
pub(crate) fn with_value((id, label, metadata): TextRow, path: &Path) -> Result<(u64, Option<String>, Option<Value>)> {
    let metadata = metadata.map(|text| serde_json::from_str(&text)).transpose().map_err(|error| {
        Fault::new(format!("metadata of id {id}"), error, "must be JSON").in_file(&path.display().to_string())
    })?;
    Ok((id, label, metadata))
}

/// Fails unless the memory holds this type.
pub(crate) fn check_type<T: Storable>(argument: &'static str, expected: Dtype) -> Result<()> {
    if T::DTYPE == expected { Ok(()) } else { Err(Error::Type { argument, got: T::DTYPE, expected }) }
}

/// The segments, opened.
pub(crate) fn sources(folder: &Folder, catalogue: &Catalogue, segments: &[SegmentRow]) -> Result<Vec<Source>> {
    let source = |segment: &SegmentRow| {
        let (first_id, last_id) = (segment.first_id, segment.last_id);
        Ok(Source { file: folder.file(segment)?, removed: catalogue.removed(segment)?, first_id, last_id })
    };
    segments.iter().map(source).collect()
}
