//! Derivatives against differences.

use std::sync::Arc;

use hfy::structure::{Factor, FactorGraph, Sequence, Status};

use crate::common::draw::Draw;
use crate::factor_graphs::brute::near;
use crate::factor_graphs::mixtures::{assignment, trees};

/// What is differentiated: products with the marginals, and with the higher-order parts of each factor.
struct Weights {
    g: Vec<f64>,
    h: Vec<Vec<f64>>,
}

fn objective(graph: &FactorGraph, theta: &[f64], higher: &[Vec<f64>], weights: &Weights) -> f64 {
    let solution = graph.solver().tolerance(1e-12).limit(100_000).solve_with(theta, higher).expect("a solution");
    assert_eq!(solution.status, Status::Optimal, "{theta:?}");
    let unary: f64 = solution.marginals.iter().zip(&weights.g).map(|(y, g)| y * g).sum();
    unary + solution.higher.iter().flatten().zip(weights.h.iter().flatten()).map(|(e, h)| e * h).sum::<f64>()
}

/// The slope of `f` at zero, unless that is a kink.
fn slope(f: impl Fn(f64) -> f64) -> Option<f64> {
    let h = 1e-5;
    let (low, middle, high) = (f(-h), f(0.0), f(h));
    let (left, right) = ((middle - low) / h, (high - middle) / h);
    ((left - right).abs() < 1e-4).then_some((high - low) / (2.0 * h))
}

/// How many slopes were compared and how many were kinks.
fn compare(what: &str, graph: &FactorGraph, theta: &[f64], draw: &mut Draw) -> (usize, usize) {
    let higher = graph.higher();
    let weights = Weights {
        g: theta.iter().map(|_| draw.normal()).collect(),
        h: higher.iter().map(|scores| scores.iter().map(|_| draw.normal()).collect()).collect(),
    };
    let solution = graph.solver().tolerance(1e-12).limit(100_000).solve(theta).expect(what);
    let gradients = solution.vjp_with(&weights.g, &weights.h).expect(what);
    let (mut smooth, mut kinks) = (0, 0);
    let mut judge = |name: String, got: f64, want: Option<f64>| match want {
        Some(want) => {
            assert!((got - want).abs() < 1e-5, "{what}: {name} = {got}, expected {want} at {theta:?}");
            smooth += 1;
        }
        None => kinks += 1,
    };
    for i in 0..theta.len() {
        if theta[i] == f64::NEG_INFINITY {
            judge(format!("masked {i}"), gradients.unary[i], Some(0.0));
            continue;
        }
        let moved = |step: f64| {
            let mut theta = theta.to_vec();
            theta[i] += step;
            objective(graph, &theta, &higher, &weights)
        };
        judge(format!("unary {i}"), gradients.unary[i], slope(moved));
    }
    for f in 0..higher.len() {
        for j in 0..higher[f].len() {
            let moved = |step: f64| {
                let mut higher = higher.clone();
                higher[f][j] += step;
                objective(graph, theta, &higher, &weights)
            };
            judge(format!("higher {f} {j}"), gradients.higher[f][j], slope(moved));
        }
    }
    (smooth, kinks)
}

fn compare_all(what: &str, rounds: usize, scale: f64, build: impl Fn(&mut Draw) -> FactorGraph) {
    let mut draw = Draw(21);
    let (mut smooth, mut kinks) = (0, 0);
    for round in 0..rounds {
        let graph = build(&mut draw);
        let mut theta: Vec<f64> = (0..graph.variables()).map(|_| scale * draw.normal() + 0.3).collect();
        if round % 4 == 3 {
            theta[draw.below(graph.variables())] = f64::NEG_INFINITY;
        }
        let (a, b) = compare(what, &graph, &theta, &mut draw);
        (smooth, kinks) = (smooth + a, kinks + b);
    }
    println!("{what}: {smooth} slopes, {kinks} kinks");
    assert!(smooth > 20 * kinks, "{what}: {smooth} slopes, {kinks} kinks");
}

#[test]
fn logic() {
    compare_all("logic", 60, 0.5, |draw| {
        let all: Vec<usize> = (0..5).collect();
        let mut factors = crate::factor_graphs::logic::factors(&all, draw);
        let (_, factor, _) = factors.swap_remove(draw.below(factors.len()));
        let mut graph = FactorGraph::new(5);
        graph.add(factor).expect("a factor");
        graph
    });
}

#[test]
fn assignments() {
    compare_all("assignments", 12, 0.3, |_| assignment(3));
}

#[test]
fn pairs() {
    compare_all("pairs", 20, 0.4, |draw| {
        let mut graph = FactorGraph::new(5);
        for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)] {
            graph.add(Factor::pair(a, b, 0.5 * draw.normal())).expect("a pair");
        }
        graph
    });
}

#[test]
fn structures_and_logic() {
    compare_all("structures", 12, 0.4, |draw| {
        let mut graph = FactorGraph::new(7);
        let edges = (0..4).map(|_| 0.5 * draw.normal()).collect();
        let sequence = Sequence::new(2).and_then(|s| s.edges(edges)).expect("scores");
        graph.add(Factor::structured(&[2, 3, 4, 5, 6], Arc::new(sequence)).negated(&[1])).expect("a sequence");
        // Trees that score the same would be kinks: several distributions over them have the same marginals.
        let mut trees = trees();
        trees.scores.iter_mut().for_each(|score| *score = 0.3 * draw.normal());
        graph.add(Factor::structured(&[0, 1, 2, 3, 4, 5], Arc::new(trees))).expect("trees");
        graph.add(Factor::imply(&[0, 6])).expect("logic");
        graph
    });
}

#[test]
fn the_derivative_is_a_projection() {
    let mut draw = Draw(3);
    for _ in 0..20 {
        let theta: Vec<f64> = (0..16).map(|_| 0.3 * draw.normal()).collect();
        let solution = assignment(4).solve(&theta).expect("scores");
        let g: Vec<f64> = (0..16).map(|_| draw.normal()).collect();
        let once = solution.vjp(&g).expect("lengths").unary;
        let twice = solution.vjp(&once).expect("lengths").unary;
        near("twice", &twice, &once, 1e-12);
        for i in 0..4 {
            assert!(once[4 * i..4 * i + 4].iter().sum::<f64>().abs() < 1e-12);
        }
    }
}

#[test]
fn gradients_of_variables_that_are_off_are_not_looked_at() {
    let mut graph = FactorGraph::new(3);
    graph.add(Factor::exactly_one(&[0, 1, 2])).expect("a factor");
    let solution = graph.solve(&[0.0, 0.25, f64::NEG_INFINITY]).expect("scores");
    let gradients = solution.vjp(&[1.0, 0.0, f64::NAN]).expect("the gradient of a masked variable does not matter");
    near("gradient", &gradients.unary, &[0.5, -0.5, 0.0], 1e-15);
    assert!(solution.vjp(&[f64::NAN, 0.0, 0.0]).is_err());
}

/// In the middle of a square two corners blend to the solution, but it moves in all directions.
#[test]
fn ties_of_structures_span_the_whole_face() {
    let mut graph = FactorGraph::new(2);
    let square = hfy::structure::AtMost::new(2).expect("valid");
    graph.add(Factor::structured(&[0, 1], Arc::new(square))).expect("valid");
    let solution = graph.solver().solve(&[0.5, 0.5]).expect("solved");
    let gradient = solution.vjp(&[1.0, 0.0]).expect("solved").unary;
    assert!((gradient[0] - 1.0).abs() < 1e-9 && gradient[1].abs() < 1e-9, "{gradient:?}");
}
