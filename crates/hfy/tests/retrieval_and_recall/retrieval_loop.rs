//! The retriever against the plain path: the same states, weights and energies, whatever it skips.

use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::common::random::Random;
use crate::common::says;
use hfy::network::AnyNetwork;
use hfy::post::Identity;
use hfy::retrieval::{MatchRule, Retrieval, Retriever, Settings, Status, Stop, Stopped};
use hfy::{Error, Network, Real};
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

/// In single precision a path may leave another at a kink; one step does not get far.
#[test]
fn one_step_follows_the_plain_path_in_single_precision() {
    let mut random = Random::new(22);
    let patterns: Array2<f32> = clustered(&mut random, 700, 20);
    let queries = near_patterns(&mut random, patterns.view(), 30, 0.3);
    for omega in SPARSE.iter().chain(&DENSE) {
        let network = Network::from_text(omega, "l2:2", 0.3, patterns.view()).expect("a network");
        let found = run(&network, settings(Stop::Steps(1)), &queries);
        for (q, query) in queries.rows().into_iter().enumerate() {
            let plain = network.step(&query.to_vec()).expect("a step").state;
            close(&found.states.row(q).to_vec(), &plain, 2e-4, &format!("{omega}, query {q}"));
        }
    }
}

fn run<T: Real>(network: &AnyNetwork<'_, T>, settings: Settings, queries: &Array2<T>) -> Retrieval<T> {
    let retriever = Retriever::new(network).and_then(|r| r.with_settings(settings)).expect("sound settings");
    retriever.retrieve(queries.view()).expect("queries are sound")
}

#[test]
fn an_index_changes_no_bit_of_a_retrieval() {
    let mut random = Random::new(23);
    for (count, width, rank) in [(3000, 40, 12), (1500, 30, 1), (2600, 24, 23), (5, 8, 3)] {
        let patterns: Array2<f32> = clustered(&mut random, count, width);
        let queries = near_patterns(&mut random, patterns.view(), 300, 0.5);
        for omega in SPARSE {
            for (beta, stop) in [(0.2, Stop::Steps(3)), (2.0, Stop::FixedPoint { limit: 20 })] {
                let network = Network::from_text(omega, "identity", beta, patterns.view()).expect("a network");
                let settings = settings(stop);
                let plain = run(&network, settings.clone(), &queries);
                let indexed = Retriever::new(&network).and_then(|r| r.with_settings(settings)?.with_index(rank));
                let indexed = indexed.expect("an index").retrieve(queries.view()).expect("queries are sound");
                assert_eq!(plain, indexed, "{omega}, beta {beta}, {count} x {width}, {rank} directions");
            }
        }
    }
}

#[test]
fn a_batch_gives_what_its_queries_give_alone() {
    let mut random = Random::new(24);
    let patterns: Array2<f64> = clustered(&mut random, 400, 10);
    // More than one batch, with queries that repeat and that are patterns.
    let mut queries = near_patterns(&mut random, patterns.view(), 1100, 0.4);
    for i in 0..50 {
        let copy = queries.row(i).to_owned();
        queries.row_mut(1000 + i).assign(&copy);
        queries.row_mut(500 + i).assign(&patterns.row(i));
    }
    for stop in [Stop::FixedPoint { limit: 30 }, Stop::Residual { tolerance: 1e-3, limit: 30 }, Stop::Steps(4)] {
        let network = Network::from_text("entmax:1.5", "identity", 1.5, patterns.view()).expect("a network");
        let together = run(&network, settings(stop), &queries);
        for q in (0..queries.nrows()).step_by(7).chain(1000..1050) {
            let alone = run(&network, settings(stop), &queries.select(Axis(0), &[q]));
            assert_eq!(together.reports[q], alone.reports[0], "query {q}, {stop}");
            assert_eq!(together.states.row(q), alone.states.row(0), "query {q}, {stop}");
        }
        assert_eq!(together.reports[0], together.reports[1000]);
    }
}

