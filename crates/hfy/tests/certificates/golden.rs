//! Certificates against the golden file, at the edges, and under misuse.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::common::golden::{Case, agree, family};
use hfy::certify::Sphere;
use hfy::{Bounded, Certifier, Convex, Entmax, Error, Map, Margin, Normmax, Real, Scaled, Separation, Subsets};
use ndarray::{Array2, ArrayView2, array};

fn matrix<T: Real>(case: &Case) -> Array2<T> {
    let rows = case.0["X"].as_array().expect("X is an array");
    let entry = |i: usize, j: usize| T::of(rows[i][j].as_f64().expect("X holds numbers"));
    Array2::from_shape_fn((rows.len(), rows[0].as_array().expect("rows are arrays").len()), |(i, j)| entry(i, j))
}

fn named(case: &Case) -> (Map, f64) {
    let omega = &case.0["omega"];
    let number = |field: &str| omega[field].as_f64().unwrap_or_else(|| panic!("{}: no {field}", case.id()));
    let map = match omega["kind"].as_str().expect("omega has a kind") {
        "entmax" => Map::Entmax(Entmax::new(number("alpha")).unwrap()),
        "normmax" => Map::Normmax(Normmax::new(number("gamma")).unwrap()),
        "ksubsets" => Map::Subsets(Subsets::new(number("k")).unwrap()),
        other => panic!("{}: unknown map {other}", case.id()),
    };
    (map, number("beta"))
}

fn flags(case: &Case, field: &str) -> Vec<bool> {
    case.0[field].as_array().expect(field).iter().map(|v| v.as_bool().expect("a flag")).collect()
}

/// The weights that one step gives.
fn weights<T: Real>(patterns: ArrayView2<T>, map: &Map, beta: f64, state: &[T]) -> Vec<T> {
    let mut scores: Vec<T> =
        patterns.rows().into_iter().map(|x| x.iter().zip(state).map(|(&a, &b)| a * b).sum()).collect();
    Scaled::with_beta(map.clone(), beta).unwrap().argmax(&mut scores).unwrap();
    scores
}

fn stationary<T: Real>(case: &Case, tolerance: f64) {
    let id = case.id();
    let (patterns, (map, beta)) = (matrix::<T>(case), named(case));
    agree(id, "margin", Separation::<T>::margin(&map).unwrap(), case.number("margin"), 0.0, 1.0);
    let certifier = Certifier::new(patterns.view(), &map, beta).expect(id);
    let (deltas, fixed) = (case.need::<f64>("delta"), flags(case, "is_stationary"));
    for (i, certificate) in certifier.certificates().expect(id).into_iter().enumerate() {
        agree(id, "delta", certificate.separation, deltas[i], tolerance, deltas[i].abs());
        assert_eq!(certificate.fixed_point, fixed[i], "{}: pattern {i}", id);
        assert_eq!(certificate.radius_sharp > 0.0, fixed[i], "{}: pattern {i}", id);
        let y = weights(patterns.view(), &map, beta, patterns.row(i).as_slice().unwrap());
        let one_hot = y.iter().enumerate().all(|(j, &y)| y == if i == j { T::one() } else { T::zero() });
        assert_eq!(one_hot, fixed[i], "{}: pattern {i}: {y:?}", id);
        let guarantee = certifier.guarantee(patterns.row(i).as_slice().unwrap()).unwrap();
        assert_eq!(guarantee.pattern(), fixed[i].then_some(i), "{}: {guarantee:?}", id);
    }
}

fn associations(case: &Case) {
    let id = case.id();
    let (patterns, (map, beta)) = (matrix::<f64>(case), named(case));
    let certifier = Certifier::new(patterns.view(), &map, beta).expect(id);
    let (deltas, squares) = (case.need::<f64>("delta"), case.need::<f64>("d_sq"));
    let (sufficient, fixed) = (flags(case, "sufficient"), flags(case, "is_stationary"));
    for (v, vertex) in case.0["vertices"].as_array().expect("vertices").iter().enumerate() {
        let vertex: Vec<f64> = vertex.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        let members: Vec<usize> = (0..vertex.len()).filter(|&i| vertex[i] == 1.0).collect();
        let found = certifier.association(&members).expect(id);
        agree(id, "delta", found.separation, deltas[v], 1e-13, deltas[v].abs());
        assert_eq!(found.distance_squared, squares[v], "{}", id);
        assert_eq!((found.sufficient, found.fixed_point), (sufficient[v], fixed[v]), "{}: {members:?}", id);
        assert!(found.radius_paper <= found.radius_sharp && (found.radius_paper > 0.0) <= found.sufficient);
        let state: Vec<f64> = patterns.t().dot(&ndarray::aview1(&vertex)).to_vec();
        assert_eq!(weights(patterns.view(), &map, beta, &state) == vertex, fixed[v], "{}: {members:?}", id);
        let guarantee = certifier.guarantee(&state).unwrap();
        assert_eq!(guarantee.exact && guarantee.best == members, fixed[v], "{}: {members:?}", id);
    }
}

