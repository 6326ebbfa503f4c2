//! Values, conjugates and losses; which structures an output is a blend of; warm starts.

use hfy::structure::{ActiveSet, Spans, SparseMap, Status};
use hfy::{Convex, Separation, Subsets};
use proptest::prelude::*;

use crate::common::random::Random;
use crate::common::{dot, solved};
use crate::sparse_map::brute::{BOTH, allowed, holds, omega, solves};
use crate::sparse_map::problems::{FAMILIES, Kind, scores};

fn near(what: &str, a: f64, b: f64, tolerance: f64) -> Result<(), TestCaseError> {
    prop_assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{}: {} and {}", what, a, b);
    Ok(())
}

fn context(name: &str, failure: TestCaseError) -> TestCaseError {
    match failure {
        TestCaseError::Fail(why) => TestCaseError::fail(format!("{why}\n{name}")),
        reject => reject,
    }
}

#[test]
fn losses_and_values() {
    let kinds =
        prop_oneof![Just(Kind::Normal(1.0)), Just(Kind::Normal(0.1)), Just(Kind::Normal(5.0)), Just(Kind::Tied)];
    holds(400, (0..FAMILIES.len(), kinds), |(family, kind), random| {
        let problem = FAMILIES[family].1(kind, false, random);
        let n = problem.variables();
        let (theta, higher) = (scores(kind, false, n, random), problem.higher());
        if !problem.vertices.iter().any(|vertex| allowed(vertex, (&theta, &higher))) {
            return Ok(());
        }
        for regulariser in BOTH {
            let map = SparseMap::new(&*problem.structure).regulariser(regulariser);
            let check = || -> Result<(), TestCaseError> {
                let solution = map.solve(&theta).expect("sound");
                let y = &solution.marginals;
                let conjugate = map.conjugate(&theta).expect("sound");
                near("the conjugate", conjugate, solution.value, 0.0)?;
                let value: f64 = map.value(y);
                near("Fenchel and Young at the output", value + conjugate, dot(&theta, y), 1e-9)?;
                let own: f64 = map.loss(&theta, y).expect("sound");
                prop_assert!((0.0..=1e-9).contains(&own), "the loss of the output is {}", own);
                for (unary, _) in &problem.vertices {
                    // Of vertices with one unary part the best counts.
                    let alike = problem.vertices.iter().filter(|other| other.0 == *unary);
                    let parts = |higher_part: &[f64]| -> f64 {
                        let used = higher_part.iter().zip(&higher).filter(|(part, _)| **part != 0.0);
                        used.map(|(part, score)| part * score).sum()
                    };
                    let best = alike.map(|(_, part)| parts(part)).fold(f64::NEG_INFINITY, f64::max);
                    let expected = omega(regulariser, unary) - best;
                    let value: f64 = map.value(unary);
                    if best == f64::NEG_INFINITY {
                        prop_assert_eq!(value, f64::INFINITY);
                        continue;
                    }
                    // A listed vertex may be a blend of better ones; elsewhere vertices are vertices.
                    prop_assert!(value <= expected + 1e-9 * (1.0 + expected.abs()), "{} above {}", value, expected);
                    if FAMILIES[family].0 != "lists" {
                        near("the value of a vertex", value, expected, 1e-9)?;
                    }
                    let loss: f64 = map.loss(&theta, unary).expect("sound");
                    near("the loss", loss, value + conjugate - dot(&theta, unary), 1e-9)?;
                    prop_assert!(loss >= 0.0);
                }
                Ok(())
            };
            check().map_err(|failure| context(&format!("{}, {regulariser:?}, {theta:?}", problem.name), failure))?;
        }
        Ok(())
    });
}

