//! The check itself: it notices a gradient that is wrong.

use hfy_nn::Random;
use hfy_nn::layers::{HopfieldConfig, Linear};

use crate::common::differences::check;
use crate::common::{Matrix, answers, hopfield, tracking};

/// Compares a layer with one whose value is the same, and whose gradient is `factor` times as large.
fn scaled(factor: f64) {
    let layer = hopfield(&HopfieldConfig { num_heads: 2, ..HopfieldConfig::new(4) }, 1, &tracking());
    check("scaled", &layer, &[Matrix::normal(4, 4, 1)], |layer, x| {
        let out = answers(layer, (x[0].clone(), &[1, 3]), (x[0].clone(), &[1, 3]));
        let without = out.clone().detach();
        out * factor - without * (factor - 1.0)
    });
}

#[test]
fn a_right_gradient_passes() {
    scaled(1.0);
}

#[test]
#[should_panic(expected = "the differences lie")]
fn a_gradient_that_is_three_hundredths_too_large_is_noticed() {
    scaled(1.03);
}

#[test]
#[should_panic(expected = "the differences lie")]
fn a_gradient_that_is_a_tenth_too_small_is_noticed() {
    scaled(0.9);
}

#[test]
#[should_panic(expected = "the differences lie")]
fn a_missing_gradient_is_noticed() {
    let layer = hopfield(&HopfieldConfig { num_heads: 2, ..HopfieldConfig::new(4) }, 1, &tracking());
    check("detached", &layer, &[Matrix::normal(4, 4, 1)], |layer, x| {
        answers(layer, (x[0].clone().detach(), &[1, 3]), (x[0].clone(), &[1, 3]))
    });
}

/// A rectifier whose bend is nearer to the only entry than any step.
#[test]
#[should_panic(expected = "input 0: 1 of 1 entries bend")]
fn the_only_entry_of_a_tensor_must_be_judged() {
    let module = Linear::new(1, 1, &mut Random::new(0, 0), &tracking());
    let input = Matrix { rows: 1, columns: 1, values: vec![1e-4] };
    check("a bend", &module, &[input], |_, x| burn::tensor::activation::relu(x[0].clone()));
}

#[test]
#[should_panic(expected = "too little to be checked")]
fn a_gradient_of_zero_is_not_notable() {
    let module = Linear::new(1, 1, &mut Random::new(0, 0), &tracking());
    check("zero", &module, &[Matrix::normal(2, 2, 1)], |_, x| x[0].clone() * 0.0).notable(&["input 0"]);
}
