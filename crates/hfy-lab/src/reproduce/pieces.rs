//! Computations in pieces: some cells now and here, others later or on another machine.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::{CellCount, Record, Source};
use crate::experiment::Mode;

/// How much of a computation is done now, and which files of cells it reads and writes.
///
/// A file of cells has one line of JSON for each: `experiment`, `hash` (of everything that decides the value), `key`,
/// `value` and `seconds`. Files are joined by `cat`.
#[derive(Debug, Clone, Default)]
pub struct Pieces {
    /// Files of cells, which count as kept. To the first, which need not be there, every cell of the run is added as it
    /// is done; in the end it is written sorted. One run at a time may add to a file.
    pub cells: Vec<PathBuf>,
    /// Files of cells that are only read.
    pub with_cells: Vec<PathBuf>,
    /// Write no results, figures and page; with a file of cells, write to this file alone.
    pub only_cells: bool,
    /// Begin no cell when this time is over.
    pub time: Option<Duration>,
    /// Compute this share of the cells.
    pub share: Share,
}

/// Every so many-th cell, for one of several processes or machines; as a text `2/16`, the second of sixteen.
///
/// The cells that a search chooses are known when its own are done: each process ends with its share of a search, and
/// goes on once the files of all are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    which: usize,
    of: usize,
}

impl Default for Share {
    /// All cells.
    fn default() -> Self {
        Share { which: 1, of: 1 }
    }
}

impl Share {
    /// Whether the cell with this number, from 0, is in it.
    pub(super) fn has(self, cell: usize) -> bool {
        cell % self.of == self.which - 1
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(which, of)| Some((which.parse().ok()?, of.parse().ok()?)));
        let share = numbers.filter(|&(which, of)| 1 <= which && which <= of);
        share
            .map(|(which, of)| Share { which, of })
            .ok_or_else(|| "must be I/N with 1 <= I <= N, such as 2/16".to_owned())
    }
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
