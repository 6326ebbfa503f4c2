//! Where the cells of a run are looked for and kept: a folder with one file a cell, and files with many.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Pieces;
use super::cache::{Address, Cache, Kept};
use super::cells::{CellFile, Cells};
use crate::error::Result;
use crate::experiment::Cell;

/// A folder of cells, the file that is added to, and files that are only read.
#[derive(Debug)]
pub(super) struct Store {
    folder: Cache,
    /// Whether new cells go into the folder.
    into_folder: bool,
    file: Option<CellFile>,
    /// Cells that were taken from it.
    from_file: AtomicUsize,
    others: Vec<Other>,
}

#[derive(Debug)]
struct Other {
    path: PathBuf,
    cells: Cells,
    taken: AtomicUsize,
}

/// A file, and how many cells of a run came from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Cells of the run that were found there.
    pub cells: usize,
}

impl Store {
    /// Reads all files; `note` hears of what is damaged in them.
    pub(super) fn new(folder: Cache, pieces: &Pieces, note: &dyn Fn(&str)) -> Result<Self> {
        let file = pieces.cells.first().map(|path| CellFile::open(path, note)).transpose()?;
        let read =
            pieces.cells.iter().skip(1).chain(&pieces.with_cells).map(|path| {
                Ok(Other { path: path.clone(), cells: Cells::read(path, note)?, taken: AtomicUsize::new(0) })
            });
        let others = read.collect::<Result<_>>()?;
        let into_folder = file.is_none() || !pieces.only_cells;
        Ok(Store { folder, into_folder, file, from_file: AtomicUsize::new(0), others })
    }

    /// What is kept of a cell. The file that is added to takes it over from where it is found.
    pub(super) fn load(&self, address: &Address, cell: &Cell) -> Result<Option<Kept>> {
        if let Some(kept) = self.file.as_ref().and_then(|file| file.get(address, &cell.key)) {
            self.from_file.fetch_add(1, Ordering::Relaxed);
            return Ok(Some(kept));
        }
        let other = |other: &Other| {
            let kept = other.cells.get(address, &cell.key)?;
            other.taken.fetch_add(1, Ordering::Relaxed);
            Some(kept)
        };
        let kept = match self.others.iter().find_map(other) {
            Some(kept) => Some(kept),
            None => self.folder.load(address, cell)?,
        };
        if let (Some(kept), Some(file)) = (&kept, &self.file) {
            file.add(address, kept)?;
        }
        Ok(kept)
    }

    /// Keeps a new value.
    pub(super) fn keep(&self, address: &Address, kept: &Kept) -> Result<()> {
        if let Some(file) = &self.file {
            file.add(address, kept)?;
        }
        if self.into_folder { self.folder.keep(address, kept) } else { Ok(()) }
    }

    /// Ends a run: puts the file in order, and says how many cells came from which file.
    pub(super) fn close(self) -> Result<Vec<Source>> {
        let mut sources = Vec::new();
        if let Some(file) = self.file {
            sources.push(Source { path: file.path().to_owned(), cells: self.from_file.into_inner() });
            file.tidy()?;
        }
        let others = self.others.into_iter();
        sources.extend(others.map(|other| Source { path: other.path, cells: other.taken.into_inner() }));
        sources.retain(|source| source.cells > 0);
        Ok(sources)
    }
}
