//! Free and sequential recall: golden traces, laws, a plain implementation, misuse.
//!
//! `HFY_GOLDEN_DIR` names another folder of golden values.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::common::draw::Draw;
use crate::common::golden::{Case, agree, agree_row, family};
use hfy::recall::{Cue, Penalty, Recall, SequentialRecall, Trace, levenshtein_ceiling};
use hfy::structure::{Regulariser, Sequence, SparseMap};
use hfy::{Bounded, Convex, Entmax, Error, FreeRecall, Real, Support};
use ndarray::{Array2, ArrayView2};

fn matrix(case: &Case) -> Array2<f64> {
    let rows = case.0["X"].as_array().expect("patterns").iter();
    let rows: Vec<Vec<f64>> = rows.map(|row| serde_json::from_value(row.clone()).expect("numbers")).collect();
    Array2::from_shape_vec((rows.len(), rows[0].len()), rows.concat()).expect("a matrix")
}

fn dense<T: Real>(support: &Support<T>, n: usize) -> Vec<f64> {
    let mut row = vec![0.0; n];
    support.iter().for_each(|(i, weight)| row[i] = weight.wide());
    row
}

fn sum_of(x: &Array2<f64>, p: &[f64]) -> Vec<f64> {
    x.t().dot(&ndarray::arr1(p)).to_vec()
}

/// The recall that a case describes.
fn golden_run(case: &Case, x: &Array2<f64>) -> Recall<f64> {
    let (id, params) = (case.id(), Case(&case.0["params"]));
    let (beta, steps) = (params.0["beta"].as_f64().expect("beta"), params.0["T"].as_u64().expect("T") as usize);
    let number = |name: &str| params.0[name].as_f64().unwrap_or_else(|| panic!("{id}: no {name}"));
    let penalty = || Penalty::new(number("lambda"), number("tau")).expect(id);
    let map = || Entmax::new(number("alpha")).expect(id);
    let cue: Vec<f64> = case.need("q0");
    let free = |recall: FreeRecall| recall.traced().run(x.view(), &cue).expect(id);
    match case.0["algorithm"].as_str().expect("an algorithm") {
        "alg1" => free(FreeRecall::constrained(beta, steps).expect(id)),
        "alg2" => free(FreeRecall::penalised(map(), penalty(), beta, steps).expect(id)),
        "alg3" => {
            let regulariser = if params.0["reg"] == "on" { Regulariser::On } else { Regulariser::Both };
            let recall = SequentialRecall::new(beta, steps).expect(id).penalty(penalty()).map(map());
            let recall = recall.omega(number("omega")).expect(id).transition(number("t")).expect(id);
            let recall = recall.regulariser(regulariser).inner_beta(number("inner_beta")).expect(id);
            recall.traced().run(x.view(), &cue).expect(id)
        }
        other => panic!("{id}: unknown algorithm {other}"),
    }
}

