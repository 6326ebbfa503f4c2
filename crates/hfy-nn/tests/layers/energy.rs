//! Decisions by energies.

use burn::tensor::{Tensor, TensorData};
use hfy_nn::layers::HopfieldConfig;
use hfy_nn::mil::{BagClassifier, ClassifierConfig, EnergyPooling};
use hfy_nn::{Phase, Random, Rows};

use crate::common::{Matrix, numbers, plain};

const MAPS: [&str; 6] = ["argmax", "softmax", "sparsemax", "entmax:1.5", "entmax:1.3", "normmax:5"];

fn config(omega: &str, beta: f64) -> HopfieldConfig {
    HopfieldConfig { omega: omega.into(), scaling: Some(beta.into()), ..HopfieldConfig::new(1) }
}

fn logit(omega: &str, beta: f64, scores: &[f32]) -> f32 {
    let pooling = EnergyPooling::new(&config(omega, beta)).unwrap();
    let tensor = Tensor::<2>::from_data(TensorData::new(scores.to_vec(), [scores.len(), 1]), &plain());
    numbers(&pooling.forward(tensor, &Rows::bags(&[0, scores.len()]).unwrap()).unwrap())[0]
}

#[test]
fn values_that_are_known() {
    let scores = [0.3, -1.2, 2.1, 1.9];
    assert_eq!(logit("argmax", 1.7, &scores), 2.1);
    let sum: f32 = scores.iter().map(|s| (1.7 * s).exp()).sum();
    assert!((logit("softmax", 1.7, &scores) - sum.ln() / 1.7).abs() < 1e-6);
    // Of two scores within the margin of sparsemax the weights are (1 ± their difference)/2.
    let (p, q) = (0.5 * (1.0 + 0.2), 0.5 * (1.0 - 0.2));
    let expected = p * 2.1 + q * 1.9 - 0.5 * (p * p + q * q - 1.0);
    assert!((logit("sparsemax", 1.0, &scores) - expected).abs() < 1e-6);
}

/// More instances, and instances with higher scores, never lower the logit.
#[test]
fn evidence_only_raises_the_logit() {
    for omega in MAPS {
        for (seed, beta) in [(1, 0.3), (2, 1.0), (3, 4.0)] {
            let mut scores = Matrix::normal(9, 1, seed).values;
            let before = logit(omega, beta, &scores);
            for at in 0..scores.len() {
                let mut raised = scores.clone();
                raised[at] += 0.7;
                assert!(logit(omega, beta, &raised) >= before - 1e-6, "{omega} {beta} {at}");
            }
            scores.push(-0.4);
            assert!(logit(omega, beta, &scores) >= before - 1e-6, "{omega} {beta}");
        }
    }
}

#[test]
fn instances_outside_the_support_have_no_part() {
    let config = ClassifierConfig {
        features: 3,
        picture: None,
        embedding: vec![5],
        pooling: HopfieldConfig { num_heads: 2, ..config("sparsemax", 3.0) },
        rectified: false,
        scaled: false,
        energy: true,
    };
    let model = BagClassifier::new(&config, &mut Random::new(1, 0), &plain()).unwrap();
    let all = Matrix {
        values: Matrix::normal(12, 3, 1).values.iter().map(|v| 5.0 * v).collect(),
        ..Matrix::normal(12, 3, 1)
    };
    let (logits, report) = model.logits_with_report(all.tensor(&plain()), &[0, 12]).unwrap();
    assert_eq!((report.bags(), report.heads(), report.queries(0)), (1, 2, 1));
    let kept: Vec<usize> = (0..12).filter(|&at| (0..2).any(|head| report.weights(0, head, 0)[at] > 0.0)).collect();
    assert!(kept.len() < 12, "all instances have weight");
    for head in 0..2 {
        assert!((report.weights(0, head, 0).iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
    let energies = (0..2).map(|head| report.energy(0, head, 0).unwrap()).sum::<f64>();
    assert!((energies / 2.0 + f64::from(numbers(&logits)[0])).abs() < 1e-6);
    let values = kept.iter().flat_map(|&at| all.row(at).to_vec()).collect();
    let few = Matrix { rows: kept.len(), columns: 3, values };
    let found = model.logits(few.tensor(&plain()), &[0, kept.len()], Phase::Inference).unwrap();
    assert!((numbers(&found)[0] - numbers(&logits)[0]).abs() < 1e-6);
}

#[test]
fn settings_without_a_meaning_are_refused() {
    let refused = |config: HopfieldConfig, part: &str| {
        let error = EnergyPooling::new(&config).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(config("quadratic", 1.0), "omega = \"quadratic\": decisions by energies need a map onto the simplex");
    // A subset of k would have to take low scores too.
    for omega in ["power:3", "subsets:1", "sequence:2:t=0.5"] {
        refused(config(omega, 1.0), "need a map onto the simplex");
    }
    refused(config("nonsense", 1.0), "omega = \"nonsense\"");
    refused(config("softmax", -1.0), "one finite number above 0");
    refused(HopfieldConfig { dropout: 0.5, ..config("softmax", 1.0) }, "no dropout");
    refused(HopfieldConfig { psi: "l2".into(), ..config("softmax", 1.0) }, "no post-transformation");
    refused(HopfieldConfig { num_heads: 0, ..config("softmax", 1.0) }, "num_heads = 0");
}
