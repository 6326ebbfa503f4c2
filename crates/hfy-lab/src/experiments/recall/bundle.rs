//! Recalls over the same pictures, as one cell of work.

use std::collections::BTreeMap;

use ndarray::{Array2, Axis, Slice};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Precision, Run};
use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Pictures, Results, memories};

/// Up to so many memories, all sizes are in one cell; above, each has its own.
const SMALL: usize = 256;

/// Recalls over the memories of one seed. A cell with this key has what each of them recalled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bundle<R> {
    pub(crate) pictures: Pictures,
    pub(crate) seed: u64,
    pub(crate) runs: Vec<R>,
}

/// A recall with what it recalled.
#[derive(Debug, Clone)]
pub(crate) struct Taken<R> {
    pub(crate) pictures: Pictures,
    pub(crate) seed: u64,
    pub(crate) run: R,
    pub(crate) recalled: Vec<usize>,
}

/// Runs over each set of pictures and each seed: small ones together, large ones by their size.
pub(crate) fn bundles<R: Run>(pictures: &[Pictures], seeds: u64, runs: &[R]) -> Vec<Bundle<R>> {
    let mut sizes: Vec<usize> = runs.iter().map(|run| run.count().max(SMALL)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let of_size =
        |size: usize| -> Vec<R> { runs.iter().filter(|run| run.count().max(SMALL) == size).cloned().collect() };
    let mut bundles = Vec::new();
    for &size in &sizes {
        for &pictures in pictures {
            for seed in 0..seeds {
                bundles.push(Bundle { pictures, seed, runs: of_size(size) });
            }
        }
    }
    bundles
}

/// What the cells of bundles hold.
pub(crate) fn taken<R: Run>(results: &Results) -> Result<Vec<Taken<R>>> {
    let mut all = Vec::new();
    for (bundle, recalled) in results.all::<Bundle<R>, Vec<Vec<usize>>>()? {
        all.extend(matched(bundle, recalled)?);
    }
    Ok(all)
}

/// What a run over these pictures recalled, for each seed once, even where several cells have it.
pub(crate) fn lists<'a, R: Run>(
    taken: &'a [Taken<R>],
    pictures: Pictures,
    run: &R,
) -> impl Iterator<Item = &'a [usize]> {
    let wanted = taken.iter().filter(|one| one.pictures == pictures && one.run == *run);
    let by_seed: BTreeMap<u64, &[usize]> = wanted.map(|one| (one.seed, &one.recalled[..])).collect();
    by_seed.into_values()
}

/// Each run of a bundle with what it recalled.
pub(super) fn matched<R: Run>(bundle: Bundle<R>, recalled: Vec<Vec<usize>>) -> Result<impl Iterator<Item = Taken<R>>> {
    let Bundle { pictures, seed, runs } = bundle;
    let fits = runs.len() == recalled.len() && runs.iter().zip(&recalled).all(|(run, list)| run.count() == list.len());
    if !fits {
        return Err(Error::Cell(format!("{} lists of what {} runs recalled do not fit", recalled.len(), runs.len())));
    }
    Ok(runs.into_iter().zip(recalled).map(move |(run, recalled)| Taken { pictures, seed, run, recalled }))
}

impl<R: Run> Bundle<R> {
    /// The cell with this key.
    pub(crate) fn cell(&self) -> Cell {
        Cell::new(self, self.seconds()).with([self.pictures])
    }

    /// About how long it takes.
    pub(super) fn seconds(&self) -> f64 {
        self.runs.iter().map(|run| self.seconds_of(run)).sum()
    }

    /// What each run recalls.
    pub(crate) fn compute(&self, bench: &Bench<'_>) -> Result<Value> {
        let most = self.runs.iter().map(Run::count).max().unwrap_or(0);
        let single = memories(bench.images(self.pictures)?, self.seed, most);
        let wide = self.runs.iter().any(|run| run.precision() == Precision::Double);
        let double: Option<Array2<f64>> = wide.then(|| single.mapv(f64::from));
        let costs: Vec<f64> = self.runs.iter().map(|run| self.seconds_of(run)).collect();
        let whole: f64 = costs.iter().sum();
        let mut before = 0.0;
        let mut recalled = Vec::with_capacity(self.runs.len());
        for (run, cost) in self.runs.iter().zip(costs) {
            let progress = |round: usize, rounds: usize| {
                let share = (before + cost * round as f64 / rounds.max(1) as f64) / whole;
                bench.hear((1e6 * share) as usize, 1_000_000)
            };
            let rows = Slice::from(..run.count());
            recalled.push(match &double {
                Some(double) if run.precision() == Precision::Double => {
                    run.recall(double.slice_axis(Axis(0), rows), &progress)?.recalled()
                }
                _ => run.recall(single.slice_axis(Axis(0), rows), &progress)?.recalled(),
            });
            before += cost;
        }
        serde_json::to_value(recalled).map_err(|error| Error::Cell(error.to_string()))
    }

