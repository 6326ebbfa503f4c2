//! The search for hyper-parameters: a grid on seed 0, and the best by the validation data.

use super::{Hyper, benchmark, digits};
use crate::error::{Error, Result};

/// The grid for digits. The paper's has 192 points: learning rates 1e-5 and 1e-6, decays 0.98 and 0.96, widths 16 and
/// 64, 8 and 16 heads, six β and two dropouts. A run takes minutes of a core, so three points of it are tried, for each
/// map in a run of a few epochs with one K; the other K take over the choice.
pub(super) fn digit_grid() -> Vec<Hyper> {
    let hyper =
        |(beta, dropout)| Hyper { rate: 1e-5, decay: 0.98, embedding: 500, hidden: 64, heads: 8, beta, dropout };
    [(0.25, 0.0), (1.0, 0.0), (0.25, 0.75)].map(hyper).to_vec()
}

/// Epochs of a run of the search.
pub(super) const DIGIT_EPOCHS: usize = 6;

/// The K of the search.
pub(super) const DIGIT_K: usize = 3;

/// The grid for the sets of animals. The paper's has 96 points; left out are the learning rate 1e-5 (6 to 8 points
/// lower with softmax on Fox and Tiger, β = 0.1 and 10), the decay 0.96, the larger widths, and dropout with two of the
/// β.
pub(super) fn animal_grid() -> Vec<Hyper> {
    let hyper =
        |(beta, dropout)| Hyper { rate: 1e-3, decay: 0.98, embedding: 32, hidden: 32, heads: 12, beta, dropout };
    [(0.1, 0.0), (1.0, 0.0), (10.0, 0.0), (1.0, 0.75)].map(hyper).to_vec()
}

/// The best for digits: highest accuracy on the validation bags, then lowest loss.
pub(super) fn best_for_digits(tried: &[(digits::Key, digits::Value)], map: &str) -> Result<Hyper> {
    let fitting = tried.iter().filter(|(key, _)| key.map == map);
    let better = |a: &&(digits::Key, digits::Value), b: &&(digits::Key, digits::Value)| {
        let accuracy = a.1.validation_accuracy.total_cmp(&b.1.validation_accuracy);
        // Of equals the first of the grid is taken, which the order of arguments is for.
        accuracy.then(b.1.validation_loss.total_cmp(&a.1.validation_loss))
    };
    let best = fitting.rev().max_by(better);
    best.map(|(key, _)| key.hyper).ok_or_else(|| Error::Cell(format!("there is no search for {map}")))
}

/// The best for a set of animals: highest mean area under the curve on the validation folds.
pub(super) fn best_for_animals(tried: &[(benchmark::Key, benchmark::Value)], like: &benchmark::Key) -> Result<Hyper> {
    let same = |key: &benchmark::Key| benchmark::Key { hyper: like.hyper, ..key.clone() } == *like;
    let fitting = tried.iter().filter(|(key, _)| same(key));
    let best = fitting.rev().max_by(|a, b| a.1.mean_validation().total_cmp(&b.1.mean_validation()));
    let missing = || Error::Cell(format!("there is no search for {}, {}", like.set.name(), like.map));
    best.map(|(key, _)| key.hyper).ok_or_else(missing)
}