#[test]
fn golden_traces() {
    let counts = [Cell::new(0), Cell::new(0), Cell::new(0)];
    family("recall", |case| {
        let (id, tolerance, x) = (case.id(), case.number("tol"), matrix(case));
        let n = x.nrows();
        let recall = golden_run(case, &x);
        let which = ["alg1", "alg2", "alg3"].iter().position(|name| case.0["algorithm"] == *name).expect("known");
        counts[which].set(counts[which].get() + 1);

        let wanted: Vec<usize> = serde_json::from_value(case.0["recalled"].clone()).expect("indices");
        assert_eq!(recall.recalled(), wanted, "{id}");
        agree(id, "unique_ratio", recall.unique_ratio(), case.number("unique_ratio"), 1e-15, 1.0);
        if let Some(coefficient) = case.optional("levenshtein_coef") {
            agree(id, "levenshtein", recall.levenshtein(), coefficient, 1e-15, 1.0);
            agree(id, "ceiling", recall.ceiling(), 1.0 - 1.0 / n as f64, 1e-15, 1.0);
            assert!(recall.levenshtein() <= recall.ceiling(), "{id}");
        }
        let trace = case.0["trace"].as_array().expect("a trace");
        assert_eq!(trace.len(), recall.rounds.len(), "{id}");
        let mut before: Vec<f64> = case.need("q0");
        for (number, (golden, round)) in trace.iter().zip(&recall.rounds).enumerate() {
            let (golden, place) = (Case(golden), format!("{id}, round {number}"));
            let Trace { outer, inner, account } = round.trace.as_ref().expect("traced");
            assert_eq!(golden.0["recalled"].as_u64(), Some(round.recalled as u64), "{place}");
            agree(&place, "gap", round.gap, golden.0["argmax_gap"].as_f64().expect("a gap"), tolerance, 1.0);
            let row = |field: &str| golden.row::<f64>(field);
            for field in ["p_outer", "y"] {
                row(field).iter().for_each(|wanted| agree_row(&place, field, outer, wanted, tolerance));
            }
            for field in ["u", "a"] {
                row(field).iter().for_each(|wanted| agree_row(&place, field, account, wanted, tolerance));
            }
            if let Some(wanted) = row("q_outer") {
                let mut q = sum_of(&x, outer);
                if which == 2 {
                    q.iter_mut().zip(&before).for_each(|(q, before)| *q -= before);
                }
                agree_row(&place, "q_outer", &q, &wanted, tolerance);
                before = q;
            }
            let steps = golden.0["inner"].as_array().expect("inner steps");
            assert_eq!(steps.len(), inner.len(), "{place}");
            for (golden, p) in steps.iter().zip(inner) {
                let p = dense(p, n);
                agree_row(&place, "p", &p, &Case(golden).need::<f64>("p"), tolerance);
                before = sum_of(&x, &p);
                agree_row(&place, "q", &before, &Case(golden).need::<f64>("q"), tolerance);
            }
            let last = if inner.is_empty() { outer.clone() } else { dense(&inner[inner.len() - 1], n) };
            assert_eq!(dense(&round.weights, n), last, "{place}");
        }
        true
    });
    let counts = counts.map(Cell::into_inner);
    println!("golden recall: {} constrained, {} penalised, {} sequential", counts[0], counts[1], counts[2]);
    assert!(counts.iter().all(|count| *count > 0), "every algorithm is checked");
}

/// Patterns that are far apart, none as near to a second as to a third.
fn apart<T: Real>(n: usize, d: usize, seed: u64) -> Array2<T> {
    let mut draw = Draw(seed);
    Array2::from_shape_fn((n, d), |_| T::of(draw.normal()))
}

fn constrained_visits_all<T: Real>() {
    for (n, d, seed) in [(1, 3, 1), (2, 40, 2), (17, 64, 3), (100, 256, 4)] {
        let x: Array2<T> = apart(n, d, seed);
        for cue in [0, n - 1] {
            let recall = FreeRecall::constrained(0.5, 20).expect("fine").traced().run(x.view(), cue).expect("fine");
            let mut order = recall.recalled();
            assert_eq!((order[0], recall.unique_ratio(), order.len()), (cue, 1.0, n));
            order.sort_unstable();
            assert!(order.into_iter().eq(0..n));
            assert!(recall.repeats().iter().all(|repeat| !repeat));
        }
    }
}

#[test]
fn constrained_recall_visits_separated_patterns_once() {
    constrained_visits_all::<f64>();
    constrained_visits_all::<f32>();
}

/// The bounds never fall below zero and hold what is left, however entangled the patterns are.
fn bounds_hold<T: Real>() {
    let mut draw = Draw(11);
    for case in 0..60 {
        let (n, d) = (1 + draw.below(30), 1 + draw.below(12));
        let x: Array2<T> = draw.patterns(n, d);
        let beta = (4.0 * draw.normal()).exp();
        let recall = FreeRecall::constrained(beta, 1 + draw.below(6)).expect("fine").traced();
        let plain = recall.run(x.view(), draw.below(n)).unwrap_or_else(|e| panic!("case {case}: {e}"));
        for (number, round) in plain.rounds.iter().enumerate() {
            let upper = &round.trace.as_ref().expect("traced").account;
            let rounding = f64::EPSILON * (n * n) as f64;
            assert!(upper.iter().all(|u| (0.0..=1.0).contains(u)), "case {case}: {upper:?}");
            let left: f64 = upper.iter().sum();
            assert!((left - (n - 1 - number) as f64).abs() <= rounding, "case {case}, round {number}: {left}");
        }
        let cue = plain.rounds[0].recalled;
        assert_eq!(
            recall.run(x.view(), cue).expect("fine"),
            recall.clamped().run(x.view(), cue).expect("fine"),
            "case {case}"
        );
    }
}

