//! Optimality, feasibility, order, ties, support, and equivariance.

use hfy::{Convex, Map, Outcome, Real, Separation, Support};

use crate::common::describe::{
    cap, distance, entmax, every_map, ignores_shifts, is_kinked, kkt_residual, label, marginals, mass, normmax,
};
use crate::common::random::Random;
use crate::common::{solved, total, wide};

/// Lengths at, around and far from a block of the scan.
pub(crate) const LENGTHS: [usize; 16] = [1, 2, 3, 5, 8, 31, 32, 33, 64, 65, 127, 128, 129, 300, 1000, 5000];

/// Rows of several characters: dense and sparse solutions, ties, a constant row, one score far ahead.
pub(crate) fn rows<T: Real>(n: usize, random: &mut Random) -> Vec<(&'static str, Vec<T>)> {
    let mut lead: Vec<T> = random.normals(n, 1.0);
    lead[random.below(n)] = T::of(60.0);
    let tied = random.normals::<T>(n, 1.0).into_iter().map(|x| T::of((x.wide() * 4.0).round() / 4.0)).collect();
    vec![
        ("flat", random.normals(n, 1e-3)),
        ("plain", random.normals(n, 1.0)),
        ("steep", random.normals(n, 8.0)),
        ("tied", tied),
        ("constant", vec![T::of(0.3); n]),
        ("ahead", lead),
    ]
}

/// Largest residual that rounding explains, in units of the scores. The scores that matter have a rounding relative to
/// their distance from the best, and their marginals one relative to themselves (near α = 1 they are logarithms); a
/// relative rounding of a weight counts γ - 1 times for normmax, whose marginals are that power of the weights; sums of
/// n terms that are added eight side by side add their own. Below α = 1 marginals grow as weights fall, and with them
/// the rounding of a weight's logarithm.
pub(crate) fn slack<T: Real>(map: &Map, theta: &[f64], y: &[f64]) -> f64 {
    let max = theta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let largest = y.iter().copied().fold(0.0, f64::max);
    let span = theta.iter().zip(y).filter(|(_, y)| **y > 0.0).map(|(x, _)| max - x).fold(0.0, f64::max);
    let marginal = if is_kinked(map) { 0.0 } else { marginals(map, &[largest])[0].abs() };
    let least = y.iter().copied().filter(|y| *y > 0.0).fold(1.0, f64::min);
    let tail = match map {
        Map::Entmax(map) if map.alpha() < 1.0 => 2.0 * (span + marginal) * (1.0 - least.ln()),
        _ => 0.0,
    };
    let power = match map {
        Map::Normmax(map) if map.gamma().is_finite() => map.gamma(),
        _ => 1.0,
    };
    let sum = (theta.len() as f64).sqrt() * largest;
    T::epsilon().wide() * (8.0 + 6.0 * (span + marginal) + tail + 2.0 * sum + 4.0 * power)
}

/// What one rounding of the threshold changes in the sum of the weights, in units of that rounding. Where it is
/// iterated, it is kept as ω in [0, 1) with `y = (1 + (α-1)(θ - max) - ω)₊^(1/(α-1))`; the largest weight tells ω.
fn shared(map: &Map, y: &[f64]) -> f64 {
    match map {
        Map::Entmax(map) if map.alpha() > 1.0 && map.alpha() < 2.0 && map.alpha() != 1.5 => {
            let delta = map.alpha() - 1.0;
            let largest = y.iter().copied().fold(0.0, f64::max);
            let omega = -(delta * largest.ln()).exp_m1();
            2.0 * omega / delta * y.iter().filter(|y| **y > 0.0).map(|y| y.powf(1.0 - delta)).sum::<f64>()
        }
        _ => 0.0,
    }
}

