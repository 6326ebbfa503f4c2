//! Every family of maps, in scores, in beta of each head, and in its own parameter.

use hfy_nn::OmegaParameter;
use hfy_nn::layers::{Hopfield, HopfieldConfig, Scaling};

use crate::common::differences::{Checked, check};
use crate::common::{Matrix, answers, hopfield, tracking};

const STORED: [usize; 3] = [1, 3, 7];
const STATE: [usize; 3] = [2, 1, 3];
const CORE: &str = "association_core";

fn config(omega: &str) -> HopfieldConfig {
    HopfieldConfig {
        num_heads: 2,
        hidden_size: Some(3),
        output_size: Some(4),
        scaling: Some(Scaling::Learned(vec![0.8, 1.3])),
        omega: omega.to_owned(),
        ..HopfieldConfig::new(5)
    }
}

/// Bags of one, three and seven stored patterns, with other numbers of states.
fn check_config(what: &str, config: &HopfieldConfig, seed: u64) -> Checked {
    let layer: Hopfield = hopfield(config, seed, &tracking());
    let inputs = [Matrix::normal(11, 5, seed), Matrix::normal(6, 5, seed + 100)];
    let checked =
        check(what, &layer, &inputs, |layer, x| answers(layer, (x[0].clone(), &STORED), (x[1].clone(), &STATE)));
    checked.notable(&["input 0", "input 1", &format!("{CORE}.in_proj_weight"), &format!("{CORE}.beta")]);
    checked
}

#[test]
fn maps_by_their_texts() {
    let maps = [
        "softmax",
        "sparsemax",
        "entmax:1.5",
        "entmax:1.3",
        "entmax:1.8",
        "normmax:2",
        "normmax:5",
        "subsets:2",
        "subsets:1.5",
        "sequence:2:t=0.5",
        "sequence:3:t=-0.4",
    ];
    for omega in maps {
        for seed in [1, 2] {
            check_config(omega, &config(omega), seed);
        }
    }
}

#[test]
fn two_updates() {
    // With a larger β the first update would end at one pattern, and nothing before it would have a gradient.
    let scaling = Some(Scaling::Learned(vec![0.3, 0.5]));
    for omega in ["softmax", "sparsemax", "entmax:1.5", "normmax:2", "subsets:2", "sequence:2:t=0.5"] {
        let config = HopfieldConfig { update_steps_max: vec![Some(2)], scaling: scaling.clone(), ..config(omega) };
        check_config(omega, &config, 3);
    }
}

fn learned(omega: &str, values: &[f64], seed: u64) {
    let parameter = Some(OmegaParameter::Learned(values.to_vec()));
    let config = HopfieldConfig { omega_parameter: parameter, ..config(omega) };
    let checked = check_config(&format!("{omega} {values:?}"), &config, seed);
    checked.notable(&[&format!("{CORE}.omega.module.raw")]);
}

#[test]
fn learned_parameters() {
    for seed in [1, 2] {
        learned("entmax", &[1.3, 1.7], seed);
        learned("entmax", &[1.5], seed);
        learned("normmax", &[1.7, 4.0], seed);
        learned("normmax", &[2.0], seed);
        learned("sequence:2", &[0.3, -0.4], seed);
        learned("sequence:2", &[0.5], seed);
    }
}

#[test]
fn a_parameter_apart_is_the_same_map_as_one_in_the_text() {
    for (text, name, value) in
        [("entmax:1.3", "entmax", 1.3), ("normmax:5", "normmax", 5.0), ("sequence:2:t=0.5", "sequence:2", 0.5)]
    {
        for learned in [false, true] {
            let values = vec![value; 2];
            let parameter = if learned { OmegaParameter::Learned(values) } else { OmegaParameter::Fixed(values) };
            let apart = HopfieldConfig { omega_parameter: Some(parameter), ..config(name) };
            let of = |config: &HopfieldConfig| {
                let (layer, device) = (hopfield(config, 7, &tracking()), tracking());
                let (x, y) = (Matrix::normal(11, 5, 7).tensor(&device), Matrix::normal(6, 5, 8).tensor(&device));
                crate::common::numbers(&answers(&layer, (x, &STORED), (y, &STATE)))
            };
            crate::common::assert_close(&of(&apart), &of(&config(text)), 1e-5, text);
        }
    }
}
