//! Multiple-instance learning: one label for a bag of instances.

mod bags;
mod classifier;
mod explain;
mod folds;
mod lenet;
mod metrics;
mod task;
mod train;

pub use bags::Bags;
pub use classifier::{BagClassifier, ClassifierConfig};
pub use explain::explain;
pub use folds::{Split, nested, split, stratified_folds};
pub use lenet::LeNet;
pub use metrics::{accuracy, log_loss, mean_and_deviation, roc_auc};
pub use task::{BagTask, logits};
pub use train::{TrainConfig, train};

use burn::tensor::Tensor;

/// The loss of some bags: the mean cross entropy, with probabilities kept in [1e-5, 1 - 1e-5].
pub fn loss(logits: Tensor<1>, positive: &[bool]) -> crate::Result<Tensor<1>> {
    crate::operators::binary_cross_entropy(logits, positive, task::CLAMP)
}
