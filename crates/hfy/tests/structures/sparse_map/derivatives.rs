//! Derivatives against central differences. The map is piecewise linear, so that these are exact but for rounding.

use hfy::structure::{ActiveSet, AtMost, Regulariser, Sequence, Solution, Spans, SparseMap};
use hfy::{Convex, Entmax, Outcome, Real, Separation, Subsets};
use proptest::prelude::*;

use crate::common::random::Random;
use crate::common::{dot, narrow, pulled};
use crate::enumerate::Dense;
use crate::sparse_map::brute::{BOTH, affine_rank, allowed, holds, lead, written};
use crate::sparse_map::problems::{self, Draw, Kind, Problem, scores};

const STEP: f64 = 1e-4;
const TOLERANCE: f64 = 1e-9;

/// How the structures lie around a solution.
struct Around {
    /// No other becomes active within a step of every score, and none ceases to be.
    clear: bool,
    /// One distribution over structures only.
    unique: bool,
}

fn around(solution: &Solution, scores: (&[f64], &[f64]), regulariser: Regulariser, vertices: &[Dense]) -> Around {
    let sizes = (scores.0.len(), scores.1.len());
    let active: Vec<Dense> = solution.active().iter().map(|(vertex, _)| written(vertex, sizes)).collect();
    let y = &solution.marginals;
    let ahead = |vertex: &&Dense| lead(vertex, &active[0], scores, regulariser, y);
    let left: Vec<(&Dense, f64)> =
        vertices.iter().filter(|vertex| allowed(vertex, scores)).map(|vertex| (vertex, ahead(&vertex))).collect();
    let tied: Vec<&Dense> = left.iter().filter(|(_, lead)| lead.abs() <= 1e-10).map(|(vertex, _)| *vertex).collect();
    let far = left.iter().all(|(_, lead)| lead.abs() <= 1e-10 || *lead < -0.02);
    let inside = solution.active().iter().all(|(_, probability)| probability > 0.02);
    let whole = affine_rank(tied.iter().map(|vertex| &vertex.0[..])) == active.len();
    Around { clear: far && inside && whole, unique: tied.len() == active.len() }
}

#[track_caller]
fn agree(what: &str, got: &[f64], want: &[f64]) -> Result<(), TestCaseError> {
    prop_assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        prop_assert!((g - w).abs() <= TOLERANCE * (1.0 + w.abs()), "{}[{}] = {:e}, differences {:e}", what, i, g, w);
    }
    Ok(())
}

/// The derivative of a number in each score; zero where it is masked.
fn differences(at: &[f64], number: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let slope = |i: usize| {
        let moved = |step: f64| {
            let mut there = at.to_vec();
            there[i] += step;
            number(&there)
        };
        if at[i].is_finite() { (moved(STEP) - moved(-STEP)) / (2.0 * STEP) } else { 0.0 }
    };
    (0..at.len()).map(slope).collect()
}

