//! The search for hyper-parameters: a grid on seed 0, and the best by the validation data.

use super::{Hyper, benchmark, digits};
use crate::error::{Error, Result};

/// The grid for digits. The paper's has 192 points: learning rates 1e-5 and 1e-6, decays 0.98 and 0.96, widths 16 and 64, 8 and 16
/// heads, six β and two dropouts. A run takes minutes of a core, so three points of it are tried, in runs of a few epochs; β = 4
/// was worse than both of these in eight runs that are not part of the search.
pub(super) fn digit_grid() -> Vec<Hyper> {
    let hyper =
        |(beta, dropout)| Hyper { rate: 1e-5, decay: 0.98, embedding: 500, hidden: 64, heads: 8, beta, dropout };
    [(0.25, 0.0), (1.0, 0.0), (0.25, 0.75)].map(hyper).to_vec()
}

/// Epochs of a run of the search.
pub(super) const DIGIT_EPOCHS: usize = 4;

/// The grid for the sets of animals. The paper's has 96 points; left out are the decay 0.96, and the larger widths.
pub(super) fn animal_grid() -> Vec<Hyper> {
    let mut grid = Vec::new();
    for rate in [1e-3, 1e-5] {
        for beta in [0.1, 1.0, 10.0] {
            for dropout in [0.0, 0.75] {
                grid.push(Hyper { rate, decay: 0.98, embedding: 32, hidden: 32, heads: 12, beta, dropout });
            }
        }
    }
    grid
}

/// The best for digits: highest accuracy on the validation bags, then lowest loss.
pub(super) fn best_for_digits(tried: &[(digits::Key, digits::Value)], k: usize, map: &str) -> Result<Hyper> {
    let fitting = tried.iter().filter(|(key, _)| key.k == k && key.map == map);
    let better = |a: &&(digits::Key, digits::Value), b: &&(digits::Key, digits::Value)| {
        let accuracy = a.1.validation_accuracy.total_cmp(&b.1.validation_accuracy);
        // Of equals the first of the grid is taken, which the order of arguments is for.
        accuracy.then(b.1.validation_loss.total_cmp(&a.1.validation_loss))
    };
    let best = fitting.rev().max_by(better);
    best.map(|(key, _)| key.hyper).ok_or_else(|| Error::Cell(format!("there is no search for K = {k}, {map}")))
}

/// The best for a set of animals: highest mean area under the curve on the validation folds.
pub(super) fn best_for_animals(tried: &[(benchmark::Key, benchmark::Value)], like: &benchmark::Key) -> Result<Hyper> {
    let same = |key: &benchmark::Key| benchmark::Key { hyper: like.hyper, ..key.clone() } == *like;
    let fitting = tried.iter().filter(|(key, _)| same(key));
    let best = fitting.rev().max_by(|a, b| a.1.mean_validation().total_cmp(&b.1.mean_validation()));
    let missing = || Error::Cell(format!("there is no search for {}, {}", like.set.name(), like.map));
    best.map(|(key, _)| key.hyper).ok_or_else(missing)
}
