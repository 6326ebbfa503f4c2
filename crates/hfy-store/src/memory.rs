//! The memory: an opened file that never changes, and what was done since.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ndarray::{ArrayView1, ArrayView2, Axis};
use serde_json::Value;

use crate::base::{self, Base};
use crate::bytes::Bytes;
use crate::header::MAX_DIM;
use crate::replace::Stamp;
use crate::rows::Rows;
use crate::text::Kind;
use crate::{Dtype, Error, Info, Result, Storable};

/// Patterns of one length and one element type, each under an id that is never used again.
///
/// # Ids and rows
/// Ids are given out from 0 upwards and stay with their pattern. Rows are positions in [`Memory::patterns`]: ids ascend
/// along the rows, and a removal moves later patterns to earlier rows. [`Memory::row_of`] and [`Memory::id_of`] go
/// from one to the other in O(log n), and in O(1) while nothing was ever removed.
///
/// # What is copied when
/// An opened memory is a map of its file, shared by its clones and by other processes, and is never written to. Added
/// patterns go to an owned tail; an update of a pattern in the file is kept beside it; a removal is a mark. So each
/// costs what it touches and not the size of the file. [`Memory::stretches`] reads everything in place.
/// [`Memory::patterns`] gives a view without a copy while the patterns are one stretch: in a memory just opened or
/// saved, in one that was never opened, after removals at either end. Otherwise it copies all of them, at each call;
/// to copy once, [`Memory::compact`] or save.
///
/// # When the room of removed patterns comes back
/// In the file: at the next save. In the tail: as soon as half of its patterns are removed, so that a memory where
/// patterns come and go stays within twice its size. [`Memory::compact`] takes everything into the tail at once.
#[derive(Debug, Clone)]
pub struct Memory {
    pub(crate) dtype: Dtype,
    pub(crate) dim: usize,
    pub(crate) info: Info,
    pub(crate) next_id: u64,
    /// The opened file. Its rows are the first places.
    pub(crate) base: Option<Arc<Base>>,
    /// Rows added since. Their places follow those of the file, and their ids are greater.
    pub(crate) tail: Rows,
    pub(crate) tail_ids: Vec<u64>,
    /// Places of removed rows, ascending.
    pub(crate) removed: Vec<usize>,
    /// For a place in the file, the row of `patched` to use instead.
    pub(crate) patches: BTreeMap<usize, usize>,
    pub(crate) patched: Rows,
    /// Texts given since, by id; `None` hides one in the file.
    pub(crate) texts: [HashMap<u64, Option<Box<str>>>; 2],
    pub(crate) path: Option<PathBuf>,
    pub(crate) stamp: Option<Stamp>,
    pub(crate) changed: bool,
}

/// What a save would change in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pending {
    /// Patterns that are not in the file.
    pub added: usize,
    /// Patterns in the file that are removed.
    pub removed: usize,
    /// Patterns in the file that were replaced.
    pub updated: usize,
}

impl Memory {
    /// An empty memory for patterns of length `dim`.
    pub fn new(dtype: Dtype, dim: usize) -> Result<Self> {
        if dim == 0 || dim > MAX_DIM {
            return Err(Error::argument("dim", dim, "must be from 1 to 2^27"));
        }
        Ok(Memory {
            dtype,
            dim,
            info: Info::default(),
            next_id: 0,
            base: None,
            tail: Rows::new(dtype),
            tail_ids: Vec::new(),
            removed: Vec::new(),
            patches: BTreeMap::new(),
            patched: Rows::new(dtype),
            texts: Default::default(),
            path: None,
            stamp: None,
            changed: true,
        })
    }

    /// A memory of the rows of an array, with the ids 0, 1, 2 and so on.
    pub fn from_patterns<T: Storable>(patterns: ArrayView2<'_, T>) -> Result<Self> {
        let mut memory = Memory::new(T::DTYPE, patterns.ncols())?;
        memory.add_batch(patterns)?;
        Ok(memory)
    }

