//! Runs of training on bags of MNIST digits, with K of the target digit in a positive one.

use std::ops::ControlFlow;

use hfy_nn::layers::HopfieldConfig;
use hfy_nn::mil::{self, BagLoss, Bags, ClassifierConfig, TrainConfig};
use hfy_nn::train::{Epoch, FitConfig, Fitted, Keep, Progress, Watch};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{Hyper, brief, looks};
use crate::data::kmil::{DigitBag, KmilSpec, bags};
use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Pictures};

/// Pairs of a positive and a negative bag to train with, and those to test and to validate with together.
const TRAINING_PAIRS: usize = 1000;
const OTHER_PAIRS: usize = 500;
/// Bags are drawn from seeds this far apart, so that no two runs share one.
const APART: u64 = 10_000;
/// The bags for tests are the same for all runs.
const OTHER_SEED: u64 = 50_000;
/// Pixels are shifted and scaled by their mean and deviation over the set.
const MEAN: f32 = 0.1307;
const DEVIATION: f32 = 0.3081;
/// Probabilities are kept this far from 0 and 1 in the loss.
const FLOOR: f32 = 1e-5;
/// What the network has before the pooling.
const EMBEDDING: usize = 500;
/// How many bags are kept with what the heads looked at.
const SHOWN: usize = 2;

/// A run of training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Key {
    /// How many of the target a positive bag has at least.
    pub(super) k: usize,
    pub(super) map: String,
    pub(super) seed: u64,
    pub(super) hyper: Hyper,
    pub(super) epochs: usize,
    pub(super) patience: usize,
    pub(super) pairs: usize,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Value {
    /// Share of the bags that are decided rightly, and area under the curve.
    pub(super) accuracy: f64,
    pub(super) auc: f64,
    pub(super) validation_accuracy: f64,
    pub(super) validation_loss: f64,
    /// Epochs, and the one whose weights are kept.
    pub(super) epochs: Vec<Epoch>,
    pub(super) kept: usize,
    /// What the heads looked at in the positive test bags.
    pub(super) looks: looks::Looks,
    /// The same in the first of these, bag by bag.
    pub(super) shown: Vec<looks::Shown>,
}

impl Key {
    pub(super) fn new(k: usize, map: &str, seed: u64, hyper: Hyper, quick: bool) -> Self {
        let (epochs, pairs) = if quick { (2, 10) } else { (50, TRAINING_PAIRS) };
        Key { k, map: map.to_owned(), seed, hyper, epochs, patience: 5, pairs }
    }

    pub(super) fn cell(&self) -> Cell {
        // About half of the epochs are spared by the patience.
        let steps = (self.epochs * self.pairs) as f64;
        Cell::new(self, 0.007 * steps).with([Pictures::Mnist, Pictures::MnistTest]).training()
    }

    fn config(&self) -> TrainConfig {
        let Hyper { rate, decay, hidden, heads, beta, dropout, .. } = self.hyper;
        TrainConfig {
            model: ClassifierConfig {
                features: 28 * 28,
                picture: Some((28, 28)),
                embedding: vec![EMBEDDING],
                pooling: HopfieldConfig {
                    hidden_size: Some(hidden),
                    num_heads: heads,
                    scaling: Some(beta.into()),
                    dropout,
                    omega: self.map.clone(),
                    ..HopfieldConfig::new(EMBEDDING)
                },
                rectified: false,
                scaled: false,
                energy: false,
            },
            rate,
            decay,
            weight_decay: 1e-4,
            clip: Some(1.0),
            loss: BagLoss { floor: FLOOR, balanced: false },
            fit: FitConfig {
                epochs: self.epochs,
                batch: 1,
                patience: Some(self.patience),
                keep: Keep::Best,
                seed: self.seed,
            },
        }
    }

