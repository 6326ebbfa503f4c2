//! What the tests of this crate share.
#![allow(dead_code, unreachable_pub)] // each test uses a part

pub mod differences;

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use hfy_nn::layers::{Hopfield, HopfieldConfig, Patterns};
use hfy_nn::state::{self, Tensors};
use hfy_nn::{Phase, Random};

/// A matrix of numbers.
#[derive(Debug, Clone)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f32>,
}

impl Matrix {
    /// Normal numbers; the same ones for the same seed.
    pub fn normal(rows: usize, columns: usize, seed: u64) -> Self {
        let mut random = Random::new(seed, 1);
        Matrix { rows, columns, values: (0..rows * columns).map(|_| random.normal() as f32).collect() }
    }

    pub fn tensor(&self, device: &Device) -> Tensor<2> {
        Tensor::from_data(TensorData::new(self.values.clone(), [self.rows, self.columns]), device)
    }

    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }
}

pub fn plain() -> Device {
    Device::flex()
}

pub fn tracking() -> Device {
    Device::flex().autodiff()
}

pub fn numbers<const D: usize>(tensor: &Tensor<D>) -> Vec<f32> {
    tensor.clone().into_data().try_to_vec().expect("layers compute in single precision")
}

/// A layer with weights that give scores of some size: normal numbers times `size`, and norms around one. Parameters of
/// maps and beta stay.
pub fn spread<M: Module>(module: M, size: f64, seed: u64) -> M {
    let mut random = Random::new(seed, 2);
    let mut tensors = state::of(&module);
    change(&mut tensors, |name, value| {
        let around = if name.contains("norm") || name.contains("psi") { 0.3 } else { size };
        let center = if around == size || name.ends_with("bias") { 0.0 } else { f64::from(value) };
        if name.contains("omega") || name.ends_with("beta") {
            value
        } else {
            (center + around * random.normal()) as f32
        }
    });
    state::load(module, tensors).expect("the module's own weights")
}

/// Replaces every number, which comes with the name of its tensor.
pub fn change(tensors: &mut Tensors, mut to: impl FnMut(&str, f32) -> f32) {
    let names: Vec<String> = tensors.names().map(str::to_owned).collect();
    for name in names {
        let (shape, mut values) = tensors.take(&name).expect("a tensor of this name");
        values.iter_mut().for_each(|value| *value = to(&name, *value));
        tensors.insert(name, shape, values);
    }
}

/// A layer with spread weights.
pub fn hopfield(config: &HopfieldConfig, seed: u64, device: &Device) -> Hopfield {
    spread(Hopfield::new(config, &mut Random::new(seed, 0), device).expect("a valid config"), 0.6, seed)
}

/// The offsets of bags of these sizes.
pub fn offsets(sizes: &[usize]) -> Vec<usize> {
    let mut offsets = vec![0];
    sizes.iter().for_each(|size| offsets.push(offsets[offsets.len() - 1] + size));
    offsets
}

/// The answers of a layer for states and stored patterns in bags of these sizes.
pub fn answers(layer: &Hopfield, stored: (Tensor<2>, &[usize]), state: (Tensor<2>, &[usize])) -> Tensor<2> {
    let stored = Patterns::bags(stored.0, &offsets(stored.1)).expect("bags");
    let state = Patterns::bags(state.0, &offsets(state.1)).expect("bags");
    layer.associate(stored.clone(), state, stored, &Default::default(), Phase::Inference).expect("answers")
}

/// Fails unless two lists of numbers agree up to `tolerance` of the largest.
pub fn assert_close(got: &[f32], expected: &[f32], tolerance: f32, what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(1e-30_f32, |top, v| top.max(v.abs()));
    for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
        let apart = (got - expected).abs();
        assert!(apart <= tolerance * largest, "{what}: entry {at} is {got} and not {expected}, largest {largest}");
    }
}
