//! Recall of pictures from one cue, which four figures show.

mod bundle;
mod curves;
mod digits;
mod free;
mod sequential;
mod strip;

pub(crate) use bundle::{Bundle, Taken, bundles, lists, taken};
pub(crate) use curves::{Which, drawn_curve, find, series};
pub(crate) use digits::Recalled;
pub(crate) use free::{FreeRun, Method};
pub(crate) use sequential::{Moves, SequentialRun, right_run, scored};
pub(crate) use strip::{Strip, drawn, jumps, repeats};

use hfy::recall::Recall;
use hfy::{Real, certify};
use ndarray::ArrayView2;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::experiment::{Mode, Setting};

/// `λ` and `τ` of the paper's experiments.
pub(crate) const PENALTY: (f64, f64) = (1e9, 1e-3);
/// `T` of the paper's experiments.
pub(crate) const STEPS: usize = 20;
/// How many memories the paper's curves are about.
pub(crate) const COUNTS: [usize; 10] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/// A few of them, to see that everything works.
pub(crate) const QUICK_COUNTS: [usize; 3] = [8, 16, 64];

/// The type of numbers in patterns and states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Precision {
    /// As the published code computes.
    Single,
    /// Nearer to real numbers.
    Double,
}

impl From<Mode> for Precision {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Printed => Precision::Single,
            Mode::Defined => Precision::Double,
        }
    }
}

/// One recall, with everything that decides it but the memories.
pub(crate) trait Run: Serialize + DeserializeOwned + Clone + PartialEq {
    /// How many memories there are.
    fn count(&self) -> usize;

    /// The type of their numbers.
    fn precision(&self) -> Precision;

    /// Recalls the memories from the first of them.
    fn recall<T: Real>(&self, memories: ArrayView2<'_, T>, progress: certify::Progress<'_>) -> hfy::Result<Recall<T>>;

    /// About how many seconds its rounds take, beside the products of memories with each other.
    fn seconds(&self) -> f64;
}

/// Seeds of a setting.
pub(crate) fn seeds(setting: &Setting) -> u64 {
    if setting.quick { setting.seeds.min(2) } else { setting.seeds }
}

/// Sizes of a setting.
pub(crate) fn counts(setting: &Setting) -> &'static [usize] {
    if setting.quick { &QUICK_COUNTS } else { &COUNTS }
}

/// A member of the entmax family, as it is called.
pub(crate) fn map_name(alpha: f64) -> String {
    match alpha {
        1.0 => "softmax".to_owned(),
        2.0 => "sparsemax".to_owned(),
        alpha => format!("{alpha}-entmax"),
    }
}
