//! The gradient of a fixed point, held to differences of the converged map.

use hfy_nn::layers::{Hopfield, HopfieldConfig, Masks, Patterns, Scaling};
use hfy_nn::{OmegaParameter, Phase};

use crate::common::differences::{Checked, check};
use crate::common::{Matrix, answers, hopfield, offsets, tracking};

const STORED: [usize; 3] = [1, 3, 7];
const STATE: [usize; 3] = [2, 1, 3];

fn config() -> HopfieldConfig {
    HopfieldConfig {
        num_heads: 2,
        hidden_size: Some(3),
        scaling: Some(Scaling::Learned(vec![0.9, 1.1])),
        update_steps_max: vec![None],
        update_steps_eps: vec![1e-6],
        implicit: true,
        ..HopfieldConfig::new(4)
    }
}

fn check_config(what: &str, config: &HopfieldConfig, seed: u64) -> Checked {
    let layer: Hopfield = hopfield(config, seed, &tracking());
    let inputs = [Matrix::normal(11, 4, seed), Matrix::normal(6, 4, seed + 100)];
    check(what, &layer, &inputs, |layer, x| answers(layer, (x[0].clone(), &STORED), (x[1].clone(), &STATE)))
}

#[test]
fn maps() {
    for omega in ["softmax", "entmax:1.3", "normmax:2", "subsets:1.5"] {
        let checked = check_config(omega, &HopfieldConfig { omega: omega.into(), ..config() }, 1);
        checked.notable(&["input 0", "association_core.beta"]);
    }
    for (omega, values) in [("entmax", vec![1.3, 1.2]), ("normmax", vec![2.0]), ("sequence:2", vec![0.3])] {
        let parameter = Some(OmegaParameter::Learned(values));
        let config = HopfieldConfig { omega: omega.into(), omega_parameter: parameter, ..config() };
        check_config(omega, &config, 1).notable(&["association_core.beta", "association_core.omega.module.raw"]);
    }
}

#[test]
fn post_transformations() {
    for psi in ["l2", "layernorm:eps=1e-2", "tanh"] {
        let config = HopfieldConfig { psi: psi.into(), psi_patterns: true, ..config() };
        check_config(psi, &config, 1).notable(&["association_core.beta"]);
    }
}

#[test]
fn static_patterns_and_added_ones() {
    let fixed = HopfieldConfig { stored_pattern_as_static: true, hidden_size: Some(4), ..config() };
    check_config("static stored patterns", &fixed, 1);
    let fixed = HopfieldConfig { state_pattern_as_static: true, hidden_size: Some(4), ..config() };
    check_config("static states", &fixed, 1);
    let added = HopfieldConfig { concat_bias_pattern: true, add_zero_association: true, ..config() };
    check_config("added patterns", &added, 1).notable(&["association_core.bias_k"]);
}

#[test]
fn masks() {
    let layer = hopfield(&config(), 1, &tracking());
    let patterns = vec![vec![true], vec![false, true, false], vec![true, false, false, true, false, false, false]];
    let masks = Masks { ignored_patterns: Some(patterns), ..Masks::default() };
    let inputs = [Matrix::normal(11, 4, 1), Matrix::normal(6, 4, 101)];
    check("ignored patterns", &layer, &inputs, |layer, x| {
        let stored = Patterns::bags(x[0].clone(), &offsets(&STORED)).unwrap();
        let state = Patterns::bags(x[1].clone(), &offsets(&STATE)).unwrap();
        layer.associate(stored.clone(), state, stored, &masks, Phase::Inference).unwrap()
    });
}

#[test]
fn agrees_with_the_gradient_through_all_updates() {
    let inputs = [Matrix::normal(11, 4, 1), Matrix::normal(6, 4, 101)];
    let of = |implicit: bool| {
        let config = HopfieldConfig { implicit, ..config() };
        let layer = hopfield(&config, 1, &tracking());
        let x: Vec<_> = inputs.iter().map(|input| input.tensor(&tracking()).require_grad()).collect();
        let out = answers(&layer, (x[0].clone(), &STORED), (x[1].clone(), &STATE));
        let gradients = (out.clone() * out.clone()).sum().backward();
        (crate::common::numbers(&out), crate::common::numbers(&x[0].grad(&gradients).unwrap()))
    };
    let ((out, gradient), (unrolled_out, unrolled)) = (of(true), of(false));
    crate::common::assert_close(&out, &unrolled_out, 1e-5, "answers");
    crate::common::assert_close(&gradient, &unrolled, 1e-3, "gradients");
}
