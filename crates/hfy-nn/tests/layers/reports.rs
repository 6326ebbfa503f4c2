//! What a report says.

use hfy_nn::layers::{AssociationReport, Hopfield, HopfieldConfig, Masks, Patterns, Scaling};
use hfy_nn::{Phase, Random};

use crate::common::{Matrix, assert_close, hopfield, numbers, plain};

fn memory(omega: &str, updates: Option<usize>) -> HopfieldConfig {
    HopfieldConfig {
        omega: omega.into(),
        update_steps_max: vec![updates],
        update_steps_eps: vec![1e-6],
        ..HopfieldConfig::memory(5)
    }
}

fn report(config: &HopfieldConfig, stored: &Matrix, state: &Matrix) -> (Vec<f32>, AssociationReport) {
    let layer = Hopfield::new(config, &mut Random::new(0, 0), &plain()).unwrap();
    let stored = Patterns::shared(stored.tensor(&plain()));
    let state = Patterns::shared(state.tensor(&plain()));
    let masks = Masks::default();
    let (out, report) = layer.associate_with_report(stored.clone(), state, stored, &masks, Phase::Inference).unwrap();
    (numbers(&out), report)
}

#[test]
fn weights_energy_and_answer_by_hand() {
    let (stored, state) = (Matrix::normal(6, 5, 1), Matrix::normal(2, 5, 2));
    let (out, found) = report(&memory("softmax", Some(0)), &stored, &state);
    assert_eq!((found.bags(), found.heads(), found.queries(0)), (1, 1, 2));
    for query in 0..2 {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        let scores: Vec<f64> = (0..6).map(|at| dot(stored.row(at), state.row(query))).collect();
        let total: f64 = scores.iter().map(|s| s.exp()).sum();
        let weights: Vec<f32> = scores.iter().map(|s| (s.exp() / total) as f32).collect();
        assert_close(found.weights(0, 0, query), &weights, 1e-6, "weights");
        assert_eq!(found.support(0, 0, query), [0, 1, 2, 3, 4, 5]);
        let energy = dot(state.row(query), state.row(query)) / 2.0 - total.ln();
        assert!((found.energy(0, 0, query).unwrap() - energy).abs() < 1e-5);
        let answer: Vec<f32> = (0..5).map(|c| (0..6).map(|at| weights[at] * stored.row(at)[c]).sum::<f32>()).collect();
        assert_close(&out[query * 5..][..5], &answer, 1e-5, "answer");
    }
}

#[test]
fn energy_never_grows() {
    for omega in ["softmax", "sparsemax", "entmax:1.5", "normmax:2", "subsets:2", "sequence:2:t=0.5"] {
        for psi in ["identity", "l2", "layernorm:eps=1e-3", "tanh"] {
            for seed in 0..5 {
                let (stored, state) = (Matrix::normal(6, 5, seed), Matrix::normal(3, 5, seed + 50));
                let mut before = [f64::INFINITY; 3];
                for updates in 0..6 {
                    let config = HopfieldConfig { psi: psi.into(), ..memory(omega, Some(updates)) };
                    let (_, found) = report(&config, &stored, &state);
                    for (query, before) in before.iter_mut().enumerate() {
                        let energy = found.energy(0, 0, query).unwrap();
                        let slack = 1e-5 * energy.abs().max(1.0);
                        assert!(energy <= *before + slack, "{omega} {psi} {seed} {updates}: {before} to {energy}");
                        // A state after an update lies in the domain of Ψ.
                        assert!(energy.is_finite() || updates == 0, "{omega} {psi} {seed} {updates}: {energy}");
                        *before = energy;
                    }
                }
            }
        }
    }
}

#[test]
fn an_energy_is_that_of_the_patterns_that_take_part() {
    let (stored, state) = (Matrix::normal(6, 5, 3), Matrix::normal(1, 5, 4));
    let fewer = Matrix { rows: 4, columns: 5, values: stored.values[..20].to_vec() };
    for omega in ["softmax", "entmax:1.5", "normmax:5", "subsets:2", "sequence:2:t=0.5", "sequence:2:t=0.5:reg=on"] {
        let config = HopfieldConfig { scaling: Some(Scaling::Fixed(vec![0.7])), ..memory(omega, Some(0)) };
        let layer = Hopfield::new(&config, &mut Random::new(0, 0), &plain()).unwrap();
        let energy = |stored: &Matrix, masks: &Masks| {
            let stored = Patterns::shared(stored.tensor(&plain()));
            let state = Patterns::shared(state.tensor(&plain()));
            let found = layer.associate_with_report(stored.clone(), state, stored, masks, Phase::Inference);
            found.unwrap().1.energy(0, 0, 0).unwrap()
        };
        let last = vec![vec![false, false, false, false, true, true]];
        let masked = energy(&stored, &Masks { ignored_patterns: Some(last), ..Masks::default() });
        let without = energy(&fewer, &Masks::default());
        assert!((masked - without).abs() < 1e-9, "{omega}: {masked} and {without}");
    }
}

