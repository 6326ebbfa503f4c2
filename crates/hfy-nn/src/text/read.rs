//! Texts through a network.

use burn::tensor::Device;
use serde::Serialize;

use super::rationaliser::rows;
use super::task::vectors;
use super::{Rationaliser, Texts, Vocabulary};
use crate::error::Result;

/// What a network makes of a text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Read {
    /// The logit of each class, or the number.
    pub outputs: Vec<f32>,
    /// The weight of each word.
    pub weights: Vec<f32>,
}

impl Read {
    /// The probability of each class.
    pub fn probabilities(&self) -> Vec<f64> {
        let most = self.outputs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let raised: Vec<f64> = self.outputs.iter().map(|logit| f64::from(logit - most).exp()).collect();
        let sum: f64 = raised.iter().sum();
        raised.into_iter().map(|value| value / sum).collect()
    }

    /// The class with the largest logit, the first where several have it.
    pub fn class(&self) -> usize {
        let better = |best: usize, at: usize| if self.outputs[at] > self.outputs[best] { at } else { best };
        (0..self.outputs.len()).fold(0, better)
    }

    /// Whether each word has weight.
    pub fn rationale(&self) -> Vec<bool> {
        self.weights.iter().map(|weight| *weight > 0.0).collect()
    }
}

/// Texts that go through the network together.
const TOGETHER: usize = 32;

/// What a network for use makes of some texts, without gradients.
pub fn read(network: &Rationaliser, vocabulary: &Vocabulary, texts: &Texts, which: &[usize]) -> Result<Vec<Read>> {
    read_with(network, vocabulary, texts, which, None)
}

/// The same with budgets that are shares of texts of other lengths.
pub(super) fn read_with(
    network: &Rationaliser,
    vocabulary: &Vocabulary,
    texts: &Texts,
    which: &[usize],
    lengths: Option<&[usize]>,
) -> Result<Vec<Read>> {
    let device = Device::flex();
    let mut all = Vec::with_capacity(which.len());
    for (at, some) in which.chunks(TOGETHER).enumerate() {
        let (words, offsets) = texts.batch(some);
        let lengths = lengths.map(|lengths| &lengths[at * TOGETHER..at * TOGETHER + some.len()]);
        let decision = network.decide(vectors(vocabulary, &words, &device), &offsets, lengths)?;
        let pairs = rows(&decision.outputs).into_iter().zip(decision.weights);
        all.extend(pairs.map(|(outputs, weights)| Read { outputs, weights }));
    }
    Ok(all)
}