#[test]
fn bounds_hold_what_is_left() {
    bounds_hold::<f64>();
    bounds_hold::<f32>();
}

fn perfect_run_scores_its_ceiling<T: Real>() {
    // Of two patterns the first comes back in the end, so that both are recalled.
    for n in [3, 8, 33] {
        let x: Array2<T> = apart(n, 256, 5);
        let recall = SequentialRecall::default().run(x.view(), 0).expect("fine");
        assert!(recall.recalled()[..n - 1].iter().copied().eq(1..n), "{:?}", recall.recalled());
        let ceiling = (n - 1) as f64 / n as f64;
        assert_eq!(levenshtein_ceiling(n, n), ceiling);
        assert_eq!((recall.unique_ratio(), recall.levenshtein()), (ceiling, ceiling));
        assert_eq!((recall.ceiling(), recall.jumps().contains(&true)), (ceiling, false));
        let mut repeats = recall.repeats();
        assert_eq!((repeats.pop(), repeats.contains(&true)), (Some(true), false));
        // Without the round that has nowhere to go the order is perfect.
        let short = SequentialRecall::default().rounds(n - 1).expect("fine").run(x.view(), 0).expect("fine");
        assert_eq!((short.unique_ratio(), short.levenshtein(), short.ceiling()), (1.0, 1.0, 1.0));
    }
}

#[test]
fn a_perfect_sequence_scores_its_ceiling() {
    perfect_run_scores_its_ceiling::<f64>();
    perfect_run_scores_its_ceiling::<f32>();
}

#[test]
fn large_transitions_are_windows() {
    let mut draw = Draw(21);
    for _ in 0..20 {
        let (n, d) = (2 + draw.below(12), 1 + draw.below(20));
        let x: Array2<f64> = draw.patterns(n, d);
        let recall = |t: f64| {
            let recall = SequentialRecall::new(0.1, 5).expect("fine").transition(t).expect("fine");
            recall.traced().run(x.view(), 0).expect("fine")
        };
        let far = recall(f64::INFINITY);
        assert_eq!(recall(1e8), far, "to the last bit");
        assert_eq!(recall(1e300), far);
    }
}

/// The three algorithms as they are printed, with `X q` computed anew from the state in every step.
struct Plain<'x> {
    x: ArrayView2<'x, f64>,
    q: Vec<f64>,
}

impl Plain<'_> {
    fn scores(&self) -> Vec<f64> {
        self.x.dot(&ndarray::arr1(&self.q)).to_vec()
    }

    fn step(&mut self, beta: f64, map: &impl Convex<f64>) -> Vec<f64> {
        let mut p: Vec<f64> = self.scores().iter().map(|s| beta * s).collect();
        map.argmax(&mut p).expect("solved");
        self.q = self.x.t().dot(&ndarray::arr1(&p)).to_vec();
        p
    }
}

fn agree_with(recall: &Recall<f64>, number: usize, plain: &[f64]) {
    let weights = dense(&recall.rounds[number].weights, plain.len());
    for (a, b) in weights.iter().zip(plain) {
        assert!((a - b).abs() < 1e-9, "round {number}: {weights:?}, plainly {plain:?}");
    }
}

