//! IDX files, the format of MNIST: a big-endian header, then bytes.

use std::path::Path;

use super::bytes;
use crate::error::{Error, Result};

/// No set of this kind is larger.
const MOST: u64 = 1 << 31;

/// An array of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idx {
    /// Its axes.
    pub shape: Vec<usize>,
    /// Its entries, the last axis fastest.
    pub entries: Vec<u8>,
}

/// Reads an array of bytes with so many axes, from a plain file or a gzipped one.
pub fn read(path: &Path, axes: usize) -> Result<Idx> {
    let wrong = |what: String| Error::format(path, what);
    let bytes = bytes(path, MOST)?;
    let header = 4 * (axes + 1);
    if bytes.len() < header {
        return Err(wrong(format!("ends after {} bytes, inside its header of {header}", bytes.len())));
    }
    let word = |at: usize| u32::from_be_bytes([bytes[4 * at], bytes[4 * at + 1], bytes[4 * at + 2], bytes[4 * at + 3]]);
    // Two zeros, the type (8: bytes) and the number of axes.
    let magic = 0x0800 + axes as u32;
    if word(0) != magic {
        return Err(wrong(format!("begins with the magic number {}, expected {magic}", word(0))));
    }
    let shape: Vec<usize> = (1..=axes).map(|at| word(at) as usize).collect();
    let size = shape.iter().try_fold(1usize, |size, &axis| size.checked_mul(axis));
    let held = bytes.len() - header;
    if size != Some(held) {
        return Err(wrong(format!("holds {held} bytes after its header, which says {shape:?}")));
    }
    Ok(Idx { shape, entries: bytes[header..].to_vec() })
}
