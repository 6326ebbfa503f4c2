//! The exchange format: a memory as one file, written from a snapshot and taken in again.

use std::cell::Cell;
use std::io::{BufWriter, Seek, Write};
use std::path::Path;

use crate::pattern_file::BLOCK;
use crate::progress::{UNWATCHED, Watched};
use crate::replace::replace_file;
use crate::write::Content;
use crate::{Error, Memory, Progress, Result, Snapshot};

impl Snapshot {
    /// Writes everything to one file, which appears whole or not at all and replaces what was there.
    pub fn export(&self, path: impl AsRef<Path>) -> Result<()> {
        self.export_with(path, UNWATCHED)
    }

    /// The same, with progress in bytes of patterns.
    pub fn export_with(&self, path: impl AsRef<Path>, progress: Progress<'_>) -> Result<()> {
        let path = path.as_ref();
        replace_file(path, |file| {
            let mut writer = BufWriter::with_capacity(BLOCK, file);
            self.write_watched(&mut writer, progress).map_err(|error| error.at(path))
        })
    }

    /// Writes the bytes of the file, without any of the care of [`Snapshot::export`].
    ///
    /// ```
    /// use hfy_store::{Dtype, Memory, Snapshot};
    ///
    /// let mut file = std::io::Cursor::new(Vec::new());
    /// Memory::temporary(Dtype::F16, 100)?.snapshot()?.write_to(&mut file)?;
    /// assert_eq!(Snapshot::from_bytes(file.get_ref())?.dim(), 100);
    /// # Ok::<(), hfy_store::Error>(())
    /// ```
    pub fn write_to(&self, mut writer: impl Write + Seek) -> Result<()> {
        self.write_watched(&mut writer, UNWATCHED)
    }

    fn write_watched(&self, writer: &mut (impl Write + Seek), progress: Progress<'_>) -> Result<()> {
        let done = Cell::new(0);
        let watched = Watched::new(progress, &done, self.pattern_bytes());
        let ids = self.ids()?;
        let texts = self.raw_texts()?;
        let content = Content {
            dtype: self.dtype(),
            dim: self.dim(),
            info: self.info().clone(),
            next_id: self.next_id(),
            ids: &ids,
            patterns: Box::new(self.watched_bytes(watched)),
            texts: [Some(&texts[0]), Some(&texts[1])],
        };
        content.write_to(writer).map(drop)
    }
}

impl Memory {
    /// Makes a memory of everything in a snapshot, ids and all: an exchange file imported, or a memory copied.
    pub fn import(source: &Snapshot, path: impl AsRef<Path>, replace: bool) -> Result<Self> {
        Memory::import_with(source, path, replace, UNWATCHED)
    }

    /// The same, with progress in bytes of patterns.
    pub fn import_with(
        source: &Snapshot,
        path: impl AsRef<Path>,
        replace: bool,
        progress: Progress<'_>,
    ) -> Result<Self> {
        let path = path.as_ref();
        Memory::create_with(path, source.dtype(), source.dim(), replace, |memory| {
            memory.take_over(source, progress).map_err(|error| match error {
                Error::Argument { argument: "id", value, rule } => Error::Argument { argument: "next_id", value, rule },
                other => other,
            })
        })?;
        Memory::open(path)
    }
}
