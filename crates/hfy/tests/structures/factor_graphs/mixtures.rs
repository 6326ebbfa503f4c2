//! Factors that share variables.

use std::sync::Arc;

use hfy::structure::{Factor, FactorGraph, Sequence, Status};

use crate::common::draw::Draw;
use crate::factor_graphs::brute::{Listed, dykstra, near, scores};
use crate::factor_graphs::logic::{factors, listed};

/// Rows and columns of a table with one entry each.
pub(crate) fn assignment(n: usize) -> FactorGraph {
    let mut graph = FactorGraph::new(n * n);
    for i in 0..n {
        let row: Vec<usize> = (0..n).map(|j| i * n + j).collect();
        let column: Vec<usize> = (0..n).map(|j| j * n + i).collect();
        graph.add(Factor::exactly_one(&row)).expect("a row");
        graph.add(Factor::exactly_one(&column)).expect("a column");
    }
    graph
}

fn check(what: &str, graph: &FactorGraph, theta: &[f64], want: &[f64], tolerance: f64) -> usize {
    let solution = graph.solver().tolerance(1e-10).solve(theta).expect(what);
    assert_eq!(solution.status, Status::Optimal, "{what}: {} {}", solution.primal_residual, solution.dual_residual);
    assert!(solution.primal_residual <= 1e-10 && solution.dual_residual <= 1e-10, "{what}");
    near(what, &solution.marginals, want, tolerance);
    solution.iterations
}

#[test]
fn two_exactly_ones_are_assignments() {
    let n = 3;
    let permutations = Listed::allowed(9, |r| {
        (0..n).all(|i| (0..n).filter(|j| r[i * n + j]).count() == 1 && (0..n).filter(|j| r[j * n + i]).count() == 1)
    });
    assert_eq!(permutations.rows.len(), 6);
    let graph = assignment(n);
    let (mut draw, mut most) = (Draw(5), 0);
    for _ in 0..100 {
        let mut theta = scores(&mut draw, 9);
        if draw.uniform() < 0.3 {
            theta[draw.below(9)] = f64::NEG_INFINITY;
        }
        let what = format!("{theta:?}");
        let (want, _) = permutations.solve(&theta);
        most = most.max(check(&what, &graph, &theta, &want, 1e-9));
        let y = graph.solve(&theta).expect("scores").marginals;
        let size = theta.iter().filter(|s| s.is_finite()).fold(1.0, |top: f64, s| top.max(s.abs()));
        assert!(permutations.lead(&theta, &y, 0.0) < 1e-8 * size, "{what}");
    }
    println!("assignments: at most {most} rounds");
}

#[test]
fn labels_that_are_used_at_most_once() {
    let mut graph = FactorGraph::new(6);
    graph.add(Factor::exactly_one(&[0, 1, 2])).expect("a row");
    graph.add(Factor::exactly_one(&[3, 4, 5])).expect("a row");
    (0..3).for_each(|label| {
        graph.add(Factor::at_most_one(&[label, label + 3])).expect("a column");
    });
    let pairs = Listed::allowed(6, |r| {
        let on = |row: &[bool]| row.iter().filter(|on| **on).count();
        on(&r[..3]) == 1 && on(&r[3..]) == 1 && (0..3).all(|label| !(r[label] && r[label + 3]))
    });
    let mut draw = Draw(6);
    for _ in 0..100 {
        let theta = scores(&mut draw, 6);
        check(&format!("{theta:?}"), &graph, &theta, &pairs.solve(&theta).0, 1e-9);
    }
}

#[test]
fn trees_of_pairs_are_exact() {
    let (mut draw, mut most) = (Draw(7), 0);
    for _ in 0..100 {
        let n = 6;
        let mut graph = FactorGraph::new(n);
        let mut edges = Vec::new();
        for v in 1..n {
            let (other, score) = (draw.below(v), 1.5 * draw.normal());
            let negated: Vec<usize> = (0..2).filter(|_| draw.uniform() < 0.3).collect();
            graph.add(Factor::pair(other, v, score).negated(&negated)).expect("a pair");
            edges.push((other, v, score, negated));
        }
        let listed = Listed::scored(n, |row| {
            let on = |v: usize, at: usize, negated: &[usize]| row[v] != negated.contains(&at);
            edges.iter().filter(|(a, b, _, not)| on(*a, 0, not) && on(*b, 1, not)).map(|(_, _, score, _)| score).sum()
        });
        let theta = scores(&mut draw, n);
        let what = format!("{theta:?} {edges:?}");
        let (want, value) = listed.solve(&theta);
        most = most.max(check(&what, &graph, &theta, &want, 1e-8));
        let solution = graph.solve(&theta).expect("scores");
        assert!((solution.value - value).abs() < 1e-6, "{what}: {} {value}", solution.value);
    }
    println!("trees of pairs: at most {most} rounds");
}

#[test]
fn a_sequence_on_a_budget() {
    let mut draw = Draw(8);
    for _ in 0..50 {
        let edges: Vec<f64> = (0..5).map(|_| draw.normal()).collect();
        let sequence = Sequence::new(3).and_then(|s| s.edges(edges.clone())).expect("scores");
        let mut graph = FactorGraph::new(6);
        graph.add(Factor::structured(&[0, 1, 2, 3, 4, 5], Arc::new(sequence))).expect("a sequence");
        graph.add(Factor::budget(&[0, 2, 4], 1)).expect("a budget");
        let paths = Listed::scored(6, |r| {
            if r.iter().filter(|on| **on).count() != 3 {
                return f64::NEG_INFINITY;
            }
            r.windows(2).zip(&edges).filter(|(pair, _)| pair[0] && pair[1]).map(|(_, t)| t).sum()
        });
        let budget = Listed::allowed(3, |r| r.iter().filter(|on| **on).count() <= 1);
        let theta = scores(&mut draw, 6);
        let want = dykstra(&theta, &[((0..6).collect(), paths), (vec![0, 2, 4], budget)]);
        check(&format!("{theta:?}"), &graph, &theta, &want, 1e-7);
    }
}