#[test]
fn a_learned_psi_has_no_energy() {
    let config = HopfieldConfig { psi: "layernorm".into(), psi_affine: true, ..memory("softmax", Some(1)) };
    let (_, found) = report(&config, &Matrix::normal(6, 5, 1), &Matrix::normal(2, 5, 2));
    assert_eq!(found.energy(0, 0, 1), None);
}

#[test]
fn steps_and_convergence() {
    let (stored, state) = (Matrix::normal(6, 5, 1), Matrix::normal(2, 5, 2));
    for updates in 0..4 {
        let (_, found) = report(&memory("softmax", Some(updates)), &stored, &state);
        assert_eq!(found.steps(0, 0), updates);
        assert!(!found.converged(0, 0) && found.residual(0, 0) > 1e-6);
    }
    let (_, found) = report(&memory("softmax", None), &stored, &state);
    assert!(found.converged(0, 0) && found.residual(0, 0) <= 1e-6, "{}", found.residual(0, 0));
    assert!(found.steps(0, 0) > 3 && found.steps(0, 0) < 1000, "{}", found.steps(0, 0));
    let limited = HopfieldConfig { update_steps_limit: 2, ..memory("softmax", None) };
    let (_, found) = report(&limited, &stored, &state);
    assert!(!found.converged(0, 0) && found.steps(0, 0) == 2);
    // A sparse map settles exactly.
    let (_, found) =
        report(&HopfieldConfig { scaling: Some(4.0.into()), ..memory("sparsemax", None) }, &stored, &state);
    assert!(found.converged(0, 0) && found.residual(0, 0) == 0.0 && found.support(0, 0, 0).len() == 1);
}

#[test]
fn each_head_of_each_bag_ends_by_itself() {
    let config = HopfieldConfig {
        num_heads: 3,
        hidden_size: Some(4),
        update_steps_max: vec![Some(0), Some(2), None],
        update_steps_eps: vec![1e-4, 1e-3, 1e-5],
        ..HopfieldConfig::new(5)
    };
    let layer: Hopfield = hopfield(&config, 1, &plain());
    let stored = Patterns::bags(Matrix::normal(7, 5, 1).tensor(&plain()), &[0, 1, 7]).unwrap();
    let state = Patterns::bags(Matrix::normal(3, 5, 2).tensor(&plain()), &[0, 2, 3]).unwrap();
    let masks = Masks::default();
    let (_, found) = layer.associate_with_report(stored.clone(), state, stored, &masks, Phase::Inference).unwrap();
    // In a bag of one nothing changes, so that one update is enough to see it.
    assert_eq!([0, 1, 2].map(|head| found.steps(0, head)), [0, 1, 1]);
    assert_eq!([0, 1].map(|head| found.steps(1, head)), [0, 2]);
    assert!(found.steps(1, 2) > 2 && found.converged(1, 2) && found.converged(0, 0));
}

#[test]
fn added_patterns_and_masks_are_in_the_weights() {
    let config = HopfieldConfig {
        num_heads: 2,
        concat_bias_pattern: true,
        add_zero_association: true,
        omega: "sparsemax".into(),
        ..HopfieldConfig::new(4)
    };
    let layer: Hopfield = hopfield(&config, 1, &plain());
    let x = Patterns::bags(Matrix::normal(5, 4, 1).tensor(&plain()), &[0, 2, 5]).unwrap();
    let masks = Masks { ignored_patterns: Some(vec![vec![true, false], vec![false, true, false]]), ..Masks::default() };
    let (_, found) = layer.associate_with_report(x.clone(), x.clone(), x, &masks, Phase::Inference).unwrap();
    for head in 0..2 {
        for query in 0..2 {
            let weights = found.weights(0, head, query);
            assert_eq!((weights.len(), weights[0]), (4, 0.0));
        }
        for query in 0..3 {
            let weights = found.weights(1, head, query);
            assert_eq!((weights.len(), weights[1]), (5, 0.0));
            let support: Vec<usize> = (0..5).filter(|at| weights[*at] > 0.0).collect();
            assert_eq!(found.support(1, head, query), support);
        }
    }
}
