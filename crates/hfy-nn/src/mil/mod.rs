//! Multiple-instance learning: one label for a bag of instances.

mod classifier;
mod lenet;

pub use classifier::{BagClassifier, ClassifierConfig};
pub use lenet::LeNet;

use burn::tensor::Tensor;

/// The loss of some bags: the mean cross entropy, with probabilities kept in [1e-5, 1 - 1e-5].
pub fn loss(logits: Tensor<1>, positive: &[bool]) -> crate::Result<Tensor<1>> {
    crate::operators::binary_cross_entropy(logits, positive, 1e-5)
}
