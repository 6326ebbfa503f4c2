//! The check itself: it notices a gradient that is wrong.

use hfy_nn::layers::HopfieldConfig;

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
