//! The retriever against the plain path: the same states, weights and energies, whatever it skips.

mod common;

use std::ops::ControlFlow;
use std::sync::Mutex;

use common::random::Random;
use common::says;
use hfy::network::AnyNetwork;
use hfy::post::Identity;
use hfy::retrieval::{MatchRule, Retriever, Settings, Status, Stop, Stopped};
use hfy::{Entmax, Error, Network, Real, Scaled};
use ndarray::{Array2, ArrayView2, Axis, array};

const SPARSE: [&str; 6] = ["sparsemax", "entmax:1.5", "entmax:1.3", "normmax:5", "subsets:3", "argmax"];
const DENSE: [&str; 4] = ["softmax", "quadratic", "power:3", "exponential"];
const POSTS: [&str; 5] = ["identity", "l2:3", "layernorm", "tanh:0.5", "sign"];

fn normals<T: Real>(random: &mut Random, rows: usize, width: usize) -> Array2<T> {
    Array2::from_shape_simple_fn((rows, width), || T::of(random.normal()))
}

/// Patterns around a few centres, so that principal directions say much about them.
fn clustered<T: Real>(random: &mut Random, count: usize, width: usize) -> Array2<T> {
    let centres: Array2<f64> = normals(random, 5, width);
    Array2::from_shape_fn((count, width), |(i, j)| T::of(centres[[i % 5, j]] + 0.4 * random.normal()))
}

fn near_patterns<T: Real>(random: &mut Random, patterns: ArrayView2<'_, T>, rows: usize, noise: f64) -> Array2<T> {
    Array2::from_shape_fn((rows, patterns.ncols()), |(i, j)| {
        patterns[[(i * 37) % patterns.nrows(), j]] + T::of(noise * random.normal())
    })
}

fn settings(stop: Stop) -> Settings {
    Settings { stop, trace: true, blend_floor: 0.0, ..Settings::default() }
}

#[track_caller]
fn close<T: Real>(a: &[T], b: &[T], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let size = b.iter().fold(1.0, |m: f64, v| m.max(v.wide().abs()));
    for (a, b) in a.iter().zip(b) {
        let same = a == b || (a.wide() - b.wide()).abs() <= tolerance * size;
        assert!(same, "{what}: {a} and {b}");
    }
}

fn follows_the_plain_path<T: Real>(tolerance: f64) {
    let mut random = Random::new(21);
    for (count, width) in [(1, 4), (7, 3), (90, 16), (1500, 12)] {
        let patterns: Array2<T> = clustered(&mut random, count, width);
        let queries = near_patterns(&mut random, patterns.view(), 13, 0.3);
        for (omega, psi) in SPARSE.iter().chain(&DENSE).flat_map(|o| POSTS.iter().map(move |p| (*o, *p))) {
            if omega == "subsets:3" && count < 3 {
                continue;
            }
            let network = Network::from_text(omega, psi, 0.7, patterns.view()).expect("a network");
            for steps in [1, 3] {
                let retriever = Retriever::new(&network).and_then(|r| r.with_settings(settings(Stop::Steps(steps))));
                let found = retriever.expect("sound settings").retrieve(queries.view());
                let Ok(found) = found else {
                    // Unbounded weights can leave the range of the type: on the plain path as well.
                    let faulty = queries.rows().into_iter().any(|q| network.trajectory(&q.to_vec(), steps).is_err());
                    assert!(faulty, "{omega} with {psi}: {found:?}");
                    continue;
                };
                for (q, (query, report)) in queries.rows().into_iter().zip(&found.reports).enumerate() {
                    let what = format!("{omega} with {psi}, {count} x {width}, query {q}, {steps} steps");
                    let path = network.trajectory(query.as_slice().expect("a row"), steps).expect("a path");
                    close(found.states.row(q).as_slice().expect("a row"), path.state(), tolerance, &what);
                    let last = path.steps.last().expect("a step");
                    let mut weights = vec![T::zero(); count];
                    report.support.iter().for_each(|(i, w)| weights[i] = w);
                    close(&weights, &last.weights, tolerance, &what);
                    let energies = path.energies.expect("an energy");
                    close(report.trace.as_ref().expect("a trace"), &energies, tolerance, &what);
                    assert_eq!(report.energy, report.trace.as_ref().and_then(|t| t.last().copied()), "{what}");
                    assert_eq!((report.steps, report.stopped), (steps, Stopped::Steps), "{what}");
                }
            }
        }
    }
}

#[test]
fn every_pair_follows_the_plain_path() {
    follows_the_plain_path::<f64>(1e-9);
}
