//! Computations in pieces: some cells now and here, others later or on another machine.

use std::path::PathBuf;
use std::time::Duration;

use super::{CellCount, Record, Source};
use crate::experiment::Mode;

/// How much of a computation is done now, and which files of cells it reads and writes.
///
/// A file of cells has one line of JSON for each: `experiment`, `hash` (of everything that decides the value), `key`, `value` and
/// `seconds`. Files are joined by `cat`.
#[derive(Debug, Clone, Default)]
pub struct Pieces {
    /// Files of cells, which count as kept. To the first, which need not be there, every cell of the run is added as it is
    /// done; in the end it is written sorted. One run at a time may add to a file.
    pub cells: Vec<PathBuf>,
    /// Files of cells that are only read.
    pub with_cells: Vec<PathBuf>,
    /// Write no results, figures and page; with a file of cells, write to this file alone.
    pub only_cells: bool,
    /// Begin no cell when this time is over.
    pub time: Option<Duration>,
}

/// What a run in pieces did.
#[derive(Debug)]
pub struct Summary {
    /// The experiments whose cells are all there.
    pub records: Vec<Record>,
    /// The others.
    pub unfinished: Vec<(&'static str, Mode)>,
    /// How many cells are done.
    pub count: CellCount,
    /// The files that cells came from.
    pub sources: Vec<Source>,
}