/// The value of a blend is at most the blend of values, and is met by the solution that has those marginals.
#[test]
fn values_of_blends() {
    holds(200, 0..FAMILIES.len(), |family, random| {
        let problem = FAMILIES[family].1(Kind::Normal(1.0), false, random);
        let (n, higher) = (problem.variables(), problem.higher());
        let zeros = vec![0.0; n];
        let left: Vec<_> = problem.vertices.iter().filter(|vertex| allowed(vertex, (&zeros, &higher))).collect();
        if left.is_empty() {
            return Ok(());
        }
        let map = SparseMap::new(&*problem.structure);
        let weights = random.simplex(3);
        let picked: Vec<_> = (0..3).map(|_| left[random.below(left.len())]).collect();
        let blend: Vec<f64> = (0..n).map(|i| picked.iter().zip(&weights).map(|(v, w)| w * v.0[i]).sum()).collect();
        let linear: f64 = picked.iter().zip(&weights).map(|(vertex, w)| w * dot(&vertex.1, &higher)).sum();
        let value: f64 = map.value(&blend);
        let bound = omega(hfy::structure::Regulariser::On, &blend) - linear;
        prop_assert!(value <= bound + 1e-8, "{} above {}: {}", value, bound, problem.name);
        // Weak duality from any scores, and equality at none better than the best of many.
        for _ in 0..20 {
            let theta: Vec<f64> = random.normals(n, 1.0);
            let loss: f64 = map.loss(&theta, &blend).expect("sound");
            let gap = value + map.conjugate(&theta).expect("sound") - dot(&theta, &blend);
            prop_assert!(
                gap >= -1e-8 && (loss - gap).abs() <= 1e-8 * (1.0 + gap),
                "{} and {}: {}",
                loss,
                gap,
                problem.name
            );
        }
        // Outside of the hull: beyond a vertex, seen from the middle of all.
        let middle: Vec<f64> = (0..n).map(|i| left.iter().map(|v| v.0[i]).sum::<f64>() / left.len() as f64).collect();
        let far = left.iter().max_by(|a, b| {
            let from = |v: &[f64]| v.iter().zip(&middle).map(|(v, m)| (v - m).powi(2)).sum::<f64>();
            from(&a.0).total_cmp(&from(&b.0))
        });
        let far = &far.expect("there are some").0;
        let beyond: Vec<f64> = far.iter().zip(&middle).map(|(v, m)| v + 0.01 * (v - m)).collect();
        if *far != middle {
            prop_assert_eq!(Convex::<f64>::value(&map, &beyond), f64::INFINITY);
            prop_assert_eq!(map.loss(&random.normals::<f64>(n, 1.0), &beyond).expect("sound"), f64::INFINITY);
        }
        Ok(())
    });
}

#[test]
fn outputs_are_blends_of_structures() {
    let kinds = prop_oneof![Just(Kind::Normal(1.0)), Just(Kind::Normal(0.2)), Just(Kind::Tied), Just(Kind::Equal)];
    holds(400, (0..FAMILIES.len() - 1, kinds), |(family, kind), random| {
        let problem = FAMILIES[family].1(kind, false, random);
        let n = problem.variables();
        let theta = scores(kind, false, n, random);
        let map = SparseMap::new(&*problem.structure).regulariser(BOTH[random.below(2)]);
        let Ok(solution) = map.solve(&theta) else { return Ok(()) };
        let shares = map.structures(&solution.marginals).expect("an output").expect("a map over structures");
        let mut blend = vec![0.0; n];
        for share in &shares {
            prop_assert!(share.probability > 0.0);
            let vertex: Vec<f64> = (0..n).map(|i| f64::from(share.members.contains(&i))).collect();
            prop_assert!(problem.vertices.iter().any(|(unary, _)| *unary == vertex), "{:?} is none", share.members);
            share.members.iter().for_each(|&i| blend[i] += share.probability);
        }
        for (b, y) in blend.iter().zip(&solution.marginals) {
            prop_assert!((b - y).abs() <= 1e-10, "{:?} and {:?}: {}", blend, solution.marginals, problem.name);
        }
        prop_assert_eq!(shares.len() == 1, solution.exact().is_some(), "{}", problem.name);
        let mut single: Vec<f32> = theta.iter().map(|s| *s as f32).collect();
        map.argmax(&mut single).expect("sound");
        let mut blend = vec![0.0_f32; n];
        for share in map.structures(&single).expect("an output").expect("a map over structures") {
            share.members.iter().for_each(|&i| blend[i] += share.probability);
        }
        for (b, y) in blend.iter().zip(&single) {
            prop_assert!((b - y).abs() <= 1e-3, "{:?} and {:?}", blend, single);
        }
        Ok(())
    });
}

#[test]
fn subsets_are_blends_too() {
    holds(300, 1usize..12, |n, random| {
        let k = 1 + random.below(n);
        let map = Subsets::new(k as f64).expect("sound");
        let scale = [0.1, 1.0, 10.0][random.below(3)];
        let theta: Vec<f64> = random.normals(n, scale);
        let y = solved(&map, &theta);
        let shares = map.structures(&y).expect("an output").expect("k is whole");
        let mut blend = vec![0.0; n];
        let whole: f64 = shares.iter().map(|share| share.probability).sum();
        for share in &shares {
            prop_assert!(
                share.probability > 0.0 && share.members.len() == k && share.members.is_sorted_by(|a, b| a < b)
            );
            share.members.iter().for_each(|&i| blend[i] += share.probability);
        }
        prop_assert!((whole - 1.0).abs() <= 1e-13);
        for (b, y) in blend.iter().zip(&y) {
            prop_assert!((b - y).abs() <= 1e-12, "{:?} and {:?}", blend, y);
        }
        Ok(())
    });
}

