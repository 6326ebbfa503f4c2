//! The Hopfield layer.

use burn::module::Module;
use burn::tensor::{Device, Tensor, activation};

use super::affine::Affine;
use super::config::{Activation, HopfieldConfig, InputNorm};
use super::core::{Association, AssociationCore, laid_out};
use super::patterns::Patterns;
use super::report::AssociationReport;
use crate::error::{Error, Result, ensure};
use crate::operators::{Layout, Mask, Rows, layer_norm};
use crate::random::{Phase, Random};

/// Associates state patterns with stored patterns, and answers with what the pattern projections say about those.
///
/// In the space of each head, with queries q, keys K and values V projected from the three inputs, the state is updated
/// `update_steps_max` times by `q <- ŷ_Ψ(Kᵀ ŷ_Ω(β K q))`, and the answer is `ŷ_Ψ(Vᵀ ŷ_Ω(β K q))`, projected to the
/// output. With the softmax as ŷ_Ω, no further update and no Ψ this is multi-head attention.
///
/// **Cost.** Three products of the inputs with the projections, one product of queries and keys and one of weights and
/// values for every update. Bags of different sizes lie one after the other; nothing is padded.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use hfy_nn::layers::{Hopfield, HopfieldConfig};
/// use hfy_nn::{Phase, Random};
///
/// let device = Device::flex();
/// let config = HopfieldConfig {
///     hidden_size: Some(4),
///     num_heads: 2,
///     omega: "entmax:1.5".into(),
///     update_steps_max: vec![Some(3)],
///     ..HopfieldConfig::new(8)
/// };
/// let layer = Hopfield::new(&config, &mut Random::new(0, 0), &device)?;
/// let answers = layer.forward(Tensor::<3>::zeros([5, 7, 8], &device), Phase::Inference)?;
/// assert_eq!(answers.dims(), [5, 7, 8]);
/// # Ok::<(), hfy_nn::Error>(())
/// ```
///
/// Reference: Ramsauer et al., *Hopfield Networks is All You Need*, 2021.
#[derive(Module, Debug)]
pub struct Hopfield {
    pub(crate) association_core: AssociationCore,
    pub(crate) norm_stored_pattern: Option<Affine>,
    pub(crate) norm_state_pattern: Option<Affine>,
    pub(crate) norm_pattern_projection: Option<Affine>,
    #[module(skip)]
    config: HopfieldConfig,
}

/// What is left out of an association, or added to its scores.
#[derive(Debug, Clone, Default)]
pub struct Masks {
    /// For each bag and each of its stored patterns whether it is ignored.
    pub ignored_patterns: Option<Vec<Vec<bool>>>,
    /// For each query and each stored pattern whether that is ignored, the same in all bags and heads.
    pub ignored_associations: Option<Vec<Vec<bool>>>,
    /// What is added to the scores: for each bag, head, query and stored pattern.
    pub added: Option<Vec<Vec<Vec<Vec<f32>>>>>,
}

impl Masks {
    fn is_empty(&self) -> bool {
        self.ignored_patterns.is_none() && self.ignored_associations.is_none() && self.added.is_none()
    }

