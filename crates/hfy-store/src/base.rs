//! An opened file: immutable, checked, used in place.

use std::ops::Range;

use serde_json::Value;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::bytes::Bytes;
use crate::error::Fault;
use crate::header::{IDS, Layout, PATTERNS};
use crate::text::Kind;
use crate::{Error, Result};

/// Bytes that are checked or written at a time: small enough for the cache, large enough for the disk.
pub(crate) const BLOCK: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Base {
    bytes: Bytes,
    /// Name of the file, for messages.
    pub(crate) file: String,
    pub(crate) layout: Layout,
}

impl Base {
    /// Checks everything but the patterns and the texts themselves, which are checked where they are read.
    pub(crate) fn new(bytes: Bytes, file: String) -> Result<Self> {
        let layout = Layout::read(bytes.as_slice()).map_err(|fault| fault.in_file(&file))?;
        let base = Base { bytes, file, layout };
        base.check_ids()?;
        for kind in Kind::ALL {
            base.check_offsets(kind)?;
        }
        Ok(base)
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

    pub(crate) fn ids(&self) -> &[u64] {
        bytemuck::cast_slice(self.slice(&self.layout.ids))
    }

    pub(crate) fn patterns(&self) -> &[u8] {
        self.slice(&self.layout.patterns)
    }

    /// Row of an id. Ids ascend; where none was ever removed the first guess is right.
    pub(crate) fn find(&self, id: u64) -> Option<usize> {
        find(self.ids(), id)
    }

    /// The bytes of a text, empty if the pattern has none.
    pub(crate) fn text(&self, kind: Kind, row: usize) -> Result<&[u8]> {
        let Some(place) = &self.layout.texts[kind as usize] else { return Ok(&[]) };
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
        for (block, ids) in self.ids().chunks(BLOCK / 8).enumerate() {
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
        let mut hasher = Xxh3::new();
        let mut before = 0;
        for (block, offsets) in offsets.chunks(BLOCK / 8).enumerate() {
            let rising = before <= offsets[0] && offsets.windows(2).fold(true, |all, pair| all & (pair[0] <= pair[1]));
            if !rising {
                let mut before = before;
                let at = offsets.iter().position(|&o| std::mem::replace(&mut before, o) > o).unwrap_or_default();
                let place = format!("{}[{}]", kind.offsets(), block * (BLOCK / 8) + at);
                return Err(self.fault(place, offsets[at], "offsets must not descend"));
            }
            before = offsets[offsets.len() - 1];
            hasher.update(bytemuck::cast_slice(offsets));
        }
        let (first, length) = (offsets[0], place.bytes.len() as u64);
        if first != 0 || before != length {
            let rule = format!("must go from 0 to {length}, the length of {}", kind.bytes());
            return Err(self.fault(kind.offsets(), format!("{first} to {before}"), rule));
        }
        self.check_sum(kind.offsets(), hasher.digest())
    }

    /// Compares with what the file says, if it says anything.
    pub(crate) fn check_sum(&self, part: &str, computed: u64) -> Result<()> {
        match self.layout.checksums.get(part) {
            Some(&stored) if stored != computed => {
                Err(Error::Checksum { file: self.file.clone(), part: part.to_owned(), stored, computed })
            }
            _ => Ok(()),
        }
    }

    /// Reads all texts of a kind against their checksum.
    pub(crate) fn check_text_bytes(&self, kind: Kind) -> Result<()> {
        match &self.layout.texts[kind as usize] {
            Some(place) => self.check_sum(kind.bytes(), xxh3_64(self.slice(&place.bytes))),
            None => Ok(()),
        }
    }

    /// Reads all patterns and texts against their checksums, for whoever is about to copy them.
    pub(crate) fn check_contents(&self) -> Result<()> {
        self.check_sum(PATTERNS, xxh3_64(self.patterns()))?;
        Kind::ALL.into_iter().try_for_each(|kind| self.check_text_bytes(kind))
    }

    /// Reads everything that opening did not.
    pub(crate) fn verify(&self) -> Result<()> {
        let Layout { dtype, dim, .. } = self.layout;
        let width = dim * dtype.size();
        let mut hasher = Xxh3::new();
        let mut unfit = None;
        let per_block = (BLOCK / width).max(1);
        for (block, bytes) in self.patterns().chunks(per_block * width).enumerate() {
            hasher.update(bytes);
            if unfit.is_none() {
                unfit =
                    dtype.first_not_finite(bytes).map(|(at, value)| (block * per_block + at / dim, at % dim, value));
            }
        }
        // Said first: where the bytes have changed, what they hold means nothing.
        self.check_sum(PATTERNS, hasher.digest())?;
        if let Some((row, index, value)) = unfit {
            return Err(Error::NotFinite { file: self.file.clone(), row, index, id: self.ids()[row], value });
        }
        for kind in Kind::ALL {
            self.check_text_bytes(kind)?;
            for row in 0..self.rows() {
                let text = self.text(kind, row)?;
                match kind {
                    Kind::Label => self.label(row, text).map(drop)?,
                    Kind::Metadata => self.metadata(row, text).map(drop)?,
                }
            }
        }
        Ok(())
    }

    pub(crate) fn label<'a>(&self, row: usize, text: &'a [u8]) -> Result<Option<&'a str>> {
        let label = std::str::from_utf8(text).map_err(|e| self.fault(format!("labels[{row}]"), e, "must be UTF-8"))?;
        Ok(Some(label).filter(|label| !label.is_empty()))
    }

    pub(crate) fn metadata(&self, row: usize, text: &[u8]) -> Result<Option<Value>> {
        if text.is_empty() {
            return Ok(None);
        }
        let value = serde_json::from_slice(text);
        value.map(Some).map_err(|e| self.fault(format!("metadata[{row}]"), e, "must be JSON"))
    }
}

/// Position of an id among ascending ids.
pub(crate) fn find(ids: &[u64], id: u64) -> Option<usize> {
    let guess = usize::try_from(id.checked_sub(*ids.first()?)?).unwrap_or(usize::MAX);
    match ids.get(guess) {
        Some(&found) if found == id => Some(guess),
        // Ids are distinct, so an id lies at the guess or before it.
        _ => ids[..guess.min(ids.len())].binary_search(&id).ok(),
    }
}
