//! Post-transformations, projections, added patterns and layers around an association.

use hfy_nn::layers::{
    Activation, Hopfield, HopfieldConfig, HopfieldLayer, HopfieldPooling, InputNorm, LookupConfig, Masks, Patterns,
    Scaling,
};
use hfy_nn::{Phase, Random};

use crate::common::differences::{Checked, check};
use crate::common::{Matrix, answers, hopfield, offsets, spread, tracking};

const STORED: [usize; 3] = [1, 3, 7];
const STATE: [usize; 3] = [2, 1, 3];

fn config() -> HopfieldConfig {
    HopfieldConfig {
        num_heads: 2,
        hidden_size: Some(3),
        scaling: Some(Scaling::Learned(vec![1.2])),
        ..HopfieldConfig::new(4)
    }
}

fn check_config(what: &str, config: &HopfieldConfig, seed: u64) -> Checked {
    let layer = hopfield(config, seed, &tracking());
    let stored = config.stored_pattern_size.unwrap_or(config.input_size);
    let inputs = [Matrix::normal(11, stored, seed), Matrix::normal(6, config.input_size, seed + 100)];
    let checked =
        check(what, &layer, &inputs, |layer, x| answers(layer, (x[0].clone(), &STORED), (x[1].clone(), &STATE)));
    // One entry, which all heads share.
    checked.notable(&["association_core.beta"]);
    checked
}

#[test]
fn post_transformations() {
    for psi in
        ["identity", "l2", "l2:2.5", "layernorm", "layernorm:eps=1e-2", "layernorm:eta=2,eps=1e-5", "tanh", "tanh:2"]
    {
        for (psi_patterns, updates) in [(false, 0), (false, 2), (true, 1)] {
            // A layernorm of three entries that nearly agree bends within a step.
            let config = HopfieldConfig {
                hidden_size: Some(4),
                psi: psi.to_owned(),
                psi_patterns,
                update_steps_max: vec![Some(updates)],
                ..config()
            };
            check_config(&format!("{psi}, {psi_patterns}, {updates}"), &config, 1);
        }
    }
}

#[test]
fn a_learned_post_transformation() {
    for (psi, psi_patterns, updates) in
        [("layernorm:eps=1e-2", false, 0), ("layernorm", false, 2), ("layernorm", true, 1)]
    {
        let config = HopfieldConfig {
            hidden_size: Some(4),
            psi: psi.to_owned(),
            psi_affine: true,
            psi_patterns,
            update_steps_max: vec![Some(updates)],
            ..config()
        };
        let checked = check_config(&format!("affine {psi}, {psi_patterns}, {updates}"), &config, 1);
        checked.notable(&["association_core.psi.weight", "association_core.psi.bias"]);
    }
}

#[test]
fn normalised_in_the_hopfield_space() {
    for affine in [false, true] {
        let norm = Some(InputNorm { affine, eps: 1e-3 });
        let config = HopfieldConfig { normalize_hopfield_space: norm, hidden_size: Some(4), ..config() };
        let checked = check_config("hopfield space", &config, 1);
        if affine {
            checked.notable(&["association_core.p_norm_weight"]);
        }
    }
}

#[test]
fn projections() {
    let fixed = |state: bool, stored: bool, projection: bool| HopfieldConfig {
        state_pattern_as_static: state,
        stored_pattern_as_static: stored,
        pattern_projection_as_static: projection,
        hidden_size: Some(4),
        ..config()
    };
    for (state, stored, projection) in
        [(true, false, false), (false, true, false), (false, false, true), (true, true, false), (true, true, true)]
    {
        for updates in [0, 1] {
            let what = format!("static {state} {stored} {projection}, {updates}");
            let config = HopfieldConfig { update_steps_max: vec![Some(updates)], ..fixed(state, stored, projection) };
            check_config(&what, &config, 1);
            let connected = HopfieldConfig { pattern_projection_as_connected: true, ..config };
            check_config(&format!("connected, {what}"), &connected, 1);
        }
    }
    check_config("without biases", &HopfieldConfig { input_bias: false, ..config() }, 1);
    check_config("without output", &HopfieldConfig { disable_out_projection: true, ..config() }, 1);
    check_config("without norms", &without_norms(config()), 1);
    let depths = HopfieldConfig {
        stored_pattern_size: Some(6),
        pattern_projection_size: Some(6),
        pattern_size: Some(2),
        output_size: Some(5),
        ..config()
    };
    check_config("other depths", &depths, 1);
}

fn without_norms(config: HopfieldConfig) -> HopfieldConfig {
    HopfieldConfig {
        normalize_stored_pattern: None,
        normalize_state_pattern: None,
        normalize_pattern_projection: None,
        ..config
    }
}

