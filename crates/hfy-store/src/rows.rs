//! Patterns that this process owns: rows appended or replaced since the file was opened.

use half::{bf16, f16};

use crate::{Dtype, Error, Result};

/// A growing array of one element type, seen as bytes that are aligned for it.
#[derive(Debug, Clone)]
pub(crate) enum Rows {
    F32(Vec<f32>),
    F64(Vec<f64>),
    F16(Vec<f16>),
    Bf16(Vec<bf16>),
}

macro_rules! each {
    ($rows:expr, $values:ident => $body:expr) => {
        match $rows {
            Rows::F32($values) => $body,
            Rows::F64($values) => $body,
            Rows::F16($values) => $body,
            Rows::Bf16($values) => $body,
        }
    };
}

impl Rows {
    pub(crate) fn new(dtype: Dtype) -> Self {
        match dtype {
            Dtype::F32 => Rows::F32(Vec::new()),
            Dtype::F64 => Rows::F64(Vec::new()),
            Dtype::F16 => Rows::F16(Vec::new()),
            Dtype::Bf16 => Rows::Bf16(Vec::new()),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        each!(self, values => bytemuck::cast_slice(values))
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        each!(self, values => bytemuck::cast_slice_mut(values))
    }

    /// Makes room; grows by doubling, as `Vec` does.
    pub(crate) fn reserve(&mut self, elements: usize) -> Result<()> {
        let bytes =
            elements.saturating_mul(each!(self, values => size_of_val(&values.first().copied().unwrap_or_default())));
        each!(self, values => values.try_reserve(elements)).map_err(|_| Error::Allocation { what: "patterns", bytes })
    }

    /// Appends; the bytes are those of a slice of the same element type.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        each!(self, values => values.extend_from_slice(bytemuck::cast_slice(bytes)))
    }

    /// Keeps the rows of `width` elements for which `keep` says so, in order.
    pub(crate) fn retain(&mut self, width: usize, mut keep: impl FnMut(usize) -> bool) {
        each!(self, values => {
            let mut kept = 0;
            for row in 0..values.len() / width {
                if keep(row) {
                    values.copy_within(row * width..(row + 1) * width, kept * width);
                    kept += 1;
                }
            }
            values.truncate(kept * width);
            values.shrink_to(2 * kept * width);
        })
    }
}
