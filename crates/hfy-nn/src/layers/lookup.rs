//! Lookup: state patterns ask learned stored patterns.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

use super::config::HopfieldConfig;
use super::hopfield::{Hopfield, Masks};
use super::linear::drawn;
use super::patterns::Patterns;
use super::report::AssociationReport;
use crate::error::{Error, Result, ensure};
use crate::random::{Phase, Random};

/// What is learned of a [`HopfieldLayer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookupConfig {
    /// How many stored patterns there are.
    pub quantity: usize,
    /// Whether they are learned.
    pub trainable: bool,
    /// Whether the answers come from patterns of their own.
    pub lookup_weights_as_separated: bool,
    /// Whether these are learned.
    pub lookup_targets_as_trainable: bool,
}

impl Default for LookupConfig {
    fn default() -> Self {
        LookupConfig {
            quantity: 1,
            trainable: true,
            lookup_weights_as_separated: false,
            lookup_targets_as_trainable: true,
        }
    }
}

/// An answer for each pattern from learned stored patterns.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use hfy_nn::layers::{HopfieldConfig, HopfieldLayer, LookupConfig, Patterns};
/// use hfy_nn::{Phase, Random};
///
/// let device = Device::flex();
/// let lookup = LookupConfig { quantity: 32, ..LookupConfig::default() };
/// let layer = HopfieldLayer::new(&HopfieldConfig::new(8), lookup, &mut Random::new(0, 0), &device)?;
/// let patterns = Patterns::batch(Tensor::zeros([5, 7, 8], &device));
/// assert_eq!(layer.forward(patterns, Phase::Inference)?.dims(), [35, 8]);
/// # Ok::<(), hfy_nn::Error>(())
/// ```
#[derive(Module, Debug)]
pub struct HopfieldLayer {
    pub(crate) hopfield: Hopfield,
    pub(crate) lookup_weights: Param<Tensor<2>>,
    pub(crate) target_weights: Option<Param<Tensor<2>>>,
}

impl HopfieldLayer {
    /// A layer with stored patterns from N(0, 0.02²).
    pub fn new(config: &HopfieldConfig, lookup: LookupConfig, random: &mut Random, device: &Device) -> Result<Self> {
        let quantity = lookup.quantity;
        ensure(quantity > 0, || Error::argument("quantity", quantity, "it must be at least 1"))?;
        let hopfield = Hopfield::new(config, random, device)?;
        let sizes = hopfield.association_core.sizes();
        let mut learned = |depth: usize, trainable: bool| {
            let drawn = drawn([quantity, depth], device, || 0.02 * random.normal());
            Param::from_tensor(drawn).set_require_grad(trainable)
        };
        let lookup_weights = learned(sizes.stored, lookup.trainable);
        let target_weights =
            lookup.lookup_weights_as_separated.then(|| learned(sizes.projection, lookup.lookup_targets_as_trainable));
        Ok(HopfieldLayer { hopfield, lookup_weights, target_weights })
    }

    /// The layer inside.
    pub fn hopfield(&self) -> &Hopfield {
        &self.hopfield
    }

    /// An answer for each pattern, bag after bag.
    pub fn forward(&self, patterns: Patterns, phase: Phase<'_>) -> Result<Tensor<2>> {
        self.forward_masked(patterns, &Masks::default(), phase)
    }

    /// The same with masks: each bag of patterns may ignore some of the learned stored patterns.
    pub fn forward_masked(&self, patterns: Patterns, masks: &Masks, phase: Phase<'_>) -> Result<Tensor<2>> {
        self.hopfield.associate(self.stored(), patterns, self.targets(), masks, phase)
    }

    /// An answer for each pattern, and what the association did.
    pub fn forward_with_report(&self, patterns: Patterns, phase: Phase<'_>) -> Result<(Tensor<2>, AssociationReport)> {
        self.forward_masked_with_report(patterns, &Masks::default(), phase)
    }

    /// The same with masks.
    pub fn forward_masked_with_report(
        &self,
        patterns: Patterns,
        masks: &Masks,
        phase: Phase<'_>,
    ) -> Result<(Tensor<2>, AssociationReport)> {
        self.hopfield.associate_with_report(self.stored(), patterns, self.targets(), masks, phase)
    }

    fn stored(&self) -> Patterns {
        Patterns::shared(self.lookup_weights.val())
    }

    fn targets(&self) -> Patterns {
        self.target_weights.as_ref().map_or_else(|| self.stored(), |targets| Patterns::shared(targets.val()))
    }
}
