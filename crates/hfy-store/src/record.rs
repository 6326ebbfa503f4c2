//! One pattern with all that belongs to it, and walks over all of them.

use std::borrow::Cow;

use ndarray::ArrayView1;
use serde_json::Value;

use crate::text::Kind;
use crate::{Memory, Result, Storable};

/// A pattern in its memory. Reads nothing until asked.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    memory: &'a Memory,
    place: usize,
    row: usize,
    id: u64,
}

impl<'a> Record<'a> {
    /// Its id.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Its row in [`Memory::patterns`].
    pub fn row(&self) -> usize {
        self.row
    }

    /// Its entries, in place.
    pub fn pattern<T: Storable>(&self) -> Result<ArrayView1<'a, T>> {
        self.memory.check_type::<T>("pattern")?;
        Ok(ArrayView1::from(bytemuck::cast_slice(self.memory.row_bytes(self.place))))
    }

    /// Its entries, widened, whatever type they are stored in.
    pub fn to_f64(&self) -> Vec<f64> {
        self.memory.dtype.widen(self.memory.row_bytes(self.place))
    }

    /// Its label.
    pub fn label(&self) -> Result<Option<&'a str>> {
        let memory = self.memory;
        match (memory.texts[Kind::Label as usize].get(&self.id), self.in_file()) {
            (Some(text), _) => Ok(text.as_deref()),
            (None, Some(base)) => base.label(self.place, base.text(Kind::Label, self.place)?),
            (None, None) => Ok(None),
        }
    }

    /// Its metadata, parsed at each call.
    pub fn metadata(&self) -> Result<Option<Value>> {
        let memory = self.memory;
        match (memory.texts[Kind::Metadata as usize].get(&self.id), self.in_file()) {
            // Read back when it was set, so it cannot fail.
            (Some(text), _) => Ok(text.as_deref().and_then(|text| serde_json::from_str(text).ok())),
            (None, Some(base)) => base.metadata(self.place, base.text(Kind::Metadata, self.place)?),
            (None, None) => Ok(None),
        }
    }

    fn in_file(&self) -> Option<&'a crate::base::Base> {
        self.memory.base.as_deref().filter(|base| self.place < base.rows())
    }

    /// A text as it stands in a file.
    pub(crate) fn raw(&self, kind: Kind) -> Result<&'a [u8]> {
        match (self.memory.texts[kind as usize].get(&self.id), self.in_file()) {
            (Some(text), _) => Ok(text.as_deref().unwrap_or_default().as_bytes()),
            (None, Some(base)) => base.text(kind, self.place),
            (None, None) => Ok(&[]),
        }
    }

    /// A text that has been checked.
    pub(crate) fn text(&self, kind: Kind) -> Result<Option<Cow<'a, str>>> {
        match kind {
            Kind::Label => Ok(self.label()?.map(Cow::Borrowed)),
            Kind::Metadata => Ok(self.metadata()?.map(|value| Cow::Owned(value.to_string()))),
        }
    }
}

impl Memory {
    /// The pattern with this id.
    pub fn get(&self, id: u64) -> Result<Record<'_>> {
        let place = self.place(id)?;
        let row = place - self.removed.partition_point(|&removed| removed < place);
        Ok(Record { memory: self, place, row, id })
    }

    /// All patterns, in the order of their rows, which is that of their ids.
    pub fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        let places = self.runs().flat_map(|run| run.places);
        places.enumerate().map(|(row, place)| Record { memory: self, place, row, id: self.id_at(place) })
    }

    /// All ids, ascending: row for row those of [`Memory::patterns`].
    pub fn ids(&self) -> impl Iterator<Item = u64> {
        self.runs().flat_map(|run| run.places).map(|place| self.id_at(place))
    }
}
