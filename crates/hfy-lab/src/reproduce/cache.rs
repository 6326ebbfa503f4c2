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
        let bags = cell.bags.iter().map(|&set| Ok(format!("{:032x}", shelf.bags_fingerprint(set)?)));
        let prints = prints.chain(bags);
        #[cfg(feature = "learn")]
        let prints = prints.chain(cell.texts.iter().map(|&set| Ok(format!("{:032x}", shelf.texts_fingerprint(set)?))));
        let prints = prints.collect::<Result<Vec<_>>>()?;
        let name = cell.kept_by.unwrap_or(experiment.id());
        let all = serde_json::json!([name, experiment.version(), sorted(&cell.key), prints]);
        let hash = format!("{:032x}", xxh3_128(all.to_string().as_bytes()));
        Ok(Address { experiment: name, hash })
    }
}

/// The same value with the fields of objects by name. serde_json sorts them itself unless some crate of the program
/// turns on its feature `preserve_order`; hashes are the same in both kinds of program.
pub(super) fn sorted(value: &Value) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{BagSet, Place};
    use crate::experiment::{Bench, Outcome, Reading, Results, Setting};

    struct Probe;

    impl Experiment for Probe {
        fn id(&self) -> &'static str {
            "probe"
        }

        fn title(&self) -> &'static str {
            ""
        }

        fn about(&self) -> &'static str {
            ""
        }

        fn readings(&self) -> Vec<Reading> {
            Vec::new()
        }

        fn cells(&self, _setting: &Setting) -> Vec<Cell> {
            Vec::new()
        }

        fn compute(&self, _cell: &Cell, _bench: &Bench<'_>) -> Result<Value> {
            Ok(Value::Null)
        }

        fn gather(&self, _setting: &Setting, _results: &Results) -> Result<Outcome> {
            Err(Error::Interrupted)
        }
    }

    /// The hashes were computed by the Python package xxhash, of `["probe",1,{"a":[2.5],"b":1},[]]` and the same with
    /// the fingerprint of the bags.
    #[test]
    fn hashes_stay_the_same() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("musk1.csv"), "1,7,42\n1,7,41\n0,8,46\n").unwrap();
        let shelf = Shelf::new(Place::find(Some(folder.path())).unwrap());
        let cell = Cell::new(&serde_json::json!({"b": 1, "a": [2.5]}), 1.0);
        let hash = |cell: &Cell| Address::new(&Probe, cell, &shelf).unwrap().hash;
        assert_eq!(hash(&cell), "df10ec7ce37ece6fee5a357435c47b4d");
        assert_eq!(hash(&cell.clone().with_bags([BagSet::Musk1])), "f8e2f7de8437dc32fdc381f04c0570b4");
        if std::env::var_os("HFY_DATA_DIR").is_none() {
            let missing = Address::new(&Probe, &cell.with_bags([BagSet::Musk2]), &shelf).unwrap_err();
            assert!(missing.to_string().starts_with("the bags of musk2 are not there"), "{missing}");
        }
    }
}
