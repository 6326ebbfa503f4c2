//! The patterns as the stretches that lie together, and as one array.

use std::collections::btree_map;
use std::iter::Peekable;
use std::ops::Range;

use half::{bf16, f16};
use ndarray::{ArrayView2, CowArray, Ix2};

use crate::{Dtype, Error, Memory, Result, Storable};

/// Rows that are there and lie together.
#[derive(Debug, Clone)]
pub(crate) struct Run<'a> {
    pub(crate) places: Range<usize>,
    pub(crate) bytes: &'a [u8],
}

#[derive(Debug, Clone)]
pub(crate) struct Runs<'a> {
    memory: &'a Memory,
    next: usize,
    /// Removed places from `next` on.
    removed: &'a [usize],
    /// Replaced places from `next` on.
    patches: Peekable<btree_map::Iter<'a, usize, usize>>,
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        while self.removed.first() == Some(&self.next) {
            self.removed = &self.removed[1..];
            self.next += 1;
        }
        let (memory, start) = (self.memory, self.next);
        let base_rows = memory.base_rows();
        if start >= memory.places() {
            return None;
        }
        let mut end = if start < base_rows { base_rows } else { memory.places() };
        if let Some(&removed) = self.removed.first() {
            end = end.min(removed);
        }
        if let Some(&(&place, _)) = self.patches.peek() {
            if place == start {
                self.patches.next();
                end = start + 1;
            } else {
                end = end.min(place);
            }
        }
        self.next = end;
        let width = memory.width();
        let first = memory.row_bytes(start);
        let bytes = match (&memory.base, start < base_rows) {
            (Some(base), true) if end > start + 1 => &base.patterns()[start * width..end * width],
            (_, false) => &memory.tail.bytes()[(start - base_rows) * width..(end - base_rows) * width],
            _ => first,
        };
        Some(Run { places: start..end, bytes })
    }
}

/// The patterns of a memory, whatever their type.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum AnyPatterns<'a> {
    F32(CowArray<'a, f32, Ix2>),
    F64(CowArray<'a, f64, Ix2>),
    F16(CowArray<'a, f16, Ix2>),
    Bf16(CowArray<'a, bf16, Ix2>),
}

impl Memory {
    pub(crate) fn runs(&self) -> Runs<'_> {
        Runs { memory: self, next: 0, removed: &self.removed, patches: self.patches.iter().peekable() }
    }

    /// A row, from wherever it lies.
    pub(crate) fn row_bytes(&self, place: usize) -> &[u8] {
        let width = self.width();
        let (rows, row) = match (&self.base, place.checked_sub(self.base_rows())) {
            (Some(base), None) => match self.patches.get(&place) {
                Some(&slot) => (self.patched.bytes(), slot),
                None => (base.patterns(), place),
            },
            (_, row) => (self.tail.bytes(), row.unwrap_or(place)),
        };
        &rows[row * width..(row + 1) * width]
    }

    /// The patterns as one array: in place if they lie together, copied otherwise (see [`Memory`]).
    ///
    /// ```
    /// use hfy_store::Memory;
    /// use ndarray::array;
    ///
    /// let mut memory = Memory::from_patterns(array![[1.0f32], [2.0], [3.0]].view())?;
    /// assert!(memory.patterns::<f32>()?.is_view());
    /// memory.remove(&[1])?;
    /// assert!(!memory.patterns::<f32>()?.is_view());
    /// memory.compact()?;
    /// assert!(memory.patterns::<f32>()?.is_view());
    /// # Ok::<(), hfy_store::Error>(())
    /// ```
    pub fn patterns<T: Storable>(&self) -> Result<CowArray<'_, T, Ix2>> {
        self.check_type::<T>("patterns")?;
        let mut runs = self.runs();
        let (first, second) = (runs.next(), runs.next());
        if second.is_none() {
            return Ok(first.map_or_else(|| self.rows_of(&[]), |run| self.view(run.bytes)).into());
        }
        let mut values: Vec<T> = Vec::new();
        let count = self.len() * self.dim;
        let bytes = count.saturating_mul(size_of::<T>());
        values.try_reserve_exact(count).map_err(|_| Error::Allocation { what: "a copy of the patterns", bytes })?;
        self.runs().for_each(|run| values.extend_from_slice(bytemuck::cast_slice(run.bytes)));
        let array = ndarray::Array2::from_shape_vec((self.len(), self.dim), values);
        Ok(array.map_err(|_| Error::Allocation { what: "a copy of the patterns", bytes })?.into())
    }

    /// [`Memory::patterns`], for a type known at run time only.
    pub fn any_patterns(&self) -> Result<AnyPatterns<'_>> {
        Ok(match self.dtype {
            Dtype::F32 => AnyPatterns::F32(self.patterns()?),
            Dtype::F64 => AnyPatterns::F64(self.patterns()?),
            Dtype::F16 => AnyPatterns::F16(self.patterns()?),
            Dtype::Bf16 => AnyPatterns::Bf16(self.patterns()?),
        })
    }

    /// The patterns in place, as the stretches that lie together, each with its first row. Never copies.
    pub fn stretches<T: Storable>(&self) -> Result<impl Iterator<Item = (usize, ArrayView2<'_, T>)>> {
        self.check_type::<T>("patterns")?;
        let mut row = 0;
        Ok(self.runs().map(move |run| {
            let first = row;
            row += run.places.len();
            (first, self.view(run.bytes))
        }))
    }

    fn view<'a, T: Storable>(&self, bytes: &'a [u8]) -> ArrayView2<'a, T> {
        self.rows_of(bytemuck::cast_slice(bytes))
    }

    fn rows_of<'a, T: Storable>(&self, values: &'a [T]) -> ArrayView2<'a, T> {
        let shape = (values.len() / self.dim, self.dim);
        ArrayView2::from_shape(shape, values).expect("a run holds whole rows, and their size fits in memory")
    }
}
