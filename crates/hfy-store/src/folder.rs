//! The folder of a memory: its catalogue, its segments, and the order in which they are changed.

use std::collections::{HashMap, HashSet};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::catalogue::{Catalogue, SegmentRow};
use crate::connection::{Connection, hold, locked};
use crate::disk::Disk;
use crate::error::Fault;
use crate::pattern_file::{BLOCK, PatternFile};
use crate::write::Content;
use crate::writer_lock::WriterLock;
use crate::{Dtype, Error, Info, Result};

const SEGMENTS: &str = "segments";
/// Settings of the catalogue that belong to the format.
pub(crate) const DTYPE: &str = "dtype";
pub(crate) const DIM: &str = "dim";
pub(crate) const NEXT_ID: &str = "next_id";
const NEXT_SEGMENT: &str = "next_segment";
pub(crate) const GENERATION: &str = "generation";
/// Before the name of what is known of the memory as a whole.
const INFO: &str = "info.";

#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) dtype: Dtype,
    pub(crate) dim: usize,
    pub(crate) patience: Duration,
    /// Whether changes are forced to disk; not for memories that die with the process.
    durable: bool,
    disk: Arc<dyn Disk>,
    /// Opened again where it was closed before a fork.
    catalogue: Connection,
    files: Mutex<HashMap<i64, Arc<PatternFile>>>,
    /// Whether files that no catalogue mentions were looked for.
    swept: AtomicBool,
    _temporary: Option<Temporary>,
}

/// Deletes the folder of a temporary memory, in the process that made it: a child that was forked leaves it alone.
#[derive(Debug)]
struct Temporary {
    folder: Option<tempfile::TempDir>,
    process: u32,
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            let _kept = self.folder.take().map(tempfile::TempDir::keep);
        }
    }
}

impl Folder {
    /// Fills an empty folder with an empty memory.
    pub(crate) fn fill(path: &Path, dtype: Dtype, dim: usize, durable: bool, disk: &dyn Disk) -> Result<()> {
        let segments = path.join(SEGMENTS);
        std::fs::create_dir(&segments).map_err(Error::io("create", &segments))?;
        let catalogue = Catalogue::create(path, durable)?;
        catalogue.change(|catalogue| {
            let settings = [(DTYPE, dtype.to_string()), (DIM, dim.to_string())];
            settings.iter().try_for_each(|(name, value)| catalogue.set(name, value))?;
            [NEXT_ID, NEXT_SEGMENT, GENERATION].iter().try_for_each(|name| catalogue.set(name, "0"))
        })?;
        drop(catalogue);
        if durable {
            disk.sync_folder(path).map_err(Error::io("force to disk", path))?;
        }
        Ok(())
    }

    pub(crate) fn open(
        path: PathBuf,
        patience: Duration,
        disk: Arc<dyn Disk>,
        temporary: Option<tempfile::TempDir>,
    ) -> Result<Self> {
        let durable = temporary.is_none();
        let catalogue = Catalogue::open(&path, patience, durable)?;
        let settings = catalogue.settings()?;
        let damaged = |name: &str, rule: &str| {
            let value = settings.get(name).cloned().unwrap_or_default();
            Fault::new(format!("setting {name:?}"), value, rule).in_file(&catalogue.path.display().to_string())
        };
        let dtype = settings.get(DTYPE).and_then(|dtype| dtype.parse().ok());
        let dtype = dtype.ok_or_else(|| damaged(DTYPE, "must be f32, f64, f16 or bf16"))?;
        let dim = settings.get(DIM).and_then(|dim| dim.parse().ok()).filter(|&dim| check_dim(dim).is_ok());
        let dim = dim.ok_or_else(|| damaged(DIM, "must be from 1 to 2^27"))?;
        Ok(Folder {
            path,
            dtype,
            dim,
            patience,
            durable,
            disk,
            catalogue: hold(catalogue),
            files: Mutex::default(),
            swept: AtomicBool::new(false),
            _temporary: temporary.map(|folder| Temporary { folder: Some(folder), process: std::process::id() }),
        })
    }

    /// Reads from the catalogue.
    pub(crate) fn read<R>(&self, work: impl FnOnce(&Catalogue) -> Result<R>) -> Result<R> {
        let mut held = locked(&self.catalogue);
        match &*held {
            Some(catalogue) => work(catalogue),
            None => work(held.insert(Catalogue::open(&self.path, self.patience, self.durable)?)),
        }
    }

    /// Changes the memory, while no other writer does.
    pub(crate) fn write<R>(&self, action: &'static str, work: impl FnOnce(&Writer<'_>) -> Result<R>) -> Result<R> {
        let _lock = WriterLock::take(&self.path, action, self.patience)?;
        self.read(|catalogue| {
            let writer = Writer { folder: self, catalogue };
            if !self.swept.swap(true, Ordering::Relaxed) {
                writer.sweep()?;
            }
            work(&writer)
        })
    }

    pub(crate) fn segment_path(&self, number: i64) -> PathBuf {
        self.path.join(SEGMENTS).join(format!("{number:012}.safetensors"))
    }

    /// The file of a segment, mapped once.
    pub(crate) fn file(&self, segment: &SegmentRow) -> Result<Arc<PatternFile>> {
        if let Some(file) = locked(&self.files).get(&segment.number) {
            return Ok(Arc::clone(file));
        }
        let file = PatternFile::open(&self.segment_path(segment.number))?;
        let (dtype, dim) = (file.layout.dtype, file.layout.dim);
        let known =
            file.rows() == segment.rows && file.len() == segment.bytes && (dtype, dim) == (self.dtype, self.dim);
        if !known || file.header_checksum() != Some(segment.header) {
            let found = format!("{} rows of {dim} {dtype}, {} bytes", file.rows(), file.len());
            let rule = "is not the segment that the catalogue knows by this name";
            return Err(Fault::new("segment", found, rule).in_file(&file.file));
        }
        let file = Arc::new(file);
        Ok(Arc::clone(locked(&self.files).entry(segment.number).or_insert(file)))
    }

    /// Forgets files that are in no snapshot to come.
    pub(crate) fn forget_others(&self, segments: &[SegmentRow]) {
        let current: HashSet<i64> = segments.iter().map(|segment| segment.number).collect();
        locked(&self.files).retain(|number, _| current.contains(number));
    }
}

