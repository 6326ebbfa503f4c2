//! The classifier of bags: convolution, linear layers, loss.

use burn::tensor::Tensor;
use hfy_nn::layers::{HopfieldConfig, Linear};
use hfy_nn::mil::{BagClassifier, BagLoss, BagTask, Bags, ClassifierConfig, LeNet, loss};
use hfy_nn::train::Task;
use hfy_nn::{Phase, Random};

use crate::common::differences::{check, check_directions};
use crate::common::{Matrix, spread, tracking};

#[test]
fn a_linear_layer() {
    let layer = Linear::new(5, 3, &mut Random::new(1, 0), &tracking());
    check("linear", &layer, &[Matrix::normal(4, 5, 1)], |layer, x| layer.forward(x[0].clone()).unwrap())
        .notable(&["input 0", "weight", "bias"]);
}

#[test]
fn the_loss() {
    // The module is only there to be one.
    let layer = Linear::new(1, 1, &mut Random::new(1, 0), &tracking());
    let positive = [true, false, true, true, false];
    check("loss", &layer, &[Matrix::normal(5, 1, 1)], |layer, x| {
        loss(layer.forward(x[0].clone()).unwrap().reshape([5]), &positive, 0.0).unwrap()
    })
    .notable(&["input 0", "bias"]);
}

#[test]
fn a_loss_that_is_cut_off_has_no_gradient() {
    let logits = Tensor::<1>::from_data([30.0, -30.0, 30.0, -30.0, 0.0], &tracking()).require_grad();
    let value = loss(logits.clone(), &[true, true, false, false, true], 1e-5).unwrap();
    let gradients = value.clone().backward();
    let got = crate::common::numbers(&logits.grad(&gradients).unwrap());
    assert_eq!(got, [0.0, 0.0, 0.0, 0.0, -0.1]);
    let (most, least) = (-(1e-5_f64).ln(), -(1.0 - 1e-5_f64).ln());
    let expected = (2.0 * most + 2.0 * least + 2_f64.ln()) / 5.0;
    assert!((f64::from(value.into_scalar::<f32>()) - expected).abs() < 1e-5);
}

#[test]
fn lenet() {
    // The smallest pictures that pass both convolutions, and others that leave a row and a column out.
    for (height, width) in [(16, 16), (17, 18)] {
        let lenet = LeNet::new((height, width), 4, &mut Random::new(1, 0), &tracking()).unwrap();
        let pictures = Matrix::normal(2, height * width, 1);
        check_directions("lenet", &lenet, &[pictures], |lenet, x| lenet.forward(x[0].clone()).unwrap());
    }
}

#[test]
fn a_classifier() {
    for (rectified, omega) in [(true, "softmax"), (false, "subsets:2"), (true, "sparsemax")] {
        let config = ClassifierConfig {
            features: 4,
            picture: None,
            embedding: vec![6, 4],
            pooling: HopfieldConfig {
                num_heads: 2,
                hidden_size: Some(3),
                scaling: Some(1.5.into()),
                omega: omega.into(),
                ..HopfieldConfig::new(4)
            },
            rectified,
            scaled: false,
            energy: false,
        };
        let model = BagClassifier::new(&config, &mut Random::new(1, 0), &tracking()).unwrap();
        let model = spread(model, 0.6, 1);
        check(omega, &model, &[Matrix::normal(11, 4, 1)], |model, x| {
            let logits = model.logits(x[0].clone(), &[0, 1, 4, 11], Phase::Inference).unwrap();
            loss(logits, &[true, false, true], 1e-5).unwrap()
        })
        .notable(&["input 0", "head.weight", "head.bias", "pooling.pooling_weights"]);
    }
}

/// Positive bags weigh as much as negative ones together, and features are scaled.
#[test]
fn a_balanced_task() {
    let instances = Matrix::normal(11, 4, 1);
    let pool = ndarray::ArrayView2::from_shape((11, 4), &instances.values).unwrap();
    let bags = Bags::consecutive(pool, &[0, 1, 4, 6, 11], &[true, false, false, false]).unwrap();
    let config = ClassifierConfig {
        features: 4,
        picture: None,
        embedding: vec![6],
        pooling: HopfieldConfig { num_heads: 2, hidden_size: Some(3), ..HopfieldConfig::new(6) },
        rectified: false,
        scaled: false,
        energy: false,
    };
    let model = spread(BagClassifier::new(&config, &mut Random::new(1, 0), &tracking()).unwrap(), 0.6, 1);
    for balanced in [false, true] {
        let loss = |device: &burn::tensor::Device| {
            BagTask::new(bags.clone(), None, BagLoss { floor: 1e-5, balanced }, device).unwrap()
        };
        let (tracked, plain) = (loss(&tracking()), loss(&crate::common::plain()));
        check("a task", &model, &[], |model, _| {
            let is_tracked = burn::module::Module::devices(model).iter().any(|device| device.is_autodiff());
            let task = if is_tracked { &tracked } else { &plain };
            task.loss(model, &[0, 1, 2, 3], Phase::Inference).unwrap()
        })
        .notable(&["head.weight", "head.bias"]);
    }
}

#[test]
fn a_classifier_by_energies() {
    for omega in ["softmax", "sparsemax", "entmax:1.5", "normmax:2", "argmax"] {
        let config = ClassifierConfig {
            features: 4,
            picture: None,
            embedding: vec![6],
            pooling: HopfieldConfig {
                num_heads: 2,
                scaling: Some(1.5.into()),
                omega: omega.into(),
                ..HopfieldConfig::new(6)
            },
            rectified: false,
            scaled: false,
            energy: true,
        };
        let model = spread(BagClassifier::new(&config, &mut Random::new(1, 0), &tracking()).unwrap(), 0.6, 1);
        check(omega, &model, &[Matrix::normal(11, 4, 1)], |model, x| {
            let logits = model.logits(x[0].clone(), &[0, 1, 4, 11], Phase::Inference).unwrap();
            loss(logits, &[true, false, true], 1e-5).unwrap()
        })
        .notable(&["input 0", "head.weight", "head.bias"]);
    }
}
