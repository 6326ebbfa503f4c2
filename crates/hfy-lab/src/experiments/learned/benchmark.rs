//! Runs of nested cross-validation on sets of bags of feature vectors.

use std::ops::ControlFlow;

use hfy_nn::layers::HopfieldConfig;
use hfy_nn::mil::{self, BagLoss, Bags, ClassifierConfig, Split, TrainConfig, nested};
use hfy_nn::train::{FitConfig, Keep, Progress, Watch};
use serde::{Deserialize, Serialize};

use super::{Hyper, brief, mean};
use crate::data::BagSet;
use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Mode};

/// Folds for tests, and folds of the rest, of which one is for validation.
pub(super) const FOLDS: usize = 10;
const INNER_FOLDS: usize = 9;
/// The seed of all weights in the published code.
const FIXED_SEED: u64 = 42;

/// What is between the embedding and the decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Pooling {
    /// The layer of hflayers with its input normalisation and three projections of its own.
    Full,
    /// A Hopfield network with ŷ_Ψ on queries, memories and answers.
    Pure {
        /// ŷ_Ψ as a text.
        psi: String,
        /// Whether ŷ_Ψ has a learned scale and offset.
        affine: bool,
        /// Whether values are projected from the keys, or are the keys.
        connected: bool,
    },
}

/// Ten runs of training, one a fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) set: BagSet,
    pub(super) map: String,
    pub(super) pooling: Pooling,
    /// The seed of the folds, and that of the weights.
    pub(super) seed: u64,
    pub(super) weights: u64,
    pub(super) hyper: Hyper,
    pub(super) epochs: usize,
    /// The weights of the last epoch count, or the best within this patience.
    pub(super) patience: Option<usize>,
    /// Probabilities are kept this far from 0 and 1 in the loss.
    pub(super) floor: f32,
    /// How many of the folds are computed.
    pub(super) folds: usize,
}

/// What came of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Value {
    /// Areas under the curve on the test bags of each fold.
    pub(super) auc: Vec<f64>,
    /// The same on the bags for validation, in the epoch that counts.
    pub(super) validation: Vec<f64>,
    /// The epoch that counts, from 0.
    pub(super) kept: Vec<usize>,
    /// Mean loss of the training bags in the epochs of the first fold.
    pub(super) losses: Vec<f64>,
    /// How many instances of a test bag have weight, by head and bag, in the mean.
    pub(super) support: f64,
    /// The parameter of the map where it is learned: that of each head, fold after fold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) learned: Vec<f64>,
}

impl Value {
    pub(super) fn mean_auc(&self) -> f64 {
        mean(&self.auc)
    }

    pub(super) fn mean_validation(&self) -> f64 {
        mean(&self.validation)
    }
}

impl Key {
    pub(super) fn new(
        set: BagSet,
        map: &str,
        pooling: Pooling,
        seed: u64,
        hyper: Hyper,
        mode: Mode,
        quick: bool,
    ) -> Self {
        let (weights, patience) = match mode {
            Mode::Printed => (FIXED_SEED, None),
            Mode::Defined => (seed, Some(5)),
        };
        let (epochs, folds) = if quick { (2, 2) } else { (50, FOLDS) };
        Key { set, map: map.to_owned(), pooling, seed, weights, hyper, epochs, patience, floor: 0.0, folds }
    }

    pub(super) fn cell(&self) -> Cell {
        let share = if self.patience.is_some() { 0.4 } else { 1.0 };
        let width = self.hyper.embedding.max(self.hyper.hidden) as f64 / 32.0;
        Cell::new(self, 0.03 * share * width * (self.epochs * self.folds) as f64).with_bags([self.set]).training()
    }

