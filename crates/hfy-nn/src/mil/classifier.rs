//! A classifier of bags: an embedding of the instances, Hopfield pooling, a linear layer.

use burn::module::Module;
use burn::tensor::{Device, Tensor, activation};
use serde::{Deserialize, Serialize};

use super::Bags;
use super::energy::EnergyPooling;
use super::lenet::LeNet;
use super::scaling::FeatureScaling;
use crate::error::{Error, Result, ensure};
use crate::layers::{AssociationReport, HopfieldConfig, HopfieldPooling, Linear, Patterns};
use crate::random::{Phase, Random};

/// The parts of a [`BagClassifier`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassifierConfig {
    /// How many numbers an instance has.
    pub features: usize,
    /// Height and width, where instances are pictures for [`LeNet`].
    pub picture: Option<(usize, usize)>,
    /// Widths of the layers of the embedding; a [`LeNet`] has the first of them.
    pub embedding: Vec<usize>,
    /// The pooling; its `input_size` is set to the width of the embedding.
    pub pooling: HopfieldConfig,
    /// Whether what is pooled is rectified.
    pub rectified: bool,
    /// Whether features are shifted and scaled to mean 0 and deviation 1 over the training instances.
    pub scaled: bool,
    /// Whether the bag is decided by [`EnergyPooling`], with the map, the heads and the β of `pooling`, and not by a
    /// linear layer on what is pooled.
    pub energy: bool,
}

/// The probability that a bag is positive.
#[derive(Module, Debug)]
pub struct BagClassifier {
    scaling: Option<FeatureScaling>,
    lenet: Option<LeNet>,
    embedding: Vec<Linear>,
    /// None where the decision is by energies.
    pooling: Option<HopfieldPooling>,
    /// Of what is pooled, or of each instance.
    head: Linear,
    #[module(skip)]
    energy: Option<EnergyPooling>,
    #[module(skip)]
    rectified: bool,
    #[module(skip)]
    features: usize,
}

impl BagClassifier {
    /// A classifier with weights drawn from a stream.
    pub fn new(config: &ClassifierConfig, random: &mut Random, device: &Device) -> Result<Self> {
        let mut widths = config.embedding.iter().copied();
        ensure(config.embedding.iter().all(|width| *width > 0), || {
            Error::argument("embedding", format!("{:?}", config.embedding), "every width must be at least 1")
        })?;
        let mut depth = config.features;
        let lenet = match config.picture {
            None => None,
            Some(picture) => {
                depth = widths
                    .next()
                    .ok_or_else(|| Error::argument("embedding", "[]", "pictures need at least one width"))?;
                Some(LeNet::new(picture, depth, random, device)?)
            }
        };
        let mut embedding = Vec::new();
        for width in widths {
            embedding.push(Linear::new(depth, width, random, device));
            depth = width;
        }
        let pooling = HopfieldConfig { input_size: depth, ..config.pooling.clone() };
        let sizes = [
            ("stored_pattern_size", pooling.stored_pattern_size),
            ("pattern_projection_size", pooling.pattern_projection_size),
        ];
        for (argument, size) in sizes.into_iter().filter_map(|(argument, size)| Some((argument, size?))) {
            let rule = || format!("what is pooled is the embedding, whose width is {depth}");
            ensure(size == depth, || Error::argument(argument, size, rule()))?;
        }
        let energy = config.energy.then(|| EnergyPooling::new(&pooling)).transpose()?;
        let (pooling, head) = if energy.is_some() {
            (None, Linear::new(depth, pooling.num_heads, random, device))
        } else {
            let pooled = pooled_width(&pooling);
            let pooling = HopfieldPooling::new(&pooling, 1, true, random, device)?;
            (Some(pooling), Linear::new(pooled, 1, random, device))
        };
        let scaling = config.scaled.then(|| FeatureScaling::none(config.features, device));
        let (rectified, features) = (config.rectified, config.features);
        Ok(BagClassifier { scaling, lenet, embedding, pooling, head, energy, rectified, features })
    }

    /// The same with features scaled by what these bags have, if the features are scaled at all.
    pub(super) fn scaled_by(self, bags: &Bags<'_>, device: &Device) -> Self {
        let scaling = self.scaling.map(|_| FeatureScaling::of(bags, self.lenet.is_some(), device));
        BagClassifier { scaling, ..self }
    }

    /// The pooling; `None` where the bag is decided by energies.
    pub fn pooling(&self) -> Option<&HopfieldPooling> {
        self.pooling.as_ref()
    }

    fn embedded(&self, instances: Tensor<2>, offsets: &[usize]) -> Result<Patterns> {
        let [count, features] = instances.dims();
        ensure(features == self.features, || {
            Error::shape("instances", &[count, features], format!("they must have {} features", self.features))
        })?;
        let mut x = match &self.scaling {
            Some(scaling) => scaling.forward(instances),
            None => instances,
        };
        if let Some(lenet) = &self.lenet {
            x = lenet.forward(x)?;
        }
        for layer in &self.embedding {
            x = activation::relu(layer.forward(x)?);
        }
        Patterns::bags(x, offsets)
    }

    fn decided(&self, pooled: Tensor<2>) -> Result<Tensor<1>> {
        let pooled = if self.rectified { activation::relu(pooled) } else { pooled };
        let logits = self.head.forward(pooled)?;
        let bags = logits.dims()[0];
        Ok(logits.reshape([bags]))
    }

    /// The logit of each bag; the instances of all bags come one after the other, `offsets` says where each begins.
    pub fn logits(&self, instances: Tensor<2>, offsets: &[usize], phase: Phase<'_>) -> Result<Tensor<1>> {
        let patterns = self.embedded(instances, offsets)?;
        match (&self.pooling, &self.energy) {
            (Some(pooling), _) => self.decided(pooling.forward(patterns, phase)?),
            (None, Some(energy)) => energy.forward(self.head.forward(patterns.rows)?, &patterns.bags),
            (None, None) => unreachable!("a classifier decides in one way"),
        }
    }

    /// The same, and which instances each head looked at.
    pub fn logits_with_report(
        &self,
        instances: Tensor<2>,
        offsets: &[usize],
    ) -> Result<(Tensor<1>, AssociationReport)> {
        let patterns = self.embedded(instances, offsets)?;
        match (&self.pooling, &self.energy) {
            (Some(pooling), _) => {
                let (pooled, report) = pooling.forward_with_report(patterns, Phase::Inference)?;
                Ok((self.decided(pooled)?, report))
            }
            (None, Some(energy)) => {
                let scores = self.head.forward(patterns.rows)?;
                let report = energy.report(&scores, &patterns.bags)?;
                Ok((energy.forward(scores, &patterns.bags)?, report))
            }
            (None, None) => unreachable!("a classifier decides in one way"),
        }
    }
}

/// How many numbers the pooling gives.
fn pooled_width(config: &HopfieldConfig) -> usize {
    if !config.disable_out_projection {
        return config.output_size.unwrap_or(config.input_size);
    }
    let own = config.input_size / config.num_heads.max(1);
    config.num_heads * config.pattern_size.or(config.hidden_size).unwrap_or(own)
}