fn check(problem: &Problem, masked: bool, random: &mut Random) -> Result<bool, TestCaseError> {
    let theta = scores(Kind::Normal(0.7), masked, problem.variables(), random);
    let higher = problem.higher();
    let rows = (&theta[..], &higher[..]);
    if !problem.vertices.iter().any(|vertex| allowed(vertex, rows)) || theta.iter().all(|s| s.is_infinite()) {
        return Ok(false);
    }
    let mut seen = false;
    for regulariser in BOTH {
        let map = SparseMap::new(&*problem.structure).regulariser(regulariser);
        let solve = |theta: &[f64], higher: &[f64]| map.solve_with(theta, higher, ActiveSet::default()).expect("sound");
        let solution = solve(&theta, &higher);
        let place = around(&solution, rows, regulariser, &problem.vertices);
        if !place.clear {
            continue;
        }
        seen = true;
        let (g, h): (Vec<f64>, Vec<f64>) = (random.normals(theta.len(), 1.0), random.normals(higher.len(), 1.0));
        let gradients = solution.vjp(&g, &[]).expect("sound");
        let want = differences(&theta, |theta| dot(&g, &solve(theta, &higher).marginals));
        agree("unary by y", &gradients.unary, &want)?;
        for (i, s) in theta.iter().enumerate() {
            prop_assert!(s.is_finite() || gradients.unary[i] == 0.0, "masked");
        }
        agree("vjp", &pulled(&map, &theta, &g), &want)?;
        let mut back = g.clone();
        map.pullback(&solution.marginals, &mut back).expect("an output");
        agree("pullback", &back, &want)?;
        let single = pulled::<f32>(&map, &narrow(&theta), &narrow(&g));
        for (s, w) in single.iter().zip(&want) {
            prop_assert!((s.wide() - w).abs() <= 1e-5, "in single precision {} and {}", s, w);
        }
        // One number for several scores moves them all.
        if problem.shared {
            let total: f64 = gradients.higher.iter().sum();
            let along = |step: f64| {
                let moved: Vec<f64> = higher.iter().map(|t| t + step).collect();
                dot(&g, &solve(&theta, &moved).marginals)
            };
            agree("a shared score", &[total], &[(along(STEP) - along(-STEP)) / (2.0 * STEP)])?;
        }
        if place.unique {
            let want = differences(&higher, |higher| dot(&g, &solve(&theta, higher).marginals));
            agree("higher by y", &gradients.higher, &want)?;
            let gradients = solution.vjp(&vec![0.0; g.len()], &h).expect("sound");
            let want = differences(&theta, |theta| dot(&h, &solve(theta, &higher).higher));
            agree("unary by e", &gradients.unary, &want)?;
            let want = differences(&higher, |higher| dot(&h, &solve(&theta, higher).higher));
            agree("higher by e", &gradients.higher, &want)?;
            // Both together are the sum.
            let sum = solution.vjp(&g, &h).expect("sound");
            let apart = solution.vjp(&g, &[]).expect("sound");
            let added: Vec<f64> = apart.unary.iter().zip(&gradients.unary).map(|(a, b)| a + b).collect();
            agree("both", &sum.unary, &added)?;
            let want = differences(&higher, |higher| solve(&theta, higher).value);
            agree("the value by higher scores", &solution.higher, &want)?;
        }
        let want = differences(&theta, |theta| solve(theta, &higher).value);
        agree("the value by scores", &solution.marginals, &want)?;
    }
    Ok(seen)
}

fn run(draw: Draw) {
    let seen = std::cell::Cell::new(0);
    holds(60, prop::bool::weighted(0.3), |masked, random| {
        let problem = draw(Kind::Normal(0.7), masked, random);
        let checked = check(&problem, masked, random).map_err(|failure| match failure {
            TestCaseError::Fail(why) => TestCaseError::fail(format!("{why}\n{}", problem.name)),
            reject => reject,
        })?;
        seen.set(seen.get() + usize::from(checked));
        Ok(())
    });
    assert!(seen.get() >= 15, "only {} without a kink nearby", seen.get());
}

problems::every_family!(run);

/// Where scores tie the active structures may span less than the face that the solution lies in; its derivative is that
/// of the face.
#[test]
fn where_scores_tie() {
    let seen = std::cell::Cell::new(0);
    holds(300, 0..problems::FAMILIES.len(), |family, random| {
        let (name, draw) = problems::FAMILIES[family];
        let kind = [Kind::Equal, Kind::Tied][random.below(2)];
        let problem = draw(kind, false, random);
        let n = problem.variables();
        let scale = [0.0, 0.25, 0.5][random.below(3)];
        let theta: Vec<f64> = scores(kind, false, n, random).iter().map(|s| scale * s).collect();
        let higher = problem.higher();
        for regulariser in BOTH {
            let map = SparseMap::new(&*problem.structure).regulariser(regulariser);
            let g: Vec<f64> = random.normals(n, 1.0);
            let Ok(Solution { marginals: y, .. }) = map.solve(&theta) else { return Ok(()) };
            // The same from both sides, in every direction: no kink.
            let along = |direction: &[f64], step: f64| {
                let moved: Vec<f64> = theta.iter().zip(direction).map(|(s, d)| s + step * d).collect();
                (dot(&g, &map.solve_with(&moved, &higher, ActiveSet::default()).expect("sound").marginals)
                    - dot(&g, &y))
                    / step
            };
            let mut directions: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
            directions.extend((0..6).map(|_| random.normals(n, 1.0)));
            if directions.iter().any(|d| (along(d, 1e-5) - along(d, -1e-5)).abs() > 1e-8) {
                continue;
            }
            seen.set(seen.get() + 1);
            let got = pulled(&map, &theta, &g);
            let mut back = g.clone();
            map.pullback(&y, &mut back).expect("an output");
            for d in &directions {
                let want = along(d, 1e-5);
                let what = format!("{name}, {}, {regulariser:?}, {theta:?}, y = {y:?}", problem.name);
                prop_assert!((dot(&got, d) - want).abs() <= 1e-8, "vjp {} and {}: {}", dot(&got, d), want, what);
                prop_assert!((dot(&back, d) - want).abs() <= 1e-8, "pullback {} and {}: {}", dot(&back, d), want, what);
            }
        }
        Ok(())
    });
    assert!(seen.get() >= 100, "only {} without a kink", seen.get());
}

