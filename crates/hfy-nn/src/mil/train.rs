//! A classifier of bags from beginning to end.

use burn::lr_scheduler::exponential::ExponentialLrSchedulerConfig;
use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use super::{BagClassifier, BagLoss, BagTask, Bags, ClassifierConfig};
use crate::error::{Error, Result};
use crate::random::Random;
use crate::train::{AdamW, AdamWConfig, FitConfig, Fitted, Watch, fit};

/// A classifier and how it is trained: AdamW, with a learning rate that falls by a factor every epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainConfig {
    /// The classifier.
    pub model: ClassifierConfig,
    /// The learning rate of the first epoch.
    pub rate: f64,
    /// The factor of the learning rate from one epoch to the next.
    pub decay: f64,
    /// Weight decay.
    pub weight_decay: f32,
    /// The largest norm of the gradient.
    pub clip: Option<f32>,
    /// The loss.
    pub loss: BagLoss,
    /// Epochs, batches, early stopping and seed. The seed also decides the first weights.
    pub fit: FitConfig,
}

/// Trains a classifier on some bags, and chooses the epoch by others.
///
/// ```
/// use hfy_nn::layers::HopfieldConfig;
/// use hfy_nn::mil::{self, BagLoss, Bags, ClassifierConfig, TrainConfig};
/// use hfy_nn::train::{FitConfig, Watch};
/// use ndarray::Array2;
///
/// // A bag is positive if one of its three numbers is large.
/// let pool = Array2::from_shape_fn((60, 1), |(row, _)| if row % 6 == 4 { 3.0 } else { (row % 5) as f32 / 5.0 });
/// let offsets: Vec<usize> = (0..=20).map(|bag| 3 * bag).collect();
/// let positive: Vec<bool> = (0..20).map(|bag| bag % 2 == 1).collect();
/// let bags = Bags::consecutive(pool.view(), &offsets, &positive)?;
///
/// let config = TrainConfig {
///     model: ClassifierConfig {
///         features: 1,
///         picture: None,
///         embedding: vec![8],
///         pooling: HopfieldConfig { omega: "sparsemax".into(), ..HopfieldConfig::new(8) },
///         rectified: false,
///         scaled: true,
///         energy: false,
///     },
///     rate: 1e-2,
///     decay: 1.0,
///     weight_decay: 1e-4,
///     clip: Some(1.0),
///     loss: BagLoss::default(),
///     fit: FitConfig { epochs: 20, patience: None, ..FitConfig::default() },
/// };
/// let fitted = mil::train(&config, bags.clone(), None, Watch::default())?;
/// let logits = mil::logits(&fitted.module, &bags)?;
/// assert_eq!(mil::roc_auc(&logits, &positive), Some(1.0));
/// # Ok::<(), hfy_nn::Error>(())
/// ```
pub fn train<'a>(
    config: &TrainConfig,
    train: Bags<'a>,
    validation: Option<Bags<'a>>,
    watch: Watch<'_>,
) -> Result<Fitted<BagClassifier>> {
    let device = Device::flex().autodiff();
    let model = BagClassifier::new(&config.model, &mut Random::new(config.fit.seed, 0), &device)?;
    let model = model.scaled_by(&train, &device);
    let task = BagTask::new(train, validation, config.loss, &device)?;
    let scheduler = ExponentialLrSchedulerConfig::new(config.rate, config.decay)
        .init()
        .map_err(|rule| Error::argument("rate", format!("{} with decay {}", config.rate, config.decay), rule))?;
    let adamw = AdamWConfig { weight_decay: config.weight_decay, clip: config.clip, ..AdamWConfig::default() };
    fit(model, &task, &mut AdamW::new(adamw), scheduler, &config.fit, watch)
}