#[test]
fn golden_retrieval() {
    let counts = RefCell::new(BTreeMap::<String, usize>::new());
    family("retrieval", |case| {
        let tag = case.0["tag"].as_str().expect("every case has a tag");
        match tag {
            "stationary" => {
                stationary::<f64>(case, 1e-13);
                // Rounded to single precision the patterns are others; no golden pattern is that near the boundary.
                stationary::<f32>(case, 1e-5);
            }
            "ksubsets_stationary" => associations(case),
            other => panic!("{}: unknown tag {other}", case.id()),
        }
        *counts.borrow_mut().entry(tag.to_owned()).or_default() += 1;
        true
    });
    println!("golden retrieval by tag: {:?}", counts.borrow());
    assert_eq!(counts.borrow().len(), 2, "both tags must occur");
}

fn edges<T: Real>() {
    let of = |x: f64| T::of(x);
    let one = array![[of(1.0), of(2.0)]];
    let alone = Certifier::new(one.view(), &Entmax::SPARSEMAX, 1.0).unwrap();
    let certificate = alone.certificates().unwrap()[0];
    assert!(certificate.fixed_point && certificate.rival.is_none());
    assert_eq!([certificate.separation, certificate.radius_paper, certificate.radius_sharp], [f64::INFINITY; 3]);
    assert_eq!(alone.guarantee(&[of(-5.0), of(0.0)]).unwrap().pattern(), Some(0));
    assert_eq!(alone.summary(&[certificate], 0.0, 0.5).unwrap().fixed_points, 1.0);

    // Twins cannot be told apart by any map, argmax included; the third pattern can.
    let twins = array![[of(1.0), of(3.0)], [of(1.0), of(3.0)], [of(3.0), of(-1.0)]];
    for map in [Entmax::SPARSEMAX, Entmax::ARGMAX] {
        let certifier = Certifier::new(twins.view(), &map, 1e3).unwrap();
        let found = certifier.certificates().unwrap();
        for (i, rival) in [(0, 1), (1, 0)] {
            assert_eq!((found[i].separation, found[i].rival, found[i].fixed_point), (0.0, Some(rival), false));
            assert_eq!((found[i].radius_paper, found[i].radius_sharp, found[i].boundary), (0.0, 0.0, None));
        }
        assert!(found[2].fixed_point && found[2].radius_sharp > 0.0 && found[2].rival == Some(0));
        let curve = certifier.curve(&found);
        assert_eq!(curve.smallest_beta(1.0).unwrap(), None);
        assert!(curve.smallest_beta(0.33).unwrap().is_some());
        assert_eq!(certifier.summary(&found, 0.0, 0.5).unwrap().inseparable, 2);
    }

    // On a line: sharp radii by hand. 4·(4 - 1) - 1 over 3, and for 1 nothing, since 4 outdoes it.
    let line = array![[of(4.0)], [of(1.0)], [of(-2.0)]];
    let found = Certifier::new(line.view(), &Entmax::SPARSEMAX, 1.0).unwrap().certificates().unwrap();
    for (c, (separation, radius)) in found.iter().zip([(12.0, 11.0 / 3.0), (-3.0, 0.0), (6.0, 5.0 / 3.0)]) {
        assert_eq!(c.separation, separation);
        assert!((c.radius_sharp - radius).abs() <= 400.0 * T::epsilon().wide() && c.radius_sharp <= radius);
    }
    let zeros = Array2::from_elem((3, 2), of(0.0));
    assert!(
        !Certifier::new(zeros.view(), &Normmax::new(5.0).unwrap(), 1.0).unwrap().certificates().unwrap()[0].fixed_point
    );
}