    /// Trains and tests.
    pub(super) fn compute(&self, bench: &Bench<'_>) -> Result<Value> {
        let spec = KmilSpec::paper(self.k)?;
        let pool = |name: &str, pictures: Pictures| {
            bench.shared(&format!("normalised {name}"), || {
                let images = bench.images(pictures)?;
                let pixels = (0..images.len()).flat_map(|index| images.pixels(index));
                let pixels = pixels.map(|&byte| (f32::from(byte) / 255.0 - MEAN) / DEVIATION).collect();
                Ok(Array2::from_shape_vec((images.len(), images.dimension()), pixels).expect("pictures have one size"))
            })
        };
        let (train_pool, test_pool) = (pool("MNIST", Pictures::Mnist)?, pool("MNIST test", Pictures::MnistTest)?);
        let (train_labels, test_labels) =
            (bench.images(Pictures::Mnist)?.labels(), bench.images(Pictures::MnistTest)?.labels());
        let train = members(&train_pool, &bags(train_labels, spec, self.pairs, APART * self.seed)?)?;
        let others = bags(test_labels, spec, OTHER_PAIRS.min(self.pairs), OTHER_SEED)?;
        let (test, validation) = others.split_at(others.len() / 2);
        let (test, validation) = (members(&test_pool, test)?, members(&test_pool, validation)?);
        let mut observer = |progress: Progress<'_>| match progress.step % 16 {
            0 => bench.hear((1000.0 * progress.share()) as usize, 1000),
            _ => ControlFlow::Continue(()),
        };
        let watch = Watch { observer: Some(&mut observer), checkpoint: None };
        let Fitted { module, epochs, kept } =
            mil::train(&self.config(), train, Some(validation.clone()), watch).map_err(Error::from)?;
        let logits = mil::logits(&module, &test)?;
        let missing = || Error::Cell("a measure has no value: there are bags of one label only".into());
        let (looks, shown) = looks::of(&module, &test, |member| test_labels[member] == spec.target, SHOWN)?;
        Ok(Value {
            accuracy: mil::accuracy(&logits, test.positive(), 0.0).ok_or_else(missing)?,
            auc: brief(mil::roc_auc(&logits, test.positive()).ok_or_else(missing)?),
            validation_accuracy: {
                let logits = mil::logits(&module, &validation)?;
                mil::accuracy(&logits, validation.positive(), 0.0).ok_or_else(missing)?
            },
            validation_loss: epochs[kept].validation.map(|validation| brief(validation.loss)).ok_or_else(missing)?,
            epochs: epochs.into_iter().map(super::brief_epoch).collect(),
            kept,
            looks,
            shown,
        })
    }
}

/// Positive test bags as pictures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ShownBags {
    /// Bag by bag: the index of each digit in the set, its pixels as ink on white in hexadecimal, and whether it is of
    /// the target.
    pub(super) bags: Vec<Vec<(usize, String, bool)>>,
}

/// A piece of work that reads the digits to test with.
pub(super) fn shown_cell(k: usize) -> Cell {
    Cell::new(&k, 0.1).with([Pictures::MnistTest])
}

/// The bags that [`Value::shown`] is about.
pub(super) fn shown_bags(k: usize, pairs: usize, bench: &Bench<'_>) -> Result<ShownBags> {
    let (images, spec) = (bench.images(Pictures::MnistTest)?, KmilSpec::paper(k)?);
    let others = bags(images.labels(), spec, OTHER_PAIRS.min(pairs), OTHER_SEED)?;
    let digit = |index: usize| {
        let ink = images.pixels(index).iter().map(|byte| format!("{:02x}", 255 - byte)).collect();
        (index, ink, images.labels()[index] == spec.target)
    };
    let positive = others.iter().filter(|bag| bag.positive).take(SHOWN);
    let bags = positive.map(|bag| bag.digits.iter().map(|&index| digit(index as usize)).collect()).collect();
    Ok(ShownBags { bags })
}

/// Bags of rows of the pool.
fn members<'a>(pool: &'a Array2<f32>, bags: &[DigitBag]) -> Result<Bags<'a>> {
    let mut offsets = vec![0];
    let mut members: Vec<usize> = Vec::new();
    for bag in bags {
        members.extend(bag.digits.iter().map(|&digit| digit as usize));
        offsets.push(members.len());
    }
    let positive = bags.iter().map(|bag| bag.positive).collect();
    Ok(Bags::new(pool.view(), members, offsets, positive)?)
}
