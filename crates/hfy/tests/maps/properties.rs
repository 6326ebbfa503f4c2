//! Invariants over random rows, and the fast maps against plain bisection.

use crate::common::describe::{bounded, cap, distance, entmax, kkt_residual, label, mass, normmax, subsets};
use crate::common::random::Random;
use crate::common::{reference, solved, total, wide};
use hfy::{Convex, Map, Outcome, Real, Separation, Support};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const CASES: u32 = 500;

/// Runs a property on the same cases every time.
fn holds<S: Strategy>(strategy: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(failure) = runner.run(&strategy, property) {
        panic!("{failure}");
    }
}

/// Rows of up to 20,000 entries, most of them up to 600, between scales of 1e-6 and 1e6; some have ties, some have
/// masks, never on every entry.
fn any_row() -> impl Strategy<Value = Vec<f64>> {
    let lengths = prop_oneof![16 => 1..600usize, 3 => 600..2500usize, 1 => 2500..20_000usize];
    let entries = lengths.prop_flat_map(|length| prop::collection::vec((-1.0..1.0f64, 0u8..100), length));
    (entries, -6.0..6.0f64, any::<bool>(), prop::sample::select(vec![0u8, 10, 60, 95])).prop_map(
        |(entries, exponent, tied, masked)| {
            let scale = 10f64.powf(exponent);
            let mut row: Vec<f64> = entries
                .iter()
                .map(|&(x, fate)| {
                    let x = if tied { (x * 8.0).round() / 8.0 } else { x } * scale;
                    if fate < masked { f64::NEG_INFINITY } else { x }
                })
                .collect();
            row[0] = if row[0].is_finite() { row[0] } else { 0.5 * scale };
            row
        },
    )
}

/// A parameter between 0 and 1, seen through what the map makes of it.
fn any_map() -> impl Strategy<Value = (u8, f64, u64)> {
    (0u8..7, 0.0..1.0f64, any::<u64>())
}

fn build((kind, at, seed): (u8, f64, u64), theta: &[f64]) -> Map {
    let visible: Vec<usize> = (0..theta.len()).filter(|&i| theta[i].is_finite()).collect();
    match kind {
        // Half of the values of alpha and gamma are close to the lower end, on a scale of logarithms.
        0 => entmax(1.0 + 10f64.powf(-16.0 + 16.0 * at)),
        1 => entmax(1.0 + 49.0 * at),
        2 => entmax([1.0, 1.5, 2.0, f64::INFINITY][(at * 4.0) as usize]),
        3 => normmax(1.0 + 10f64.powf(-6.0 + 8.0 * at)),
        4 => normmax([1.5, 2.0, 3.0, f64::INFINITY][(at * 4.0) as usize]),
        5 => {
            let k = visible.len() as f64 * at;
            subsets(if seed % 2 == 0 { k.round() } else { k })
        }
        _ => {
            let mut random = Random::new(seed);
            let mut upper: Vec<f64> = (0..theta.len()).map(|_| random.unit()).collect();
            let shares = random.simplex(visible.len());
            // The visible bounds hold the mass at least 1 + at times; some of them are zero or infinite.
            visible.iter().zip(shares).for_each(|(&i, share)| upper[i] = (1.0 + at + 1e-6) * share);
            let spare = visible[random.below(visible.len())];
            upper[spare] = if seed % 3 == 0 { f64::INFINITY } else { upper[spare] };
            bounded(upper)
        }
    }
}

fn agrees_with_bisection<T: Real>(map: &Map, theta: &[T]) -> Result<(), TestCaseError> {
    let (scores, y) = (wide(theta), wide(&solved(map, theta)));
    let expected = reference::solve(map, &scores);
    let name = label(map);
    let n = theta.len() as f64;
    // Scores of the support lie within the margin of the best, and their differences carry one rounding of that.
    let reach = match map {
        Map::Entmax(map) if map.alpha() > 1.0 => (1.0 / (map.alpha() - 1.0)).min(1.0 + n.ln()),
        Map::Normmax(map) if map.gamma().is_finite() => map.gamma(),
        _ => 1.0,
    };
    let allowed = T::epsilon().wide() * (16.0 + n.sqrt()) * (1.0 + reach);
    let gap = distance(map, &y, &expected);
    // The support of infinite normmax is decided by a comparison; where it hangs on rounding, the solution still must
    // be one up to rounding, which the residual says.
    let residual = kkt_residual(map, &scores, &y, T::epsilon().wide());
    let decided = gap <= allowed || matches!(map, Map::Normmax(m) if m.gamma().is_infinite()) && residual <= allowed;
    prop_assert!(decided, "{name}, n = {n}: {gap:e} from bisection, {allowed:e} allowed, residual {residual:e}");
    Ok(())
}

#[test]
fn fast_maps_agree_with_bisection() {
    holds((any_row(), any_map()), |(theta, map)| agrees_with_bisection(&build(map, &theta), &theta));
}