/// Maps with a name of their own know their derivatives, however many scores tie.
#[test]
fn where_many_scores_tie() {
    let mut random = Random::new(51);
    let close = |what: &str, got: &[f64], want: &[f64]| {
        let off = got.iter().zip(want).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off <= 1e-9, "{what}: {off:e}");
    };
    for (n, k) in [(40, 7), (60, 25), (100, 3)] {
        for levels in [1, 2, 3] {
            // Apart by less than the margin, so that all are free; or by more, so that only the best are.
            for gap in [1e-3, 3.0] {
                let theta: Vec<f64> = (0..n).map(|i| gap * (i % levels) as f64).collect();
                let g: Vec<f64> = random.normals(n, 1.0);
                let subsets = Subsets::new(k as f64).expect("sound");
                let map = SparseMap::new(Sequence::new(k).expect("sound"));
                let what = format!("{k} of {n}, {levels} levels {gap} apart");
                let want = pulled(&subsets, &theta, &g);
                close(&what, &pulled(&map, &theta, &g), &want);
                let mut back = g.clone();
                map.pullback(&map.solve(&theta).expect("sound").marginals, &mut back).expect("an output");
                close(&what, &back, &want);
                let windows = SparseMap::new(Spans::of_length(1).expect("sound"));
                close(&what, &pulled(&windows, &theta, &g), &pulled(&Entmax::SPARSEMAX, &theta, &g));
                // All subsets: every score between zero and one is on its own.
                let halves: Vec<f64> = (0..n).map(|i| 0.5 + gap * (i % levels) as f64).collect();
                let cube = SparseMap::new(AtMost::new(n).expect("sound"));
                let free: Vec<f64> = g.iter().zip(&halves).map(|(g, s)| if *s < 1.0 { *g } else { 0.0 }).collect();
                close(&what, &pulled(&cube, &halves, &g), &free);
                let mut back = g.clone();
                cube.pullback(&cube.solve(&halves).expect("sound").marginals, &mut back).expect("an output");
                close(&what, &back, &free);
            }
        }
    }
}

/// Few probabilities blend to many marginals, to within rounding; derivatives need them all the same.
#[test]
fn large_faces() {
    let mut random = Random::new(52);
    for (n, k) in [(300, 60), (200, 10)] {
        let theta: Vec<f64> = random.normals(n, 0.6);
        let g: Vec<f64> = random.normals(n, 1.0);
        let subsets = Subsets::new(k as f64).expect("sound");
        let want = pulled(&subsets, &theta, &g);
        let map = SparseMap::new(Sequence::new(k).expect("sound"));
        let solution = map.solve(&theta).expect("sound");
        let mut back = g.clone();
        map.pullback(&solution.marginals, &mut back).expect("an output");
        for got in [solution.vjp(&g, &[]).expect("sound").unary, pulled(&map, &theta, &g), back] {
            let off = got.iter().zip(&want).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off <= 1e-9, "{k} of {n}: {off:e}");
        }
    }
}

#[test]
fn a_row_where_everything_is_masked() {
    let map = SparseMap::new(Sequence::new(2).expect("sound"));
    let mut y = [f64::NEG_INFINITY; 4];
    assert_eq!(map.argmax(&mut y).expect("sound"), Outcome::Empty);
    let mut g = [1.0, 2.0, 3.0, 4.0];
    map.pullback(&y, &mut g).expect("an output");
    assert_eq!((y, g), ([0.0; 4], [0.0; 4]));
    let elsewhere = map.pullback(&[0.5, 0.0, 0.0, 0.0], &mut g).expect_err("no output");
    assert!(elsewhere.to_string().contains("outside of the hull"), "{elsewhere}");
}
