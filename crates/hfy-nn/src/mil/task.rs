//! What a classifier of bags is trained for.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

use super::{BagClassifier, Bags, log_loss, roc_auc};
use crate::error::{Error, Result, ensure};
use crate::layers::numbers;
use crate::operators::binary_cross_entropy;
use crate::random::Phase;
use crate::train::{Task, Validation};

/// Bags to train with, and bags to choose the best epoch by.
#[derive(Debug, Clone)]
pub struct BagTask<'a> {
    train: Bags<'a>,
    validation: Option<Bags<'a>>,
    loss: BagLoss,
    device: Device,
}

/// The cross entropy of bags.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BagLoss {
    /// Probabilities are kept this far from 0 and 1, and there is no gradient beyond.
    pub floor: f32,
    /// Whether positive and negative bags weigh the same together, however many there are of each.
    pub balanced: bool,
}

impl Default for BagLoss {
    /// The plain cross entropy.
    fn default() -> Self {
        BagLoss { floor: 0.0, balanced: false }
    }
}

impl<'a> BagTask<'a> {
    /// The score of an epoch is the area under the curve on the bags for validation, which need both labels.
    pub fn new(train: Bags<'a>, validation: Option<Bags<'a>>, loss: BagLoss, device: &Device) -> Result<Self> {
        for (argument, bags) in [("train", Some(&train)), ("validation", validation.as_ref())] {
            let Some(bags) = bags else { continue };
            let positive = bags.positive().iter().filter(|positive| **positive).count();
            ensure(0 < positive && positive < bags.len(), || {
                let rule = "there must be positive and negative bags";
                Error::argument(argument, format!("{positive} positive bags of {}", bags.len()), rule)
            })?;
        }
        Ok(BagTask { train, validation, loss, device: device.clone() })
    }

    /// By what losses of negative and of positive bags are multiplied.
    fn weights(&self) -> [f32; 2] {
        if !self.loss.balanced {
            return [1.0; 2];
        }
        let (bags, positive) = (self.train.len() as f32, self.train.positive().iter().filter(|p| **p).count() as f32);
        [0.5 * bags / (bags - positive), 0.5 * bags / positive]
    }
}

impl Task<BagClassifier> for BagTask<'_> {
    fn examples(&self) -> usize {
        self.train.len()
    }

    fn loss(&self, module: &BagClassifier, examples: &[usize], phase: Phase<'_>) -> Result<Tensor<1>> {
        let (instances, offsets) = self.train.batch(examples, &self.device);
        let positive: Vec<bool> = examples.iter().map(|&bag| self.train.positive()[bag]).collect();
        let logits = module.logits(instances, &offsets, phase)?;
        binary_cross_entropy(logits, &positive, self.loss.floor, self.weights())
    }

    fn validate(&self, module: &BagClassifier) -> Result<Option<Validation>> {
        let Some(bags) = &self.validation else { return Ok(None) };
        let logits = logits(module, bags)?;
        let finite = |quantity, value: Option<f64>| {
            value.filter(|value| value.is_finite()).ok_or_else(|| {
                Error::argument(quantity, "NaN", "the model has diverged; a smaller learning rate may help")
            })
        };
        let score = finite("area under the curve", roc_auc(&logits, bags.positive()))?;
        Ok(Some(Validation {
            score,
            loss: finite("loss", log_loss(&logits, bags.positive(), f64::from(self.loss.floor)))?,
        }))
    }
}

/// Bags that go through the classifier together: enough for long products, few enough for a cache.
const TOGETHER: usize = 16;

/// The logit of every bag, without gradients.
pub fn logits(module: &BagClassifier, bags: &Bags<'_>) -> Result<Vec<f32>> {
    let (module, device) = (module.valid(), Device::flex());
    let mut all = Vec::with_capacity(bags.len());
    for some in (0..bags.len()).collect::<Vec<_>>().chunks(TOGETHER) {
        let (instances, offsets) = bags.batch(some, &device);
        all.extend(numbers(&module.logits(instances, &offsets, Phase::Inference)?));
    }
    Ok(all)
}
