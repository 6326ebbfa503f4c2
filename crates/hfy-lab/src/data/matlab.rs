//! Matrices of MATLAB 5 files, dense and sparse.
//!
//! Format: *MAT-File Format*, The MathWorks: a header of 128 bytes, then elements, each a tag of type and length and
//! its data, padded to 8 bytes; a compressed element holds another. Numbers are read to double precision, whatever type
//! they are stored in. Cells, structures, text and complex numbers are passed over.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use flate2::read::ZlibDecoder;
use ndarray::Array2;

use super::bytes;
use crate::error::{Error, Result};

const MOST: u64 = 1 << 31;
const COMPRESSED: u32 = 15;
const MATRIX: u32 = 14;
const SPARSE: u8 = 5;
/// Classes 6 to 15 are arrays of numbers.
const NUMERIC: std::ops::RangeInclusive<u8> = 6..=15;
const COMPLEX: u8 = 0x08;

/// The matrices of numbers in a file, by name.
pub fn read(path: &Path) -> Result<BTreeMap<String, Array2<f64>>> {
    let bytes = bytes(path, MOST)?;
    let wrong = |what: String| Error::format(path, what);
    if bytes.len() < 128 {
        return Err(wrong(format!("ends after {} bytes, inside the header of a MATLAB 5 file", bytes.len())));
    }
    let swapped = match &bytes[126..128] {
        b"IM" => false,
        b"MI" => true,
        other => return Err(wrong(format!("is no MATLAB 5 file: it has {other:?} where IM or MI stands"))),
    };
    let mut found = BTreeMap::new();
    let mut rest = Elements { bytes: &bytes[128..], swapped };
    while let Some((kind, data)) = rest.next().map_err(wrong)? {
        let unpacked;
        let data = if kind == COMPRESSED {
            let mut inner = Vec::new();
            let read = ZlibDecoder::new(data).take(MOST).read_to_end(&mut inner);
            read.map_err(|error| wrong(format!("has a compressed part that is damaged: {error}")))?;
            unpacked = inner;
            match (Elements { bytes: &unpacked, swapped }).next().map_err(wrong)? {
                Some((MATRIX, data)) => data,
                _ => continue,
            }
        } else if kind == MATRIX {
            data
        } else {
            continue;
        };
        if let Some((name, matrix)) = matrix(Elements { bytes: data, swapped }).map_err(wrong)? {
            found.insert(name, matrix);
        }
    }
    Ok(found)
}

type Faulty<V> = std::result::Result<V, String>;

/// One element after the other.
struct Elements<'b> {
    bytes: &'b [u8],
    swapped: bool,
}

impl<'b> Elements<'b> {
    fn word(&self, at: usize) -> Option<u32> {
        let word: [u8; 4] = self.bytes.get(at..at + 4)?.try_into().ok()?;
        Some(if self.swapped { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) })
    }

    /// Type and data of the next element; `None` at the end.
    fn next(&mut self) -> Faulty<Option<(u32, &'b [u8])>> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let short = || "ends inside an element".to_owned();
        let (kind, length) = (self.word(0).ok_or_else(short)?, self.word(4).ok_or_else(short)?);
        // A small element has its length in the upper half of the first word, and its data in the second.
        let (kind, start, length, whole) = if kind >> 16 != 0 {
            (kind & 0xffff, 4, (kind >> 16) as usize, 8)
        } else {
            let length = length as usize;
            // Only compressed elements are not padded.
            let padded =
                if kind == COMPRESSED { length } else { length.checked_next_multiple_of(8).ok_or_else(short)? };
            (kind, 8, length, padded.checked_add(8).ok_or_else(short)?)
        };
        let data = self.bytes.get(start..start + length).ok_or_else(short)?;
        self.bytes = &self.bytes[whole.min(self.bytes.len())..];
        Ok(Some((kind, data)))
    }

    fn need(&mut self) -> Faulty<(u32, &'b [u8])> {
        self.next()?.ok_or_else(|| "ends inside a matrix".to_owned())
    }

    /// The next element as numbers.
    fn numbers(&mut self) -> Faulty<Vec<f64>> {
        let (kind, data) = self.need()?;
        numbers(kind, data, self.swapped)
    }
}

fn numbers(kind: u32, data: &[u8], swapped: bool) -> Faulty<Vec<f64>> {
    macro_rules! each {
        ($type:ty) => {{
            const SIZE: usize = std::mem::size_of::<$type>();
            let (words, rest) = data.as_chunks::<SIZE>();
            if !rest.is_empty() {
                return Err(format!("has {} bytes of numbers of {SIZE} bytes each", data.len()));
            }
            let number = |word: &[u8; SIZE]| {
                if swapped { <$type>::from_be_bytes(*word) } else { <$type>::from_le_bytes(*word) }
            };
            words.iter().map(|word| number(word) as f64).collect()
        }};
    }
    Ok(match kind {
        1 => each!(i8),
        2 => each!(u8),
        3 => each!(i16),
        4 => each!(u16),
        5 => each!(i32),
        6 => each!(u32),
        7 => each!(f32),
        9 => each!(f64),
        12 => each!(i64),
        13 => each!(u64),
        other => return Err(format!("has numbers of the unknown type {other}")),
    })
}

/// Name and entries of a matrix; `None` where it is of another kind.
fn matrix(mut parts: Elements<'_>) -> Faulty<Option<(String, Array2<f64>)>> {
    let (_, flags) = parts.need()?;
    let word = Elements { bytes: flags, swapped: parts.swapped }.word(0).ok_or("has a matrix without flags")?;
    let (class, flags) = ((word & 0xff) as u8, (word >> 8 & 0xff) as u8);
    let axes = parts.numbers()?;
    let (_, name) = parts.need()?;
    let name = String::from_utf8_lossy(name).into_owned();
    let [rows, columns] = axes[..] else { return Ok(None) };
    if flags & COMPLEX != 0 || !(class == SPARSE || NUMERIC.contains(&class)) {
        return Ok(None);
    }
    let (rows, columns) = (rows as usize, columns as usize);
    let size = rows.checked_mul(columns).filter(|size| *size as u64 <= MOST / 8);
    size.ok_or_else(|| format!("has the matrix {name} of {rows} x {columns} entries, which is too large"))?;
    let dense = if class == SPARSE {
        sparse(&mut parts, &name, rows, columns)?
    } else {
        let entries = parts.numbers()?;
        let count = entries.len();
        Array2::from_shape_vec((columns, rows), entries)
            .map_err(|_| format!("has the matrix {name} of {rows} x {columns} with {count} entries"))?
            .reversed_axes()
    };
    Ok(Some((name, dense)))
}

/// Columns one after the other: rows of the entries, where each column begins, and the entries.
fn sparse(parts: &mut Elements<'_>, name: &str, rows: usize, columns: usize) -> Faulty<Array2<f64>> {
    let (at, starts, entries) = (parts.numbers()?, parts.numbers()?, parts.numbers()?);
    let wrong = || format!("has the sparse matrix {name} whose indices do not fit {rows} x {columns}");
    if starts.len() != columns + 1 {
        return Err(wrong());
    }
    let mut dense = Array2::zeros((rows, columns));
    for column in 0..columns {
        for entry in starts[column] as usize..starts[column + 1] as usize {
            let (row, value) = (*at.get(entry).ok_or_else(wrong)? as usize, *entries.get(entry).ok_or_else(wrong)?);
            *dense.get_mut((row, column)).ok_or_else(wrong)? = value;
        }
    }
    Ok(dense)
}