#[test]
fn coefficients_and_states_agree() {
    let mut draw = Draw(31);
    // Few patterns of many entries, where the products of patterns are used, and the other way around.
    for (n, d) in [(6, 40), (12, 64), (30, 3), (25, 2)] {
        let x: Array2<f64> = Array2::from_shape_fn((n, d), |_| draw.normal());
        let cue: Vec<f64> = (0..d).map(|_| draw.normal()).collect();
        let (beta, steps) = (0.8, 3);

        let recall = FreeRecall::constrained(beta, steps).expect("fine").run(x.view(), &cue).expect("fine");
        let (mut plain, mut upper) = (Plain { x: x.view(), q: cue.clone() }, vec![1.0; n]);
        for number in 0..n {
            let mut p = Vec::new();
            for _ in 0..steps {
                p = plain.step(beta, &Bounded::new(upper.clone()).expect("fine"));
            }
            upper.iter_mut().zip(&p).for_each(|(u, p)| *u = (*u - p).max(0.0));
            agree_with(&recall, number, &p);
        }

        for map in [Entmax::SOFTMAX, Entmax::ENTMAX15, Entmax::SPARSEMAX] {
            let (lambda, tau) = (3.0, 0.25);
            let penalty = Penalty::new(lambda, tau).expect("fine");
            let recall = FreeRecall::penalised(map, penalty, beta, steps).expect("fine");
            let recall = recall.run(x.view(), &cue).expect("fine");
            let (mut plain, mut a) = (Plain { x: x.view(), q: cue.clone() }, vec![0.0; n]);
            for number in 0..n {
                let mut p: Vec<f64> = plain.scores().iter().zip(&a).map(|(s, a)| beta * (s - lambda * a)).collect();
                map.argmax(&mut p).expect("solved");
                a.iter_mut().zip(&p).for_each(|(a, p)| *a = tau * p + (1.0 - tau) * *a);
                plain.q = x.t().dot(&ndarray::arr1(&p)).to_vec();
                for _ in 0..steps {
                    p = plain.step(beta, &map);
                }
                agree_with(&recall, number, &p);
            }

            let (omega, t, inner_beta) = (1.1, 4.0, 0.7);
            let recall = SequentialRecall::new(beta, steps).expect("fine").penalty(penalty).map(map);
            let recall = recall.omega(omega).expect("fine").transition(t).expect("fine");
            let recall = recall.inner_beta(inner_beta).expect("fine").run(x.view(), &cue).expect("fine");
            let (mut plain, mut a) = (Plain { x: x.view(), q: cue.clone() }, vec![0.0; n]);
            let pairs = SparseMap::new(Sequence::new(2).expect("fine").transition(t).expect("fine"));
            let pairs = pairs.regulariser(Regulariser::Both);
            for number in 0..n {
                let mut y: Vec<f64> = plain.scores().iter().zip(&a).map(|(s, a)| beta * (s - lambda * a)).collect();
                pairs.argmax(&mut y).expect("solved");
                let sum = x.t().dot(&ndarray::arr1(&y));
                plain.q.iter_mut().zip(&sum).for_each(|(q, sum)| *q = sum - *q);
                let mut p = Vec::new();
                for _ in 0..steps {
                    p = plain.step(inner_beta, &map);
                }
                for (a, (y, p)) in a.iter_mut().zip(y.iter().zip(&p)) {
                    *a = tau * (y - omega * p) + (1.0 - tau) * *a;
                }
                agree_with(&recall, number, &p);
            }
        }
    }
}

#[test]
fn a_pattern_by_number_or_by_value() {
    let x: Array2<f64> = apart(9, 48, 41);
    let row = x.row(4).to_vec();
    let by = |cue: Cue<f64>| SequentialRecall::default().run(x.view(), cue).expect("fine");
    let (number, value) = (by(4.into()), by(Cue::from(&row)));
    assert_eq!(number.recalled(), value.recalled());
    assert_eq!((number.cue, value.cue), (Some(4), None));
    // Pairs have no direction: from the middle it goes on either way, and then keeps to it.
    assert!([&[5, 6, 7, 8], &[3, 2, 1, 0]].iter().any(|way| number.recalled().starts_with(*way)));
    // Rows that do not lie one after the other.
    let turned = x.t().as_standard_layout().into_owned();
    assert_eq!(SequentialRecall::default().run(turned.t(), 4).expect("fine"), number);
}

#[test]
fn marks() {
    let x: Array2<f64> = Array2::from_diag_elem(4, 3.0);
    let mut recall = SequentialRecall::new(1.0, 5).expect("fine").run(x.view(), 0).expect("fine");
    for (round, recalled) in recall.rounds.iter_mut().zip([1, 3, 1, 2]) {
        round.recalled = recalled;
    }
    assert_eq!(recall.repeats(), [false, false, true, false]);
    // From 1 to 3 and back are jumps; 2 stands next to 1.
    assert_eq!(recall.jumps(), [false, true, true, false]);
    recall.cue = Some(3);
    assert!(recall.jumps()[0]);
    recall.cue = None;
    assert!(!recall.jumps()[0], "from a cue of its own nothing is a jump");
    for (round, recalled) in recall.rounds.iter_mut().zip([3, 2, 2, 1]) {
        round.recalled = recalled;
    }
    assert_eq!(recall.jumps(), [false; 4], "backwards is no jump, and neither is to stay");
}