#[test]
fn warm_starts() {
    let calls = std::cell::Cell::new((0, 0));
    holds(400, (0..FAMILIES.len(), any::<bool>()), |(family, masked), random| {
        let problem = FAMILIES[family].1(Kind::Normal(0.5), false, random);
        let (n, higher) = (problem.variables(), problem.higher());
        let theta = scores(Kind::Normal(0.5), false, n, random);
        let map = SparseMap::new(&*problem.structure).regulariser(BOTH[random.below(2)]);
        let Ok(first) = map.solve(&theta) else { return Ok(()) };
        let mut nearby: Vec<f64> = theta.iter().map(|s| s + 0.02 * random.normal()).collect();
        if masked {
            // A variable that the active structures have.
            let at = (0..n).max_by(|&a, &b| first.marginals[a].total_cmp(&first.marginals[b])).expect("a variable");
            nearby[at] = f64::NEG_INFINITY;
        }
        let Ok(cold) = map.solve(&nearby) else {
            prop_assert!(map.solve_from(&nearby, first.active().clone()).is_err());
            return Ok(());
        };
        let warm = map.solve_from(&nearby, first.active().clone()).expect("sound");
        for (w, c) in warm.marginals.iter().zip(&cold.marginals) {
            prop_assert!((w - c).abs() <= 1e-12, "{}", problem.name);
        }
        if !cold.active().is_empty() {
            solves(&warm, (&nearby, &higher), map.which(), &problem.vertices)
                .map_err(|failure| context(&problem.name, failure))?;
        }
        let (a, b) = calls.get();
        if !masked {
            calls.set((a + warm.iterations, b + cold.iterations));
        }
        Ok(())
    });
    let (warm, cold) = calls.get();
    println!("{warm} calls of the oracle from warm starts, {cold} from cold ones");
    assert!(2 * warm < 3 * cold / 2, "{warm} calls from warm starts, {cold} from cold ones");
}

#[test]
fn warm_starts_of_long_rows() {
    let mut random = Random::new(12);
    let theta: Vec<f64> = random.normals(400, 1.0);
    for text in ["sequence:20:t=0.5", "sequence:20:t=0.5:reg=on", "windows:20", "assignment:20x20", "spans"] {
        let map: SparseMap<hfy::structure::Named> = text.parse().expect("a structure");
        let (mut warm, mut cold) = (0, 0);
        let mut active = ActiveSet::default();
        for round in 0..5 {
            let nearby: Vec<f64> = theta.iter().map(|s| s + 1e-2 * random.normal()).collect();
            let (from, fresh) = (map.solve_from(&nearby, active).expect("sound"), map.solve(&nearby).expect("sound"));
            assert_eq!(from.status, Status::Optimal);
            for (a, b) in from.marginals.iter().zip(&fresh.marginals) {
                assert!((a - b).abs() <= 1e-11, "{text}");
            }
            if round > 0 {
                (warm, cold) = (warm + from.iterations, cold + fresh.iterations);
            }
            active = from.active().clone();
        }
        println!("{text}: {warm} calls from warm starts, {cold} from cold ones");
        assert!(warm < cold, "{text}: {warm} and {cold}");
    }
}

/// A mask on a variable whose entry is negative forbids too; sets of another size are no start.
#[test]
fn starts_that_do_not_fit() {
    let list = hfy::structure::Listed::new(&[[1.0, -1.0], [1.0, 0.0], [0.0, 0.0]]).expect("sound");
    let map = SparseMap::new(list);
    let first = map.solve(&[0.6, -2.0]).expect("sound");
    let masked = map.solve_from(&[0.6, f64::NEG_INFINITY], first.active().clone()).expect("sound");
    assert_eq!(masked.marginals, [0.6, 0.0]);
    let windows = SparseMap::new(Spans::of_length(3).expect("sound"));
    let long = windows.solve(&[0.0, 0.1, 0.3, 0.2, 0.1, 0.5, 0.6, 0.4]).expect("sound");
    let short = windows.solve_from(&[0.0, 0.1, 0.3, 0.2], long.active().clone()).expect("sound");
    assert_eq!(short.marginals, windows.solve(&[0.0, 0.1, 0.3, 0.2]).expect("sound").marginals);
}