    /// About how long one run takes.
    fn seconds_of(&self, run: &R) -> f64 {
        let width = match self.pictures {
            Pictures::Mnist | Pictures::MnistTest => 784.0,
            Pictures::Cifar10 => 3072.0,
            Pictures::TinyImagenet => 12288.0,
        };
        let products = 3.5e-11 * width * (run.count() as f64).powi(2);
        let factor = if run.precision() == Precision::Double { 2.0 } else { 1.0 };
        1e-4 + factor * (products + run.seconds())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::data::Place;
    use crate::experiment::{Mode, Shelf};
    use crate::experiments::recall::{SequentialRun, right_run};

    fn runs() -> Vec<SequentialRun> {
        let of = |mode| [8, 512, 16, 1024].map(|count| SequentialRun::of_paper(2.0, count, mode));
        Mode::ALL.into_iter().flat_map(of).collect()
    }

    #[test]
    fn small_runs_go_together_and_large_ones_by_their_size() {
        let bundles = bundles(&[Pictures::Mnist, Pictures::Cifar10], 3, &runs());
        assert_eq!(bundles.len(), 3 * 2 * 3, "three sizes, two data sets, three seeds");
        let counts = |bundle: &Bundle<SequentialRun>| bundle.runs.iter().map(Run::count).collect::<Vec<_>>();
        assert_eq!(counts(&bundles[0]), [8, 16, 8, 16]);
        assert_eq!(counts(&bundles[17]), [1024, 1024]);
        assert!(bundles[17].seconds() > bundles[0].seconds());
    }

    #[test]
    fn lists_have_to_fit_their_runs_and_count_once_for_each_seed() {
        let run = SequentialRun::of_paper(2.0, 2, Mode::Printed);
        let bundle = |seed| Bundle { pictures: Pictures::Mnist, seed, runs: vec![run] };
        assert!(matched(bundle(0), vec![vec![1]]).is_err() && matched(bundle(0), vec![]).is_err());
        let fitting = |seed| matched(bundle(seed), vec![vec![1, 0]]).map(Iterator::collect::<Vec<_>>).unwrap();
        let taken = [fitting(0), fitting(1), fitting(0)].concat();
        assert_eq!(lists(&taken, Pictures::Mnist, &run).count(), 2);
        assert_eq!(lists(&taken, Pictures::Cifar10, &run).count(), 0);
    }

    #[test]
    fn few_digits_come_in_their_order() {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        let folder = std::env::var_os("HFY_DATA_DIR").map(PathBuf::from).or(Some(beside)).filter(|f| f.is_dir());
        let Some(folder) = folder else {
            eprintln!("SKIPPED few_digits_come_in_their_order: no data sets; set HFY_DATA_DIR");
            assert!(
                std::env::var_os("HFY_REQUIRE_DATA").is_none(),
                "HFY_REQUIRE_DATA is set, but there are no data sets"
            );
            return;
        };
        let shelf = Shelf::new(Place::find(Some(&folder)).unwrap());
        let runs: Vec<SequentialRun> = runs().into_iter().filter(|run| run.count <= 16).collect();
        let bundle = Bundle { pictures: Pictures::Mnist, seed: 0, runs };
        let going = |share: f64| {
            assert!((0.0..=1.0).contains(&share));
            ControlFlow::Continue(())
        };
        let value = bundle.compute(&Bench::new(&shelf, &going)).unwrap();
        let right = [8, 16, 8, 16].map(right_run);
        assert_eq!(value, serde_json::json!(right), "in single and in double precision");
        let stopped = bundle.compute(&Bench::new(&shelf, &|_| ControlFlow::Break(())));
        assert!(matches!(stopped, Err(Error::Interrupted)));
    }
}
