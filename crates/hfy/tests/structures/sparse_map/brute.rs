//! What a solution must satisfy, tested on all vertices.

use hfy::structure::{Parts, Regulariser, Solution, Status, Structure, Vertex};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::common::random::Random;
use crate::common::total;
use crate::enumerate::Dense;

pub(crate) const BOTH: [Regulariser; 2] = [Regulariser::On, Regulariser::Both];

/// Runs a property on the same cases every time.
pub(crate) fn holds<S: Strategy>(
    cases: u32,
    strategy: S,
    property: impl Fn(S::Value, &mut Random) -> Result<(), TestCaseError>,
) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let run = runner.run(&(strategy, any::<u64>()), |(value, seed)| property(value, &mut Random::new(seed)));
    if let Err(failure) = run {
        panic!("{failure}");
    }
}

pub(crate) fn dense(parts: &Parts, n: usize) -> Vec<f64> {
    let mut vector = vec![0.0; n];
    parts.iter().for_each(|(i, value)| vector[i] += value);
    vector
}

pub(crate) fn written(vertex: &Vertex, (n, parts): (usize, usize)) -> Dense {
    (dense(vertex.unary(), n), dense(vertex.higher(), parts))
}

/// The largest finite score.
pub(crate) fn size(scores: (&[f64], &[f64])) -> f64 {
    scores.0.iter().chain(scores.1).filter(|s| s.is_finite()).fold(0.0, |top: f64, s| top.max(s.abs()))
}

pub(crate) fn allowed((unary, higher): &Dense, scores: (&[f64], &[f64])) -> bool {
    let parts = unary.iter().zip(scores.0).chain(higher.iter().zip(scores.1));
    parts.filter(|(entry, _)| **entry != 0.0).all(|(_, score)| score.is_finite())
}

pub(crate) fn omega(regulariser: Regulariser, y: &[f64]) -> f64 {
    let off = if regulariser == Regulariser::Both { 1.0 } else { 0.0 };
    total(y.iter().map(|y| (y * y + off * (1.0 - y) * (1.0 - y)) / 2.0))
}

/// `∇Ω(y)`.
pub(crate) fn slope(regulariser: Regulariser, y: f64) -> f64 {
    if regulariser == Regulariser::Both { 2.0 * y - 1.0 } else { y }
}

/// By how much `a` leads `b` at `θ - ∇Ω(y)`, summed without rounding to speak of.
pub(crate) fn lead(a: &Dense, b: &Dense, scores: (&[f64], &[f64]), regulariser: Regulariser, y: &[f64]) -> f64 {
    let unary = a.0.iter().zip(&b.0).zip(scores.0.iter().zip(y)).filter(|((a, b), _)| a != b);
    let unary = unary.flat_map(|((a, b), (s, y))| [(a - b) * s, -(a - b) * slope(regulariser, *y)]);
    let higher = a.1.iter().zip(&b.1).zip(scores.1).filter(|((a, b), _)| a != b).map(|((a, b), s)| (a - b) * s);
    total(unary.chain(higher))
}

/// The rank of vectors, by elimination with the largest pivot.
pub(crate) fn rank(mut rows: Vec<Vec<f64>>) -> usize {
    let mut rank = 0;
    let columns = rows.first().map_or(0, Vec::len);
    for column in 0..columns {
        let Some(pivot) = (rank..rows.len()).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))
        else {
            break;
        };
        if rows[pivot][column].abs() < 1e-9 {
            continue;
        }
        rows.swap(rank, pivot);
        let (top, rest) = rows.split_at_mut(rank + 1);
        for row in rest {
            let share = row[column] / top[rank][column];
            row.iter_mut().zip(&top[rank]).for_each(|(entry, pivot)| *entry -= share * pivot);
        }
        rank += 1;
    }
    rank
}

/// One more than the dimension of the affine hull.
pub(crate) fn affine_rank<'a>(points: impl Iterator<Item = &'a [f64]>) -> usize {
    rank(points.map(|point| [point, &[1.0]].concat()).collect())
}

/// Everything that makes a solution the solution: feasible, and no vertex better.
pub(crate) fn solves(
    solution: &Solution,
    scores: (&[f64], &[f64]),
    regulariser: Regulariser,
    vertices: &[Dense],
) -> Result<(), TestCaseError> {
    let sizes = (scores.0.len(), scores.1.len());
    let parts = vertices.iter().map(|(u, h)| u.iter().chain(h).map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max);
    let tolerance = 2e-14 * (1.0 + size(scores)) * (1.0 + parts);
    let y = &solution.marginals;
    prop_assert_eq!(solution.status, Status::Optimal);

    let active: Vec<(Dense, f64)> = solution.active().iter().map(|(vertex, p)| (written(vertex, sizes), p)).collect();
    prop_assert!(!active.is_empty() && active.len() <= sizes.0 + 1);
    for (vertex, probability) in &active {
        prop_assert!(vertices.contains(vertex) && allowed(vertex, scores), "{:?} is no structure", vertex);
        prop_assert!(*probability > 0.0, "the probability {}", probability);
    }
    let whole = total(active.iter().map(|(_, p)| *p));
    prop_assert!((whole - 1.0).abs() <= 1e-15 * active.len() as f64, "probabilities sum to {}", whole);
    prop_assert_eq!(affine_rank(active.iter().map(|(vertex, _)| &vertex.0[..])), active.len(), "dependent");
    for i in 0..sizes.0 {
        let blend = total(active.iter().map(|(vertex, p)| p * vertex.0[i]));
        prop_assert!((blend - y[i]).abs() <= 1e-14 * parts, "y[{}] = {}, the blend {}", i, y[i], blend);
    }
    for i in 0..sizes.1 {
        let blend = total(active.iter().map(|(vertex, p)| p * vertex.1[i]));
        prop_assert!((blend - solution.higher[i]).abs() <= 1e-14 * parts, "e[{}]", i);
    }

    let base = &active[0].0;
    let ahead = |vertex: &Dense| lead(vertex, base, scores, regulariser, y);
    let mean = total(active.iter().map(|(vertex, p)| p * ahead(vertex)));
    for vertex in vertices.iter().filter(|vertex| allowed(vertex, scores)) {
        let over = ahead(vertex) - mean;
        prop_assert!(over <= tolerance, "{:?} leads by {:e} of {:e}; gap {:e}", vertex, over, tolerance, solution.gap);
    }
    prop_assert!(solution.gap >= 0.0 && solution.gap <= tolerance, "the gap is {:e}", solution.gap);

    let terms = |scores: &[f64], weights: &[f64]| -> Vec<f64> {
        scores.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(s, w)| s * w).collect()
    };
    let linear = total([terms(scores.0, y), terms(scores.1, &solution.higher)].concat());
    let value = linear - omega(regulariser, y);
    prop_assert!((solution.value - value).abs() <= tolerance, "the value {} is not {}", solution.value, value);
    Ok(())
}

/// The best structure of all is what the solution says.
pub(crate) fn best_is_best(
    structure: &dyn Structure,
    solution: &Solution,
    scores: (&[f64], &[f64]),
) -> Result<(), TestCaseError> {
    let mut again = Vertex::default();
    structure.maximise(scores.0, scores.1, &mut again).expect("sound");
    again.sort();
    prop_assert_eq!(&again, &solution.best);
    Ok(())
}
