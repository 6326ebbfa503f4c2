//! What is wrong is said, and where.

use std::sync::Arc;

use hfy::structure::{Factor, FactorGraph, GraphMap, GraphSettings, Sequence, Status};

fn message<V: std::fmt::Debug>(result: hfy::Result<V>) -> String {
    result.expect_err("misuse").to_string()
}

#[test]
fn factors_are_checked_when_they_are_added() {
    let mut graph = FactorGraph::new(3);
    let cases = [
        (Factor::exactly_one(&[0, 3]), "variable = 3: a factor's variables must be those of the graph"),
        (Factor::or(&[1, 1]), "variable = 1: a factor must not have a variable twice"),
        (Factor::or(&[]), "factor = at least 1 of []: a factor must have variables"),
        (Factor::exactly(&[0, 1], 3), "k = 3: no more variables can be on than a factor has"),
        (Factor::or_out(&[0]), "factor = or with output [0]: an output must have at least one input"),
        (Factor::or(&[0, 1]).negated(&[2]), "negated = 2: a negated position must be one of the factor's"),
        (
            Factor::pair(0, 1, f64::NAN),
            "score = NaN: the score of a pair must be finite, or minus infinity where it is forbidden",
        ),
        (
            Factor::structured(&[0, 1], Arc::new(Sequence::new(3).expect("k"))),
            "k = 3: k must not exceed the number of entries in a row",
        ),
    ];
    for (factor, expected) in cases {
        assert_eq!(message(graph.add(factor)), expected);
    }
    assert!(graph.factors().is_empty());
    assert_eq!(graph.add(Factor::imply(&[0, 1, 2])), Ok(0));
    assert_eq!(graph.factors()[0].to_string(), "at least 1 of [not 0, not 1, 2]");
}

#[test]
fn scores_and_settings_are_checked() {
    let mut graph = FactorGraph::new(2);
    graph.add(Factor::pair(0, 1, 1.0)).expect("a pair");
    assert_eq!(message(graph.solve(&[0.0])), "scores has shape [1], expected [2]");
    assert_eq!(
        message(graph.solve(&[0.0, f64::NAN])),
        "scores[1] = NaN: a score must be finite, or minus infinity where it is masked"
    );
    let solver = graph.solver();
    assert_eq!(message(solver.solve_with(&[0.0; 2], &[])), "higher has shape [0], expected [1]");
    assert_eq!(message(solver.solve_with(&[0.0; 2], &[vec![]])), "higher has shape [0, 0], expected [0, 1]");
    assert!(message(solver.solve_with(&[0.0; 2], &[vec![f64::INFINITY]])).starts_with("higher[0] = inf in row 0"));
    assert!(message(solver.tolerance(0.0).solve(&[0.0; 2])).starts_with("tolerance = 0"));
    assert!(message(solver.limit(0).solve(&[0.0; 2])).starts_with("limit = 0"));
    assert!(message(solver.penalty(-1.0).solve(&[0.0; 2])).starts_with("penalty = -1"));
    let settings = GraphSettings { penalty: f64::NAN, ..GraphSettings::default() };
    assert!(message(GraphMap::with(graph.clone(), settings)).starts_with("penalty = NaN"));
    let solution = graph.solve(&[0.0; 2]).expect("scores");
    assert_eq!(message(solution.vjp(&[0.0])), "g has shape [1], expected [2]");
}

#[test]
fn contradictions_name_the_factor() {
    let off = f64::NEG_INFINITY;
    let structure = || Arc::new(Sequence::new(2).expect("k"));
    let cases = [
        (Factor::exactly_one(&[0, 1]), "exactly 1 of [0, 1]"),
        (Factor::or(&[0, 1]), "at least 1 of [0, 1]"),
        (Factor::budget(&[0, 1, 2], 1).negated(&[0, 1]), "at most 1 of [not 0, not 1, 2]"),
        (Factor::or_out(&[0, 1, 4]).negated(&[2]), "or with output [0, 1, not 4]"),
        (Factor::or_out(&[0, 2, 4]).negated(&[0]), "or with output [not 0, 2, 4]"),
        (Factor::pair(0, 1, off).negated(&[0, 1]), "pair with score -inf [not 0, not 1]"),
        (Factor::structured(&[0, 2], structure()), "structure over [0, 2]"),
        (Factor::structured(&[0, 1, 4, 3], structure()).negated(&[0, 1, 2]), "structure over [not 0, not 1, not 4, 3]"),
    ];
    for (factor, name) in cases {
        for direct in [true, false] {
            let mut graph = FactorGraph::new(5);
            graph.add(Factor::or(&[3])).expect("a factor");
            graph.add(factor.clone()).expect("a factor");
            let got = message(graph.solver().direct(direct).solve(&[off, off, 0.5, 0.5, off]));
            assert_eq!(got, format!("factor = 1: {name}: the masks leave it no assignment"));
        }
    }
}

#[test]
fn the_limit_of_rounds_is_reported() {
    let graph = crate::factor_graphs::mixtures::assignment(3);
    let theta = [0.9, 0.1, 0.3, 0.2, 0.8, 0.35, 0.15, 0.25, 0.05];
    let solution = graph.solver().limit(3).solve(&theta).expect("scores");
    assert_eq!((solution.status, solution.iterations), (Status::IterationLimit, 3));
    assert!(solution.primal_residual > 1e-9 || solution.dual_residual > 1e-9);
    let settings = GraphSettings { limit: 3, ..GraphSettings::default() };
    let map = GraphMap::with(graph, settings).expect("settings");
    assert!(message(hfy::Convex::apply(&map, &theta)).starts_with("a factor graph: the relative residual is"));
}

#[test]
fn factors_that_contradict_each_other_do_not_agree() {
    let mut graph = FactorGraph::new(2);
    graph.add(Factor::exactly_one(&[0, 1])).expect("a factor");
    graph.add(Factor::exactly(&[0, 1], 2)).expect("a factor");
    let solution = graph.solver().limit(500).solve(&[0.3, 0.1]).expect("scores");
    assert_eq!(solution.status, Status::IterationLimit);
    assert!(solution.primal_residual > 0.1, "{}", solution.primal_residual);
}
