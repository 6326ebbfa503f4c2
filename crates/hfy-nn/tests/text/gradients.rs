//! The whole network, held to central differences.

use burn::tensor::Device;
use hfy_nn::text::{Rationaliser, RationaliserConfig, Selector, Targets, TextTask, Texts, Vocabulary};
use hfy_nn::train::Task;
use hfy_nn::{Phase, Random};

use crate::common::differences::check;
use crate::common::{Matrix, plain, spread, tracking};

fn config(omega: &str, outputs: usize) -> RationaliserConfig {
    let selector = Selector { omega: omega.into(), temperature: 0.7 };
    RationaliserConfig { hidden: 3, head: 4, dropout: 0.0, ..RationaliserConfig::new(3, outputs, selector) }
}

const SELECTORS: [&str; 6] = ["softmax", "sparsemax", "subsets:40%", "sequence:40%:t=0.3", "spans:40%", "atmost:40%"];
const OFFSETS: [usize; 4] = [0, 5, 6, 13];

#[test]
fn of_selectors() {
    for omega in SELECTORS {
        let network = Rationaliser::new(&config(omega, 2), &mut Random::new(1, 0), &tracking()).unwrap();
        let network = spread(network, 0.6, 1);
        check(omega, &network, &[Matrix::normal(13, 3, 1)], |network, words| {
            network.forward(words[0].clone(), &OFFSETS, Phase::Inference).unwrap()
        })
        .notable(&["input 0", "lstm.weight_hh_l0", "lstm.weight_ih_l0_reverse", "head.weight", "head.bias"]);
    }
}

#[test]
fn of_a_learned_transition() {
    let config = RationaliserConfig { transition: Some(0.2), ..config("sequence:40%", 2) };
    let network = spread(Rationaliser::new(&config, &mut Random::new(1, 0), &tracking()).unwrap(), 0.6, 1);
    assert!((network.transition().unwrap() - 0.2).abs() < 1e-7);
    check("transition", &network, &[Matrix::normal(13, 3, 1)], |network, words| {
        network.forward(words[0].clone(), &OFFSETS, Phase::Inference).unwrap()
    })
    .notable(&["input 0", "head.weight"]);
}

#[test]
fn with_padding_that_competes() {
    let config = RationaliserConfig { padding: true, ..config("subsets:40%", 2) };
    let network = spread(Rationaliser::new(&config, &mut Random::new(1, 0), &tracking()).unwrap(), 0.6, 1);
    check("padding", &network, &[Matrix::normal(13, 3, 1)], |network, words| {
        network.forward(words[0].clone(), &OFFSETS, Phase::Inference).unwrap()
    })
    .notable(&["input 0", "lstm.weight_hh_l0", "head.weight"]);
}

#[test]
fn of_both_losses() {
    let vectors = Matrix::normal(5, 3, 2);
    let vectors = ndarray::Array2::from_shape_vec((5, 3), vectors.values).unwrap();
    let vocabulary = Vocabulary::new(["a", "b", "c", "d", "e"].map(String::from).to_vec(), vectors).unwrap();
    let texts = Texts::encode(&vocabulary, [&["a", "b", "x"][..], &["c"], &["d", "e", "e", "a"]]).unwrap();
    for targets in [Targets::Classes { classes: 3, of: vec![2, 0, 1] }, Targets::Numbers(vec![0.3, -1.0, 2.0])] {
        let config = config("subsets:50%", targets.outputs());
        let network = spread(Rationaliser::new(&config, &mut Random::new(1, 0), &tracking()).unwrap(), 0.6, 1);
        let task = |device: &Device| TextTask::new(&vocabulary, &texts, &targets, [&[0, 1, 2], &[]], device).unwrap();
        let (tracked, untracked) = (task(&tracking()), task(&plain()));
        check("a task", &network, &[], |network, _| {
            let is_tracked = burn::module::Module::devices(network).iter().any(|device| device.is_autodiff());
            let task = if is_tracked { &tracked } else { &untracked };
            task.loss(network, &[2, 0, 1], Phase::Inference).unwrap()
        })
        .notable(&["head.weight", "head.bias", "lstm.weight_ih_l0"]);
    }
}
