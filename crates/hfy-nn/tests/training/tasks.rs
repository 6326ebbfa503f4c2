//! What is trained for in these tests.

use std::cell::Cell;

use burn::lr_scheduler::exponential::ExponentialLrSchedulerConfig;
use burn::lr_scheduler::module_lr_scheduler::ModuleLrScheduler;
use burn::tensor::Tensor;
use hfy_nn::layers::{HopfieldConfig, HopfieldPooling, Linear, Patterns, Scaling};
use hfy_nn::train::{AdamW, AdamWConfig, FitConfig, Fitted, Task, Validation, Watch, fit};
use hfy_nn::{Phase, Random, Result, mil, state};

use crate::common::{Matrix, numbers, tracking};

/// Pooling with dropout that tells whether a bag has a large first number.
pub(crate) struct Pooled {
    rows: Matrix,
    examples: usize,
    validated: bool,
}

const SIZE: usize = 4;

impl Pooled {
    pub(crate) fn new(examples: usize, validated: bool) -> Self {
        Pooled { rows: Matrix::normal(examples * SIZE, 4, 1), examples, validated }
    }

    fn positive(&self, bag: usize) -> bool {
        (0..SIZE).any(|at| self.rows.row(bag * SIZE + at)[0] > 1.0)
    }

    fn ask(&self, module: &HopfieldPooling, bags: &[usize], phase: Phase<'_>) -> Result<Tensor<1>> {
        let values = bags.iter().flat_map(|bag| self.rows.values[bag * SIZE * 4..][..SIZE * 4].to_vec()).collect();
        let rows = Matrix { rows: bags.len() * SIZE, columns: 4, values };
        let offsets: Vec<usize> = (0..=bags.len()).map(|bag| bag * SIZE).collect();
        let device = &state_device(module);
        Ok(module.forward(Patterns::bags(rows.tensor(device), &offsets)?, phase)?.reshape([bags.len()]))
    }
}

fn state_device(module: &HopfieldPooling) -> burn::tensor::Device {
    burn::module::Module::devices(module).remove(0)
}

pub(crate) fn pooling(seed: u64) -> HopfieldPooling {
    pooling_scaled_by(None, seed)
}

pub(crate) fn pooling_scaled_by(scaling: Option<Scaling>, seed: u64) -> HopfieldPooling {
    let config = HopfieldConfig {
        scaling,
        num_heads: 2,
        output_size: Some(1),
        dropout: 0.2,
        omega: "entmax:1.5".into(),
        ..HopfieldConfig::new(4)
    };
    HopfieldPooling::new(&config, 1, true, &mut Random::new(seed, 0), &tracking()).unwrap()
}

impl Task<HopfieldPooling> for Pooled {
    fn examples(&self) -> usize {
        self.examples
    }

    fn loss(&self, module: &HopfieldPooling, examples: &[usize], phase: Phase<'_>) -> Result<Tensor<1>> {
        let positive: Vec<bool> = examples.iter().map(|bag| self.positive(*bag)).collect();
        mil::loss(self.ask(module, examples, phase)?, &positive, 1e-5)
    }

    fn validate(&self, module: &HopfieldPooling) -> Result<Option<Validation>> {
        if !self.validated {
            return Ok(None);
        }
        let all: Vec<usize> = (0..self.examples).collect();
        let positive: Vec<bool> = all.iter().map(|bag| self.positive(*bag)).collect();
        let logits = numbers(&self.ask(module, &all, Phase::Inference)?);
        let score = mil::roc_auc(&logits, &positive).expect("both labels, and no NaN");
        Ok(Some(Validation { score, loss: mil::log_loss(&logits, &positive, 1e-5).expect("some bags") }))
    }
}

pub(crate) fn rate(first: f64, decay: f64) -> ModuleLrScheduler {
    ExponentialLrSchedulerConfig::new(first, decay).init().unwrap()
}

pub(crate) fn adamw() -> AdamW {
    AdamW::new(AdamWConfig { clip: Some(1.0), ..AdamWConfig::default() })
}

/// A run of six epochs of five steps.
pub(crate) fn config() -> FitConfig {
    FitConfig { epochs: 6, batch: 4, patience: None, seed: 7, ..FitConfig::default() }
}

pub(crate) fn run(config: &FitConfig, watch: Watch<'_>) -> Result<Fitted<HopfieldPooling>> {
    fit(pooling(3), &Pooled::new(20, true), &mut adamw(), rate(1e-2, 0.9), config, watch)
}

/// The bits of all weights, and all epochs.
pub(crate) fn bits(fitted: &Fitted<HopfieldPooling>) -> (Vec<(String, Vec<u32>)>, String, usize) {
    let tensors = state::of(&fitted.module);
    let of = |name: &str| tensors.get(name).unwrap().1.iter().map(|v| v.to_bits()).collect();
    (tensors.names().map(|name| (name.to_owned(), of(name))).collect(), format!("{:?}", fitted.epochs), fitted.kept)
}

/// A task that does nothing but move a weight, and whose scores are given.
pub(crate) struct Scripted {
    pub validations: Vec<Validation>,
    pub epoch: Cell<usize>,
}

impl Scripted {
    pub(crate) fn new(scores: impl IntoIterator<Item = f64>) -> Self {
        Scripted::with_losses(scores.into_iter().map(|score| (score, 0.0)))
    }

    pub(crate) fn with_losses(validations: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let validations = validations.into_iter().map(|(score, loss)| Validation { score, loss }).collect();
        Scripted { validations, epoch: Cell::new(0) }
    }
}

pub(crate) fn linear() -> Linear {
    Linear::new(2, 1, &mut Random::new(0, 0), &tracking())
}

impl Task<Linear> for Scripted {
    fn examples(&self) -> usize {
        3
    }

    fn loss(&self, module: &Linear, examples: &[usize], _: Phase<'_>) -> Result<Tensor<1>> {
        let x = Matrix::normal(examples.len(), 2, examples[0] as u64).tensor(&tracking());
        let y = module.forward(x)?.add_scalar(-1.0);
        Ok((y.clone() * y).mean())
    }

    fn validate(&self, _: &Linear) -> Result<Option<Validation>> {
        let epoch = self.epoch.replace(self.epoch.get() + 1);
        Ok(Some(self.validations[epoch]))
    }
}
