//! Exact reference values of sets that are graphs too.

use std::sync::Arc;

use hfy::structure::{Factor, FactorGraph};
use serde_json::Value;

use crate::common::golden::{Case, agree, agree_derivative, agree_row, family};
use crate::factor_graphs::brute::Listed;
use crate::factor_graphs::mixtures::assignment;

/// The graph of a case, the scores that its variables get for the scores of its structures, and what these add to every
/// structure; `None` where it is no graph.
fn graph(case: &Case, theta: &[f64]) -> Option<(FactorGraph, Vec<f64>, f64)> {
    let own: Option<Vec<f64>> = case.row("vertex_scores");
    let d = theta.len();
    let mut graph = FactorGraph::new(d);
    let mut theta = theta.to_vec();
    let mut base = 0.0;
    match (case.0["tag"].as_str().expect("a tag"), own) {
        ("matching_3x3", None) => graph = assignment(3),
        ("matching_4x4", None) => graph = assignment(4),
        ("hypercube_3", None) => {}
        ("at_most_2_of_5", None) => {
            graph.add(Factor::budget(&[0, 1, 2, 3, 4], 2)).expect("a factor");
        }
        ("singletons_5", own) => {
            let own = own.unwrap_or(vec![0.0; d]);
            let rows = rows(case);
            let scores = |i: usize| rows.iter().position(|row| row[i] == 1.0).map_or(0.0, |row| own[row]);
            theta.iter_mut().enumerate().for_each(|(i, s)| *s += scores(i));
            graph.add(Factor::exactly_one(&[0, 1, 2, 3, 4])).expect("a factor");
        }
        ("chain_3pos_2lab", None) => {
            for position in 0..3 {
                graph.add(Factor::exactly_one(&[2 * position, 2 * position + 1])).expect("a factor");
            }
        }
        ("pairwise_2state", own) => {
            let own = own.unwrap_or(vec![0.0; 4]);
            let rows = rows(case);
            let score = |a: usize, b: usize| {
                own[rows.iter().position(|row| row[a] == 1.0 && row[2 + b] == 1.0).expect("all four states")]
            };
            // Of four states, one is the base, two are scores of single variables, and one is left to the pair.
            base = score(0, 0);
            theta[1] += score(1, 0) - base;
            theta[3] += score(0, 1) - base;
            graph.add(Factor::exactly_one(&[0, 1])).expect("a factor");
            graph.add(Factor::exactly_one(&[2, 3])).expect("a factor");
            graph.add(Factor::pair(1, 3, score(1, 1) - score(1, 0) - score(0, 1) + base)).expect("a factor");
        }
        _ => return None,
    }
    Some((graph, theta, base))
}

fn rows(case: &Case) -> Vec<Vec<f64>> {
    let rows = case.0["vertices"].as_array().expect("vertices");
    rows.iter()
        .map(|row| row.as_array().expect("a row").iter().map(|v| v.as_f64().expect("a number")).collect())
        .collect()
}

fn compare(case: &Case, graph: &FactorGraph, theta: &[f64], base: f64) {
    let id = case.id();
    let solver = graph.solver().tolerance(1e-12).limit(100_000);
    for direct in [true, false] {
        let solution = solver.direct(direct).solve(theta).expect(id);
        agree_row(id, "y", &solution.marginals, &case.need::<f64>("y"), 1e-10);
        let value = case.number("value");
        agree(id, "value", solution.value + base, value, 1e-10, value.abs());
        if let (false, Some(golden)) = (case.0["vjp"] == Value::Null, case.row::<f64>("vjp")) {
            let gradients = solution.vjp(&case.need::<f64>("v")).expect(id);
            agree_derivative(id, "vjp", &gradients.unary, &golden, 1e-8);
        }
    }
}

#[test]
fn sets_that_are_graphs() {
    family("structured", |case| {
        let Some((graph, theta, base)) = graph(case, &case.need::<f64>("theta")) else { return false };
        compare(case, &graph, &theta, base);
        true
    });
}

#[test]
fn sets_as_one_factor() {
    family("structured", |case| {
        let theta: Vec<f64> = case.need("theta");
        let rows = rows(case);
        let scores = case.row("vertex_scores").unwrap_or(vec![0.0; rows.len()]);
        let mut graph = FactorGraph::new(theta.len());
        let variables: Vec<usize> = (0..theta.len()).collect();
        graph.add(Factor::structured(&variables, Arc::new(Listed { rows, scores }))).expect("a factor");
        compare(case, &graph, &theta, 0.0);
        true
    });
}
