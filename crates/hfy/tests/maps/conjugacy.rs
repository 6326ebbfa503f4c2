//! Function, conjugate and loss: the Fenchel-Young inequality, tight at the map, and infinity outside the domain.

use hfy::{Convex, Real};

use crate::common::describe::{every_map, label, mass, omega};
use crate::common::random::Random;
use crate::common::{dot, narrow, reference, solved, wide};

/// A random point of the domain: the solution of some other row.
fn feasible<T: Real>(map: &hfy::Map, n: usize, random: &mut Random) -> Vec<T> {
    let scale = [0.1, 1.0, 10.0][random.below(3)];
    narrow(&reference::solve(map, &random.normals::<f64>(n, if mass(map).is_some() { scale } else { 1.0 })))
}

fn the_fenchel_young_inequality_is_tight_at_the_map<T: Real>() {
    for n in [1, 2, 5, 33, 200] {
        let mut random = Random::new(11 * n as u64);
        for map in every_map(n) {
            let theta: Vec<T> = random.normals(n, 1.5);
            let conjugate = map.conjugate(&theta).expect("the row is sound").wide();
            let gap = |y: &[T]| map.value(y).wide() + conjugate - dot(&wide(&theta), &wide(y));
            let y = solved(&map, &theta);
            // Each term is a sum of n products; a weight's rounding is weighed with its score.
            let size = 1.0 + conjugate.abs() + theta.iter().zip(&y).map(|(&s, &y)| (s * y).wide().abs()).sum::<f64>();
            let slack = 8.0 * T::epsilon().wide() * size * (n as f64).sqrt();
            let label = label(&map);
            assert!(gap(&y).abs() <= slack, "{label}, n = {n}: gap {:e} at the map", gap(&y));
            let loss = map.loss(&theta, &y).expect("the target is sound").wide();
            assert!((0.0..=slack).contains(&loss), "{label}, n = {n}: loss {loss:e} at the map");
            for _ in 0..8 {
                let other = feasible::<T>(&map, n, &mut random);
                let expected = gap(&other);
                assert!(expected >= -slack * 4.0, "{label}, n = {n}: the inequality fails by {expected:e}");
                let loss = map.loss(&theta, &other).expect("the target is sound").wide();
                let size = size + map.value(&other).wide().abs() + dot(&wide(&theta), &wide(&other)).abs();
                let close = (loss - expected).abs() <= 16.0 * T::epsilon().wide() * size * (n as f64).sqrt();
                assert!(close, "{label}, n = {n}: loss {loss:e}, by its definition {expected:e}");
                let definition = omega(&map, &wide(&other));
                let close = (map.value(&other).wide() - definition).abs() <= 8.0 * T::epsilon().wide() * size;
                assert!(close, "{label}, n = {n}: value {:e}, by its definition {definition:e}", map.value(&other));
            }
        }
    }
}

fn the_value_is_infinite_outside_the_domain<T: Real>() {
    let n = 6;
    let mut random = Random::new(3);
    for map in every_map(n) {
        let inside = feasible::<T>(&map, n, &mut random);
        assert!(map.value(&inside).is_finite(), "{}: a feasible point has no value", label(&map));
        let mut outside = vec![vec![T::nan(); n]];
        let moved = |i: usize, by: f64| {
            let mut y = inside.clone();
            y[i] += T::of(by);
            y
        };
        if mass(&map).is_some() {
            outside.extend([moved(0, 0.01), moved(1, -0.01), vec![T::zero(); n], vec![T::infinity(); n]]);
            // Too much on one entry, too little on another: the sum is right and the sign is not.
            let mut negative = inside.clone();
            negative[2] = T::of(-0.1);
            let spare = inside[2] + T::of(0.1);
            negative[3] += spare;
            outside.push(negative);
        }
        if matches!(map, hfy::Map::Exponential(_)) {
            outside.push(moved(0, -1e3));
        }
        if mass(&map).is_some_and(|mass| mass == 0.0) {
            outside.retain(|y| y.iter().any(|v| *v != T::zero()));
        }
        for y in outside {
            assert_eq!(map.value(&y), T::infinity(), "{} at {y:?}", label(&map));
            let loss = map.loss(&vec![T::zero(); n], &y).expect("an impossible target is no misuse");
            assert_eq!(loss, T::infinity(), "{} at {y:?}", label(&map));
        }
    }
    for map in every_map(n).iter().filter(|map| matches!(map, hfy::Map::Subsets(_) | hfy::Map::Bounded(_))) {
        // A point of the right mass whose first entry exceeds its bound.
        let Some(mass) = mass(map).filter(|mass| *mass > 0.0 && *mass < n as f64) else { continue };
        let bound = crate::common::describe::cap(map, 0);
        let mut y = vec![T::of((mass - bound - 0.1) / (n - 1) as f64); n];
        y[0] = T::of(bound + 0.1);
        assert_eq!(map.value(&y), T::infinity(), "{} at {y:?}", label(map));
    }
}

/// Losses do not drown in the size of the scores: a constant added to all of them changes nothing.
fn losses_do_not_see_a_common_shift<T: Real>() {
    let n = 7;
    let mut random = Random::new(5);
    // Multiples of 1/64, so that the shift is exact in either type.
    let theta: Vec<T> = (0..n).map(|_| T::of((random.normal() * 64.0).round() / 64.0)).collect();
    let moved: Vec<T> = theta.iter().map(|&x| x + T::of(65536.0)).collect();
    for map in every_map(n).into_iter().filter(|map| mass(map).is_some()) {
        let target = feasible::<T>(&map, n, &mut random);
        let [a, b] = [&theta, &moved].map(|theta| map.loss(theta, &target).expect("the target is sound").wide());
        assert!((a - b).abs() <= 32.0 * T::epsilon().wide() * (1.0 + a), "{}: loss {a:e}, shifted {b:e}", label(&map));
    }
}

crate::in_both_types!(
    the_fenchel_young_inequality_is_tight_at_the_map,
    the_value_is_infinite_outside_the_domain,
    losses_do_not_see_a_common_shift,
);