#[test]
fn fast_maps_agree_with_bisection_in_single_precision() {
    holds((any_row(), any_map()), |(theta, map)| {
        let theta: Vec<f32> = theta.iter().map(|&x| x as f32).collect();
        agrees_with_bisection(&build(map, &wide(&theta)), &theta)
    });
}

#[test]
fn weights_are_feasible_ordered_and_masked() {
    holds((any_row(), any_map()), |(theta, map)| {
        let map = build(map, &theta);
        let (y, mass) = (solved(&map, &theta), mass(&map).expect("these maps have one"));
        let sum = total(y.iter().copied());
        prop_assert!((sum - mass).abs() <= 1e-13 * (1.0 + mass) * (theta.len() as f64).sqrt(), "the sum is {sum}");
        let mut order: Vec<usize> = (0..theta.len()).collect();
        order.sort_by(|&i, &j| theta[i].total_cmp(&theta[j]));
        for (&i, &j) in order.iter().zip(&order[1..]) {
            prop_assert!(y[i] >= 0.0 && y[i] <= cap(&map, i), "weight {} of entry {i}", y[i]);
            prop_assert!(y[j] >= y[i].min(cap(&map, j)), "{i} and {j} are out of order");
            prop_assert!(theta[i] != theta[j] || cap(&map, i) != cap(&map, j) || y[i] == y[j], "{i} and {j} are tied");
            prop_assert!(theta[i].is_finite() || y[i] == 0.0, "{i} is masked");
        }
        Ok(())
    });
}

#[test]
fn the_support_is_where_the_weights_are() {
    holds((any_row(), any_map()), |(theta, map)| {
        let map = build(map, &theta);
        let y = solved(&map, &theta);
        let mut support = Support::default();
        prop_assert_eq!(map.support(&theta, &mut support).expect("sound"), Outcome::Solved);
        let nonzero: Vec<usize> = (0..y.len()).filter(|&i| y[i] != 0.0).collect();
        prop_assert_eq!(support.indices(), &nonzero[..], "{}", label(&map));
        for (i, weight) in support.iter() {
            prop_assert!((weight - y[i]).abs() <= 4.0 * f64::EPSILON * y[i], "{weight} and {}", y[i]);
        }
        Ok(())
    });
}

#[test]
fn losses_are_never_negative_and_vanish_at_the_map() {
    holds((any_row(), any_map(), any::<u64>()), |(theta, map, seed)| {
        let map = build(map, &theta);
        let mut random = Random::new(seed);
        let other: Vec<f64> = theta.iter().map(|x| if x.is_finite() { random.normal() } else { *x }).collect();
        let target = reference::solve(&map, &other);
        let y = solved(&map, &theta);
        let at_map = map.loss(&theta, &y).expect("sound");
        // The loss is a sum of products of scores, less the best, with differences of weights.
        let best = theta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let spread: f64 = theta.iter().zip(&y).map(|(x, y)| if *y > 0.0 { (best - x) * y } else { 0.0 }).sum();
        let slack = 1e-14 * (1.0 + spread) * (theta.len() as f64).sqrt();
        prop_assert!((0.0..=slack).contains(&at_map), "{}: loss {at_map:e} at the map", label(&map));
        let loss = map.loss(&theta, &target).expect("sound");
        let inner: f64 = theta.iter().zip(&target).filter(|(x, _)| x.is_finite()).map(|(x, t)| x * t).sum();
        let definition = map.value(&target) + map.conjugate(&theta).expect("sound") - inner;
        let size = 1.0 + inner.abs() + map.value(&target).abs() + best.abs() * mass(&map).unwrap_or(1.0);
        prop_assert!(
            loss >= 0.0 && (loss - definition).abs() <= 1e-13 * size,
            "{loss:e}, by definition {definition:e}"
        );
        Ok(())
    });
}

#[test]
fn gradients_are_finite_sum_to_zero_and_vanish_off_the_support() {
    holds((any_row(), any_map(), any::<u64>()), |(theta, map, seed)| {
        let map = build(map, &theta);
        let mut random = Random::new(seed);
        let y = solved(&map, &theta);
        let mut g: Vec<f64> = random.normals(theta.len(), 1.0);
        map.pullback(&y, &mut g).expect("sound");
        let size: f64 = g.iter().map(|g| g.abs()).sum();
        prop_assert!(size.is_finite(), "{}: not finite", label(&map));
        prop_assert!(
            total(g.iter().copied()).abs() <= 1e-12 * (1.0 + size),
            "{}: the sum is {:e}",
            label(&map),
            total(g.iter().copied())
        );
        prop_assert!(g.iter().zip(&y).all(|(g, y)| *y != 0.0 || *g == 0.0), "{}: off the support", label(&map));
        Ok(())
    });
}
