//! Every factor by itself.

use std::sync::Arc;

use hfy::structure::{Factor, FactorGraph, Sequence, Status};

use crate::common::draw::Draw;
use crate::factor_graphs::brute::{Listed, near, scores};

type Rule = Box<dyn Fn(&[bool]) -> f64>;

fn logic(rule: impl Fn(&[bool]) -> bool + 'static) -> Rule {
    Box::new(move |row| if rule(row) { 0.0 } else { f64::NEG_INFINITY })
}

fn count(row: &[bool]) -> usize {
    row.iter().filter(|on| **on).count()
}

/// Factors over the first variables of a list, and what they say about the literals.
pub(crate) fn factors(variables: &[usize], draw: &mut Draw) -> Vec<(&'static str, Factor, Rule)> {
    let (n, pair) = (variables.len(), draw.normal());
    let chain: Vec<f64> = (1..n).map(|_| draw.normal()).collect();
    let sequence = Sequence::new(2).and_then(|s| s.edges(chain.clone())).expect("scores");
    let along = move |row: &[bool]| -> f64 {
        let edges = row.windows(2).zip(&chain).filter(|(pair, _)| pair[0] && pair[1]);
        if count(row) == 2 { edges.map(|(_, t)| t).sum() } else { f64::NEG_INFINITY }
    };
    vec![
        ("exactly one", Factor::exactly_one(variables), logic(|r| count(r) == 1)),
        ("at most one", Factor::at_most_one(variables), logic(|r| count(r) <= 1)),
        ("or", Factor::or(variables), logic(|r| count(r) >= 1)),
        ("imply", Factor::imply(variables), logic(move |r| count(&r[..n - 1]) < n - 1 || r[n - 1])),
        ("xor out", Factor::xor_out(variables), logic(move |r| count(&r[..n - 1]) == usize::from(r[n - 1]))),
        ("or out", Factor::or_out(variables), logic(move |r| (count(&r[..n - 1]) > 0) == r[n - 1])),
        ("and out", Factor::and_out(variables), logic(move |r| (count(&r[..n - 1]) == n - 1) == r[n - 1])),
        ("budget", Factor::budget(variables, 3), logic(|r| count(r) <= 3)),
        ("exactly two", Factor::exactly(variables, 2), logic(|r| count(r) == 2)),
        ("at least two", Factor::at_least(variables, 2), logic(|r| count(r) >= 2)),
        (
            "pair",
            Factor::pair(variables[0], variables[1], pair),
            Box::new(move |r| if r[0] && r[1] { pair } else { 0.0 }),
        ),
        ("forbidden pair", Factor::pair(variables[0], variables[1], f64::NEG_INFINITY), logic(|r| !(r[0] && r[1]))),
        ("sequence", Factor::structured(variables, Arc::new(sequence)), Box::new(along)),
    ]
}

/// The assignments of `n` variables that a factor with these negations allows.
pub(crate) fn listed(n: usize, factor: &Factor, negated: &[usize], rule: &Rule) -> Listed {
    Listed::scored(n, |row| {
        let literals: Vec<bool> =
            factor.variables().iter().enumerate().map(|(at, &v)| row[v] != negated.contains(&at)).collect();
        rule(&literals)
    })
}

#[test]
fn alone_they_agree_with_the_enumeration() {
    let mut draw = Draw(11);
    for round in 0..60 {
        let variables = [3, 0, 4, 1, 2];
        for (name, factor, rule) in factors(&variables, &mut draw) {
            let size = factor.variables().len();
            let negated: Vec<usize> = (0..size).filter(|_| round % 2 == 1 && draw.uniform() < 0.4).collect();
            let mut theta = scores(&mut draw, 5);
            if round % 3 == 2 {
                theta.iter_mut().for_each(|s| *s = if draw.uniform() < 0.25 { f64::NEG_INFINITY } else { *s });
            }
            let what = format!("{name}, not {negated:?}, {theta:?}");
            let listed = listed(5, &factor, &negated, &rule);
            let masked = |row: &[f64]| row.iter().zip(&theta).any(|(y, s)| *y == 1.0 && *s == f64::NEG_INFINITY);
            let mut graph = FactorGraph::new(5);
            graph.add(factor.negated(&negated)).expect(&what);
            if theta.iter().all(|s| *s == f64::NEG_INFINITY) {
                assert_eq!(graph.solve(&theta).expect(&what).marginals, [0.0; 5]);
                continue;
            }
            if listed.rows.iter().all(|row| masked(row)) {
                let error = graph.solve(&theta).expect_err(&what).to_string();
                assert!(error.starts_with("factor = 0: "), "{error}");
                continue;
            }
            let (want, value) = listed.solve(&theta);
            let solution = graph.solve(&theta).expect(&what);
            assert_eq!((solution.status, solution.iterations), (Status::Optimal, 0), "{what}");
            near(&what, &solution.marginals, &want, 1e-11);
            let size = theta.iter().filter(|s| s.is_finite()).fold(1.0, |top: f64, s| top.max(s.abs()));
            assert!((solution.value - value).abs() < 1e-12 * size, "{what}: {} {value}", solution.value);
            let inside: f64 =
                graph.higher()[0].iter().zip(&solution.higher[0]).filter(|(_, e)| **e != 0.0).map(|(h, e)| h * e).sum();
            assert!(listed.lead(&theta, &solution.marginals, inside) < 1e-11 * size, "{what}");
            for (y, w) in solution.marginals.iter().zip(&want) {
                assert!(*w != 0.0 || *y < 1e-15, "{what}: {y:e} for a zero");
            }

            let forced = graph.solver().direct(false).solve(&theta).expect(&what);
            assert_eq!(forced.status, Status::Optimal, "{what}: {forced:?}");
            near(&what, &forced.marginals, &want, 2e-9);
        }
    }
}

#[test]
fn without_factors_scores_are_clipped() {
    let theta = [-1.0, 0.25, 3.0, f64::NEG_INFINITY, 0.0, 1.0];
    let solution = FactorGraph::new(6).solve(&theta).expect("scores");
    assert_eq!(solution.marginals, [0.0, 0.25, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(solution.vjp(&[1.0; 6]).expect("lengths").unary, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert!((solution.value - (0.25 * 0.25 / 2.0 + 2.5 + 0.5)).abs() < 1e-15);
}

#[test]
fn large_scores_do_not_blur_small_ones() {
    for (factor, want) in [
        (Factor::exactly_one(&[0, 1, 2]), [0.625, 0.375, 0.0]),
        (Factor::budget(&[0, 1, 2], 1), [0.625, 0.375, 0.0]),
        (Factor::exactly(&[0, 1, 2], 2), [1.0, 1.0, 0.0]),
    ] {
        let mut graph = FactorGraph::new(3);
        graph.add(factor).expect("a factor");
        let solution = graph.solve(&[1e8 + 0.5, 1e8 + 0.25, -1e8]).expect("scores");
        assert_eq!(solution.marginals, want);
    }
}