#[test]
fn single_patterns_twins_and_lines() {
    edges::<f32>();
    edges::<f64>();
}

/// At a lead of exactly the margin, and a little below it.
fn boundary<T: Real>() {
    let maps = ["sparsemax", "entmax:1.5", "entmax:3", "entmax:1.3", "entmax:1.77", "normmax:2", "normmax:5"];
    for map in maps.map(|name| name.parse::<Map>().unwrap()) {
        let margin = Margin::of(&map).unwrap().lead();
        let stated: T = map.margin().unwrap();
        assert!(margin >= stated && (margin - stated) / stated <= T::of(8.0) * T::epsilon(), "{map}");
        let patterns = array![[T::one()], [T::zero()]];
        let certifier = Certifier::new(patterns.view(), &map, 1.0).unwrap();
        for (lead, fixed) in [(margin, true), (stated * (T::one() - T::of(16.0) * T::epsilon()), false)] {
            let guarantee = certifier.guarantee_of(&[lead, T::zero()]).unwrap();
            assert_eq!(guarantee.exact, fixed, "{map} at {lead}: {guarantee:?}");
            let mut y = [lead, T::zero()];
            map.argmax(&mut y).unwrap();
            assert_eq!(y == [T::one(), T::zero()], fixed, "{map} at {lead}: {y:?}");
        }
    }
}

#[test]
fn the_boundary_itself() {
    boundary::<f32>();
    boundary::<f64>();
}

#[test]
fn misuse_is_named() {
    let patterns = array![[1.0, 2.0], [0.5, -1.0]];
    let message = |map: &Map, beta: f64| Certifier::new(patterns.view(), map, beta).unwrap_err().to_string();
    for name in ["softmax", "quadratic", "exponential", "power:3"] {
        assert!(message(&name.parse().unwrap(), 1.0).contains("has no margin"), "{name}");
    }
    let sparsemax = Map::Entmax(Entmax::SPARSEMAX);
    for beta in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
        assert!(message(&sparsemax, beta).contains("beta"), "{beta}");
    }
    assert!(message(&Map::Subsets(Subsets::new(1.5).unwrap()), 1.0).contains("whole number"));
    assert!(matches!(
        Certifier::new(patterns.view(), &Bounded::new(vec![1.0, 0.5, 0.2]).unwrap(), 1.0).unwrap_err(),
        Error::Unsupported { .. }
    ));
    let single = array![[1.0f32], [2.0]];
    assert!(Certifier::new(single.view(), &Entmax::SPARSEMAX, 1e39).is_err());

    for bad in [f64::NAN, f64::INFINITY, 1e200] {
        let spoiled = array![[1.0, 2.0], [3.0, bad]];
        let error = Certifier::new(spoiled.view(), &Entmax::SPARSEMAX, 1.0).unwrap_err();
        assert!(matches!(error, Error::Entry { argument: "patterns", row: Some(1), index: 1, .. }), "{error}");
    }
    for empty in [Array2::<f64>::zeros((0, 2)), Array2::zeros((2, 0))] {
        assert!(matches!(Certifier::new(empty.view(), &Entmax::SPARSEMAX, 1.0), Err(Error::Shape { .. })));
    }
    let certifier = Certifier::new(patterns.view(), &Entmax::SPARSEMAX, 1.0).unwrap();
    assert!(certifier.guarantee(&[1.0]).is_err() && certifier.guarantee_of(&[1.0, f64::NAN]).is_err());
    assert!(certifier.association(&[2]).is_err() && certifier.association(&[0, 1]).is_err());
    assert!(certifier.summary(&[], 0.0, 0.1).is_err());
    let curve = certifier.curve(&certifier.certificates().unwrap());
    assert!(curve.smallest_beta(0.0).is_err() && curve.smallest_beta(1.1).is_err() && curve.share(-1.0).is_err());
    let [two, three] = [2.0, 3.0].map(|k| Subsets::new(k).unwrap());
    let pairs = Certifier::new(patterns.view(), &two, 1.0).unwrap();
    assert!(pairs.certificates().is_err() && pairs.association(&[1, 1]).is_err());
    assert!(pairs.association(&[1, 0]).unwrap().fixed_point);
    let triples = Certifier::new(patterns.view(), &three, 1.0).unwrap();
    assert!(triples.guarantee(&[1.0, 1.0]).is_err() && triples.association(&[0, 1, 2]).is_err());
    assert!(Margin::new(0.0, 1).is_err() && Margin::new(1.0, 0).is_err());
}

