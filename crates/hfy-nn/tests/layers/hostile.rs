//! Numbers that no layer can use: an error or NaN, never a panic, and never a wait.

use burn::tensor::{DType, Tensor};
use hfy_nn::layers::{Hopfield, HopfieldConfig, HopfieldPooling, Linear, Patterns};
use hfy_nn::mil::{BagClassifier, ClassifierConfig, LeNet, loss};
use hfy_nn::{Phase, Random};

use crate::common::{Matrix, hopfield, numbers, plain, tracking};

#[test]
fn no_number_makes_a_layer_panic() {
    let config = HopfieldConfig { num_heads: 2, ..HopfieldConfig::new(4) };
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e30, -1e30, 1e-40, 0.0] {
        for omega in ["softmax", "sparsemax", "entmax:1.3", "normmax:2", "subsets:2", "sequence:2:t=0.5"] {
            for psi in ["identity", "l2", "layernorm", "tanh"] {
                for (updates, normed) in [(Some(0), true), (Some(2), false), (None, false)] {
                    let norm = config.normalize_state_pattern.filter(|_| normed);
                    let config = HopfieldConfig {
                        omega: omega.into(),
                        psi: psi.into(),
                        update_steps_max: vec![updates],
                        update_steps_limit: 20,
                        normalize_stored_pattern: norm,
                        normalize_state_pattern: norm,
                        normalize_pattern_projection: norm,
                        implicit: updates.is_none(),
                        ..config.clone()
                    };
                    for everywhere in [false, true] {
                        ask(&config, value, everywhere);
                    }
                }
            }
        }
    }
}

fn ask(config: &HopfieldConfig, value: f32, everywhere: bool) {
    let layer: Hopfield = hopfield(config, 1, &tracking());
    let mut x = Matrix::normal(8, 4, 1);
    if everywhere {
        x.values.fill(value);
    } else {
        x.values[6] = value;
    }
    let x = Patterns::bags(x.tensor(&tracking()), &[0, 3, 8]).unwrap();
    let what = format!("{} {} {value} {everywhere}", config.omega, config.psi);
    match layer.associate_with_report(x.clone(), x.clone(), x, &Default::default(), Phase::Inference) {
        Ok((out, report)) => {
            assert!(!value.is_nan() || numbers(&out).iter().any(|v| v.is_nan()), "{what}: NaN is lost");
            assert!(report.weights(0, 0, 0).iter().all(|w| *w >= 0.0), "{what}");
            // The backward pass may give anything but a panic.
            drop(out.sum().backward());
        }
        Err(error) => {
            let words = error.to_string();
            assert!(!value.is_finite() || value.abs() >= 1e30, "{what}: {words}");
            assert!(words.len() > 20, "{what}: {words}");
        }
    }
}

#[test]
fn a_gradient_that_is_not_finite_makes_gradients_nan_and_no_panic() {
    for value in [f32::NAN, f32::INFINITY] {
        for omega in ["softmax", "sparsemax", "entmax:1.3", "normmax:2", "subsets:2", "sequence:2:t=0.5"] {
            for implicit in [false, true] {
                let config = HopfieldConfig {
                    num_heads: 2,
                    omega: omega.into(),
                    psi: "l2".into(),
                    update_steps_max: if implicit { vec![None] } else { vec![Some(1)] },
                    implicit,
                    ..HopfieldConfig::new(4)
                };
                let layer: Hopfield = hopfield(&config, 1, &tracking());
                let x = Matrix::normal(5, 4, 1).tensor(&tracking()).require_grad();
                let out = layer.forward(x.clone().reshape([1, 5, 4]), Phase::Inference).unwrap();
                let gradients = (out * value).sum().backward();
                let gradient = numbers(&x.grad(&gradients).unwrap());
                assert!(gradient.iter().any(|g| !g.is_finite()), "{omega}: {gradient:?}");
            }
        }
    }
}

#[test]
fn nan_pictures_and_logits() {
    let lenet = LeNet::new((16, 16), 3, &mut Random::new(0, 0), &plain()).unwrap();
    let mut pictures = Matrix::normal(2, 256, 1);
    pictures.values[100] = f32::NAN;
    let out = numbers(&lenet.forward(pictures.tensor(&plain())).unwrap());
    assert!(out[..3].iter().any(|v| v.is_nan()) && out[3..].iter().all(|v| v.is_finite()), "{out:?}");
    let value = loss(Tensor::from_data([f32::NAN, 0.0], &plain()), &[true, false], 1e-5).unwrap();
    assert!(value.into_scalar::<f32>().is_nan());
    let infinite = loss(Tensor::from_data([f32::INFINITY, f32::NEG_INFINITY], &plain()), &[false, true], 1e-5).unwrap();
    assert!((infinite.into_scalar::<f32>() + 1e-5_f32.ln()).abs() < 1e-3);
    for positive in [vec![], vec![true; 3]] {
        let error = loss(Tensor::from_data([0.0, 1.0], &plain()), &positive, 1e-5).unwrap_err().to_string();
        assert!(error.contains("logits") && error.contains("one for each"), "{error}");
    }
}

/// A NaN in the corner of a picture is in one entry of the first convolution alone, and of the second: in another place
/// of its block of 2 x 2 for each corner.
#[test]
fn a_nan_shows_wherever_in_a_block_it_stands() {
    let lenet = LeNet::new((16, 16), 3, &mut Random::new(0, 0), &plain()).unwrap();
    for (place, pixel) in [0, 15, 15 * 16, 16 * 16 - 1].into_iter().enumerate() {
        let mut pictures = Matrix::normal(2, 256, 1);
        pictures.values[pixel] = f32::NAN;
        let out = numbers(&lenet.forward(pictures.tensor(&plain())).unwrap());
        assert!(out[..3].iter().all(|v| v.is_nan()), "place {place}: {out:?}");
        assert!(out[3..].iter().all(|v| v.is_finite()), "place {place}: {out:?}");
    }
}

#[test]
fn other_precisions_are_an_error_in_words() {
    let random = &mut Random::new(0, 0);
    let words = |error: hfy_nn::Error| {
        let error = error.to_string();
        assert!(error.contains("F64") && error.contains("single precision"), "{error}");
    };
    for device in [plain(), tracking()] {
        let wide = |shape: [usize; 2]| Tensor::<2>::ones(shape, &device).cast(DType::F64);
        words(Linear::new(4, 2, random, &device).forward(wide([3, 4])).unwrap_err());
        let plain = HopfieldConfig {
            normalize_stored_pattern: None,
            normalize_state_pattern: None,
            normalize_pattern_projection: None,
            ..HopfieldConfig::new(4)
        };
        for config in [HopfieldConfig::new(4), plain, HopfieldConfig::memory(4)] {
            let pooling = HopfieldPooling::new(&config, 1, true, random, &device).unwrap();
            words(pooling.forward(Patterns::shared(wide([3, 4])), Phase::Inference).unwrap_err());
        }
        let config = ClassifierConfig {
            features: 256,
            picture: Some((16, 16)),
            embedding: vec![4],
            pooling: HopfieldConfig::new(4),
            rectified: false,
            scaled: false,
            energy: false,
        };
        let model = BagClassifier::new(&config, random, &device).unwrap();
        words(model.logits(wide([2, 256]), &[0, 2], Phase::Inference).unwrap_err());
    }
}
