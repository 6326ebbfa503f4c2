//! The margin: exactly one-hot (k-hot) from it on, and not before.

use hfy::{Map, Real, Separation};

use crate::common::describe::{bounded, entmax, normmax, subsets};
use crate::common::solved;

/// A row whose `k` best entries lead the others by `lead`, the best of the others standing at every place in turn.
fn led<T: Real>(n: usize, k: usize, lead: T, place: usize) -> (Vec<T>, Vec<T>) {
    let mut theta: Vec<T> = (0..n).map(|i| -lead - T::of(i as f64 * 0.25) * lead).collect();
    theta.swap(k, k + place % (n - k));
    theta[k + place % (n - k)] = -lead;
    theta[..k].fill(T::zero());
    let mut hot = vec![T::zero(); n];
    hot[..k].fill(T::one());
    // The leaders move away from the front, so that no position is special.
    theta.rotate_right(place % n);
    hot.rotate_right(place % n);
    (theta, hot)
}

fn check<T: Real>(map: &Map, k: usize) {
    let margin: T = map.margin().expect("the map has a margin");
    for n in [k + 1, k + 2, 40, 200] {
        for place in [0, 1, 31, 37] {
            let above = [T::one(), T::one() + T::epsilon(), T::of(1.5), T::of(1e6)];
            for lead in above.map(|factor| margin * factor) {
                let (theta, hot) = led(n, k, lead, place);
                assert_eq!(solved(map, &theta), hot, "{map}, n = {n}: a lead of {lead} is not below {margin}");
            }
            for factor in [0.99, 0.5] {
                let (theta, hot) = led(n, k, margin * T::of(factor), place);
                assert_ne!(solved(map, &theta), hot, "{map}, n = {n}: {factor} of the margin is below it");
            }
        }
    }
}

fn entmax_is_one_hot_from_its_margin_on<T: Real>() {
    // Below 1.1 the weight just under the margin is a power of 0.01 beyond the range of f32.
    for alpha in [1.1, 1.2, 1.25, 1.3, 1.5, 1.6, 1.75, 1.9, 2.0, 2.1, 2.5, 3.0, 3.3, 4.0, 7.0, 10.0, 50.0] {
        check::<T>(&entmax(alpha), 1);
        let margin = Separation::<T>::margin(&entmax(alpha)).expect("the map has a margin").wide();
        assert!((margin * (alpha - 1.0) - 1.0).abs() <= 2.0 * T::epsilon().wide(), "the margin of {alpha} is {margin}");
    }
}

fn normmax_is_one_hot_from_one_on<T: Real>() {
    for gamma in [1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 20.0, 1000.0, f64::INFINITY] {
        check::<T>(&normmax(gamma), 1);
        assert_eq!(normmax(gamma).margin(), Some(T::one()));
    }
}

fn subsets_are_k_hot_from_one_on<T: Real>() {
    for k in [1, 2, 3, 10] {
        check::<T>(&subsets(k as f64), k);
    }
}

fn bounds_of_one_leave_the_margin_of_sparsemax<T: Real>() {
    for n in [2, 3, 40, 200] {
        let map = bounded(vec![1.0; n]);
        for (factor, reaches) in [(1.0, true), (3.0, true), (0.99, false)] {
            let (theta, hot) = led::<T>(n, 1, T::of(factor), 1);
            assert_eq!(solved(&map, &theta) == hot, reaches, "n = {n}, lead {factor}");
        }
    }
    assert_eq!(Separation::<T>::margin(&bounded(vec![0.5, 0.9])), None);
    assert_eq!(bounded(vec![0.5, 1.0]).margin(), Some(T::one()));
}

fn maps_without_a_margin_say_so<T: Real>() {
    for name in ["softmax", "quadratic", "power:3", "exponential"] {
        let map: Map = name.parse().expect("the name is known");
        assert_eq!(Separation::<T>::margin(&map), None, "{name}");
    }
    assert_eq!(Map::Entmax(hfy::Entmax::ARGMAX).margin(), Some(T::zero()));
}

crate::in_both_types!(
    entmax_is_one_hot_from_its_margin_on,
    normmax_is_one_hot_from_one_on,
    subsets_are_k_hot_from_one_on,
    bounds_of_one_leave_the_margin_of_sparsemax,
    maps_without_a_margin_say_so,
);
