//! Values of cells of work that are kept between runs.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use super::write;
use crate::error::{Error, Result};
use crate::experiment::{Cell, Experiment, Shelf};

/// A folder with one file a cell, named by a hash of everything that decides its value.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    folder: PathBuf,
}

/// What is kept of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) key: Value,
    pub(super) value: Value,
    /// How long it took on one core.
    pub(super) seconds: f64,
}

impl Cache {
    pub(super) fn new(folder: PathBuf) -> Self {
        Cache { folder }
    }

    /// Where a cell is kept.
    pub(super) fn path(&self, experiment: &dyn Experiment, cell: &Cell, shelf: &Shelf) -> Result<PathBuf> {
        let prints = cell.pictures.iter().map(|&pictures| Ok(format!("{:032x}", shelf.fingerprint(pictures)?)));
        let prints = prints.collect::<Result<Vec<_>>>()?;
        let all = serde_json::json!([experiment.id(), experiment.version(), cell.key, prints]);
        let name = format!("{:032x}.json", xxh3_128(all.to_string().as_bytes()));
        Ok(self.folder.join(experiment.id()).join(name))
    }

    /// The value at a path, if it is there and belongs to the cell. Files appear whole, but one may be damaged later: then it
    /// is computed again.
    pub(super) fn load(path: &Path, cell: &Cell) -> Option<Kept> {
        let kept: Kept = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (kept.key == cell.key).then_some(kept)
    }

    /// Keeps a value.
    pub(super) fn keep(path: &Path, kept: &Kept) -> Result<()> {
        let bytes = serde_json::to_vec(kept).map_err(|error| Error::Cell(error.to_string()))?;
        write(path, &bytes)
    }
}
