//! What training leaves out.

use hfy_nn::layers::{Hopfield, HopfieldConfig, Masks, Patterns};
use hfy_nn::{Phase, Random, state};

use crate::common::{Matrix, assert_close, hopfield, numbers, plain};

fn layer(dropout: f64) -> Hopfield {
    hopfield(&HopfieldConfig { num_heads: 2, dropout, ..HopfieldConfig::new(4) }, 1, &plain())
}

fn ask(layer: &Hopfield, phase: Phase<'_>) -> Vec<f32> {
    let x = Patterns::bags(Matrix::normal(8, 4, 1).tensor(&plain()), &[0, 3, 8]).unwrap();
    numbers(&layer.associate(x.clone(), x.clone(), x, &Masks::default(), phase).unwrap())
}

#[test]
fn inference_leaves_nothing_out_and_draws_nothing() {
    let expected = ask(&layer(0.0), Phase::Inference);
    for dropout in [0.3, 1.0] {
        assert_eq!(ask(&layer(dropout), Phase::Inference), expected);
    }
    let mut random = Random::new(3, 0);
    let before = random.state();
    assert_eq!(ask(&layer(0.0), Phase::Training(&mut random)), expected);
    assert_eq!(random.state(), before, "without dropout nothing is drawn");
}

#[test]
fn the_expectation_is_that_of_inference() {
    let (share, runs) = (0.3, 4000);
    let (layer, expected) = (layer(share), ask(&layer(0.0), Phase::Inference));
    let mut random = Random::new(3, 0);
    let mut sums = vec![0.0; expected.len()];
    let mut squares = vec![0.0; expected.len()];
    for _ in 0..runs {
        for (at, value) in ask(&layer, Phase::Training(&mut random)).into_iter().enumerate() {
            let apart = f64::from(value - expected[at]);
            sums[at] += apart;
            squares[at] += apart * apart;
        }
    }
    for (sum, square) in sums.iter().zip(&squares) {
        let (mean, variance) = (sum / f64::from(runs), square / f64::from(runs));
        assert!(variance > 1e-4, "something is left out");
        // Five standard errors: one of 32 means lies beyond in one of 50,000 seeds.
        assert!(mean.abs() < 5.0 * (variance / f64::from(runs)).sqrt(), "{mean} with variance {variance}");
    }
}

#[test]
fn the_stream_decides() {
    let layer = layer(0.5);
    let run = |seed: u64| {
        let mut random = Random::new(seed, 0);
        [ask(&layer, Phase::Training(&mut random)), ask(&layer, Phase::Training(&mut random))]
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1)[0], run(2)[0]);
    assert_ne!(run(1)[0], run(1)[1]);
}

#[test]
fn with_everything_left_out_the_bias_remains() {
    let layer = layer(1.0);
    let tensors = state::of(&layer);
    let bias = tensors.get("association_core.out_proj.bias").unwrap().1;
    let mut random = Random::new(1, 0);
    assert_close(&ask(&layer, Phase::Training(&mut random)), &bias.repeat(8), 1e-6, "biases");
}
