//! A network from beginning to end.

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use super::{Rationaliser, RationaliserConfig, Selector, Targets, TextTask, Texts, Vocabulary};
use crate::error::Result;
use crate::random::Random;
use crate::train::{AdamW, AdamWConfig, FitConfig, Fitted, Keep, Plateau, Watch, fit};

/// A network and how it is trained: Adam with weight decay in the gradient, and a learning rate that falls when the
/// validation score does not grow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextTrainConfig {
    /// The network.
    pub model: RationaliserConfig,
    /// The first learning rate.
    pub rate: f64,
    /// By what the learning rate is multiplied when the score has not grown.
    pub factor: f64,
    /// After how many more epochs than this.
    pub plateau: usize,
    /// Weight decay.
    pub weight_decay: f32,
    /// The largest norm of the gradient.
    pub clip: Option<f32>,
    /// Epochs, batches, early stopping and seed. The seed also decides the first weights.
    pub fit: FitConfig,
}

impl Default for TextTrainConfig {
    /// The settings of the paper, for two classes and vectors of 100 numbers.
    fn default() -> Self {
        let selector = Selector { omega: "sequence:20%:t=0.001".into(), temperature: 0.1 };
        TextTrainConfig {
            model: RationaliserConfig::new(100, 2, selector),
            rate: 1e-4,
            factor: 0.97,
            plateau: 5,
            weight_decay: 1e-4,
            clip: Some(5.0),
            fit: FitConfig { epochs: 50, batch: 32, patience: Some(10), keep: Keep::Best, seed: 0 },
        }
    }
}

/// Trains a network on some texts, by their numbers, and chooses the epoch by others.
pub fn train(
    config: &TextTrainConfig,
    vocabulary: &Vocabulary,
    texts: &Texts,
    targets: &Targets,
    split: [&[usize]; 2],
    watch: Watch<'_>,
) -> Result<Fitted<Rationaliser>> {
    let device = Device::flex().autodiff();
    let network = Rationaliser::new(&config.model, &mut Random::new(config.fit.seed, 0), &device)?;
    let task = TextTask::new(vocabulary, texts, targets, split, &device)?;
    let schedule = Plateau::new(config.rate, config.factor, config.plateau)?;
    let adam = AdamWConfig { weight_decay: 0.0, l2: config.weight_decay, clip: config.clip, ..AdamWConfig::default() };
    fit(network, &task, &mut AdamW::new(adam), schedule, &config.fit, watch)
}