#[test]
fn progress_rises_and_interrupts() {
    let patterns = Array2::from_shape_fn((40, 3), |(i, j)| ((7 * i + 3 * j) % 11) as f64);
    let certifier = Certifier::new(patterns.view(), &Entmax::SPARSEMAX, 1.0).unwrap().tile(8, 16);
    let heard = Mutex::new(Vec::new());
    let listen = |done, total| {
        heard.lock().unwrap().push((done, total));
        ControlFlow::Continue(())
    };
    let found = certifier.certificates_with(&listen).unwrap();
    assert_eq!(*heard.lock().unwrap(), [(8, 40), (16, 40), (24, 40), (32, 40), (40, 40)]);
    assert!(found.iter().enumerate().all(|(i, c)| c.pattern == i));
    let stop = |done, _| if done >= 16 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let error = certifier.certificates_with(&stop).unwrap_err();
    assert_eq!(error, Error::Interrupted { done: 16, total: 40 });
}

#[test]
fn capacities() {
    for sphere in [Sphere::new(2, 1.0, 1.0, 0.0), Sphere::new(0, 1.0, 1.0, 1.0), Sphere::new(2, f64::NAN, 1.0, 1.0)] {
        assert!(sphere.is_err());
    }
    let sphere = Sphere::new(3, 4.0, 2.0, 1.0).unwrap();
    assert!(
        sphere.capacity(-0.1, 0.5).is_err() && sphere.capacity(0.1, 0.0).is_err() && sphere.capacity(0.1, 1.0).is_err()
    );
    let capacity = sphere.capacity(0.5, 0.5).unwrap();
    // √(9π/8) (4/3)^(3/2), ε ≤ 1 - 1/4; κ_2 = 1/4, 1 - cos = 2/16 + 1/4.
    assert!(
        (capacity.optimal.log_patterns.unwrap()
            - ((1.125 * std::f64::consts::PI).sqrt() * (4f64 / 3.0).powf(1.5)).ln())
        .abs()
            < 1e-14
    );
    assert_eq!(capacity.optimal.epsilon_limit, 0.75);
    let angle = 0.625f64.acos();
    assert!((capacity.least_angle.unwrap() - angle).abs() < 1e-14);
    assert!((capacity.random.log_patterns.unwrap() - (2.0 / angle).ln()).abs() < 1e-14);
    // Beyond the limits each says which condition fails.
    let beyond = sphere.capacity(0.8, 0.5).unwrap();
    assert_eq!(beyond.optimal.conditions.iter().map(|c| c.holds).collect::<Vec<_>>(), [true, true, false]);
    assert!(beyond.optimal.log_patterns.is_none() && beyond.random.log_patterns.is_none());
    assert!((sphere.capacity(beyond.random.epsilon_limit - 1e-9, 0.5).unwrap()).random.log_patterns.is_some());
    // Nothing overflows, and nothing is lost where the margin is tiny.
    let vast = Sphere::new(10_000_000, 1e3, 1.0, 1e6).unwrap().capacity(0.0, 1e-300).unwrap();
    assert!(vast.optimal.log_patterns.unwrap().is_finite() && vast.random.log_patterns.unwrap() > 6e7);
}

#[cfg(feature = "serde")]
#[test]
fn certificates_are_written() {
    let patterns = array![[3.0, 0.0], [0.0, 3.0]];
    let certifier = Certifier::new(patterns.view(), &Entmax::SPARSEMAX, 0.5).unwrap();
    let found = certifier.certificates().unwrap();
    let json = serde_json::to_value(found[1]).unwrap();
    assert_eq!((&json["separation"], &json["rival"]), (&9.0.into(), &0.into()));
    let json = serde_json::to_value(certifier.summary(&found, 0.1, 0.01).unwrap()).unwrap();
    assert_eq!((&json["fixed_points"], &json["smallest_beta"][0]["share"]), (&1.0.into(), &0.5.into()));
    assert_eq!(json["capacity"]["optimal"]["conditions"][1]["holds"], true);
    assert!(serde_json::to_value(certifier.guarantee(&[1.0, 0.0]).unwrap()).unwrap()["slack"].is_number());
}