#[test]
fn added_patterns() {
    for (concat_bias_pattern, add_zero_association) in [(true, false), (false, true), (true, true)] {
        for updates in [0, 2] {
            let config = HopfieldConfig {
                concat_bias_pattern,
                add_zero_association,
                update_steps_max: vec![Some(updates)],
                ..config()
            };
            let checked = check_config("added patterns", &config, 1);
            if concat_bias_pattern {
                checked.notable(&["association_core.bias_k", "association_core.bias_v"]);
            }
        }
    }
}

#[test]
fn activations() {
    for activation in [Activation::Relu, Activation::Tanh, Activation::Sigmoid, Activation::Gelu] {
        check_config(
            &format!("{activation:?}"),
            &HopfieldConfig { association_activation: Some(activation), ..config() },
            1,
        );
    }
}

#[test]
fn heads_that_end_at_different_times() {
    // Updates with a larger β magnify rounding; a head that converges an update earlier makes a small jump.
    let config = HopfieldConfig {
        scaling: Some(Scaling::Learned(vec![0.5])),
        update_steps_max: vec![Some(3), Some(1)],
        update_steps_eps: vec![1e-12],
        ..config()
    };
    check_config("three updates and one", &config, 1);
    // Static states enter every head as they are, so the head that rests has the one that serves all.
    let fixed = HopfieldConfig { state_pattern_as_static: true, hidden_size: Some(4), ..config.clone() };
    check_config("static states", &fixed, 1);
    let resting = HopfieldConfig { update_steps_max: vec![Some(0), Some(2)], ..fixed };
    check_config("a head without updates", &resting, 1);
}

#[test]
fn sequences_and_shared_patterns() {
    let layer = hopfield(&config(), 1, &tracking());
    check("a batch", &layer, &[Matrix::normal(6, 4, 1)], |layer: &Hopfield, x| {
        layer.forward(x[0].clone().reshape([2, 3, 4]), Phase::Inference).unwrap()
    });
    let updated = hopfield(&HopfieldConfig { update_steps_max: vec![Some(2)], ..config() }, 1, &tracking());
    let inputs = [Matrix::normal(3, 4, 1), Matrix::normal(5, 4, 2)];
    check("shared stored patterns", &updated, &inputs, |layer, x| {
        let stored = Patterns::shared(x[0].clone());
        let state = Patterns::bags(x[1].clone(), &[0, 1, 5]).unwrap();
        layer.associate(stored.clone(), state, stored, &Default::default(), Phase::Inference).unwrap()
    });
    check("shared states", &updated, &inputs, |layer, x| {
        let stored = Patterns::bags(x[1].clone(), &[0, 1, 5]).unwrap();
        let state = Patterns::shared(x[0].clone());
        layer.associate(stored.clone(), state, stored, &Default::default(), Phase::Inference).unwrap()
    });
}

#[test]
fn pooling_and_lookup() {
    let mut random = Random::new(1, 0);
    let sparse = HopfieldConfig { omega: "entmax:1.5".into(), update_steps_max: vec![Some(1)], ..config() };
    let pooling = spread(HopfieldPooling::new(&sparse, 2, true, &mut random, &tracking()).unwrap(), 0.6, 1);
    let checked = check("pooling", &pooling, &[Matrix::normal(11, 4, 1)], |pooling, x| {
        pooling.forward(Patterns::bags(x[0].clone(), &offsets(&STORED)).unwrap(), Phase::Inference).unwrap()
    });
    checked.notable(&["pooling_weights", "input 0"]);

    let other = HopfieldConfig { pattern_projection_size: Some(3), ..sparse.clone() };
    let pooling = spread(HopfieldPooling::new(&other, 2, true, &mut random, &tracking()).unwrap(), 0.6, 1);
    let ignored = STORED.map(|size| (0..size).map(|at| at % 4 == 1).collect()).to_vec();
    let masks = Masks { ignored_patterns: Some(ignored), ..Masks::default() };
    let inputs = [Matrix::normal(11, 4, 1), Matrix::normal(11, 3, 2)];
    let checked = check("pooling from another projection", &pooling, &inputs, |pooling, x| {
        let [stored, projection] = [0, 1].map(|at| Patterns::bags(x[at].clone(), &offsets(&STORED)).unwrap());
        pooling.forward_from(stored, projection, &masks, Phase::Inference).unwrap()
    });
    checked.notable(&["pooling_weights", "input 0", "input 1"]);

    for separated in [false, true] {
        for targets in [false, true] {
            let lookup = LookupConfig {
                quantity: 3,
                lookup_weights_as_separated: separated,
                lookup_targets_as_trainable: targets,
                ..LookupConfig::default()
            };
            let layer = spread(HopfieldLayer::new(&sparse, lookup, &mut random, &tracking()).unwrap(), 0.6, 2);
            let checked = check("lookup", &layer, &[Matrix::normal(6, 4, 1)], |layer, x| {
                layer.forward(Patterns::bags(x[0].clone(), &offsets(&STATE)).unwrap(), Phase::Inference).unwrap()
            });
            checked.notable(&["lookup_weights", "input 0"]);
            if separated && targets {
                checked.notable(&["target_weights"]);
            }
        }
    }
}
