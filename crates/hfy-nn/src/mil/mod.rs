//! Multiple-instance learning: one label for a bag of instances.

mod bags;
mod classifier;
mod energy;
mod explain;
mod folds;
mod lenet;
mod metrics;
mod model;
mod scaling;
mod task;
mod train;

pub use bags::Bags;
pub use classifier::{BagClassifier, ClassifierConfig};
pub use energy::EnergyPooling;
pub use explain::explain;
pub use folds::{Split, nested, split, stratified_folds};
pub use lenet::LeNet;
pub use metrics::{accuracy, log_loss, mean_and_deviation, roc_auc};
pub use model::{BagModel, Evidence, Prediction};
pub use task::{BagLoss, BagTask, logits};
pub use train::{TrainConfig, train};

use burn::tensor::Tensor;

/// The mean cross entropy of some bags, with probabilities kept in `[floor, 1 - floor]`.
pub fn loss(logits: Tensor<1>, positive: &[bool], floor: f32) -> crate::Result<Tensor<1>> {
    crate::operators::binary_cross_entropy(logits, positive, floor, [1.0; 2])
}
