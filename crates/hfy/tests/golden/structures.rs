//! Exact reference values of SparseMAP.
//!
//! `HFY_GOLDEN_DIR` names another folder of the same schema.

use crate::common::golden::{Case, agree, agree_derivative, agree_row, family};
use hfy::structure::{Listed, Named, Regulariser, Sequence, SparseMap, Status};
use hfy::{Convex, Real, Scaled, Separation};

fn sequence(k: usize, t: &serde_json::Value) -> Sequence {
    let sequence = Sequence::new(k).expect("k is positive");
    match t.as_array() {
        Some(edges) => sequence.edges(edges.iter().map(|t| t.as_f64().expect("a score")).collect()),
        None => sequence.transition(t.as_f64().expect("a score")),
    }
    .expect("finite scores")
}

#[test]
fn sequential_subsets() {
    family("seq_ksubsets", |case| {
        let (id, k, tolerance) = (case.id(), case.number("k") as usize, case.number("tol"));
        let structure = sequence(k, &case.0["t"]);
        let (scores, v): (Vec<f64>, Vec<f64>) = (case.need("s"), case.need("v"));
        let target: Vec<f64> = case.need("target");
        for (name, regulariser) in [("on", Regulariser::On), ("both", Regulariser::Both)] {
            let want = Case(&case.0[name]);
            let map = SparseMap::new(&structure).regulariser(regulariser);
            let solution = map.solve(&scores).expect(id);
            assert_eq!(solution.status, Status::Optimal, "{id}");
            agree_row(id, "y", &solution.marginals, &want.need::<f64>("y"), tolerance);
            for (got, golden) in solution.marginals.iter().zip(want.need::<f64>("y")) {
                assert!(golden != 0.0 || *got == 0.0, "{id}: {got:e} is outside the golden support");
            }
            let value = want.0["value"].as_f64().expect("a value");
            agree(id, "value", solution.value, value, tolerance, value.abs());
            if let Some(pairs) = want.0["pair_sum"].as_f64() {
                agree(id, "pairs", solution.higher.iter().sum::<f64>(), pairs, tolerance, pairs);
            }
            let total: f64 = solution.active().iter().map(|(_, probability)| probability).sum();
            agree(id, "total", total, 1.0, 1e-14, 1.0);
            let loss = want.0["loss"].as_f64().expect("a loss");
            agree(id, "loss", map.loss(&scores, &target).expect(id), loss, tolerance, loss.abs().max(value.abs()));

            let best = case.number("map_score");
            agree(
                id,
                "map_score",
                solution.best.score(&scores, &structured_scores(&structure, &scores)),
                best,
                1e-15,
                best,
            );
            if let Some(row) = case.row::<f64>("map_y") {
                let ones: Vec<usize> = (0..row.len()).filter(|&i| row[i] == 1.0).collect();
                assert_eq!(solution.best.unary().indices(), ones, "{id}");
            }

            let gradients = solution.vjp(&v, &[]).expect(id);
            if let Some(golden) = want.row::<f64>("vjp_s") {
                agree_derivative(id, "vjp_s", &gradients.unary, &golden, 100.0 * tolerance);
                let mut g = v.clone();
                map.pullback(&solution.marginals, &mut g).expect(id);
                agree_derivative(id, "pullback", &g, &golden, 100.0 * tolerance);
            }
            if let Some(golden) = want.row::<f64>("vjp_t") {
                agree_derivative(id, "vjp_t", &gradients.higher, &golden, 100.0 * tolerance);
            } else if let Some(golden) = want.0["vjp_t"].as_f64() {
                let sum: f64 = gradients.higher.iter().sum();
                agree(id, "vjp_t", sum, golden, 100.0 * tolerance, golden.abs());
            }
        }
        true
    });
}

fn structured_scores(structure: &Sequence, scores: &[f64]) -> Vec<f64> {
    use hfy::structure::Structure;
    structure.higher(scores.len()).expect("the sizes fit").into_owned()
}

/// The map that a case names, if it is one of subsets; those without transitions are sequences whose neighbours do not
/// interact.
fn named(map: &serde_json::Value) -> Option<SparseMap<Sequence>> {
    if map["kind"] == "ksubsets" {
        let k = map["k"].as_f64().filter(|k| k.fract() == 0.0 && *k > 0.0)?;
        return Some(SparseMap::new(Sequence::new(k as usize).expect("k is positive")));
    }
    if map["kind"] != "seq_ksubsets" {
        return None;
    }
    let regulariser = match map["reg"].as_str() {
        Some("on") => Regulariser::On,
        Some("both") => Regulariser::Both,
        other => panic!("unknown regulariser {other:?}"),
    };
    let k = map["k"].as_f64().expect("k") as usize;
    Some(SparseMap::new(sequence(k, &map["t"])).regulariser(regulariser))
}

