//! A layer against attention written by hand, in double precision.

use hfy_nn::Phase;
use hfy_nn::layers::{Hopfield, HopfieldConfig, Patterns};
use hfy_nn::state::{self, Tensors};

use crate::common::{Matrix, assert_close, hopfield, numbers, plain};

fn wide(tensors: &Tensors, name: &str) -> Vec<f64> {
    tensors.get(name).unwrap_or_else(|| panic!("no {name}")).1.iter().map(|v| f64::from(*v)).collect()
}

/// `x Wᵀ + b` of a row, with some of the rows of W.
fn linear(x: &[f64], weight: &[f64], bias: &[f64], outputs: std::ops::Range<usize>) -> Vec<f64> {
    let depth = x.len();
    let row = |output: usize| x.iter().zip(&weight[output * depth..]).map(|(x, w)| x * w).sum::<f64>() + bias[output];
    outputs.map(row).collect()
}

fn layer_norm(x: &[f64], weight: &[f64], bias: &[f64]) -> Vec<f64> {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let variance = x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / x.len() as f64;
    let scaled = x.iter().map(|v| (v - mean) / (variance + 1e-5).sqrt());
    scaled.zip(weight).zip(bias).map(|((v, w), b)| v * w + b).collect()
}

/// Multi-head attention of normalised queries on normalised stored patterns, as Vaswani et al. have it.
fn attention(tensors: &Tensors, heads: usize, stored: &Matrix, state: &Matrix) -> Vec<f32> {
    let normed = |x: &Matrix, name: &str| -> Vec<Vec<f64>> {
        let (weight, bias) = (wide(tensors, &format!("{name}.weight")), wide(tensors, &format!("{name}.bias")));
        let row = |row: usize| x.row(row).iter().map(|v| f64::from(*v)).collect::<Vec<f64>>();
        (0..x.rows).map(|at| layer_norm(&row(at), &weight, &bias)).collect()
    };
    let [q, k, v] =
        [(state, "norm_state_pattern"), (stored, "norm_stored_pattern"), (stored, "norm_pattern_projection")]
            .map(|(x, name)| normed(x, name));
    let (weight, bias) =
        (wide(tensors, "association_core.in_proj_weight"), wide(tensors, "association_core.in_proj_bias"));
    let width = bias.len() / 3;
    let part = |rows: &[Vec<f64>], at: usize| -> Vec<Vec<f64>> {
        rows.iter().map(|row| linear(row, &weight, &bias, at * width..(at + 1) * width)).collect()
    };
    let (q, k, v, depth) = (part(&q, 0), part(&k, 1), part(&v, 2), width / heads);
    let (out, out_bias) =
        (wide(tensors, "association_core.out_proj.weight"), wide(tensors, "association_core.out_proj.bias"));
    let mut answers = Vec::new();
    for query in &q {
        let mut joined = Vec::new();
        for head in 0..heads {
            let columns = head * depth..(head + 1) * depth;
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let score = |key: &Vec<f64>| dot(&query[columns.clone()], &key[columns.clone()]) / (depth as f64).sqrt();
            let powers: Vec<f64> = k.iter().map(|key| score(key).exp()).collect();
            let total: f64 = powers.iter().sum();
            joined.extend(columns.map(|column| powers.iter().zip(&v).map(|(p, v)| p / total * v[column]).sum::<f64>()));
        }
        answers.extend(linear(&joined, &out, &out_bias, 0..out_bias.len()).iter().map(|v| *v as f32));
    }
    answers
}

#[test]
fn softmax_without_updates_is_multi_head_attention() {
    let config = HopfieldConfig { num_heads: 3, hidden_size: Some(4), output_size: Some(7), ..HopfieldConfig::new(5) };
    let layer = hopfield(&config, 1, &plain());
    let (stored, state) = (Matrix::normal(9, 5, 1), Matrix::normal(6, 5, 2));
    let got = layer
        .associate(
            Patterns::shared(stored.tensor(&plain())),
            Patterns::shared(state.tensor(&plain())),
            Patterns::shared(stored.tensor(&plain())),
            &Default::default(),
            Phase::Inference,
        )
        .unwrap();
    assert_eq!(got.dims(), [6, 7]);
    assert_close(&numbers(&got), &attention(&state::of(&layer), 3, &stored, &state), 1e-5, "attention");
}

#[test]
fn sequences_are_associated_with_themselves_in_either_layout() {
    let config = HopfieldConfig { num_heads: 2, ..HopfieldConfig::new(4) };
    let layer = hopfield(&config, 1, &plain());
    let x = Matrix::normal(6, 4, 1);
    let first = layer.forward(x.tensor(&plain()).reshape([2, 3, 4]), Phase::Inference).unwrap();
    assert_eq!(first.dims(), [2, 3, 4]);
    let part = |rows: std::ops::Range<usize>| Matrix {
        rows: rows.len(),
        columns: 4,
        values: rows.flat_map(|row| x.row(row).to_vec()).collect(),
    };
    let expected: Vec<f32> =
        [part(0..3), part(3..6)].iter().flat_map(|x| attention(&state::of(&layer), 2, x, x)).collect();
    assert_close(&numbers(&first), &expected, 1e-5, "a batch of two sequences");

    let other = HopfieldConfig { batch_first: false, ..config };
    let other: Hopfield = hopfield(&other, 1, &plain());
    let turned = x.tensor(&plain()).reshape([2, 3, 4]).swap_dims(0, 1);
    let second = other.forward(turned, Phase::Inference).unwrap();
    assert_eq!(second.dims(), [3, 2, 4]);
    assert_eq!(numbers(&second.swap_dims(0, 1)), numbers(&first));
    let single = layer.forward(part(0..3).tensor(&plain()).reshape([1, 3, 4]), Phase::Inference).unwrap();
    assert_close(&numbers(&single), &expected[..12], 1e-5, "a batch of one");
}

#[test]
fn a_memory_gives_its_patterns_back() {
    for omega in ["sparsemax", "softmax", "entmax:1.5", "subsets:1"] {
        let patterns = Matrix {
            rows: 4,
            columns: 16,
            values: Matrix::normal(4, 16, 1).values.iter().map(|v| v.signum()).collect(),
        };
        let mut damaged = patterns.clone();
        (0..4).for_each(|row| damaged.values[row * 16..row * 16 + 5].fill(0.0));
        let config = HopfieldConfig { omega: omega.into(), update_steps_max: vec![None], ..HopfieldConfig::memory(16) };
        let layer = Hopfield::new(&config, &mut hfy_nn::Random::new(0, 0), &plain()).unwrap();
        assert_eq!(state::of(&layer).names().count(), 0, "nothing is learned");
        let stored = Patterns::shared(patterns.tensor(&plain()));
        let state = Patterns::shared(damaged.tensor(&plain()));
        let got = layer.associate(stored.clone(), state, stored, &Default::default(), Phase::Inference).unwrap();
        assert_close(&numbers(&got), &patterns.values, 2e-2, omega);
    }
}