/// Everything that must hold for the solution of one row, in place and into a buffer, for which rows may be read in
/// another way.
#[track_caller]
pub(crate) fn check_row<T: Real>(map: &Map, name: &str, theta: &[T]) {
    let case = format!("{} on {name}, n = {}", label(map), theta.len());
    let y = solved(map, theta);
    check_weights(map, &case, theta, &y);
    check_weights(map, &format!("{case}, into a buffer"), theta, &solved_into(map, theta));

    let mut support = Support::default();
    assert_eq!(map.support(theta, &mut support).expect(&case), Outcome::Solved);
    let nonzero: Vec<(usize, T)> = y.iter().copied().enumerate().filter(|(_, y)| *y != T::zero()).collect();
    assert_eq!(support.len(), nonzero.len(), "{case}: size of the support");
    for ((i, a), (j, b)) in support.iter().zip(nonzero) {
        let close = (a - b).abs() <= T::of(4.0) * T::epsilon() * b.abs();
        assert!(i == j && close, "{case}: support ({i}, {a}) where the row has ({j}, {b})");
    }
}

fn solved_into<T: Real>(map: &Map, theta: &[T]) -> Vec<T> {
    let mut y = vec![T::of(7.0); theta.len()];
    assert_eq!(map.argmax_into(theta, &mut y).expect("the row is sound"), Outcome::Solved);
    y
}

/// That the weights solve the problem, and keep the order of the scores.
#[track_caller]
fn check_weights<T: Real>(map: &Map, case: &str, theta: &[T], y: &[T]) {
    let (scores, weights) = (wide(theta), wide(y));

    if let Some(mass) = mass(map) {
        let total = total(weights.iter().copied());
        let allowed = T::epsilon().wide() * (4.0 + (theta.len() as f64).sqrt() + shared(map, &weights)) * mass.max(1.0);
        assert!((total - mass).abs() <= allowed, "{case}: the weights sum to {total}, not {mass} ({:e})", total - mass);
        for (i, &y) in weights.iter().enumerate() {
            assert!(y >= 0.0 && T::of(y) <= T::of(cap(map, i)), "{case}: weight {y} of entry {i}");
        }
    }

    let residual = kkt_residual(map, &scores, &weights, T::epsilon().wide());
    let allowed = slack::<T>(map, &scores, &weights);
    assert!(residual <= allowed, "{case}: optimality residual {residual:e}, rounding explains {allowed:e}");

    let mut order: Vec<usize> = (0..theta.len()).filter(|&i| scores[i].is_finite()).collect();
    order.sort_by(|&i, &j| scores[i].total_cmp(&scores[j]));
    let mut highest = f64::NEG_INFINITY;
    for pair in order.windows(2) {
        let [i, j] = [pair[0], pair[1]];
        highest = highest.max(weights[i]);
        assert!(
            weights[j] >= highest.min(T::of(cap(map, j)).wide()),
            "{case}: entry {j} scores more than {i} and weighs less"
        );
        if scores[i] == scores[j] && cap(map, i) == cap(map, j) {
            assert_eq!(weights[i], weights[j], "{case}: entries {i} and {j} are tied");
        }
    }
}

fn solutions_meet_their_definition<T: Real>() {
    for n in LENGTHS {
        let mut random = Random::new(7 * n as u64);
        let rows = rows::<T>(n, &mut random);
        for map in every_map(n) {
            for (name, theta) in &rows {
                check_row(&map, name, theta);
            }
        }
    }
}

/// Rows so long and with so much weight that the sums of their powers are blended or near one another, and those that
/// are just not.
fn long_rows_meet_their_definition<T: Real>() {
    let maps =
        [1.000_000_2, 1.000_01, 1.001, 1.01, 1.02, 1.03, 1.04, 1.05, 1.0625, 1.065, 1.08, 1.13, 1.17, 1.19, 1.21]
            .map(entmax);
    let norms = [1.03, 1.042, 1.08, 1.12, 1.2].map(normmax);
    for n in [2047, 2048, 20_000] {
        let mut random = Random::new(n as u64);
        let mut rows = rows::<T>(n, &mut random);
        let half = (0..n).map(|i| T::of(if i % 2 == 0 { 0.0 } else { -3.0 } + 0.01 * random.normal())).collect();
        rows.push(("two levels", half));
        rows.push(("normal, times 5", random.normals(n, 5.0)));
        for map in maps.iter().chain(&norms) {
            for (name, theta) in &rows {
                check_row(map, name, theta);
            }
        }
    }
}

