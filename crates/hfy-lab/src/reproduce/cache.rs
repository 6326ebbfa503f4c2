//! Values of cells of work that are kept between runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use super::write;
use crate::error::{Error, Result};
use crate::experiment::{Cell, Experiment, Shelf};

/// What a cell is kept under: its experiment, and a hash of everything that decides its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Address {
    pub(super) experiment: &'static str,
    pub(super) hash: String,
}

impl Address {
    pub(super) fn new(experiment: &dyn Experiment, cell: &Cell, shelf: &Shelf) -> Result<Self> {
        let prints = cell.pictures.iter().map(|&pictures| Ok(format!("{:032x}", shelf.fingerprint(pictures)?)));
        let prints = prints.collect::<Result<Vec<_>>>()?;
        let all = serde_json::json!([experiment.id(), experiment.version(), sorted(&cell.key), prints]);
        let hash = format!("{:032x}", xxh3_128(all.to_string().as_bytes()));
        Ok(Address { experiment: experiment.id(), hash })
    }
}

/// The same value with the fields of objects by name. serde_json sorts them itself unless some crate of the program turns on
/// its feature `preserve_order`; hashes are the same in both kinds of program.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(entries) => entries.iter().map(sorted).collect(),
        Value::Object(fields) => {
            let fields: BTreeMap<&String, Value> = fields.iter().map(|(name, field)| (name, sorted(field))).collect();
            fields.into_iter().map(|(name, field)| (name.clone(), field)).collect()
        }
        plain => plain.clone(),
    }
}

/// What is kept of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) key: Value,
    pub(super) value: Value,
    /// How long it took on one core.
    pub(super) seconds: f64,
}

/// A folder with one file a cell.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
}

impl Cache {
    pub(super) fn new(folder: PathBuf) -> Self {
        Cache { folder }
    }

    fn path(&self, address: &Address) -> PathBuf {
        self.folder.join(address.experiment).join(format!("{}.json", address.hash))
    }

    /// What is kept of a cell. Files appear whole, but one may be damaged later: then the cell is computed again.
    pub(super) fn load(&self, address: &Address, cell: &Cell) -> Result<Option<Kept>> {
        let read = || serde_json::from_slice::<Kept>(&fs::read(self.path(address)).ok()?).ok();
        Ok(read().filter(|kept| kept.key == cell.key))
    }

    /// Keeps a value.
    pub(super) fn keep(&self, address: &Address, kept: &Kept) -> Result<()> {
        let bytes = serde_json::to_vec(kept).map_err(|error| Error::Cell(error.to_string()))?;
        write(&self.path(address), &bytes)
    }
}
