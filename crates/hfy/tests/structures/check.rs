//! Random scores, and an oracle against all vertices.

use hfy::structure::{Parts, Structure, Vertex};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::common::random::Random;
use crate::enumerate::Dense;

/// Scores are multiples of 2⁻⁴⁰, so that integers hold every sum exactly; entries of vertices are multiples of a half.
const UNIT: f64 = 1.0 / (1u64 << 40) as f64;

/// What scores look like.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Plain,
    /// Small integers, with many ties.
    Tied,
    /// 1e8 beside 1.
    Large,
    /// 1e8 beside scores smaller than its rounding.
    Fine,
    Forbidden,
}

/// Scores of a kind, of which about a fifth are masked where `masked`.
pub(crate) fn scores(kind: Kind, masked: bool, n: usize, random: &mut Random) -> Vec<f64> {
    let one = |random: &mut Random| {
        let small = ((4.0 * random.unit() - 2.0) / UNIT).round() * UNIT;
        let masked = masked && random.below(5) == 0;
        match kind {
            Kind::Forbidden => f64::NEG_INFINITY,
            _ if masked => f64::NEG_INFINITY,
            Kind::Plain => small,
            Kind::Tied => random.below(5) as f64 - 2.0,
            Kind::Large => [small, small, 1e8, -1e8][random.below(4)],
            Kind::Fine => [UNIT * random.below(1000) as f64, 1e8][random.below(2)],
        }
    };
    (0..n).map(|_| one(random)).collect()
}

/// Runs a property on the same cases every time, with scores of every kind.
pub(crate) fn holds(property: impl Fn(Kind, bool, &mut Random) -> Result<(), TestCaseError>) {
    let kinds = prop_oneof![
        4 => Just(Kind::Plain),
        4 => Just(Kind::Tied),
        4 => Just(Kind::Large),
        4 => Just(Kind::Fine),
        1 => Just(Kind::Forbidden)
    ];
    let config = Config { cases: 400, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let run = runner.run(&(kinds, any::<bool>(), any::<u64>()), |(kind, masked, seed)| {
        property(kind, masked, &mut Random::new(seed))
    });
    if let Err(failure) = run {
        panic!("{failure}");
    }
}

/// A score in halves of `UNIT`; none where it is forbidden.
pub(crate) fn units(score: f64) -> Option<i128> {
    score.is_finite().then(|| (score / UNIT * 2.0) as i128)
}

/// The score of a vertex in quarters of `UNIT`; none where a part of it is forbidden.
fn exact((unary, higher): &Dense, scores: (&[f64], &[f64])) -> Option<i128> {
    let parts = unary.iter().zip(scores.0).chain(higher.iter().zip(scores.1)).filter(|(entry, _)| **entry != 0.0);
    parts.map(|(entry, &score)| units(score).map(|score| (entry * 2.0) as i128 * score)).sum()
}

fn dense(parts: &Parts, n: usize) -> Vec<f64> {
    let mut vector = vec![0.0; n];
    parts.iter().for_each(|(i, value)| vector[i] += value);
    vector
}

/// The oracle's structure is one of the vertices, and none of them scores more, without allowance for rounding; the
/// score that it returns is that, rounded.
pub(crate) fn agrees(
    structure: &dyn Structure,
    unary: &[f64],
    higher: &[f64],
    vertices: &[Dense],
) -> Result<(), TestCaseError> {
    let mut vertex = Vertex::default();
    let score = structure.maximise(unary, higher, &mut vertex).expect("sound");
    let Some(best) = vertices.iter().filter_map(|vertex| exact(vertex, (unary, higher))).max() else {
        prop_assert_eq!(score, f64::NEG_INFINITY, "nothing is left");
        return Ok(());
    };
    vertex.sort();
    for parts in [vertex.unary(), vertex.higher()] {
        prop_assert!(parts.indices().is_sorted_by(|a, b| a < b), "a part is there twice: {:?}", vertex);
    }
    let found = (dense(vertex.unary(), unary.len()), dense(vertex.higher(), higher.len()));
    prop_assert!(vertices.contains(&found), "{:?} is not a vertex, of {:?}", vertex, unary);
    let reached = exact(&found, (unary, higher));
    prop_assert!(reached == Some(best), "{:?} is not the best for {:?} and {:?}", vertex, unary, higher);
    let best = best as f64 * UNIT / 4.0;
    prop_assert!((score - best).abs() <= f64::EPSILON * best.abs(), "the score is {}, the best {}", score, best);
    let mut again = Vertex::default();
    structure.maximise(unary, higher, &mut again).expect("sound");
    again.sort();
    prop_assert_eq!(again, vertex, "not the same twice");
    if let Some(mass) = structure.mass() {
        prop_assert!(vertices.iter().all(|(unary, _)| unary.iter().sum::<f64>() == mass), "the mass is not {}", mass);
    }
    Ok(())
}