/// Rows whose threshold a sample is no guide to, or only just, read into a buffer.
fn long_rows_hide_what_a_sample_misses<T: Real>() {
    let n = 20_011;
    let mut random = Random::new(9);
    let plain: Vec<T> = random.normals(n, 1.0);
    let changed =
        |change: &dyn Fn(usize, T) -> T| -> Vec<T> { plain.iter().enumerate().map(|(i, &x)| change(i, x)).collect() };
    let (one, far) = (T::one(), T::of(30.0));
    let mut sorted = plain.clone();
    sorted.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    let rows = [
        ("sorted", sorted),
        ("one ahead", changed(&|i, x| if i == n - 1 { x + far } else { x })),
        ("one far below", changed(&|i, x| if i == 1 { x - far * far } else { x })),
        ("a step", changed(&|i, x| if i < n / 3 { x } else { x - T::of(4.0) })),
        ("neighbours alike", changed(&|i, x| plain[i / 64 * 64] + T::of(1e-3) * x)),
        ("times 2", changed(&|_, x| x + x)),
        ("times 3", changed(&|_, x| x + x + x)),
        ("heavy tails", changed(&|_, x| x * x * x)),
        ("far from zero", changed(&|_, x| x + T::of(1000.0))),
        ("masked here and there", changed(&|i, x| if i % 3 == 0 { T::neg_infinity() } else { x })),
        ("masked but for a few", changed(&|i, x| if i % 400 == 1 { x } else { T::neg_infinity() })),
        ("masked but for one", changed(&|i, _| if i == 17 { one } else { T::neg_infinity() })),
    ];
    for map in [1.0, 1.000_1, 1.003, 1.01, 1.03, 1.041, 1.05, 1.07, 1.1, 1.13, 1.16].map(entmax) {
        // As often as it takes to come back to guesses after one that failed.
        for (name, theta) in rows.iter().chain(&rows) {
            let case = format!("{} on {name}", label(&map));
            check_weights(&map, &case, theta, &solved_into(&map, theta));
        }
        let mut y = vec![one; n];
        for bad in [T::nan(), T::infinity()] {
            for place in [0, 16, 1005, 20_000, n - 1] {
                let theta = changed(&|i, x| if i == place { bad } else { x });
                assert!(map.argmax_into(&theta, &mut y).is_err(), "{}: {bad} at {place}", label(&map));
            }
        }
        let outcome = map.argmax_into(&vec![T::neg_infinity(); n], &mut y).expect("a masked row is sound");
        assert!(outcome == Outcome::Empty && y.iter().all(|&y| y == T::zero()), "{}", label(&map));
    }
}

