//! The bytes of an opened file, mapped or owned. The one place with `unsafe`.

use std::fs::File;
use std::path::Path;

use memmap2::Mmap;

use crate::{Error, Result};

#[cfg(target_endian = "big")]
compile_error!("memory files are little-endian and are used in place: this target is not supported");

/// Bytes whose start is aligned to 8 at least.
#[derive(Debug)]
pub(crate) enum Bytes {
    Mapped(Mmap),
    Owned { words: Vec<u64>, length: usize },
}

impl Bytes {
    /// Maps a whole file for reading.
    pub(crate) fn map(file: &File, path: &Path) -> Result<Self> {
        // SAFETY: a map is sound while nobody changes or shortens the file under it. This crate never writes to a file
        // that has the final name: a save writes a new file and renames it (`replace_file`), so the mapped file keeps
        // its content until the last map of it goes away. Programs that write into a memory file in place break the
        // rule that `Memory::open` states. All that is read through the map is valid for any bytes (integers and
        // floats), or is checked at each use (offsets, UTF-8, JSON).
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(file) }.map_err(Error::io("map", path))?;
        Ok(Bytes::Mapped(map))
    }

    /// Copies, so that the start is aligned.
    pub(crate) fn copy(bytes: &[u8]) -> Self {
        let mut words = vec![0u64; bytes.len().div_ceil(8)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Bytes::Owned { words, length: bytes.len() }
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned { words, length } => &bytemuck::cast_slice(words)[..*length],
        }
    }
}
