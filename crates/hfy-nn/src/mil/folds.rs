//! Stratified folds for cross-validation.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Indices to train with, to choose settings by, and to report on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Indices to train with.
    pub train: Vec<usize>,
    /// Indices to choose settings and the epoch by.
    pub validation: Vec<usize>,
    /// Indices to report on.
    pub test: Vec<usize>,
}

/// Deals the indices of the labels into folds, each class in a random order of its own and as evenly as it goes.
///
/// The folds hold the same number of a class up to one, and together they are as large up to one: the second class is
/// dealt on where the first ended. Indices rise within a fold. The seed alone decides, on every machine.
pub fn stratified_folds(labels: &[bool], folds: usize, seed: u64) -> Result<Vec<Vec<usize>>, String> {
    if folds < 2 {
        return Err(format!("folds = {folds}: at least 2 are needed"));
    }
    let mut dealt = vec![Vec::new(); folds];
    let mut next = 0;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for class in [false, true] {
        let mut members: Vec<usize> = (0..labels.len()).filter(|&index| labels[index] == class).collect();
        if members.len() < folds {
            let name = if class { "positive" } else { "negative" };
            let rule = "each fold needs at least one of each class";
            return Err(format!("folds = {folds}: there are {} {name} labels, {rule}", members.len()));
        }
        shuffle(&mut members, &mut random);
        for index in members {
            dealt[next % folds].push(index);
            next += 1;
        }
    }
    dealt.iter_mut().for_each(|fold| fold.sort_unstable());
    Ok(dealt)
}

/// One split for each fold: the fold is the test set, the first of `inner_folds` stratified folds of the rest the
/// validation set, and what remains is to train with. 200 labels in 10 folds and 9 inner ones are split into 160, 20
/// and 20.
pub fn nested(labels: &[bool], folds: usize, inner_folds: usize, seed: u64) -> Result<Vec<Split>, String> {
    let outer = stratified_folds(labels, folds, seed)?;
    outer.into_iter().map(|test| split_rest(labels, test, inner_folds, seed)).collect()
}

/// A single split of this kind: the first fold of [`nested`].
pub fn split(labels: &[bool], folds: usize, inner_folds: usize, seed: u64) -> Result<Split, String> {
    let test = stratified_folds(labels, folds, seed)?.swap_remove(0);
    split_rest(labels, test, inner_folds, seed)
}

fn split_rest(labels: &[bool], test: Vec<usize>, inner_folds: usize, seed: u64) -> Result<Split, String> {
    let rest: Vec<usize> = (0..labels.len()).filter(|index| test.binary_search(index).is_err()).collect();
    let of_rest: Vec<bool> = rest.iter().map(|&index| labels[index]).collect();
    let inner = stratified_folds(&of_rest, inner_folds, seed).map_err(|what| format!("inner {what}"))?;
    let mut inner = inner.into_iter().map(|fold| fold.into_iter().map(|place| rest[place]).collect::<Vec<_>>());
    let validation = inner.next().unwrap_or_default();
    let mut train: Vec<usize> = inner.flatten().collect();
    train.sort_unstable();
    Ok(Split { train, validation, test })
}

/// The shuffle of Fisher and Yates.
fn shuffle(order: &mut [usize], random: &mut ChaCha8Rng) {
    for place in (1..order.len()).rev() {
        let other = (u128::from(random.next_u64()) * (place as u128 + 1)) >> 64;
        order.swap(place, other as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(negatives: usize, positives: usize) -> Vec<bool> {
        let all = negatives + positives;
        // Spread, so that an order by index would be no shuffle by class.
        (0..all).map(|index| (index + 1) * positives / all > index * positives / all).collect()
    }

    fn positives(fold: &[usize], labels: &[bool]) -> usize {
        fold.iter().filter(|&&index| labels[index]).count()
    }

    #[test]
    fn folds_are_even_in_each_class_and_cover_everything() {
        for (negatives, positives_in_all, folds) in [(100, 100, 10), (45, 47, 10), (63, 39, 10), (11, 12, 3), (5, 5, 5)]
        {
            let labels = labels(negatives, positives_in_all);
            let found = stratified_folds(&labels, folds, 3).unwrap();
            let mut all = found.concat();
            all.sort_unstable();
            assert_eq!(all, (0..labels.len()).collect::<Vec<_>>());
            let even = |counts: Vec<usize>| counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1;
            assert!(even(found.iter().map(Vec::len).collect()));
            assert!(even(found.iter().map(|fold| positives(fold, &labels)).collect()));
            assert!(even(found.iter().map(|fold| fold.len() - positives(fold, &labels)).collect()));
            assert!(found.iter().all(|fold| fold.is_sorted()));
        }
    }

    #[test]
    fn the_seed_decides() {
        let labels = labels(100, 100);
        let folds = |seed| stratified_folds(&labels, 10, seed).unwrap();
        assert_eq!(folds(0), folds(0));
        assert_ne!(folds(0), folds(1));
        // A shuffle: the first fold is not that of an even stride, and an index is in different folds for different
        // seeds.
        let places: Vec<usize> = (0..50).map(|seed| folds(seed).iter().position(|f| f.contains(&0)).unwrap()).collect();
        assert!((0..10).filter(|fold| places.contains(fold)).count() >= 8, "{places:?}");
    }

    #[test]
    fn a_nested_split_is_160_20_20() {
        let labels = labels(100, 100);
        let splits = nested(&labels, 10, 9, 4).unwrap();
        assert_eq!(splits.len(), 10);
        for Split { train, validation, test } in &splits {
            assert_eq!((train.len(), validation.len(), test.len()), (160, 20, 20));
            assert_eq!((positives(train, &labels), positives(validation, &labels)), (80, 10));
            let mut all = [&train[..], validation, test].concat();
            all.sort_unstable();
            assert_eq!(all, (0..200).collect::<Vec<_>>());
        }
        let mut tests: Vec<usize> = splits.iter().flat_map(|split| split.test.clone()).collect();
        tests.sort_unstable();
        assert_eq!(tests, (0..200).collect::<Vec<_>>());
        assert_eq!(split(&labels, 10, 9, 4).unwrap(), splits[0]);
    }

    #[test]
    fn too_few_of_a_class_are_refused() {
        let few = labels(20, 4);
        let refused = stratified_folds(&few, 5, 0).unwrap_err();
        assert_eq!(refused, "folds = 5: there are 4 positive labels, each fold needs at least one of each class");
        assert_eq!(stratified_folds(&few, 1, 0).unwrap_err(), "folds = 1: at least 2 are needed");
        assert!(stratified_folds(&[], 2, 0).unwrap_err().contains("0 negative labels"));
        let inner = nested(&few, 4, 4, 0).unwrap_err();
        assert!(inner.starts_with("inner folds = 4: there are 3 positive labels"), "{inner}");
    }
}