/// Thresholds that searches have gone past, or in circles around: an entry joins or leaves the support on the way.
fn short_rows_are_solved_wherever_entries_lie<T: Real>() {
    let found: [(f64, &[f64]); 4] = [
        (1.8, &[-0.12146814, 0.7179806, -0.030906403, -0.51137197]),
        (1.9, &[0.3510478, -1.8397924, -1.6840845, -0.74335104, -0.38507164, -0.29976708]),
        (1.8, &[0.20820634, 0.3895269, 1.457646]),
        (1.99, &[-0.14465761, 0.08360329, -0.17241779, -0.052657947, 0.03912111, 0.15855786, -0.091860704]),
    ];
    for (alpha, row) in found {
        check_row(&entmax(alpha), "a row", &row.iter().map(|&x| T::of(f64::from(x as f32))).collect::<Vec<T>>());
    }
    let mut random = Random::new(12);
    let maps = [1.1, 1.3, 1.6, 1.7, 1.8, 1.9, 1.99, 1.999].map(entmax);
    let norms = [1.5, 2.5, 3.0, 5.0, 8.0, 20.0].map(normmax);
    for _ in 0..4000 {
        let n = 1 + random.below(16);
        let scale = (3.0 * random.normal() - 1.0).clamp(-4.0, 2.0).exp();
        let theta: Vec<T> = random.normals(n, scale);
        for map in maps.iter().chain(&norms) {
            // With an entry at the threshold the last bits are not to be had; a search that went astray is off by far
            // more.
            let (scores, weights) = (wide(&theta), wide(&solved(map, &theta)));
            let off = (total(weights.iter().copied()) - 1.0).abs();
            let residual = kkt_residual(map, &scores, &weights, T::epsilon().wide());
            let allowed = 16.0 * slack::<T>(map, &scores, &weights);
            assert!(off <= 256.0 * T::epsilon().wide(), "{} on {theta:?}: off by {off:e}", label(map));
            assert!(residual <= allowed, "{} on {theta:?}: residual {residual:e}, not {allowed:e}", label(map));
        }
    }
}

/// Sums of many small weights and a few large ones.
fn softmax_of_a_long_row_sums_to_one<T: Real>() {
    let mut random = Random::new(5);
    for scale in [1.0, 5.0] {
        let y = solved(&entmax(1.0), &random.normals::<T>(60_000, scale));
        let off = (total(wide(&y)) - 1.0).abs();
        assert!(off <= 4.0 * T::epsilon().wide(), "times {scale}: {off:e}");
    }
}

fn a_common_shift_changes_nothing<T: Real>() {
    for n in [1, 6, 40, 200] {
        let mut random = Random::new(n as u64);
        // Multiples of 1/64 below 64 and whole shifts below 2^17: the sums are exact in f32 too.
        let theta: Vec<T> = (0..n).map(|_| T::of((random.normal() * 64.0).round() / 64.0)).collect();
        for map in every_map(n).iter().filter(|map| ignores_shifts(map)) {
            let y = wide(&solved(map, &theta));
            for shift in [1.0, -37.0, 65536.0, -65536.0] {
                let moved: Vec<T> = theta.iter().map(|&x| x + T::of(shift)).collect();
                let gap = distance(map, &wide(&solved(map, &moved)), &y);
                assert!(gap <= 4.0 * T::epsilon().wide(), "{}, n = {n}, shift {shift}: moved by {gap:e}", label(map));
            }
        }
    }
}

fn a_permutation_permutes_the_weights<T: Real>() {
    for n in [2, 7, 64, 65, 500] {
        let mut random = Random::new(n as u64);
        let theta: Vec<T> = random.normals(n, 1.0);
        let order = random.permutation(n);
        let shuffled: Vec<T> = order.iter().map(|&i| theta[i]).collect();
        for map in every_map(n) {
            let y = wide(&solved(&map, &theta));
            let other = match &map {
                Map::Bounded(map) => crate::common::describe::bounded(order.iter().map(|&i| map.upper()[i]).collect()),
                _ => map.clone(),
            };
            let expected: Vec<f64> = order.iter().map(|&i| y[i]).collect();
            let got = wide(&solved(&other, &shuffled));
            let gap = distance(&other, &got, &expected);
            // The order of summation changes, and with it the last bits of the threshold.
            let allowed = T::epsilon().wide() * (4.0 + (n as f64).sqrt());
            assert!(gap <= allowed, "{}, n = {n}: permuting moved the weights by {gap:e}", label(&map));
        }
    }
}

crate::in_both_types!(
    solutions_meet_their_definition,
    long_rows_meet_their_definition,
    long_rows_hide_what_a_sample_misses,
    short_rows_are_solved_wherever_entries_lie,
    softmax_of_a_long_row_sums_to_one,
    a_common_shift_changes_nothing,
    a_permutation_permutes_the_weights,
);
