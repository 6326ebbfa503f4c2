//! A learned scale and offset.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

/// The scale and the offset after a normalisation.
#[derive(Module, Debug)]
pub(crate) struct Affine {
    pub(crate) weight: Param<Tensor<1>>,
    pub(crate) bias: Param<Tensor<1>>,
}

impl Affine {
    /// A scale of one and an offset of zero.
    pub(crate) fn new(depth: usize, device: &Device) -> Self {
        let weight = Param::from_tensor(Tensor::ones([depth], device));
        Affine { weight, bias: Param::from_tensor(Tensor::zeros([depth], device)) }
    }

    pub(crate) fn values(&self) -> (Tensor<1>, Tensor<1>) {
        (self.weight.val(), self.bias.val())
    }
}