    /// Opens a file by memory map.
    ///
    /// Reads the header, the ids and the offsets of the texts (8 bytes a pattern each), and checks them: sizes, order,
    /// checksums. Patterns and texts stay on disk until they are used; texts are checked at each use. To check
    /// everything, [`Memory::verify`].
    ///
    /// While the memory lives, no program may change the file in place or shorten it; the operating system would show
    /// the change or end the process (`SIGBUS`). Saves of this crate replace the file and are always safe.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        // Asked before opening, because opening a pipe would wait for its writer.
        let kind = std::fs::metadata(path).map_err(Error::io("open", path))?;
        if !kind.is_file() {
            let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a regular file");
            return Err(Error::io("open", path)(source));
        }
        let file = File::open(path).map_err(Error::io("open", path))?;
        let stamp = Stamp::of(&file.metadata().map_err(Error::io("read the size of", path))?);
        let base = Base::new(Bytes::map(&file, path)?, path.display().to_string())?;
        let mut memory = Memory::of_base(base)?;
        memory.path = Some(path.to_owned());
        memory.stamp = Some(stamp);
        Ok(memory)
    }

    /// Reads a file that is in memory already. Copies it once.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Memory::of_base(Base::new(Bytes::copy(bytes), "bytes".to_owned())?)
    }

    fn of_base(base: Base) -> Result<Self> {
        let mut memory = Memory::new(base.layout.dtype, base.layout.dim)?;
        memory.info = base.layout.info.clone();
        memory.next_id = base.layout.next_id;
        memory.base = Some(Arc::new(base));
        memory.changed = false;
        Ok(memory)
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The length of a pattern.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// How many patterns there are.
    pub fn len(&self) -> usize {
        self.places() - self.removed.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is known of the memory as a whole.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// Replaces what is known of the memory as a whole. `extra` cannot use the names of the format.
    pub fn set_info(&mut self, info: Info) -> Result<()> {
        info.check()?;
        self.changed |= info != self.info;
        self.info = info;
        Ok(())
    }

    /// The file that [`Memory::save`] writes to.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Where the patterns lie in the file, in bytes from its start, row after row; `None` unless all that there are lie there and
    /// no others. For programs that map the file themselves.
    pub fn place_in_file(&self) -> Option<Range<usize>> {
        let untouched = self.tail_ids.is_empty() && self.removed.is_empty() && self.patches.is_empty();
        let base = self.base.as_ref().filter(|_| untouched && self.path.is_some())?;
        Some(base.layout.patterns.clone())
    }

    /// Whether anything was changed since the file was opened or saved.
    pub fn is_changed(&self) -> bool {
        self.changed
    }

    /// What a save would change in the file's patterns.
    pub fn pending(&self) -> Pending {
        let removed = self.removed.partition_point(|&place| place < self.base_rows());
        let added = self.tail_ids.len() - (self.removed.len() - removed);
        Pending { added, removed, updated: self.patches.len() }
    }

    /// The id that the next added pattern gets. No id from it upwards was ever given out.
    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    /// Adds a pattern and returns its id.
    pub fn add<T: Storable>(&mut self, pattern: ArrayView1<'_, T>) -> Result<u64> {
        Ok(self.add_batch(pattern.insert_axis(Axis(0)))?.start)
    }

    /// Adds the rows of an array and returns their ids, which follow each other. If one row is refused, none is added.
    pub fn add_batch<T: Storable>(&mut self, patterns: ArrayView2<'_, T>) -> Result<Range<u64>> {
        let (rows, columns) = patterns.dim();
        if columns != self.dim {
            return Err(Error::Shape {
                argument: "patterns",
                got: vec![rows, columns],
                expected: vec![rows, self.dim],
            });
        }
        self.check_type::<T>("patterns")?;
        check_finite(patterns)?;
        let end = self.next_id.checked_add(rows as u64);
        let end = end.ok_or_else(|| Error::argument("next_id", self.next_id, "no ids are left for these patterns"))?;
        self.tail.reserve(patterns.len())?;
        let what = "ids";
        self.tail_ids.try_reserve(rows).map_err(|_| Error::Allocation { what, bytes: rows.saturating_mul(8) })?;
        match patterns.as_slice() {
            Some(values) => self.tail.push(bytemuck::cast_slice(values)),
            None => patterns.rows().into_iter().for_each(|row| self.tail.push(bytemuck::cast_slice(&row.to_vec()))),
        }
        let ids = self.next_id..end;
        self.tail_ids.extend(ids.clone());
        self.next_id = end;
        self.changed |= rows > 0;
        Ok(ids)
    }

    /// Replaces a pattern. Its id, label and metadata stay.
    pub fn update<T: Storable>(&mut self, id: u64, pattern: ArrayView1<'_, T>) -> Result<()> {
        let place = self.place(id)?;
        if pattern.len() != self.dim {
            return Err(Error::Shape { argument: "pattern", got: vec![pattern.len()], expected: vec![self.dim] });
        }
        self.check_type::<T>("pattern")?;
        check_finite(pattern.insert_axis(Axis(0)))?;
        let values = pattern.to_vec();
        let bytes: &[u8] = bytemuck::cast_slice(&values);
        let width = self.width();
        let (rows, row) = match place.checked_sub(self.base_rows()) {
            Some(row) => (&mut self.tail, row),
            None => {
                let slots = self.patched.bytes().len() / width;
                let slot = *self.patches.entry(place).or_insert(slots);
                if slot == slots {
                    self.patched.push(bytes);
                }
                (&mut self.patched, slot)
            }
        };
        rows.bytes_mut()[row * width..][..width].copy_from_slice(bytes);
        self.changed = true;
        Ok(())
    }

    /// Removes patterns. If one id is unknown, nothing is removed. Many at once cost little more than one.
    pub fn remove(&mut self, ids: &[u64]) -> Result<()> {
        let mut places = ids.iter().map(|&id| self.place(id)).collect::<Result<Vec<_>>>()?;
        places.sort_unstable();
        places.dedup();
        for &place in &places {
            self.patches.remove(&place);
        }
        for id in ids {
            self.texts.iter_mut().for_each(|texts| drop(texts.remove(id)));
        }
        self.changed |= !places.is_empty();
        // Two ascending sequences: the stable sort merges them in one pass.
        self.removed.extend(places);
        self.removed.sort();
        self.shrink_tail();
        Ok(())
    }

    /// Gives the room of removed rows in the tail back once they are half of it.
    fn shrink_tail(&mut self) {
        let base_rows = self.base_rows();
        let first = self.removed.partition_point(|&place| place < base_rows);
        if self.removed.len() - first <= self.tail_ids.len() / 2 {
            return;
        }
        let gone = self.removed.split_off(first);
        let keep = |row: usize| gone.binary_search(&(base_rows + row)).is_err();
        self.tail.retain(self.dim, keep);
        let mut row = 0..;
        self.tail_ids.retain(|_| row.next().is_some_and(keep));
    }

    /// Sets or takes away the label of a pattern. An empty label is none.
    pub fn set_label(&mut self, id: u64, label: Option<&str>) -> Result<()> {
        self.place(id)?;
        self.set_text(Kind::Label, id, label.filter(|label| !label.is_empty()).map(Box::from));
        Ok(())
    }

    /// Sets or takes away the metadata of a pattern, any JSON value up to 127 levels deep.
    pub fn set_metadata(&mut self, id: u64, metadata: Option<&Value>) -> Result<()> {
        self.place(id)?;
        let text = metadata.map(|value| {
            let text = value.to_string();
            // What could not be read back must not be written.
            match serde_json::from_str::<Value>(&text) {
                Ok(_) => Ok(text.into_boxed_str()),
                Err(error) => Err(Error::argument("metadata", error, "must be JSON that can be read back")),
            }
        });
        self.set_text(Kind::Metadata, id, text.transpose()?);
        Ok(())
    }

    pub(crate) fn set_text(&mut self, kind: Kind, id: u64, text: Option<Box<str>>) {
        self.texts[kind as usize].insert(id, text);
        self.changed = true;
    }

    /// Takes everything into one owned array, so that [`Memory::patterns`] needs no copy from here on.
    ///
    /// What comes from the file is checked against its checksums on the way.
    pub fn compact(&mut self) -> Result<()> {
        if self.base.is_none() && self.removed.is_empty() {
            return Ok(());
        }
        if let Some(base) = &self.base {
            base.check_contents()?;
        }
        let mut rows = Rows::new(self.dtype);
        rows.reserve(self.len() * self.dim)?;
        self.runs().for_each(|run| rows.push(run.bytes));
        let mut texts: [HashMap<u64, Option<Box<str>>>; 2] = Default::default();
        for record in self.iter() {
            for (kind, texts) in Kind::ALL.into_iter().zip(&mut texts) {
                if let Some(text) = record.text(kind)? {
                    texts.insert(record.id(), Some(text.into()));
                }
            }
        }
        self.tail_ids = self.ids().collect();
        self.tail = rows;
        self.texts = texts;
        self.base = None;
        self.removed.clear();
        self.patches.clear();
        self.patched = Rows::new(self.dtype);
        Ok(())
    }

    /// Reads everything: checksums, texts, and whether all patterns are finite. The first fault is the error.
    pub fn verify(&self) -> Result<()> {
        match &self.base {
            // What was added since was checked when it was added.
            Some(base) => base.verify(),
            None => Ok(()),
        }
    }

    pub(crate) fn check_type<T: Storable>(&self, argument: &'static str) -> Result<()> {
        if T::DTYPE == self.dtype {
            return Ok(());
        }
        Err(Error::Type { argument, got: T::DTYPE, expected: self.dtype })
    }

    /// Bytes of a pattern.
    pub(crate) fn width(&self) -> usize {
        self.dim * self.dtype.size()
    }

    pub(crate) fn base_rows(&self) -> usize {
        self.base.as_ref().map_or(0, |base| base.rows())
    }

    /// Rows of the file and of the tail, removed ones included.
    pub(crate) fn places(&self) -> usize {
        self.base_rows() + self.tail_ids.len()
    }

    pub(crate) fn id_at(&self, place: usize) -> u64 {
        match (&self.base, place.checked_sub(self.base_rows())) {
            (Some(base), None) => base.ids()[place],
            (_, row) => self.tail_ids[row.unwrap_or(place)],
        }
    }

    pub(crate) fn place(&self, id: u64) -> Result<usize> {
        let in_file = self.base.as_ref().and_then(|base| base.find(id));
        let place = in_file.or_else(|| Some(self.base_rows() + base::find(&self.tail_ids, id)?));
        place
            .filter(|place| self.removed.binary_search(place).is_err())
            .ok_or(Error::UnknownId { id, next: self.next_id })
    }

    /// Whether a pattern has this id.
    pub fn contains(&self, id: u64) -> bool {
        self.place(id).is_ok()
    }

    /// The row of an id.
    pub fn row_of(&self, id: u64) -> Option<usize> {
        let place = self.place(id).ok()?;
        Some(place - self.removed.partition_point(|&removed| removed < place))
    }

    /// The id of a row.
    pub fn id_of(&self, row: usize) -> Option<u64> {
        Some(self.id_at(self.place_of_row(row)?))
    }

    pub(crate) fn place_of_row(&self, row: usize) -> Option<usize> {
        // `removed[k] - k` is the row that follows the k-th removed place; it never descends.
        let (mut from, mut to) = (0, self.removed.len());
        while from < to {
            let middle = from + (to - from) / 2;
            if self.removed[middle] - middle <= row { from = middle + 1 } else { to = middle }
        }
        row.checked_add(from).filter(|&place| place < self.places())
    }
}

fn check_finite<T: Storable>(patterns: ArrayView2<'_, T>) -> Result<()> {
    if patterns.iter().fold(true, |all, &value| all & value.is_finite()) {
        return Ok(());
    }
    let found = patterns.indexed_iter().find(|(_, value)| !value.is_finite());
    let value = found.map(|((row, index), value)| format!("{} in row {row}, column {index}", value.to_f64()));
    Err(Error::argument("patterns", value.unwrap_or_default(), "must be finite"))
}
