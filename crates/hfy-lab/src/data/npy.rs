//! Arrays of bytes in NumPy's format, as large as a data set.

use std::path::Path;

use super::bytes;
use crate::error::{Error, Result};

const MOST: u64 = 1 << 31;

/// Shape and entries of an array of bytes, the last axis fastest.
pub(super) fn read(path: &Path) -> Result<(Vec<usize>, Vec<u8>)> {
    let wrong = |what: String| Error::format(path, what);
    let mut bytes = bytes(path, MOST)?;
    let header = match &bytes[..] {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, low, high, rest @ ..] => {
            rest.get(..usize::from(u16::from_le_bytes([*low, *high])))
        }
        _ => return Err(wrong("is no npy file of version 1".to_owned())),
    };
    let header = header.ok_or_else(|| wrong("ends inside its header".to_owned()))?;
    let start = 10 + header.len();
    let text = String::from_utf8_lossy(header).into_owned();
    if !(text.contains("'descr': '|u1'") && text.contains("'fortran_order': False")) {
        return Err(wrong(format!("must hold unsigned bytes in C order; its header is {:?}", text.trim_end())));
    }
    let list = text.split_once("'shape': (").and_then(|(_, rest)| rest.split_once(')')).map(|(list, _)| list);
    let axes = list.map(|list| list.split(',').map(str::trim).filter(|axis| !axis.is_empty()).map(str::parse::<usize>));
    let shape = axes.and_then(|axes| axes.collect::<std::result::Result<Vec<usize>, _>>().ok());
    let shape = shape.ok_or_else(|| wrong(format!("has no shape in its header {:?}", text.trim_end())))?;
    let size = shape.iter().try_fold(1usize, |size, &axis| size.checked_mul(axis));
    let held = bytes.len() - start;
    if size != Some(held) {
        return Err(wrong(format!("holds {held} bytes after its header, which says {shape:?}")));
    }
    Ok((shape, bytes.split_off(start)))
}
