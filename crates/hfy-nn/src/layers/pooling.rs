//! Pooling: learned state patterns ask a bag of stored patterns.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

use super::config::HopfieldConfig;
use super::hopfield::{Hopfield, Masks};
use super::linear::drawn;
use super::patterns::Patterns;
use super::report::AssociationReport;
use crate::error::{Error, Result, ensure};
use crate::omega::Omega;
use crate::random::{Phase, Random};

/// One vector for a bag of patterns: the answers for `quantity` learned state patterns.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use hfy_nn::layers::{HopfieldConfig, HopfieldPooling, Patterns};
/// use hfy_nn::{Phase, Random};
///
/// let device = Device::flex();
/// let config = HopfieldConfig { num_heads: 2, hidden_size: Some(4), omega: "sparsemax".into(), ..HopfieldConfig::new(8) };
/// let pooling = HopfieldPooling::new(&config, 3, true, &mut Random::new(0, 0), &device)?;
/// let bags = Patterns::bags(Tensor::zeros([7, 8], &device), &[0, 5, 7])?;
/// assert_eq!(pooling.forward(bags, Phase::Inference)?.dims(), [2, 24]);
/// # Ok::<(), hfy_nn::Error>(())
/// ```
#[derive(Module, Debug)]
pub struct HopfieldPooling {
    pub(crate) hopfield: Hopfield,
    pub(crate) pooling_weights: Param<Tensor<2>>,
}

impl HopfieldPooling {
    /// A layer with `quantity` state patterns from N(0, 0.02²), learned if `trainable`.
    pub fn new(
        config: &HopfieldConfig,
        quantity: usize,
        trainable: bool,
        random: &mut Random,
        device: &Device,
    ) -> Result<Self> {
        ensure(quantity > 0, || Error::argument("quantity", quantity, "it must be at least 1"))?;
        let hopfield = Hopfield::new(config, random, device)?;
        let weights = drawn([quantity, config.input_size], device, || 0.02 * random.normal());
        let pooling_weights = Param::from_tensor(weights).set_require_grad(trainable);
        Ok(HopfieldPooling { hopfield, pooling_weights })
    }

    /// The layer inside.
    pub fn hopfield(&self) -> &Hopfield {
        &self.hopfield
    }

    /// (bags, quantity * output_size): the learned state patterns ask each bag, and answer with what is in it.
    pub fn forward(&self, bags: Patterns, phase: Phase<'_>) -> Result<Tensor<2>> {
        self.forward_masked(bags, &Masks::default(), phase)
    }

    /// The same without some of the patterns.
    pub fn forward_masked(&self, bags: Patterns, masks: &Masks, phase: Phase<'_>) -> Result<Tensor<2>> {
        self.forward_from(bags.clone(), bags, masks, phase)
    }

    /// The same, with answers from `projection`, which has a pattern for each stored one. Their depth is
    /// `pattern_projection_size`.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use hfy_nn::layers::{HopfieldConfig, HopfieldPooling, Masks, Patterns};
    /// use hfy_nn::{Phase, Random};
    ///
    /// let device = Device::flex();
    /// let config = HopfieldConfig { pattern_projection_size: Some(3), ..HopfieldConfig::new(8) };
    /// let pooling = HopfieldPooling::new(&config, 1, true, &mut Random::new(0, 0), &device)?;
    /// let stored = Patterns::bags(Tensor::zeros([7, 8], &device), &[0, 5, 7])?;
    /// let projection = Patterns::bags(Tensor::zeros([7, 3], &device), &[0, 5, 7])?;
    /// let pooled = pooling.forward_from(stored, projection, &Masks::default(), Phase::Inference)?;
    /// assert_eq!(pooled.dims(), [2, 8]);
    /// # Ok::<(), hfy_nn::Error>(())
    /// ```
    pub fn forward_from(
        &self,
        stored: Patterns,
        projection: Patterns,
        masks: &Masks,
        phase: Phase<'_>,
    ) -> Result<Tensor<2>> {
        let answers = self.hopfield.associate(stored, self.queries(), projection, masks, phase)?;
        Ok(self.pooled(answers))
    }

    /// [`forward`](Self::forward), and what the association did.
    pub fn forward_with_report(&self, bags: Patterns, phase: Phase<'_>) -> Result<(Tensor<2>, AssociationReport)> {
        self.forward_from_with_report(bags.clone(), bags, &Masks::default(), phase)
    }

    /// [`forward_from`](Self::forward_from), and what the association did.
    pub fn forward_from_with_report(
        &self,
        stored: Patterns,
        projection: Patterns,
        masks: &Masks,
        phase: Phase<'_>,
    ) -> Result<(Tensor<2>, AssociationReport)> {
        let (answers, report) =
            self.hopfield.associate_with_report(stored, self.queries(), projection, masks, phase)?;
        Ok((self.pooled(answers), report))
    }

    /// The same layer with another map and another β.
    pub(crate) fn with_map(mut self, omega: Omega, beta: f32) -> Self {
        self.hopfield.association_core = self.hopfield.association_core.with_map(omega, beta);
        self
    }

    /// How many of so many patterns the map selects; `None` where it has no budget.
    pub(crate) fn budget(&self, patterns: usize) -> Option<usize> {
        self.hopfield.association_core.omega.family().budget(patterns)
    }

    /// The same layer with a map that selects so many patterns.
    pub(crate) fn with_budget(&self, budget: usize) -> Self {
        let mut pooling = self.clone();
        let omega = &mut pooling.hopfield.association_core.omega;
        *omega = omega.with_budget(budget);
        pooling
    }

    fn queries(&self) -> Patterns {
        Patterns::shared(self.pooling_weights.val())
    }

    fn pooled(&self, answers: Tensor<2>) -> Tensor<2> {
        let ([rows, depth], [quantity, _]) = (answers.dims(), self.pooling_weights.dims());
        answers.reshape([rows / quantity, quantity * depth])
    }
}
