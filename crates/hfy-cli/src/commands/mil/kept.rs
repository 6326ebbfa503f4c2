//! Finished folds in a file, one a line, so that an evaluation that was stopped goes on.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use hfy_io::Bags;
use hfy_nn::mil::{Split, TrainConfig};
use serde::{Deserialize, Serialize};

use super::evaluate::Fold;
use crate::error::{Error, Result};

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    /// Of the bags, the settings, the seed and the split.
    key: String,
    fold: Fold,
}

/// Folds that are kept in a file.
pub(super) struct KeptFolds {
    path: PathBuf,
    /// A hash of the bags and the settings.
    of: u64,
    known: HashMap<String, Fold>,
    file: Mutex<File>,
}

impl KeptFolds {
    /// Reads what is kept, if there is a file.
    pub(super) fn open(path: &Path, bags: &Bags, configs: &[TrainConfig]) -> Result<Self> {
        let failed = |action| move |source| Error::Io { action, path: path.to_owned(), source };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed("read")(error)),
        };
        let mut known = HashMap::new();
        // What was killed may have left half a line at the end.
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        for (number, line) in whole.lines().enumerate() {
            let line: Line = serde_json::from_str(line).map_err(|error| {
                let what = format!("line {} is no kept fold: {error}", number + 1);
                Error::data(&path.display().to_string(), what)
            })?;
            known.insert(line.key, line.fold);
        }
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(failed("open"))?;
        file.set_len(whole.len() as u64).map_err(failed("write"))?;
        let mut hasher = DefaultHasher::new();
        (serde_json::json!(configs).to_string(), bags.offsets(), bags.labels()).hash(&mut hasher);
        bags.instances().iter().for_each(|value| value.to_bits().hash(&mut hasher));
        Ok(KeptFolds { path: path.to_owned(), of: hasher.finish(), known, file: Mutex::new(file) })
    }

    /// A fold that is kept, or one that is computed now and kept.
    pub(super) fn get(&self, seed: u64, split: &Split, compute: impl FnOnce() -> Result<Fold>) -> Result<Fold> {
        let mut hasher = DefaultHasher::new();
        (self.of, seed, &split.train, &split.validation, &split.test).hash(&mut hasher);
        let key = format!("{:016x}", hasher.finish());
        if let Some(fold) = self.known.get(&key) {
            return Ok(fold.clone());
        }
        let fold = compute()?;
        let line = serde_json::to_string(&Line { key, fold: fold.clone() }).map_err(|e| Error::Data(e.to_string()))?;
        let mut file = self.file.lock().unwrap_or_else(|broken| broken.into_inner());
        let written = writeln!(file, "{line}").and_then(|()| file.sync_data());
        written.map_err(|source| Error::Io { action: "write", path: self.path.clone(), source })?;
        Ok(fold)
    }
}