fn in_families<T: Real>(slack: f64) {
    for name in ["temperature", "masked"] {
        family(name, |case| {
            let Some(map) = named(&case.0["map"]) else { return false };
            let (id, tolerance) = (case.id(), case.number("tol").max(slack));
            let map = Scaled::with_beta(map, case.optional("beta").unwrap_or(1.0)).expect(id);
            let theta: Vec<T> = case.need("theta");
            agree_row(id, "y", &map.apply(&theta).expect(id), &case.need::<f64>("y"), tolerance);
            let conjugate = case.number("conj");
            agree(id, "conj", map.conjugate(&theta).expect(id), conjugate, tolerance, conjugate.abs());
            if let (Some(v), Some(golden)) = (case.row::<T>("v"), case.row::<f64>("vjp")) {
                let mut g = v;
                map.vjp(&theta, &map.apply(&theta).expect(id), &mut g).expect(id);
                agree_derivative(id, "vjp", &g, &golden, 100.0 * tolerance);
            }
            true
        });
    }
}

#[test]
fn temperatures_and_masks() {
    in_families::<f64>(0.0);
    in_families::<f32>(1e-5);
}

/// The structure with an oracle of its own whose vertices a case lists.
fn oracle(tag: &str) -> Option<SparseMap<Named>> {
    let text = match tag {
        "matching_3x3" => "assignment:3x3",
        "matching_4x4" => "assignment:4x4",
        "spanning_tree_k4" => "trees:4",
        "at_most_2_of_5" => "atmost:2",
        "spans_of_3_in_8" => "windows:3",
        "all_spans_n5" => "spans",
        "hypercube_3" => "atmost:3",
        "chain_3pos_2lab" => "labels:3x2",
        "pairwise_2state" => "labels:2x2",
        "singletons_5" => "windows:1",
        _ => return None,
    };
    Some(text.parse().expect("a known structure"))
}

#[test]
fn listed_vertices_and_their_oracles() {
    let by_oracle = std::cell::Cell::new(0);
    family("structured", |case| {
        let id = case.id();
        let row = |value: &serde_json::Value| -> Vec<f64> { serde_json::from_value(value.clone()).expect("numbers") };
        let vertices: Vec<Vec<f64>> = case.0["vertices"].as_array().expect(id).iter().map(row).collect();
        let mut listed = Listed::new(&vertices).expect(id);
        if let Some(scores) = case.row::<f64>("vertex_scores") {
            listed = listed.scored(&scores).expect(id);
        } else if let Some(map) = oracle(case.0["tag"].as_str().expect("a tag")) {
            check_listed(case, &map, &vertices);
            by_oracle.set(by_oracle.get() + 1);
        }
        check_listed(case, &SparseMap::new(listed), &vertices);
        true
    });
    println!("golden structured: {} cases by their oracles too", by_oracle.get());
    // Another folder may hold fewer of these cases, or none.
    assert!(by_oracle.get() >= 15 || std::env::var_os("HFY_GOLDEN_DIR").is_some());
}

fn check_listed<S: hfy::Structure>(case: &Case, map: &SparseMap<S>, vertices: &[Vec<f64>]) {
    let (id, tolerance) = (case.id(), case.number("tol"));
    let (theta, v): (Vec<f64>, Vec<f64>) = (case.need("theta"), case.need("v"));
    let solution = map.solve(&theta).expect(id);
    agree_row(id, "y", &solution.marginals, &case.need::<f64>("y"), tolerance);
    let value = case.number("value");
    agree(id, "value", solution.value, value, tolerance, value.abs());
    let omega = case.number("omega");
    let square = solution.marginals.iter().map(|y| y * y).sum::<f64>() / 2.0;
    agree(id, "omega", square, omega, tolerance, omega);
    let target = case.number("target_vertex") as usize;
    let loss = case.number("loss");
    // The loss of the case is that of the vertex; several with one unary part share the best of their scores.
    if vertices.iter().filter(|other| **other == vertices[target]).count() == 1 {
        agree(id, "loss", map.loss(&theta, &vertices[target]).expect(id), loss, tolerance, loss.abs().max(value.abs()));
    }
    if let Some(golden) = case.row::<f64>("vjp") {
        agree_derivative(id, "vjp", &solution.vjp(&v, &[]).expect(id).unary, &golden, 100.0 * tolerance);
    }
}