/// Wide patterns, of which many queries are scored from the products of patterns with one another, and one is not.
#[test]
fn products_of_patterns_change_no_bit() {
    fn same<T: Real>(seed: u64) {
        let mut random = Random::new(seed);
        let patterns: Array2<T> = clustered(&mut random, 60, 300);
        let queries = near_patterns(&mut random, patterns.view(), 90, 0.8);
        for omega in SPARSE {
            for beta in [0.005, 0.02, 0.1] {
                let network = Network::from_text(omega, "identity", beta, patterns.view()).expect("a network");
                let many = run(&network, settings(Stop::FixedPoint { limit: 8 }), &queries);
                for q in 0..queries.nrows() {
                    let one = run(&network, settings(Stop::FixedPoint { limit: 8 }), &queries.select(Axis(0), &[q]));
                    assert_eq!(many.reports[q], one.reports[0], "{omega}, beta {beta}, query {q}");
                    assert_eq!(many.states.row(q), one.states.row(0), "{omega}, beta {beta}, query {q}");
                }
            }
        }
    }
    same::<f64>(31);
    same::<f32>(32);
}

#[test]
fn a_fixed_point_is_one() {
    let mut random = Random::new(25);
    let patterns: Array2<f64> = clustered(&mut random, 200, 8);
    let queries = near_patterns(&mut random, patterns.view(), 100, 0.5);
    for omega in SPARSE {
        let network = Network::from_text(omega, "identity", 1.0, patterns.view()).expect("a network");
        let found = run(&network, settings(Stop::FixedPoint { limit: 60 }), &queries);
        let again = run(&network, settings(Stop::Steps(1)), &found.states);
        for (q, report) in found.reports.iter().enumerate() {
            match report.stopped {
                Stopped::FixedPoint => {
                    assert_eq!(found.states.row(q), again.states.row(q), "{omega}, query {q}");
                    assert_eq!(report.support, again.reports[q].support, "{omega}, query {q}");
                    assert_eq!(report.residual, 0.0);
                    let trace = report.trace.as_ref().expect("a trace");
                    assert_eq!(trace.len(), report.steps + 1);
                    assert_eq!(trace[report.steps], trace[report.steps - 1]);
                }
                Stopped::Limit => assert_eq!((report.steps, &report.status), (60, &Status::StepLimit)),
                other => panic!("{other}"),
            }
        }
        assert!(found.reports.iter().any(|r| r.stopped == Stopped::FixedPoint), "{omega}");
    }
}

#[test]
fn the_residual_rule_stops_at_the_first_small_move() {
    let mut random = Random::new(26);
    let patterns: Array2<f64> = clustered(&mut random, 60, 6);
    let queries = near_patterns(&mut random, patterns.view(), 40, 0.5);
    let network = Network::from_text("softmax", "identity", 1.0, patterns.view()).expect("a network");
    let found = run(&network, settings(Stop::Residual { tolerance: 1e-2, limit: 50 }), &queries);
    for (query, report) in queries.rows().into_iter().zip(&found.reports) {
        let path = network.trajectory(&query.to_vec(), 50).expect("a path");
        let states: Vec<_> = path.states().collect();
        let moved = |pair: &[&[f64]]| pair[0].iter().zip(pair[1]).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let first = states.windows(2).position(|pair| moved(pair) <= 1e-2);
        assert_eq!(Some(report.steps), first.map(|i| i + 1));
        assert_eq!(report.stopped, Stopped::Residual);
        assert!((report.residual - moved(&states[report.steps - 1..=report.steps])).abs() < 1e-12);
    }
}

