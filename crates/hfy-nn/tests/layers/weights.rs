//! Weights are nonnegative and have the sum that their map gives them, whatever the input.

use burn::optim::GradientsParams;
use hfy_nn::layers::{Hopfield, HopfieldConfig, Masks, Patterns};
use hfy_nn::{OmegaParameter, Phase, Random, state};

use crate::common::{Matrix, hopfield, offsets, plain, tracking};

#[test]
fn sums() {
    let one = |omega: &'static str| (omega, None, 1.0);
    let maps = [
        one("softmax"),
        one("sparsemax"),
        one("argmax"),
        one("entmax:1.5"),
        one("entmax:1.01"),
        one("normmax:1.2"),
        one("normmax:5"),
        ("entmax", Some(vec![1.1, 1.8]), 1.0),
        ("normmax", Some(vec![3.0, 150.0]), 1.0),
        ("subsets:2", None, 2.0),
        ("subsets:2.5", None, 2.5),
        ("sequence:2:t=0.5", None, 2.0),
        ("sequence:3:t=-1:reg=on", None, 3.0),
        ("sequence:3", Some(vec![0.4]), 3.0),
        ("windows:2", None, 2.0),
    ];
    for (omega, parameter, sum) in maps {
        for seed in 0..20 {
            case(omega, parameter.clone(), sum, seed);
        }
    }
}

/// Random bags, scales and masks.
fn case(omega: &str, parameter: Option<Vec<f64>>, sum: f64, seed: u64) {
    let mut random = Random::new(seed, 5);
    let mut below = |count: usize| (random.uniform() * count as f64) as usize;
    let sizes: Vec<usize> = (0..4).map(|_| below(7)).collect();
    let state: Vec<usize> = (0..4).map(|_| below(3)).collect();
    let scale = [0.01, 1.0, 30.0, 1000.0][below(4)];
    let ignored: Vec<Vec<bool>> = sizes.iter().map(|size| (0..*size).map(|_| below(3) == 0).collect()).collect();
    // The neighbours of a window are masked together or not at all.
    let masked = below(2) == 0 && omega != "windows:2";
    let config = HopfieldConfig {
        num_heads: 2,
        scaling: Some(scale.into()),
        omega: omega.into(),
        omega_parameter: parameter.map(OmegaParameter::Learned),
        ..HopfieldConfig::new(4)
    };
    let layer: Hopfield = hopfield(&config, seed, &plain());
    let patterns = |sizes: &[usize], seed: u64| {
        let x = Matrix::normal(sizes.iter().sum(), 4, seed);
        Patterns::bags(x.tensor(&plain()), &offsets(sizes)).unwrap()
    };
    let (stored, state) = (patterns(&sizes, seed), patterns(&state, seed + 1000));
    let masks = Masks { ignored_patterns: masked.then(|| ignored.clone()), ..Masks::default() };
    let (_, found) = layer.associate_with_report(stored.clone(), state, stored, &masks, Phase::Inference).unwrap();
    for (bag, &size) in sizes.iter().enumerate() {
        let present = (0..size).filter(|at| !(masked && ignored[bag][*at])).count();
        for (head, query) in (0..2).flat_map(|head| (0..found.queries(bag)).map(move |query| (head, query))) {
            let weights = found.weights(bag, head, query);
            let what = format!("{omega}, seed {seed}: {weights:?} of {present}");
            assert_eq!(weights.len(), size, "{what}");
            assert!(weights.iter().all(|w| (0.0..=1.0 + 1e-5).contains(w)), "{what}");
            let total: f64 = weights.iter().map(|w| f64::from(*w)).sum();
            assert!((total - sum.min(present as f64)).abs() < 1e-4, "{what}");
            assert!((0..size).all(|at| !(masked && ignored[bag][at]) || weights[at] == 0.0), "{what}");
        }
    }
}

/// In single precision the smallest gammas are rounded to 1, which is outside: the layer takes the next number.
#[test]
fn a_gamma_that_is_rounded_to_its_bound() {
    let least = 1.0 + f32::EPSILON;
    let x = Patterns::shared(Matrix::normal(5, 4, 1).tensor(&tracking()));
    let config = |parameter: OmegaParameter| HopfieldConfig {
        num_heads: 2,
        omega: "normmax".into(),
        omega_parameter: Some(parameter),
        ..HopfieldConfig::new(4)
    };
    let fixed = hopfield(&config(OmegaParameter::Fixed(vec![1.0 + 1e-12, 3.0])), 1, &tracking());
    let learned = hopfield(&config(OmegaParameter::Learned(vec![2.0, 3.0])), 1, &tracking());
    let mut tensors = state::of(&learned);
    let (shape, values) = tensors.take("association_core.omega.module.raw").unwrap();
    tensors.insert("association_core.omega.module.raw".into(), shape, vec![-40.0, values[1]]);
    for layer in [fixed, state::load(learned, tensors).unwrap()] {
        let parameter = layer.omega_parameter().unwrap();
        assert_eq!(parameter[0], least);
        assert!((parameter[1] - 3.0).abs() < 1e-5, "{parameter:?}");
        let masks = Masks::default();
        let found = layer.associate_with_report(x.clone(), x.clone(), x.clone(), &masks, Phase::Inference);
        let (out, report) = found.unwrap();
        for query in 0..5 {
            let weights = report.weights(0, 0, query);
            let total: f32 = weights.iter().sum();
            assert!((total - 1.0).abs() < 1e-3 && weights.iter().all(|w| *w >= 0.0), "{weights:?}");
        }
        let gradients = GradientsParams::from_grads(out.sum().backward(), &layer);
        let gradients = crate::common::differences::gradients_of(&layer, gradients);
        for name in gradients.names() {
            assert!(gradients.get(name).unwrap().1.iter().all(|g| g.is_finite()), "{name}");
        }
    }
}