/// Whether patterns can have this length.
pub(crate) fn check_dim(dim: usize) -> Result<()> {
    if (1..=crate::header::MAX_DIM).contains(&dim) {
        return Ok(());
    }
    Err(Error::argument("dim", dim, "must be from 1 to 2^27"))
}

/// What is known of the memory as a whole, from the settings.
pub(crate) fn info_of(settings: &std::collections::BTreeMap<String, String>) -> Info {
    let texts = settings.iter().filter_map(|(name, text)| Some((name.strip_prefix(INFO)?.to_owned(), text.clone())));
    Info::read(&mut texts.collect())
}

/// The one who may change a memory just now.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) catalogue: &'a Catalogue,
}

impl Writer<'_> {
    /// One transaction, under a new generation.
    pub(crate) fn change<R>(&self, work: impl FnOnce(&Catalogue) -> Result<R>) -> Result<R> {
        self.catalogue.change(|catalogue| {
            let done = work(catalogue)?;
            catalogue.set(GENERATION, &(catalogue.number(GENERATION)? + 1).to_string())?;
            Ok(done)
        })
    }

    pub(crate) fn set_info(&self, info: Info) -> Result<()> {
        let mut texts = Default::default();
        info.write(&mut texts);
        let old = self.catalogue.settings()?;
        for name in old.keys().filter_map(|name| name.strip_prefix(INFO)).filter(|name| !texts.contains_key(*name)) {
            self.catalogue.unset(&format!("{INFO}{name}"))?;
        }
        texts.iter().try_for_each(|(name, text)| self.catalogue.set(&format!("{INFO}{name}"), text))
    }

    /// Writes a segment and forces it to disk, and only then tells the catalogue.
    pub(crate) fn put_segment<'a>(
        &self,
        ids: &'a [u64],
        patterns: Box<dyn Iterator<Item = Result<&'a [u8]>> + 'a>,
    ) -> Result<()> {
        let (Some(&first_id), Some(&last_id)) = (ids.first(), ids.last()) else { return Ok(()) };
        let folder = self.folder;
        let number = self.catalogue.number(NEXT_SEGMENT)? as i64;
        let path = folder.segment_path(number);
        let content = Content {
            dtype: folder.dtype,
            dim: folder.dim,
            info: Info::default(),
            next_id: last_id + 1,
            ids,
            patterns,
            texts: [None, None],
        };
        let write = || {
            let file = folder.disk.create(&path).map_err(Error::io("create", &path))?;
            let mut writer = BufWriter::with_capacity(BLOCK, file);
            let written = content.write_to(&mut writer).map_err(|error| error.at(&path))?;
            let mut file = writer.into_inner().map_err(|error| Error::io("write", &path)(error.into_error()))?;
            if folder.durable {
                file.sync().map_err(Error::io("force to disk", &path))?;
                let segments = folder.path.join(SEGMENTS);
                folder.disk.sync_folder(&segments).map_err(Error::io("force to disk", &segments))?;
            }
            Ok(written)
        };
        let written = write().inspect_err(|_| {
            // Nothing mentions the file: if it stays, the next writer deletes it.
            let _ = folder.disk.remove(&path);
        })?;
        self.catalogue.set(NEXT_SEGMENT, &(number + 1).to_string())?;
        self.catalogue.put_segment(&SegmentRow {
            number,
            rows: ids.len(),
            first_id,
            last_id,
            bytes: written.bytes,
            header: written.header_checksum,
            removed: 0,
            removed_sum: 0,
        })
    }

    /// The segment and the row of an id, with the segments so far.
    pub(crate) fn locate(&self, segments: &[SegmentRow], id: u64) -> Result<(usize, usize)> {
        let holds = |segment: &SegmentRow| (segment.first_id..=segment.last_id).contains(&id);
        for (at, segment) in segments.iter().enumerate().filter(|(_, segment)| holds(segment)) {
            if let Some(row) = self.folder.file(segment)?.find(id)?
                && !self.catalogue.is_removed(segment.number, row)?
            {
                return Ok((at, row));
            }
        }
        Err(Error::UnknownId { id, next: self.catalogue.number(NEXT_ID)? })
    }

    /// Deletes files that the catalogue does not mention: what writers that died have left.
    pub(crate) fn sweep(&self) -> Result<()> {
        let segments = self.catalogue.segments()?;
        let known: HashSet<PathBuf> = segments.iter().map(|s| self.folder.segment_path(s.number)).collect();
        let folder = self.folder.path.join(SEGMENTS);
        for entry in std::fs::read_dir(&folder).map_err(Error::io("read the folder", &folder))?.flatten() {
            let path = entry.path();
            let ours = path.extension().is_some_and(|ending| ending == "safetensors");
            if ours && !known.contains(&path) {
                // A file that cannot be deleted now, as where it is mapped on Windows, is tried again later.
                let _ = self.folder.disk.remove(&path);
            }
        }
        self.folder.forget_others(&segments);
        Ok(())
    }
}
