//! Recalls of digits, with the digits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Run;
use super::bundle::{Bundle, Taken, bundles, matched};
use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Pictures, Results, memories};

/// A piece of the work of a figure with digits.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Part<R> {
    /// Recalls over digits.
    Runs(Bundle<R>),
    /// The digits themselves, dark on white.
    Digits { seed: u64, count: usize },
}

/// Recalls of several seeds, with their digits.
#[derive(Debug, Clone)]
pub(crate) struct Recalled<R> {
    pub(crate) taken: Vec<Taken<R>>,
    /// Those of each seed.
    digits: BTreeMap<u64, Digits>,
}

/// Pictures, a byte a pixel.
pub(crate) type Digits = Vec<Vec<u8>>;

impl<R: Run> Recalled<R> {
    /// The work: runs over digits, and the digits, for each seed.
    pub(crate) fn cells(seeds: u64, runs: &[R]) -> Vec<Cell> {
        let count = runs.iter().map(Run::count).max().unwrap_or(0);
        let cell = |part: &Part<R>, cost: f64| Cell::new(part, cost).with([Pictures::Mnist]);
        let recalls = bundles(&[Pictures::Mnist], seeds, runs).into_iter();
        let recalls = recalls.map(|bundle| (bundle.seconds(), bundle));
        let recalls = recalls.map(|(seconds, bundle)| cell(&Part::Runs(bundle), seconds));
        recalls.chain((0..seeds).map(|seed| cell(&Part::Digits { seed, count }, 0.01))).collect()
    }

    pub(crate) fn compute(cell: &Cell, bench: &Bench<'_>) -> Result<Value> {
        match cell.key::<Part<R>>()? {
            Part::Runs(bundle) => bundle.compute(bench),
            Part::Digits { seed, count } => {
                let memories = memories(bench.images(Pictures::Mnist)?, seed, count);
                let ink = |v: &f32| (255.0 * (1.0 - v) / 2.0).round() as u8;
                let digits: Digits = memories.rows().into_iter().map(|row| row.iter().map(ink).collect()).collect();
                serde_json::to_value(digits).map_err(|error| Error::Cell(error.to_string()))
            }
        }
    }

    pub(crate) fn gathered(results: &Results) -> Result<Self> {
        let mut recalled = Recalled { taken: Vec::new(), digits: BTreeMap::new() };
        // Digits and lists of memories are both lists of lists of numbers; the key tells them apart.
        for (part, value) in results.all::<Part<R>, Vec<Vec<usize>>>()? {
            match part {
                Part::Runs(bundle) => recalled.taken.extend(matched(bundle, value)?),
                Part::Digits { seed, .. } => {
                    let bytes = |digit: Vec<usize>| digit.into_iter().map(|v| v.min(255) as u8).collect();
                    recalled.digits.insert(seed, value.into_iter().map(bytes).collect());
                }
            }
        }
        Ok(recalled)
    }

    /// What a run recalled of the digits of a seed, and the digits.
    pub(crate) fn of_seed(&self, run: &R, seed: u64) -> Result<(&[usize], &Digits)> {
        let found = self.taken.iter().find(|one| one.seed == seed && one.run == *run);
        let missing = || Error::Cell(format!("the recall of seed {seed} is not there"));
        let taken = found.ok_or_else(missing)?;
        Ok((&taken.recalled, self.digits.get(&seed).ok_or_else(missing)?))
    }
}
