//! The default rule of stopping, and how far the states are from where they were going.

use hfy::retrieval::{Retrieval, Retriever, Settings, Status, Stop, Stopped};
use hfy::{AnyNetwork, Network, Real};
use ndarray::{Array2, array};

use crate::common::draw::Draw;

fn found<T: Real>(network: &AnyNetwork<'_, T>, stop: Option<Stop>, queries: &Array2<T>) -> Retrieval<T> {
    let settings = stop.map_or_else(Settings::default, |stop| Settings { stop, ..Settings::default() });
    let retriever = Retriever::new(network).and_then(|retriever| retriever.with_settings(settings)).expect("sound");
    retriever.retrieve(queries.view()).expect("sound queries")
}

fn normals<T: Real>(draw: &mut Draw, rows: usize, size: f64) -> Array2<T> {
    Array2::from_shape_fn((rows, 8), |_| T::of(size * draw.normal()))
}

fn length<T: Real>(row: ndarray::ArrayView1<'_, T>) -> f64 {
    row.iter().map(|v| v.wide().powi(2)).sum::<f64>().sqrt()
}

/// A map that gives weight to every pattern: to 1e-5 of the state's length, in `f32` to 1024 roundings.
fn dense<T: Real>(tolerance: f64) {
    let mut draw = Draw(5);
    for omega in ["softmax", "entmax:1"] {
        let (patterns, queries) = (normals::<T>(&mut draw, 40, 1.0), normals::<T>(&mut draw, 60, 1.0));
        let network = Network::from_text(omega, "identity", 0.5, patterns.view()).expect("a network");
        let by_default = found(&network, None, &queries);
        assert_eq!(by_default.stop, Stop::Relative { tolerance, limit: 100 });
        let exact = found(&network, Some(Stop::FixedPoint { limit: 5000 }), &queries);
        for (q, (report, exact_report)) in by_default.reports.iter().zip(&exact.reports).enumerate() {
            assert!(matches!(report.stopped, Stopped::Residual | Stopped::FixedPoint), "{report:?}");
            let size = length(by_default.states.row(q));
            assert!(report.residual.wide() <= tolerance * size, "{report:?}");
            assert!(report.steps <= exact_report.steps);
            // Near the end as well as still: these steps shrink by more than a tenth each.
            let apart = &by_default.states.row(q) - &exact.states.row(q);
            assert!(length(apart.view()) <= 20.0 * tolerance * size.max(1.0), "query {q}: {apart}");
        }
        // The same at any size of the patterns.
        for scale in [1e-6, 1e6] {
            let scaled = |rows: &Array2<T>| rows.mapv(|v| v * T::of(scale));
            let small = scaled(&patterns);
            let network = Network::from_text(omega, "identity", 0.5 / scale / scale, small.view()).expect("a network");
            let again = found(&network, None, &scaled(&queries));
            for (a, b) in again.reports.iter().zip(&by_default.reports) {
                assert!(a.steps.abs_diff(b.steps) <= 1 && a.stopped != Stopped::Limit, "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn states_of_dense_maps_stop_where_they_hardly_move() {
    dense::<f64>(1e-5);
    dense::<f32>(1024.0 * f64::from(f32::EPSILON));
}

#[test]
fn sparse_maps_stop_at_exact_fixed_points() {
    let mut draw = Draw(6);
    let (patterns, queries) = (normals::<f64>(&mut draw, 30, 1.0), normals::<f64>(&mut draw, 50, 1.0));
    for omega in ["sparsemax", "entmax:1.5", "normmax:2", "subsets:2", "sequence:2:t=0.5"] {
        let network = Network::from_text(omega, "identity", 8.0, patterns.view()).expect("a network");
        let by_default = found(&network, None, &queries);
        assert_eq!(by_default.stop, Stop::FixedPoint { limit: 100 }, "{omega}");
        assert_eq!(by_default, found(&network, Some(Stop::FixedPoint { limit: 100 }), &queries));
        let exact = by_default.reports.iter().filter(|report| report.residual == 0.0).count();
        assert!(exact > 40, "{omega}: {exact} of 50");
    }
}

#[test]
fn a_tolerance_of_zero_asks_for_exact_fixed_points() {
    let mut draw = Draw(7);
    let (patterns, queries) = (normals::<f32>(&mut draw, 20, 1.0), normals::<f32>(&mut draw, 30, 1.0));
    let network = Network::from_text("softmax", "tanh", 1.0, patterns.view()).expect("a network");
    let exact = found(&network, Some(Stop::FixedPoint { limit: 400 }), &queries);
    for stop in [Stop::Relative { tolerance: 0.0, limit: 400 }, Stop::Residual { tolerance: 0.0, limit: 400 }] {
        let same = found(&network, Some(stop), &queries);
        assert_eq!(same.states, exact.states);
        let steps = |retrieval: &Retrieval<f32>| retrieval.reports.iter().map(|r| r.steps).collect::<Vec<_>>();
        assert_eq!(steps(&same), steps(&exact));
    }
}

/// At the edge of a basin a softmax network creeps: exact fixed points are far off, the default is not.
#[test]
fn slow_queries_do_not_run_into_the_limit() {
    let mut draw = Draw(8);
    let patterns = Array2::from_shape_fn((300, 8), |_| draw.normal());
    let queries = normals::<f64>(&mut draw, 200, 1.0);
    let network = Network::from_text("softmax", "identity", 0.5, patterns.view()).expect("a network");
    let limited = |retrieval: &Retrieval<f64>| {
        retrieval.reports.iter().filter(|report| report.status == Status::StepLimit).count()
    };
    let (exact, by_default) = (
        limited(&found(&network, Some(Stop::FixedPoint { limit: 100 }), &queries)),
        limited(&found(&network, None, &queries)),
    );
    println!("at the limit: {exact} of 200 to the last bit, {by_default} by default");
    assert!(exact > 80 && by_default * 5 <= exact, "{exact} and {by_default}");
}

#[test]
fn the_rule_is_named() {
    let relative = Stop::Relative { tolerance: 1e-5, limit: 7 };
    let text = "where a step moves the state by at most 1.0e-5 of its length, at most 7 steps";
    assert_eq!(relative.to_string(), text);
    let auto = "at a fixed point or where the state hardly moves, at most 7 steps";
    assert_eq!((Stop::Auto { limit: 7 }.to_string(), Stop::Auto { limit: 7 }.limit()), (auto.to_owned(), 7));
    let error = Settings { stop: Stop::Relative { tolerance: -1.0, limit: 3 }, ..Settings::default() }.validate();
    assert!(error.unwrap_err().to_string().starts_with("tolerance = -1: "));
    assert!(Settings { stop: Stop::Auto { limit: 0 }, ..Settings::default() }.validate().is_err());
    // A state that cannot be the next query takes one step, whatever the settings.
    let network = Network::from_text("softmax", "identity", 1.0, array![[1.0, 2.0]]).expect("a network");
    let network = network.with_values(array![[1.0, 2.0, 3.0]]).expect("one value a key");
    assert_eq!(Retriever::new(&network).expect("a retriever").stop(), Stop::Steps(1));
}
