//! The linear layer, with torch's names, shapes and initial values.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};

use crate::error::Result;
use crate::operators::linear;
use crate::random::Random;

/// `x Wᵀ + b` of rows. The weight is (outputs, inputs), as in torch.
#[derive(Module, Debug)]
pub struct Linear {
    pub(crate) weight: Param<Tensor<2>>,
    pub(crate) bias: Option<Param<Tensor<1>>>,
}

/// A tensor of numbers drawn one by one.
pub(crate) fn drawn<const D: usize>(shape: [usize; D], device: &Device, draw: impl FnMut() -> f64) -> Tensor<D> {
    let mut draw = draw;
    let values: Vec<f32> = (0..shape.iter().product()).map(|_| draw() as f32).collect();
    Tensor::from_data(TensorData::new(values, shape), device)
}

impl Linear {
    /// Weights and biases uniform within `1/sqrt(inputs)`, as torch draws them.
    pub fn new(inputs: usize, outputs: usize, random: &mut Random, device: &Device) -> Self {
        let bound = 1.0 / (inputs.max(1) as f64).sqrt();
        let mut draw = || bound * (2.0 * random.uniform() - 1.0);
        let weight = Param::from_tensor(drawn([outputs, inputs], device, &mut draw));
        Linear { weight, bias: Some(Param::from_tensor(drawn([outputs], device, &mut draw))) }
    }

    /// Weights from N(0, 0.02²) and biases of zero, as hflayers draws them.
    pub(crate) fn narrow(inputs: usize, outputs: usize, bias: bool, random: &mut Random, device: &Device) -> Self {
        let weight = Param::from_tensor(drawn([outputs, inputs], device, || 0.02 * random.normal()));
        Linear { weight, bias: bias.then(|| Param::from_tensor(Tensor::zeros([outputs], device))) }
    }

    /// The outputs of rows.
    pub fn forward(&self, x: Tensor<2>) -> Result<Tensor<2>> {
        linear(x, self.weight.val(), self.bias.as_ref().map(Param::val))
    }
}