#[test]
fn statuses_say_what_was_found() {
    let corners = array![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    let status = |omega: &str, psi: &str, beta: f64, query: [f64; 3]| {
        let network = Network::from_text(omega, psi, beta, corners.view()).expect("a network");
        run(&network, Settings::default(), &array![query]).reports.remove(0).status
    };
    assert_eq!(status("sparsemax", "identity", 2.0, [0.9, 0.1, 0.0]), Status::Pattern(0));
    assert_eq!(status("sparsemax", "identity", 1.0, [0.5, 0.5, 0.0]), Status::Blend { size: 2 });
    assert_eq!(status("subsets:2", "identity", 4.0, [0.6, 0.5, 0.1]), Status::Association(vec![0, 1]));
    // Ties are shared.
    assert_eq!(status("argmax", "identity", 1.0, [0.5, 0.5, 0.0]), Status::Blend { size: 2 });
    // All weight of softmax rounds to one pattern, and the state is that pattern.
    assert_eq!(status("softmax", "identity", 2000.0, [0.0, 0.9, 0.1]), Status::Pattern(1));
    assert_eq!(status("softmax", "identity", 0.1, [0.0, 0.9, 0.1]), Status::Blend { size: 4 });
    // The weights of a classic memory are no distribution: what counts is the state.
    assert_eq!(status("quadratic", "sign", 1.0, [0.0, 0.0, -0.5]), Status::Pattern(3));
    assert_eq!(status("quadratic", "sign", 1.0, [0.4, 0.0, -0.5]), Status::Blend { size: 3 });
    // Nothing has weight.
    assert_eq!(status("quadratic", "identity", 1.0, [0.0; 3]), Status::Blend { size: 0 });
    // All four tie, and their mean is nearest to two of them.
    assert_eq!(status("argmax", "identity", 1.0, [0.0; 3]), Status::Blend { size: 2 });
}

#[test]
fn weights_below_the_floor_do_not_count() {
    let network = Network::from_text("softmax", "identity", 1.0, array![[4.0], [3.0], [-4.0]]).expect("a network");
    let sizes = [0.0, 0.01, 0.3, 0.9].map(|blend_floor| {
        let settings = Settings { stop: Stop::Steps(1), blend_floor, ..Settings::default() };
        let report = run(&network, settings, &array![[1.0]]).reports.remove(0);
        assert!(report.support.weights().iter().all(|&w| w > blend_floor));
        assert_eq!(report.status, Status::Blend { size: report.support.len() });
        report.support.len()
    });
    assert_eq!(sizes, [3, 2, 1, 0]);
}

#[test]
fn rules_say_when_nothing_matches() {
    let network = Network::from_text("sparsemax", "identity", 4.0, array![[2.0, 0.0], [0.0, 2.0]]).expect("a network");
    let queries = array![[1.5, 0.0], [0.0, 0.2]];
    let statuses = |rule| {
        let found = run(&network, Settings { rule: Some(rule), ..Settings::default() }, &queries);
        found.reports.into_iter().map(|report| report.status).collect::<Vec<_>>()
    };
    let both = vec![Status::Pattern(0), Status::Pattern(1)];
    assert_eq!(statuses(MatchRule::Distance(1.8)), both);
    assert_eq!(statuses(MatchRule::Distance(1.0)), [Status::Pattern(0), Status::NoMatch]);
    assert_eq!(statuses(MatchRule::Score(4.0)), both);
    assert_eq!(statuses(MatchRule::Score(4.1)), [Status::NoMatch, Status::NoMatch]);
    // E = |q|²/2 - Ω*(Xq) = 2 - 4 at either pattern.
    assert_eq!(statuses(MatchRule::Energy(-2.0)), both);
    assert_eq!(statuses(MatchRule::Energy(-2.1)), [Status::NoMatch, Status::NoMatch]);
}

#[test]
fn values_may_differ_from_keys() {
    let mut random = Random::new(27);
    let keys: Array2<f64> = normals(&mut random, 50, 6);
    let queries = near_patterns(&mut random, keys.view(), 9, 0.1);
    for omega in ["sparsemax", "softmax"] {
        for width in [6, 2] {
            let values: Array2<f64> = normals(&mut random, 50, width);
            let network = Network::from_text(omega, "identity", 2.0, keys.view()).expect("a network");
            let network = Network::hetero(network.omega().clone(), hfy::Post::Identity(Identity), &keys, &values);
            let network = network.expect("one value a key");
            let found = Retriever::new(&network).expect("a retriever").retrieve(queries.view()).expect("sound");
            let one = run(&network, Settings { stop: Stop::Steps(1), ..Settings::default() }, &queries);
            assert_eq!(one.states.ncols(), width);
            for (q, query) in queries.rows().into_iter().enumerate() {
                let plain = network.step(&query.to_vec()).expect("a step").state;
                close(&one.states.row(q).to_vec(), &plain, 1e-12, omega);
                assert_eq!((one.reports[q].energy, one.reports[q].stopped), (None, Stopped::Steps));
            }
            if width == 2 {
                // A state cannot be the next query: one step is all there is.
                assert_eq!(found, one);
            }
            let with = |settings| Retriever::new(&network).and_then(|r| r.with_settings(settings)).map(|_| ());
            let apart = "a network with separate values does not provide an energy";
            says(with(Settings { trace: true, ..Settings::default() }), &[apart]);
            says(with(Settings { rule: Some(MatchRule::Energy(0.0)), ..Settings::default() }), &[apart]);
            if width == 2 {
                let fits = "values has shape [50, 2], expected [50, 6]";
                says(with(Settings { rule: Some(MatchRule::Distance(1.0)), ..Settings::default() }), &[fits]);
                says(with(Settings { stop: Stop::Steps(2), ..Settings::default() }), &[fits]);
            }
        }
    }
}

#[test]
fn a_retrieval_can_be_watched_and_stopped() {
    let mut random = Random::new(28);
    let patterns: Array2<f64> = clustered(&mut random, 30, 5);
    let queries = near_patterns(&mut random, patterns.view(), 1500, 0.3);
    let network = Network::from_text("softmax", "identity", 0.5, patterns.view()).expect("a network");
    let retriever = Retriever::new(&network)
        .and_then(|r| r.with_settings(Settings { stop: Stop::Steps(6), ..Settings::default() }))
        .expect("sound settings");
    let heard = Mutex::new(Vec::new());
    let watched = retriever.retrieve_with(queries.view(), &|done, total| {
        heard.lock().expect("one thread at a time").push((done, total));
        ControlFlow::Continue(())
    });
    assert_eq!(watched, retriever.retrieve(queries.view()));
    let heard = heard.into_inner().expect("all is done");
    assert!(heard.windows(2).all(|pair| pair[0].0 < pair[1].0), "{heard:?}");
    assert!(heard.len() > 6 && heard.iter().all(|&(_, total)| total == 9000));
    assert_eq!(heard.last(), Some(&(9000, 9000)));
    let stop = |done, _| if done >= heard[2].0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let stopped = retriever.retrieve_with(queries.view(), &stop).expect_err("it was stopped");
    assert_eq!(stopped, Error::Interrupted { done: heard[2].0, total: 9000 });
    // What is done cannot be stopped any more.
    let late = |done, total| if done == total { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    assert!(retriever.retrieve_with(queries.view(), &late).is_ok());
}

#[test]
fn energies_can_be_left_out() {
    let network = Network::from_text("sparsemax", "identity", 1.0, array![[1.0], [-1.0]]).expect("a network");
    let retriever = Retriever::new(&network).expect("a retriever").without_energy();
    let report = &retriever.retrieve(array![[0.3]].view()).expect("sound").reports[0];
    assert_eq!((report.energy, &report.trace), (None, &None));
    let settings = Settings { rule: Some(MatchRule::Energy(0.0)), ..Settings::default() };
    let report = retriever.with_settings(settings).and_then(|r| r.retrieve(array![[0.3]].view())).expect("sound");
    assert!(report.reports[0].energy.is_some());
}

#[test]
fn scores_beyond_the_range_are_an_error_of_their_query() {
    for omega in ["sparsemax", "softmax"] {
        let patterns = array![[1e30f32, 1e30], [-1e30, 1e30]];
        let network = Network::from_text(omega, "identity", 1.0, patterns).expect("a network");
        let retriever = Retriever::new(&network).expect("a retriever");
        let found = retriever.retrieve(array![[1e-30f32, 0.0], [1e30, 0.0]].view());
        says(found, &["scores[0] = inf in row 1", "must be finite"]);
        // Large products whose sums are in range do no harm.
        let fine = retriever.without_energy().with_settings(Settings { stop: Stop::Steps(1), ..Settings::default() });
        assert!(fine.and_then(|r| r.retrieve(array![[1e-30f32, 0.0]].view())).is_ok(), "{omega}");
    }
}

#[test]
fn no_queries_are_no_error() {
    let network = Network::from_text("sparsemax", "identity", 1.0, array![[1.0, 2.0]]).expect("a network");
    let none = run(&network, Settings::default(), &Array2::zeros((0, 2)));
    assert_eq!((none.states.dim(), none.reports.len()), ((0, 2), 0));
}

#[test]
fn misuse_is_named() {
    let network = Network::from_text("softmax", "identity", 1.0, array![[1.0, 2.0]]).expect("a network");
    let with = |settings| Retriever::new(&network).and_then(|r| r.with_settings(settings)).map(|_| ());
    let stop = |stop| Settings { stop, ..Settings::default() };
    let rule = |rule| Settings { rule: Some(rule), ..Settings::default() };
    says(with(stop(Stop::Steps(0))), &["limit = 0", "at least one step"]);
    says(with(stop(Stop::FixedPoint { limit: 0 })), &["limit = 0"]);
    says(with(stop(Stop::Residual { tolerance: -1.0, limit: 3 })), &["tolerance = -1", "at least zero"]);
    says(with(stop(Stop::Residual { tolerance: f64::NAN, limit: 3 })), &["tolerance = NaN"]);
    says(with(rule(MatchRule::Score(f64::NAN))), &["score = NaN"]);
    says(with(rule(MatchRule::Energy(f64::NAN))), &["energy = NaN"]);
    says(with(rule(MatchRule::Distance(-0.5))), &["distance = -0.5", "at least zero"]);
    says(with(Settings { blend_floor: 1.0, ..Settings::default() }), &["blend_floor = 1", "[0, 1)"]);
    let retriever = Retriever::new(&network).expect("a retriever");
    says(retriever.retrieve(Array2::zeros((2, 3)).view()), &["queries has shape [2, 3], expected [2, 2]"]);
    says(retriever.retrieve(array![[0.0, 1.0], [0.0, f64::NAN]].view()), &["queries[1] = NaN in row 1", "finite"]);
    says(retriever.with_index(1).map(|_| ()), &["this map does not provide a support of finite reach"]);
}

#[test]
fn words_for_people() {
    let texts = [
        Stop::Steps(1).to_string(),
        Stop::Residual { tolerance: 0.001, limit: 9 }.to_string(),
        MatchRule::Score(0.5).to_string(),
        Status::Association(vec![3, 5]).to_string(),
        Status::Blend { size: 2 }.to_string(),
        Stopped::Limit.to_string(),
    ];
    let expected = [
        "after 1 step",
        "at a residual of 1e-3, at most 9 steps",
        "a score of at least 0.5",
        "association of 3 5",
        "blend of 2",
        "step limit",
    ];
    assert_eq!(texts, expected);
}

#[cfg(feature = "serde")]
#[test]
fn reports_can_be_written() {
    let network = Network::from_text("sparsemax", "identity", 2.0, array![[1.0, 0.0], [0.0, 1.0]]).expect("a network");
    let found = run(&network, Settings::default(), &array![[0.9, 0.1]]);
    let json = serde_json::to_value(&found).expect("it can be written");
    assert_eq!(json["states"], serde_json::json!([[1.0, 0.0]]));
    let report = &json["reports"][0];
    assert_eq!(report["status"], serde_json::json!({ "Pattern": 0 }));
    assert_eq!(report["support"], serde_json::json!({ "indices": [0], "weights": [1.0] }));
    assert_eq!((&report["stopped"], &report["trace"]), (&serde_json::json!("FixedPoint"), &serde_json::Value::Null));
}

/// A sum of energies retrieves like any other network.
#[test]
fn sums_of_energies() {
    let mut random = Random::new(41);
    let patterns: Array2<f64> = normals(&mut random, 12, 6);
    let queries = near_patterns(&mut random, patterns.view(), 5, 0.3);
    let terms = vec![hfy::Scaled::with_beta(hfy::Entmax::SPARSEMAX, 2.0).expect("sound"); 2];
    let network = Network::sum(terms, "l2:2".parse::<hfy::Post>().expect("known"), &patterns).expect("sound");
    let retriever = Retriever::new(&network).and_then(|r| r.with_settings(settings(Stop::Steps(3)))).expect("sound");
    let found = retriever.retrieve(queries.view()).expect("sound");
    for (query, (state, report)) in queries.rows().into_iter().zip(found.states.rows().into_iter().zip(&found.reports))
    {
        let path = network.trajectory(&query.to_vec(), 3).expect("sound");
        close(&state.to_vec(), path.state(), 1e-12, "state");
        close(report.trace.as_ref().expect("a trace"), &path.energies.expect("energies"), 1e-12, "energies");
        let weights: f64 = report.support.weights().iter().sum();
        assert!((weights - 2.0).abs() < 1e-12, "two maps, two units of weight: {weights}");
    }
}

/// Softmax is summed tile by tile: more patterns than fit into one, and the best of them in the last.
fn softmax_streams<T: Real>(tolerance: f64) {
    let mut random = Random::new(43);
    let mut patterns: Array2<T> = normals(&mut random, 2500, 8);
    patterns.row_mut(2499).mapv_inplace(|x| x * T::of(3.0));
    let queries = near_patterns(&mut random, patterns.view(), 40, 0.2);
    let queries = ndarray::concatenate![Axis(0), queries, patterns.slice_axis(Axis(0), (2499..2500).into())];
    let values: Array2<T> = normals(&mut random, 2500, 3);
    let floor = 0.02;
    for beta in [0.01, 0.7, 30.0] {
        for hetero in [false, true] {
            let network = AnyNetwork::from_text("softmax", "identity", beta, &patterns).expect("sound");
            let network = if hetero { network.with_values(&values).expect("sound") } else { network };
            let settings = Settings { stop: Stop::Steps(1), trace: !hetero, blend_floor: floor, ..Settings::default() };
            let retriever = Retriever::new(&network).and_then(|r| r.with_settings(settings)).expect("sound");
            let found = retriever.retrieve(queries.view()).expect("sound");
            for (q, (state, report)) in found.states.rows().into_iter().zip(&found.reports).enumerate() {
                let what = format!("query {q} at beta {beta}, values {hetero}");
                let step = network.step(&queries.row(q).to_vec()).expect("sound");
                close(&state.to_vec(), &step.state, tolerance, &what);
                let heavy: Vec<usize> = (0..2500).filter(|&i| step.weights[i].wide() > floor).collect();
                assert_eq!(report.support.indices(), heavy, "{what}");
                for (index, weight) in report.support.iter() {
                    close(&[weight], &[step.weights[index]], tolerance, &what);
                }
                if !hetero {
                    let energies = network.trajectory(&queries.row(q).to_vec(), 1).expect("sound").energies;
                    close(report.trace.as_ref().expect("a trace"), &energies.expect("energies"), tolerance, &what);
                }
            }
        }
    }
}

#[test]
fn softmax_streams_in_either_precision() {
    softmax_streams::<f64>(1e-11);
    softmax_streams::<f32>(2e-4);
}