/// The sets of edges of four points that connect all of them without a cycle.
pub(crate) fn trees() -> Listed {
    let ends = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    Listed::allowed(6, |r| {
        let mut part = [0, 1, 2, 3];
        let joined = (0..6).filter(|&e| r[e]).all(|e| {
            let (a, b) = (part[ends[e].0], part[ends[e].1]);
            part.iter_mut().filter(|p| **p == b).for_each(|p| *p = a);
            a != b
        });
        joined && part == [part[0]; 4]
    })
}

#[test]
fn trees_under_logic() {
    assert_eq!(trees().rows.len(), 16);
    let mut draw = Draw(9);
    for _ in 0..50 {
        let mut graph = FactorGraph::new(7);
        graph.add(Factor::structured(&[0, 1, 2, 3, 4, 5], Arc::new(trees()))).expect("trees");
        graph.add(Factor::at_most_one(&[0, 5])).expect("logic");
        graph.add(Factor::and_out(&[1, 2, 6])).expect("logic");
        let theta = scores(&mut draw, 7);
        let want = dykstra(
            &theta,
            &[
                ((0..6).collect(), trees()),
                (vec![0, 5], Listed::allowed(2, |r| !(r[0] && r[1]))),
                (vec![1, 2, 6], Listed::allowed(3, |r| (r[0] && r[1]) == r[2])),
            ],
        );
        check(&format!("{theta:?}"), &graph, &theta, &want, 1e-7);
    }
}

#[test]
fn anything_with_anything() {
    let (mut draw, mut most, mut solved) = (Draw(10), 0, 0);
    for round in 0..150 {
        let n = 6;
        let mut graph = FactorGraph::new(n);
        let mut lists = Vec::new();
        let mut names = Vec::new();
        for _ in 0..2 + draw.below(2) {
            let mut variables: Vec<usize> = (0..n).collect();
            (0..n).for_each(|i| variables.swap(i, draw.below(n)));
            variables.truncate(4);
            let mut all = factors(&variables, &mut draw);
            let (name, factor, rule) = all.swap_remove(draw.below(all.len()));
            let size = factor.variables().len();
            let negated: Vec<usize> = (0..size).filter(|_| draw.uniform() < 0.2).collect();
            let own = Factor::budget(&(0..size).collect::<Vec<usize>>(), size);
            lists.push((factor.variables().to_vec(), listed(size, &own, &negated, &rule)));
            graph.add(factor.negated(&negated)).expect(name);
            names.push((name, lists.last().expect("just added").0.clone(), negated));
        }
        let together = Listed::allowed(n, |row| {
            lists.iter().all(|(variables, listed)| {
                let own: Vec<f64> = variables.iter().map(|&v| f64::from(row[v])).collect();
                listed.rows.contains(&own)
            })
        });
        if together.rows.is_empty() {
            continue;
        }
        let theta = scores(&mut draw, n);
        let what = format!("{round}: {names:?}, {theta:?}");
        let mut want = dykstra(&theta, &lists);
        let used = |v: usize| lists.iter().any(|(variables, _)| variables.contains(&v));
        (0..n).filter(|&v| !used(v)).for_each(|v| want[v] = want[v].clamp(0.0, 1.0));
        let rounds = check(&what, &graph, &theta, &want, 1e-6);
        (most, solved) = (most.max(rounds), solved + 1);
    }
    println!("{solved} mixtures: at most {most} rounds");
    assert!(solved > 100);
}

#[test]
fn large_scores_take_not_many_more_rounds() {
    let mut draw = Draw(12);
    let graph = assignment(6);
    for scale in [1e-3, 1.0, 1e2, 1e4, 1e6, 1e8, 1e10] {
        for _ in 0..5 {
            let theta: Vec<f64> = (0..36).map(|_| scale * draw.normal()).collect();
            let solution = graph.solve(&theta).expect("scores");
            assert_eq!(solution.status, Status::Optimal, "{theta:?}");
            assert!(solution.iterations <= 2000, "{} rounds at {scale:e}", solution.iterations);
            for i in 0..6 {
                let row: f64 = solution.marginals[6 * i..6 * i + 6].iter().sum();
                assert!((row - 1.0).abs() < 1e-8, "{row}");
            }
        }
    }
}

#[test]
fn any_penalty_ends_at_the_same_solution() {
    let mut draw = Draw(13);
    let graph = assignment(4);
    for _ in 0..10 {
        let theta = scores(&mut draw, 16);
        let want = graph.solve(&theta).expect("scores").marginals;
        for penalty in [1e-2, 0.3, 30.0, 1e3] {
            let solution = graph.solver().penalty(penalty).solve(&theta).expect("scores");
            assert_eq!(solution.status, Status::Optimal, "{penalty} {theta:?}");
            near(&format!("{penalty} {theta:?}"), &solution.marginals, &want, 1e-7);
        }
    }
}
