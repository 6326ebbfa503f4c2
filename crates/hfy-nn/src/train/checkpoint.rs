//! Where a run of training is, in memory and in a file.

use std::fs;
use std::path::Path;

use burn::module::Module;
use serde::{Deserialize, Serialize};

use super::fit::would_have_ended;
use super::{Epoch, FitConfig, Keep, Optimiser};
use crate::error::{Error, Result};
use crate::random::{Random, RandomState};
use crate::state::{Tensors, parameters, write_whole};

/// Everything that the rest of a run depends on, besides the optimiser.
#[derive(Debug)]
pub(super) struct Checkpoint<M> {
    pub(super) module: M,
    /// The module after the epoch `kept`.
    pub(super) best: M,
    pub(super) random: Random,
    pub(super) epochs: Vec<Epoch>,
    pub(super) kept: usize,
}

/// What a file says beside the weights.
#[derive(Serialize, Deserialize)]
struct Notes {
    epochs: Vec<Epoch>,
    kept: usize,
    random: RandomState,
    settings: Settings,
}

/// Settings that a run must not change on the way. More epochs and other patience are allowed, unless the run
/// would have ended before.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Settings {
    batch: usize,
    seed: u64,
    keep: Keep,
}

impl Settings {
    fn of(config: &FitConfig) -> Self {
        Settings { batch: config.batch, seed: config.seed, keep: config.keep }
    }
}

const RUN: &str = "run";
const OPTIMISER: &str = "optimiser";

impl<M: Module> Checkpoint<M> {
    /// Writes a file, whole or not at all.
    pub(super) fn write(&self, path: &Path, config: &FitConfig, optimiser: &impl Optimiser) -> Result<()> {
        let mut tensors = Tensors::default();
        for (prefix, module) in [("module", &self.module), ("best", &self.best)] {
            for parameter in parameters(module) {
                tensors.insert(format!("{prefix}.{}", parameter.path), parameter.shape, parameter.values);
                tensors.note(&format!("id.{}", parameter.path), parameter.id.to_string());
            }
        }
        let notes = Notes {
            epochs: self.epochs.clone(),
            kept: self.kept,
            random: self.random.state(),
            settings: Settings::of(config),
        };
        tensors.note(RUN, serde_json::to_string(&notes).expect("notes are plain"));
        tensors.insert_bytes(OPTIMISER, optimiser.state()?);
        write_whole(path, &tensors.to_bytes()?)
    }

    /// The run of a file, with the structure of the modules from this one.
    pub(super) fn resume(self, path: &Path, config: &FitConfig, optimiser: &mut impl Optimiser) -> Result<Self> {
        let wrong = |rule: String| Error::File { path: path.to_owned(), rule };
        let bytes = fs::read(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let mut tensors = Tensors::from_bytes(&bytes).map_err(wrong)?;
        let notes = tensors.noted(RUN).ok_or_else(|| wrong("is no checkpoint of a training run".into()))?;
        let notes: Notes =
            serde_json::from_str(notes).map_err(|error| wrong(format!("its notes cannot be read: {error}")))?;
        if notes.settings != Settings::of(config) {
            let (then, now) = (notes.settings, Settings::of(config));
            return Err(wrong(format!("was written with {then:?}, and this run has {now:?}: remove it to begin anew")));
        }
        if would_have_ended(&notes.epochs, config) {
            let (done, FitConfig { epochs, patience, .. }) = (notes.epochs.len(), config);
            let patience = patience.map_or("none".to_owned(), |patience| patience.to_string());
            return Err(wrong(format!(
                "has {done} epochs, where this run would have ended earlier with epochs = {epochs} and patience = {patience}: \
                 remove it to begin anew"
            )));
        }
        let state = tensors.take_bytes(OPTIMISER).ok_or_else(|| wrong("has no state of an optimiser".into()))?;
        optimiser.load(&state).map_err(|error| wrong(format!("its optimiser is another one: {error}")))?;
        let mut take = |prefix: &str, module: M| {
            tensors
                .load_into(module, &format!("{prefix}."), true)
                .map_err(|rule| wrong(format!("{rule}: remove it to begin anew")))
        };
        let (module, best) = (take("module", self.module)?, take("best", self.best)?);
        Ok(Checkpoint {
            module,
            best,
            random: Random::from_state(notes.random),
            epochs: notes.epochs,
            kept: notes.kept,
        })
    }
}
