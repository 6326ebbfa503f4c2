//! No vertex is better than the solution: every structure, both regularisers, scores of every kind.

use hfy::structure::SparseMap;
use hfy::{Convex, Outcome};
use proptest::prelude::*;

use crate::common::says;
use crate::sparse_map::brute::{BOTH, allowed, best_is_best, holds, solves};
use crate::sparse_map::problems::{self, Draw, Kind, scores};

fn kinds() -> impl Strategy<Value = (Kind, bool)> {
    let kinds = prop_oneof![
        4 => Just(Kind::Normal(1.0)),
        1 => Just(Kind::Normal(1e-12)),
        2 => Just(Kind::Normal(0.1)),
        2 => Just(Kind::Normal(10.0)),
        1 => Just(Kind::Normal(1e8)),
        4 => Just(Kind::Tied),
        2 => Just(Kind::Equal),
        3 => Just(Kind::Large),
    ];
    (kinds, prop::bool::weighted(0.3))
}

fn check(draw: Draw) {
    holds(1000, kinds(), |(kind, masked), random| {
        let problem = draw(kind, masked, random);
        let theta = scores(kind, masked, problem.variables(), random);
        let higher = problem.higher();
        let rows = (&theta[..], &higher[..]);
        for regulariser in BOTH {
            let map = SparseMap::new(&*problem.structure).regulariser(regulariser);
            let context = |failure| match failure {
                TestCaseError::Fail(why) => {
                    TestCaseError::fail(format!("{why}\n{}, {regulariser:?}\n{theta:?}", problem.name))
                }
                reject => reject,
            };
            if theta.iter().all(|s| *s == f64::NEG_INFINITY) {
                let mut y = theta.clone();
                prop_assert_eq!(map.argmax(&mut y).expect("nothing is an answer"), Outcome::Empty);
                prop_assert!(y.iter().all(|y| *y == 0.0));
            } else if problem.vertices.iter().any(|vertex| allowed(vertex, rows)) {
                let solution = map.solve(&theta).expect("some structure is left");
                solves(&solution, rows, regulariser, &problem.vertices).map_err(context)?;
                best_is_best(&*problem.structure, &solution, rows).map_err(context)?;
            } else {
                says(map.solve(&theta), &["every structure has", "masked"]);
                says(map.argmax(&mut theta.clone()), &["every structure has", "masked"]);
            }
        }
        Ok(())
    });
}

problems::every_family!(check);