    /// The mask of all scores; patterns that the layer adds are seen by every query.
    fn laid_out(&self, layout: &Layout, added: usize) -> Result<Mask> {
        if self.is_empty() {
            return Ok(None);
        }
        let (bags, heads) = (layout.bags(), layout.heads);
        let wrong = |argument: &'static str, rule: String| Error::argument(argument, "a mask of another shape", rule);
        let given = |bag: usize| layout.stored.of(bag).len() - added;
        if let Some(mask) = &self.ignored_patterns {
            let fits = mask.len() == bags && mask.iter().enumerate().all(|(bag, row)| row.len() == given(bag));
            ensure(fits, || {
                wrong("ignored_patterns", format!("it must have {bags} bags with an entry for each pattern"))
            })?;
        }
        if let Some(mask) = &self.ignored_associations {
            let fits = (0..bags)
                .all(|bag| mask.len() == layout.state.of(bag).len() && mask.iter().all(|row| row.len() == given(bag)));
            ensure(fits, || {
                wrong("ignored_associations", "it must be (queries, stored patterns) of every bag".into())
            })?;
        }
        if let Some(mask) = &self.added {
            let fits = mask.len() == bags
                && mask.iter().enumerate().all(|(bag, of_heads)| {
                    let queries = layout.state.of(bag).len();
                    let is_row = |row: &Vec<f32>| row.len() == given(bag) && row.iter().all(|v| *v < f32::INFINITY);
                    let is_head = |rows: &Vec<Vec<f32>>| rows.len() == queries && rows.iter().all(is_row);
                    of_heads.len() == heads && of_heads.iter().all(is_head)
                });
            ensure(fits, || {
                wrong("added", "it must be (bags, heads, queries, stored patterns) of numbers below infinity".into())
            })?;
        }
        Ok(laid_out(layout, |bag, head, query, pattern| {
            if pattern >= given(bag) {
                return 0.0;
            }
            let ignored = self.ignored_patterns.as_ref().is_some_and(|mask| mask[bag][pattern])
                || self.ignored_associations.as_ref().is_some_and(|mask| mask[query][pattern]);
            if ignored {
                return f32::NEG_INFINITY;
            }
            self.added.as_ref().map_or(0.0, |mask| mask[bag][head][query][pattern])
        }))
    }
}

impl Hopfield {
    /// A layer with weights drawn from a stream.
    pub fn new(config: &HopfieldConfig, random: &mut Random, device: &Device) -> Result<Self> {
        let association_core = AssociationCore::new(config, random, device)?;
        let sizes = association_core.sizes();
        let norm =
            |norm: Option<InputNorm>, depth: usize| norm.filter(|norm| norm.affine).map(|_| Affine::new(depth, device));
        Ok(Hopfield {
            association_core,
            norm_stored_pattern: norm(config.normalize_stored_pattern, sizes.stored),
            norm_state_pattern: norm(config.normalize_state_pattern, sizes.input),
            norm_pattern_projection: norm(config.normalize_pattern_projection, sizes.projection),
            config: config.clone(),
        })
    }

    /// The settings that it was made with.
    pub fn config(&self) -> &HopfieldConfig {
        &self.config
    }

    /// The inverse temperature as it is now: one number, or one for each head.
    pub fn beta(&self) -> Vec<f32> {
        self.association_core.betas()
    }

    /// The parameter of the map as it is now, where it is given apart: one number, or one for each head.
    ///
    /// ```
    /// use burn::tensor::Device;
    /// use hfy_nn::layers::{Hopfield, HopfieldConfig};
    /// use hfy_nn::{OmegaParameter, Random};
    ///
    /// let alpha = OmegaParameter::Learned(vec![1.25, 1.75]);
    /// let config = HopfieldConfig { num_heads: 2, omega: "entmax".into(), omega_parameter: Some(alpha), ..HopfieldConfig::new(8) };
    /// let layer = Hopfield::new(&config, &mut Random::new(0, 0), &Device::flex().autodiff())?;
    /// assert_eq!(layer.omega_parameter(), Some(vec![1.25, 1.75]));
    /// # Ok::<(), hfy_nn::Error>(())
    /// ```
    pub fn omega_parameter(&self) -> Option<Vec<f32>> {
        self.association_core.omega_parameter()
    }

    /// An answer for each pattern of sequences that are associated with themselves: (batch, length, depth), or
    /// (length, batch, depth) without `batch_first`.
    pub fn forward(&self, sequences: Tensor<3>, phase: Phase<'_>) -> Result<Tensor<3>> {
        self.forward_masked(sequences, &Masks::default(), phase)
    }