    fn config(&self, features: usize) -> TrainConfig {
        let Hyper { rate, decay, embedding, hidden, heads, beta, dropout } = self.hyper;
        let plain = HopfieldConfig {
            hidden_size: Some(hidden),
            num_heads: heads,
            scaling: Some(beta.into()),
            dropout,
            omega: self.map.clone(),
            ..HopfieldConfig::new(embedding)
        };
        let pooling = match &self.pooling {
            Pooling::Full => plain,
            Pooling::Pure { psi, affine, connected } => HopfieldConfig {
                normalize_stored_pattern: None,
                normalize_state_pattern: None,
                normalize_pattern_projection: None,
                pattern_projection_as_connected: true,
                pattern_projection_as_static: !connected,
                psi: psi.clone(),
                psi_affine: *affine,
                psi_patterns: true,
                ..plain
            },
        };
        let keep = if self.patience.is_some() { Keep::Best } else { Keep::Last };
        TrainConfig {
            model: ClassifierConfig {
                features,
                picture: None,
                embedding: vec![embedding; 2],
                pooling,
                rectified: true,
                scaled: false,
                energy: false,
            },
            rate,
            decay,
            weight_decay: 1e-4,
            clip: Some(1.0),
            loss: BagLoss { floor: self.floor, balanced: false },
            fit: FitConfig { epochs: self.epochs, batch: 1, patience: self.patience, keep, seed: self.weights },
        }
    }

    /// Trains and tests on every fold.
    pub(super) fn compute(&self, bench: &Bench<'_>) -> Result<Value> {
        cross_validate(self.set, |features| self.config(features), self.seed, self.folds, bench)
    }
}

/// Trains and tests on the first of ten folds of a set, which come from a seed.
pub(super) fn cross_validate(
    set: BagSet,
    config: impl Fn(usize) -> TrainConfig,
    seed: u64,
    folds: usize,
    bench: &Bench<'_>,
) -> Result<Value> {
    let data = bench.bags(set)?;
    let labels = data.labels().ok_or_else(|| Error::Data(format!("{} has no labels", set.name())))?;
    let bags = Bags::consecutive(data.instances(), data.offsets(), labels)?;
    let splits = nested(labels, FOLDS, INNER_FOLDS, seed).map_err(Error::Data)?;
    let config = config(bags.features());
    let mut value =
        Value { auc: vec![], validation: vec![], kept: vec![], losses: vec![], support: 0.0, learned: vec![] };
    for (fold, split) in splits.iter().take(folds).enumerate() {
        compute_fold(&bags, split, &config, &mut value, &mut |share| {
            bench.hear(((fold as f64 + share) * 1000.0) as usize, 1000 * folds)
        })?;
    }
    value.support = brief(value.support / folds as f64);
    Ok(value)
}

fn compute_fold(
    bags: &Bags<'_>,
    split: &Split,
    config: &TrainConfig,
    value: &mut Value,
    hear: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<()> {
    let mut observer = |progress: Progress<'_>| match progress.step % 64 {
        0 => hear(progress.share()),
        _ => ControlFlow::Continue(()),
    };
    let watch = Watch { observer: Some(&mut observer), checkpoint: None };
    let fitted = mil::train(config, bags.select(&split.train), Some(bags.select(&split.validation)), watch)?;
    let test = bags.select(&split.test);
    let (logits, report) = mil::explain(&fitted.module, &test)?;
    let auc = mil::roc_auc(&logits, test.positive());
    value.auc.push(brief(auc.ok_or_else(|| Error::Data("a fold has bags of one label only".into()))?));
    let validation = fitted.epochs[fitted.kept].validation.map_or(f64::NAN, |found| found.score);
    value.validation.push(brief(validation));
    value.kept.push(fitted.kept);
    if value.losses.is_empty() {
        value.losses = fitted.epochs.iter().map(|epoch| brief(epoch.loss)).collect();
    }
    let learned = fitted.module.pooling().and_then(|pooling| pooling.hopfield().omega_parameter());
    value.learned.extend(learned.into_iter().flatten().map(|parameter| brief(f64::from(parameter))));
    let heads = report.heads();
    let counts = (0..test.len()).flat_map(|bag| (0..heads).map(move |head| (bag, head)));
    let all: usize = counts.map(|(bag, head)| report.support(bag, head, 0).len()).sum();
    value.support += all as f64 / (test.len() * heads) as f64;
    Ok(())
}