#[test]
fn progress_and_interruption() {
    let x: Array2<f32> = apart(12, 64, 51);
    let heard = std::sync::Mutex::new(Vec::new());
    let listen = |done: usize, total: usize| {
        heard.lock().expect("whole").push((done, total));
        if done == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = FreeRecall::default().run_with(x.view(), 0, &listen).unwrap_err();
    assert_eq!(stopped, Error::Interrupted { done: 5, total: 12 });
    assert_eq!(*heard.lock().expect("whole"), [(1, 12), (2, 12), (3, 12), (4, 12), (5, 12)]);
    let whole = SequentialRecall::default().rounds(5).expect("fine").run_with(x.view(), 0, &listen);
    assert_eq!(whole.expect("stopping after the last round is too late").rounds.len(), 5);
}

#[test]
fn misuse() {
    let says = |error: Error, text: &str| assert_eq!(error.to_string(), text);
    let x = Array2::<f64>::from_diag_elem(3, 2.0);
    let rule = "an inverse temperature must be positive and finite";
    says(FreeRecall::constrained(0.0, 1).unwrap_err(), &format!("beta = 0: {rule}"));
    says(SequentialRecall::new(f64::NAN, 1).unwrap_err(), &format!("beta = NaN: {rule}"));
    says(SequentialRecall::default().inner_beta(-1.0).unwrap_err(), &format!("inner_beta = -1: {rule}"));
    says(
        FreeRecall::constrained(1.0, 0).unwrap_err(),
        "steps = 0: constrained recall needs at least one update a round",
    );
    says(
        SequentialRecall::new(1.0, 0).unwrap_err(),
        "steps = 0: sequential recall needs at least one inner update a round",
    );
    says(Penalty::new(-1.0, 0.1).unwrap_err(), "lambda = -1: a penalty must be finite and not negative");
    says(Penalty::new(1.0, f64::NAN).unwrap_err(), "tau = NaN: a rate must lie in [0, 1]");
    says(
        SequentialRecall::default().omega(f64::INFINITY).unwrap_err(),
        "omega = inf: omega must be finite and not negative",
    );
    assert!(SequentialRecall::default().transition(f64::NAN).is_err());
    assert!(SequentialRecall::default().transition(f64::NEG_INFINITY).is_err());
    says(SequentialRecall::default().k(0).unwrap_err(), "k = 0: an association must have at least one memory");
    says(FreeRecall::default().rounds(0).unwrap_err(), "rounds = 0: there must be at least one round");

    let free = FreeRecall::constrained(1.0, 2).expect("fine");
    says(
        free.rounds(4).expect("fine").run(x.view(), 0).unwrap_err(),
        "rounds = 4: constrained recall has no more rounds than patterns",
    );
    says(free.run(x.view(), 3).unwrap_err(), "cue = 3: a cue must be one of the patterns, which are counted from 0");
    says(free.run(x.view(), &[1.0, 2.0]).unwrap_err(), "cue has shape [2], expected [3]");
    says(free.run(x.view(), &[1.0, f64::INFINITY, 0.0]).unwrap_err(), "cue[1] = inf: an entry of a cue must be finite");
    says(free.run(Array2::<f64>::zeros((0, 3)).view(), 0).unwrap_err(), "patterns has shape [0, 3], expected [1, 3]");
    let mut wrong = x.clone();
    wrong[(1, 2)] = f64::NAN;
    says(free.run(wrong.view(), 0).unwrap_err(), "patterns[2] = NaN in row 1: an entry of a pattern must be finite");
    says(
        SequentialRecall::default().run(Array2::<f64>::ones((1, 3)).view(), 0).unwrap_err(),
        "k = 2: an association must not have more memories than there are",
    );
    let huge = Array2::<f64>::from_diag_elem(3, 1e200);
    assert!(matches!(free.run(huge.view(), 0), Err(Error::Entry { argument: "scores", .. })));
    let penalised = FreeRecall::penalised(Entmax::SPARSEMAX, Penalty::new(1e308, 1.0).expect("fine"), 10.0, 0);
    let error = penalised.expect("fine").run(x.view(), 0).unwrap_err();
    assert!(error.to_string().ends_with("a score less its penalty must be finite"), "{error}");
}
