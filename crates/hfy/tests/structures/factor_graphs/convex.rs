//! Graphs as convex functions.

use std::sync::Arc;

use hfy::post::Identity;
use hfy::structure::{Factor, FactorGraph, GraphMap, Sequence};
use hfy::{Convex, Network, Outcome, Scaled, Separation};
use ndarray::Array2;

use crate::common::draw::Draw;
use crate::factor_graphs::brute::near;
use crate::factor_graphs::mixtures::assignment;

/// Three graphs, and a point in the hulls of each.
fn maps() -> Vec<(&'static str, GraphMap, Vec<f64>)> {
    let mut chain = FactorGraph::new(4);
    chain.add(Factor::pair(0, 1, 0.7)).expect("a pair");
    chain.add(Factor::pair(1, 2, -0.6)).expect("a pair");
    chain.add(Factor::or_out(&[0, 1, 3])).expect("logic");
    let mut mixed = FactorGraph::new(6);
    let sequence = Sequence::new(2).and_then(|s| s.transition(0.5)).expect("scores");
    mixed.add(Factor::structured(&[0, 1, 2, 3], Arc::new(sequence))).expect("a sequence");
    mixed.add(Factor::at_most_one(&[0, 3, 4]).negated(&[2])).expect("logic");
    vec![
        ("assignments", GraphMap::new(assignment(3)), vec![0.5, 0.5, 0.0, 0.5, 0.25, 0.25, 0.0, 0.25, 0.75]),
        ("chain", GraphMap::new(chain), vec![0.5, 0.25, 0.75, 0.5]),
        ("mixed", GraphMap::new(mixed), vec![0.25, 0.75, 0.75, 0.25, 1.0, 0.4]),
    ]
}

#[test]
fn losses_are_zero_at_the_map_alone() {
    let mut draw = Draw(31);
    for (name, map, target) in maps() {
        for _ in 0..20 {
            let theta: Vec<f64> = target.iter().map(|_| 0.6 * draw.normal() + 0.2).collect();
            let y = map.apply(&theta).expect(name);
            let loss = map.loss(&theta, &y).expect(name);
            assert!(loss < 1e-7, "{name}: {loss:e}");
            let elsewhere = map.loss(&theta, &target).expect(name);
            let apart: f64 = y.iter().zip(&target).map(|(a, b)| (a - b) * (a - b)).sum();
            // The function is strongly convex.
            assert!(elsewhere.is_finite() && elsewhere >= apart / 2.0 - 1e-7, "{name}: {elsewhere} {apart}");
        }
        let mut outside = target.clone();
        outside[0] = 1.5;
        assert_eq!(map.value(&outside), f64::INFINITY, "{name}");
        assert_eq!(map.value(&target[1..]), f64::INFINITY, "{name}");
    }
    let (_, assignments, _) = &maps()[0];
    assert_eq!(assignments.value(&[1.0; 9]), f64::INFINITY);
    assert_eq!(assignments.value(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]), 1.5);
}

#[test]
fn derivatives_from_scores_and_from_outputs_agree() {
    let mut draw = Draw(32);
    for (name, map, target) in maps() {
        for _ in 0..20 {
            let theta: Vec<f64> = target.iter().map(|_| 0.5 * draw.normal() + 0.2).collect();
            let g: Vec<f64> = target.iter().map(|_| draw.normal()).collect();
            let y = map.apply(&theta).expect(name);
            let (mut from_scores, mut from_output) = (g.clone(), g.clone());
            map.vjp(&theta, &y, &mut from_scores).expect(name);
            map.pullback(&y, &mut from_output).expect(name);
            near(name, &from_output, &from_scores, 1e-6);

            let single: Vec<f32> = theta.iter().map(|&s| s as f32).collect();
            let got: Vec<f64> = map.apply(&single).expect(name).iter().map(|&v| f64::from(v)).collect();
            near(name, &got, &y, 1e-5);
        }
    }
}

#[test]
fn where_all_is_masked_there_is_nothing() {
    for (name, map, target) in maps() {
        let mut theta = vec![f64::NEG_INFINITY; target.len()];
        assert_eq!(map.argmax(&mut theta), Ok(Outcome::Empty), "{name}");
        assert!(theta.iter().all(|y| *y == 0.0), "{name}");
    }
}

#[test]
fn networks_take_them() {
    let mut draw = Draw(33);
    for (name, map, target) in maps() {
        let patterns = Array2::from_shape_fn((target.len(), 3), |_| draw.normal());
        let network = Network::new(Scaled::with_beta(map, 0.5).expect(name), Identity, &patterns).expect(name);
        let mut query = vec![0.1, -0.2, 0.3];
        for _ in 0..5 {
            let next = network.step(&query).expect(name).state;
            let (before, after) = (network.energy(&query).expect(name), network.energy(&next).expect(name));
            assert!(after <= before + 1e-9, "{name}: the energy rises from {before} to {after}");
            query = next;
        }
    }
}
