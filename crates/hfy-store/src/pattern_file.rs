//! A file of patterns: immutable, used in place, every part checked the first time it is read.
//!
//! A segment of a memory and an exchange file are both of this kind; only an exchange file carries texts.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::bytes::Bytes;
use crate::error::Fault;
use crate::header::{Blocks, HEADER, IDS, Layout, PATTERNS};
use crate::progress::{STEP, Watched};
use crate::text::Kind;
use crate::{Error, Result};

/// Bytes that are checked or written at a time: small enough for the cache, large enough for the disk.
pub(crate) const BLOCK: usize = 1 << 20;
/// Blocks that are worth a second thread.
const BLOCKS_A_THREAD: usize = 32;
/// Blocks that are checked together, by all threads, when rows are read in turn: 64 MiB.
const BLOCKS_AHEAD: usize = 64;

#[derive(Debug)]
pub(crate) struct PatternFile {
    bytes: Bytes,
    /// Name of the file, for messages.
    pub(crate) file: String,
    pub(crate) layout: Layout,
    /// Whether each block of patterns was found sound.
    sound: Vec<AtomicBool>,
    ids_are_sound: OnceLock<()>,
    texts_are_sound: [OnceLock<()>; 2],
}

impl PatternFile {
    /// Maps a file and reads its header.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        // Asked before opening, because opening a pipe would wait for its writer.
        let kind = std::fs::metadata(path).map_err(Error::io("open", path))?;
        if !kind.is_file() {
            let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, "not a regular file");
            return Err(Error::io("open", path)(source));
        }
        let file = File::open(path).map_err(Error::io("open", path))?;
        PatternFile::new(Bytes::map(&file, path)?, path.display().to_string())
    }

    /// Reads the header. Everything else is checked where it is read.
    pub(crate) fn new(bytes: Bytes, file: String) -> Result<Self> {
        let mut layout = Layout::read(bytes.as_slice()).map_err(|fault| fault.in_file(&file))?;
        if layout.blocks.is_none() {
            let whole = layout.checksums.get(PATTERNS).filter(|_| layout.rows > 0);
            layout.blocks = whole.map(|&checksum| Blocks { rows: layout.rows, checksums: vec![checksum] });
        }
        let blocks = layout.blocks.as_ref().map_or(0, |blocks| blocks.checksums.len());
        let sound = (0..blocks).map(|_| AtomicBool::new(false)).collect();
        let (ids_are_sound, texts_are_sound) = (OnceLock::new(), Default::default());
        Ok(PatternFile { bytes, file, layout, sound, ids_are_sound, texts_are_sound })
    }

    fn fault(&self, place: impl Into<String>, value: impl ToString, rule: impl Into<String>) -> Error {
        Fault::new(place, value, rule).in_file(&self.file)
    }

    fn slice(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes.as_slice()[range.clone()]
    }

    pub(crate) fn rows(&self) -> usize {
        self.layout.rows
    }

    /// Bytes of a pattern.
    pub(crate) fn width(&self) -> usize {
        self.layout.dim * self.layout.dtype.size()
    }

    /// Bytes of the file.
    pub(crate) fn len(&self) -> usize {
        self.bytes.as_slice().len()
    }

    /// The checksum of the header, which covers those of everything else.
    pub(crate) fn header_checksum(&self) -> Option<u64> {
        self.layout.checksums.get(HEADER).copied()
    }

    /// The ids, ascending; checked once.
    pub(crate) fn ids(&self) -> Result<&[u64]> {
        if self.ids_are_sound.get().is_none() {
            self.check_ids()?;
            let _ = self.ids_are_sound.set(());
        }
        Ok(self.raw_ids())
    }

    fn raw_ids(&self) -> &[u64] {
        bytemuck::cast_slice(self.slice(&self.layout.ids))
    }

    /// The row of an id.
    pub(crate) fn find(&self, id: u64) -> Result<Option<usize>> {
        Ok(find(self.ids()?, id))
    }

    /// The bytes of some rows, whose blocks are checked if this is the first time that they are read.
    pub(crate) fn patterns(&self, rows: Range<usize>) -> Result<&[u8]> {
        self.check_patterns(rows.clone())?;
        let width = self.width();
        Ok(&self.slice(&self.layout.patterns)[rows.start * width..rows.end * width])
    }

    /// The same in steps that are watched.
    pub(crate) fn watched_patterns<'a>(
        &'a self,
        rows: Range<usize>,
        watched: Watched<'a>,
    ) -> impl Iterator<Item = Result<&'a [u8]>> {
        let rows_a_step = (STEP / self.width()).max(1);
        rows.clone().step_by(rows_a_step).map(move |first| {
            let bytes = self.patterns(first..(first + rows_a_step).min(rows.end))?;
            watched.step(bytes.len())?;
            Ok(bytes)
        })
    }

    /// Rows from `from` on that lie in one block, up to `to`.
    pub(crate) fn block_end(&self, from: usize, to: usize) -> usize {
        let rows = match &self.layout.blocks {
            Some(blocks) => blocks.rows,
            None => crate::header::rows_per_block(self.rows(), self.width()),
        };
        ((from / rows + 1) * rows).min(to)
    }

    /// Checks the blocks that a reader of `rows` reaches next, unless the first of them was found sound.
    pub(crate) fn check_ahead(&self, rows: Range<usize>) -> Result<()> {
        match &self.layout.blocks {
            Some(blocks) if !rows.is_empty() && !self.sound[rows.start / blocks.rows].load(Ordering::Relaxed) => {
                let last = (rows.start / blocks.rows + BLOCKS_AHEAD).saturating_mul(blocks.rows);
                self.check_patterns(rows.start..last.min(rows.end))
            }
            _ => Ok(()),
        }
    }

    fn check_patterns(&self, rows: Range<usize>) -> Result<()> {
        let Some(blocks) = self.layout.blocks.as_ref().filter(|_| !rows.is_empty()) else { return Ok(()) };
        let touched = rows.start / blocks.rows..(rows.end - 1) / blocks.rows + 1;
        let new = |block: &usize| !self.sound[*block].load(Ordering::Relaxed);
        if touched.len() < BLOCKS_A_THREAD {
            return touched.filter(new).try_for_each(|block| self.check_block(blocks, block));
        }
        let new: Vec<usize> = touched.filter(new).collect();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = new.len().div_ceil(threads).max(BLOCKS_A_THREAD);
        std::thread::scope(|scope| {
            let check = |part: &[usize]| part.iter().try_for_each(|&block| self.check_block(blocks, block));
            let work: Vec<_> = new.chunks(share).map(|part| scope.spawn(move || check(part))).collect();
            work.into_iter().try_for_each(|part| part.join().expect("a check does not panic"))
        })
    }

    fn check_block(&self, blocks: &Blocks, block: usize) -> Result<()> {
        let width = self.width();
        let rows = block * blocks.rows..((block + 1) * blocks.rows).min(self.rows());
        let computed = xxh3_64(&self.slice(&self.layout.patterns)[rows.start * width..rows.end * width]);
        let stored = blocks.checksums[block];
        if computed != stored {
            let part = format!("patterns, rows {} to {},", rows.start, rows.end - 1);
            return Err(Error::Checksum { file: self.file.clone(), part, stored, computed });
        }
        self.sound[block].store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The bytes of a text, empty if the pattern has none.
    pub(crate) fn text(&self, kind: Kind, row: usize) -> Result<&[u8]> {
        let Some(place) = &self.layout.texts[kind as usize] else { return Ok(&[]) };
        if self.texts_are_sound[kind as usize].get().is_none() {
            self.check_offsets(kind)?;
            self.check_sum(kind.bytes(), xxh3_64(self.slice(&place.bytes)))?;
            let _ = self.texts_are_sound[kind as usize].set(());
        }
        let offsets: &[u64] = bytemuck::cast_slice(self.slice(&place.offsets));
        let (from, to) = (offsets[row], offsets[row + 1]);
        let bytes = self.slice(&place.bytes);
        bytes.get(from as usize..to as usize).ok_or_else(|| {
            let rule = format!("must lie within the {} bytes of {}", bytes.len(), kind.bytes());
            self.fault(format!("{}[{row}..]", kind.offsets()), format!("{from}..{to}"), rule)
        })
    }

    fn check_ids(&self) -> Result<()> {
        let mut hasher = Xxh3::new();
        let mut before: Option<u64> = None;
        for (block, ids) in self.raw_ids().chunks(BLOCK / 8).enumerate() {
            let joint = before.is_none_or(|before| before < ids[0]);
            if !joint || !ids.windows(2).fold(true, |all, pair| all & (pair[0] < pair[1])) {
                let mut before = before;
                let at = ids.iter().position(|&id| before.replace(id).is_some_and(|before| before >= id));
                let at = at.unwrap_or_default();
                let place = format!("ids[{}]", block * (BLOCK / 8) + at);
                return Err(self.fault(place, ids[at], "ids must ascend, so that each occurs once"));
            }
            before = ids.last().copied();
            hasher.update(bytemuck::cast_slice(ids));
        }
        if let Some(last) = before.filter(|&last| last >= self.layout.next_id) {
            let rule = format!("must be greater than every id, but {last} is in use");
            return Err(self.fault("next_id", self.layout.next_id, rule));
        }
        self.check_sum(IDS, hasher.digest())
    }

    fn check_offsets(&self, kind: Kind) -> Result<()> {
        let Some(place) = &self.layout.texts[kind as usize] else { return Ok(()) };
        let offsets: &[u64] = bytemuck::cast_slice(self.slice(&place.offsets));
        let descent = offsets.windows(2).position(|pair| pair[0] > pair[1]);
        if let Some(at) = descent {
            let place = format!("{}[{}]", kind.offsets(), at + 1);
            return Err(self.fault(place, offsets[at + 1], "offsets must not descend"));
        }
        let (first, last, length) = (offsets[0], offsets[offsets.len() - 1], place.bytes.len() as u64);
        if first != 0 || last != length {
            let rule = format!("must go from 0 to {length}, the length of {}", kind.bytes());
            return Err(self.fault(kind.offsets(), format!("{first} to {last}"), rule));
        }
        self.check_sum(kind.offsets(), xxh3_64(bytemuck::cast_slice(offsets)))
    }

    /// Compares with the checksum in the file, if it has one.
    fn check_sum(&self, part: &str, computed: u64) -> Result<()> {
        match self.layout.checksums.get(part) {
            Some(&stored) if stored != computed => {
                Err(Error::Checksum { file: self.file.clone(), part: part.to_owned(), stored, computed })
            }
            _ => Ok(()),
        }
    }

    /// Reads everything: ids, patterns and whether they are finite, texts.
    pub(crate) fn verify(&self, watched: Watched<'_>) -> Result<()> {
        let (dim, width) = (self.layout.dim, self.width());
        self.ids()?;
        for block in self.sound.iter() {
            block.store(false, Ordering::Relaxed);
        }
        let rows_a_step = (2 * STEP / width).max(1);
        for first in (0..self.rows()).step_by(rows_a_step) {
            let rows = first..(first + rows_a_step).min(self.rows());
            let bytes = self.patterns(rows)?;
            if let Some((at, value)) = self.layout.dtype.first_not_finite(bytes) {
                let (row, index) = (first + at / dim, at % dim);
                return Err(Error::NotFinite { file: self.file.clone(), row, index, id: self.raw_ids()[row], value });
            }
            watched.step(bytes.len())?;
        }
        for row in 0..self.rows() {
            self.label(row)?;
            self.metadata(row)?;
        }
        Ok(())
    }

    /// The label of a row, unless it is empty.
    pub(crate) fn label(&self, row: usize) -> Result<Option<&str>> {
        let text = self.text(Kind::Label, row)?;
        let label = std::str::from_utf8(text).map_err(|e| self.fault(format!("labels[{row}]"), e, "must be UTF-8"))?;
        Ok(Some(label).filter(|label| !label.is_empty()))
    }

    /// The metadata of a row.
    pub(crate) fn metadata(&self, row: usize) -> Result<Option<Value>> {
        let text = self.text(Kind::Metadata, row)?;
        if text.is_empty() {
            return Ok(None);
        }
        let value = serde_json::from_slice(text);
        value.map(Some).map_err(|e| self.fault(format!("metadata[{row}]"), e, "must be JSON"))
    }
}

/// Position of an id among ascending ids.
fn find(ids: &[u64], id: u64) -> Option<usize> {
    let guess = usize::try_from(id.checked_sub(*ids.first()?)?).unwrap_or(usize::MAX);
    match ids.get(guess) {
        Some(&found) if found == id => Some(guess),
        // Ids are distinct, so an id lies at the guess or before it.
        _ => ids[..guess.min(ids.len())].binary_search(&id).ok(),
    }
}