    /// The same with masks, in which each sequence is a bag.
    ///
    /// ```
    /// use burn::tensor::{Device, Tensor};
    /// use hfy_nn::layers::{Hopfield, HopfieldConfig, Masks};
    /// use hfy_nn::{Phase, Random};
    ///
    /// let layer = Hopfield::new(&HopfieldConfig::new(8), &mut Random::new(0, 0), &Device::flex())?;
    /// // No pattern asks a later one.
    /// let later = (0..7).map(|query| (0..7).map(|stored| stored > query).collect()).collect();
    /// let masks = Masks { ignored_associations: Some(later), ..Masks::default() };
    /// let sequences = Tensor::<3>::zeros([5, 7, 8], &Device::flex());
    /// assert_eq!(layer.forward_masked(sequences, &masks, Phase::Inference)?.dims(), [5, 7, 8]);
    /// # Ok::<(), hfy_nn::Error>(())
    /// ```
    pub fn forward_masked(&self, sequences: Tensor<3>, masks: &Masks, phase: Phase<'_>) -> Result<Tensor<3>> {
        let sequences = if self.config.batch_first { sequences } else { sequences.swap_dims(0, 1) };
        let [batch, length, _] = sequences.dims();
        let patterns = Patterns::batch(sequences);
        let rows = self.associate(patterns.clone(), patterns.clone(), patterns, masks, phase)?;
        let depth = rows.dims()[1];
        let answers = rows.reshape([batch, length, depth]);
        Ok(if self.config.batch_first { answers } else { answers.swap_dims(0, 1) })
    }

    /// The answers for all queries, bag after bag. `batch_first` is about [`forward`](Self::forward) alone.
    ///
    /// A query without stored patterns (all ignored, or an empty bag) has weights of zero, and gives the bias of the
    /// output projection.
    pub fn associate(
        &self,
        stored: Patterns,
        state: Patterns,
        projection: Patterns,
        masks: &Masks,
        phase: Phase<'_>,
    ) -> Result<Tensor<2>> {
        let found = self.find(stored, state, projection, masks)?;
        self.answer(&found, phase)
    }

    /// The same, and what the association did.
    pub fn associate_with_report(
        &self,
        stored: Patterns,
        state: Patterns,
        projection: Patterns,
        masks: &Masks,
        phase: Phase<'_>,
    ) -> Result<(Tensor<2>, AssociationReport)> {
        let found = self.find(stored, state, projection, masks)?;
        Ok((self.answer(&found, phase)?, AssociationReport::new(&self.association_core, &found)?))
    }

    fn find(&self, stored: Patterns, state: Patterns, projection: Patterns, masks: &Masks) -> Result<Association> {
        ensure(same_bags(&stored.bags, &projection.bags), || {
            Error::shape("pattern projections", &projection.rows.dims(), "there must be one for each stored pattern")
        })?;
        let sizes = self.association_core.sizes();
        let config = &self.config;
        let stored = normalised(
            "stored patterns",
            stored,
            config.normalize_stored_pattern,
            &self.norm_stored_pattern,
            sizes.stored,
        )?;
        let state =
            normalised("state patterns", state, config.normalize_state_pattern, &self.norm_state_pattern, sizes.input)?;
        let projection = normalised(
            "pattern projections",
            projection,
            config.normalize_pattern_projection,
            &self.norm_pattern_projection,
            sizes.projection,
        )?;
        let added = self.association_core.added();
        self.association_core.run(stored, state, projection, |layout| masks.laid_out(layout, added))
    }

    fn answer(&self, found: &Association, phase: Phase<'_>) -> Result<Tensor<2>> {
        let answers = self.association_core.answer(found, phase)?;
        Ok(match self.config.association_activation {
            None => answers,
            Some(Activation::Relu) => activation::relu(answers),
            Some(Activation::Tanh) => activation::tanh(answers),
            Some(Activation::Sigmoid) => activation::sigmoid(answers),
            Some(Activation::Gelu) => activation::gelu(answers),
        })
    }
}

/// Whether there is a row of one for each of the other; a single bag may be given as shared rows.
fn same_bags(one: &Rows, other: &Rows) -> bool {
    let single = |rows: &Rows| rows.count().is_none_or(|bags| bags == 1);
    one == other || (single(one) && single(other) && one.total() == other.total())
}

/// Patterns of the depth that they must have, normalised if they are to be.
fn normalised(
    argument: &'static str,
    patterns: Patterns,
    norm: Option<InputNorm>,
    affine: &Option<Affine>,
    depth: usize,
) -> Result<Patterns> {
    ensure(patterns.depth() == depth, || {
        Error::shape(argument, &patterns.rows.dims(), format!("their depth must be {depth}"))
    })?;
    let Some(norm) = norm else { return Ok(patterns) };
    let rows = layer_norm(patterns.rows, affine.as_ref().map(Affine::values), norm.eps)?;
    Ok(Patterns { rows, bags: patterns.bags })
}
