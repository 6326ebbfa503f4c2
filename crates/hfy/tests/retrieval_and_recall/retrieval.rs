//! The retrieval engine against the plain path: tiles, parts and bounds may skip only what has no weight.

use crate::common::random::Random;
use hfy::retrieval::{Engine, Index, Retriever};
use hfy::{Map, Network, Real, Scaled, Separation, Support};
use ndarray::{Array2, ArrayView2};

const MAPS: [&str; 6] = ["sparsemax", "entmax:1.5", "entmax:1.3", "normmax:5", "subsets:3", "argmax"];

/// Patterns around a few centres, so that principal directions say much about them.
fn clustered<T: Real>(random: &mut Random, count: usize, width: usize, spread: f64) -> Array2<T> {
    let centres = Array2::from_shape_simple_fn((5, width), || random.normal());
    Array2::from_shape_fn((count, width), |(i, j)| T::of(centres[[i % 5, j]] + spread * random.normal()))
}

/// The weights by the definition: every score in double precision, then the map.
fn plain<T: Real>(map: &Map, beta: f64, patterns: ArrayView2<'_, T>, query: &[T]) -> Support<T> {
    let score = |row: ndarray::ArrayView1<'_, T>| row.iter().zip(query).map(|(x, q)| x.wide() * q.wide()).sum::<f64>();
    let scores: Vec<T> = patterns.rows().into_iter().map(|row| T::of(beta * score(row))).collect();
    let mut support = Support::default();
    map.support(&scores, &mut support).expect("scores are finite");
    support
}

fn agrees_with_the_definition<T: Real>(tolerance: f64) {
    let mut random = Random::new(11);
    for (count, width, spread) in [(1, 3, 1.0), (40, 7, 1.0), (3000, 24, 0.3), (2500, 40, 1.5)] {
        let patterns: Array2<T> = clustered(&mut random, count, width, spread);
        let queries = Array2::from_shape_fn((17, width), |(i, j)| {
            patterns[[(i * 131) % count, j]] + T::of(0.2 * random.normal())
        });
        let engine = Engine::new(patterns.view()).expect("patterns are finite");
        for name in MAPS {
            let map: Map = name.parse().expect("the name of a map");
            if name == "subsets:3" && count < 3 {
                continue;
            }
            for beta in [0.05, 1.0, 20.0] {
                let found = engine.supports(&map, beta, queries.view()).expect("queries are finite");
                for (query, found) in queries.rows().into_iter().zip(&found) {
                    let plain = plain(&map, beta, patterns.view(), query.as_slice().expect("rows are contiguous"));
                    assert_eq!(found.indices(), plain.indices(), "{name}, beta {beta}, {count} x {width}");
                    for (a, b) in found.weights().iter().zip(plain.weights()) {
                        let apart = (a.wide() - b.wide()).abs();
                        assert!(apart <= tolerance, "{name}, beta {beta}, {count} x {width}: {a} and {b}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_engine_agrees_with_the_definition() {
    // Both sides score in double precision; sums in another order differ by rounding, which beta amplifies.
    agrees_with_the_definition::<f64>(1e-11);
}

#[test]
fn the_engine_agrees_with_the_definition_in_single_precision() {
    agrees_with_the_definition::<f32>(2e-3);
}

#[test]
fn an_index_changes_no_bit() {
    let mut random = Random::new(12);
    for spread in [0.05, 0.5, 3.0] {
        let patterns: Array2<f32> = clustered(&mut random, 4000, 48, spread);
        let queries: Array2<f32> = clustered(&mut random, 50, 48, spread);
        let full = Engine::new(patterns.view()).expect("patterns are finite");
        let index = Index::build(patterns.view(), 8).expect("an index");
        let indexed = Engine::new(patterns.view()).and_then(|e| e.with_index(index)).expect("the index fits");
        for name in MAPS {
            let map: Map = name.parse().expect("the name of a map");
            for beta in [0.1, 2.0] {
                let a = full.supports(&map, beta, queries.view()).expect("queries are finite");
                let b = indexed.supports(&map, beta, queries.view()).expect("queries are finite");
                assert_eq!(a, b, "{name}, beta {beta}, spread {spread}");
            }
        }
    }
}

#[test]
fn retrievers_share_an_index() {
    let mut random = Random::new(14);
    let patterns: Array2<f64> = clustered(&mut random, 600, 24, 0.5);
    let queries: Array2<f64> = clustered(&mut random, 20, 24, 0.5);
    let index = std::sync::Arc::new(Index::build(patterns.view(), 6).expect("an index"));
    for beta in [0.5, 2.0] {
        let network = Network::sparse(beta, patterns.view()).expect("a network");
        let plain = Retriever::new(&network).and_then(|r| r.retrieve(queries.view())).expect("finite");
        let shared = Retriever::new(&network).and_then(|r| r.with_built_index(index.clone())).expect("it fits");
        assert_eq!(shared.retrieve(queries.view()).expect("finite"), plain);
    }
    let dense = Network::modern(1.0, patterns.view()).expect("a network");
    let refused = Retriever::new(&dense).and_then(|r| r.with_built_index(index)).expect_err("no reach");
    assert!(refused.to_string().contains("a support of finite reach"));
}

#[test]
fn a_temperature_may_sit_in_the_map() {
    let mut random = Random::new(13);
    let patterns: Array2<f64> = clustered(&mut random, 500, 12, 0.5);
    let queries: Array2<f64> = clustered(&mut random, 9, 12, 0.5);
    let engine = Engine::new(patterns.view()).expect("patterns are finite");
    let map: Map = "entmax:1.5".parse().expect("the name of a map");
    let warm = Scaled::with_beta(map.clone(), 3.0).expect("a temperature");
    let (a, b) = (engine.supports(&map, 3.0, queries.view()), engine.supports(&warm, 1.0, queries.view()));
    for (a, b) in a.expect("finite").iter().zip(&b.expect("finite")) {
        assert_eq!(a.indices(), b.indices());
        a.weights().iter().zip(b.weights()).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
    }
}

#[test]
fn misuse_is_named() {
    let patterns = Array2::from_elem((4, 3), 0.5);
    let engine = Engine::new(patterns.view()).expect("patterns are finite");
    let message = |map: &str, beta: f64, queries: Array2<f64>| {
        let map: Map = map.parse().expect("the name of a map");
        engine.supports(&map, beta, queries.view()).expect_err("this is misuse").to_string()
    };
    assert!(message("sparsemax", 1.0, Array2::zeros((2, 4))).contains("queries has shape [2, 4]"));
    assert!(message("sparsemax", -1.0, Array2::zeros((2, 3))).contains("beta = -1"));
    assert!(message("softmax", 1.0, Array2::zeros((2, 3))).contains("finite reach"));
    let mut broken = Array2::zeros((2, 3));
    broken[[1, 2]] = f64::NAN;
    assert!(message("sparsemax", 1.0, broken.clone()).contains("queries[2] = NaN in row 1"));
    assert!(Engine::new(broken.view()).expect_err("NaN").to_string().contains("patterns[2] = NaN in row 1"));
    assert!(Engine::new(Array2::<f64>::zeros((0, 3)).view()).is_err());
    assert!(Index::build(patterns.view(), 3).expect_err("too many").to_string().contains("rank = 3"));
    let other = Index::build(Array2::from_elem((5, 3), 1.0).view(), 1).expect("an index");
    let engine = Engine::new(patterns.view()).expect("patterns are finite");
    assert!(engine.with_index(other).expect_err("another size").to_string().contains("index has shape [5, 3]"));
}
