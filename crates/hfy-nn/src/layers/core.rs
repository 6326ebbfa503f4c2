//! The association itself: projections, scores, updates and answer.

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};

use super::config::{HopfieldConfig, Scaling};
use super::iteration::{Iteration, Stopping, numbers};
use super::linear::Linear;
use super::patterns::Patterns;
use super::projections::{Projected, Projections};
use super::psi::Psi;
use super::sizes::{BETA_RULE, Sizes, is_beta};
use crate::error::{Error, Result, ensure};
use crate::omega::Omega;
use crate::operators::{Layout, Mask, fixed_point, mixtures, products, separate};
use crate::random::{Phase, Random};

/// The Hopfield update `q <- ŷ_Ψ(Kᵀ ŷ_Ω(β K q))` in every head, and the answer `ŷ_Ψ(Vᵀ ŷ_Ω(β K q))`.
#[derive(Module, Debug)]
pub(crate) struct AssociationCore {
    /// Projections of one depth, which a state file has as one matrix.
    pub(crate) in_proj: Option<Projections>,
    /// Projections of several depths.
    pub(crate) proj: Option<Projections>,
    pub(crate) out_proj: Option<Linear>,
    pub(crate) beta: Option<Param<Tensor<1>>>,
    pub(crate) omega: Omega,
    pub(crate) psi: Psi,
    #[module(skip)]
    sizes: Sizes,
    #[module(skip)]
    settings: Settings,
}

#[derive(Debug, Clone)]
struct Settings {
    /// β where it is not learned.
    beta: Vec<f32>,
    stopping: Stopping,
    dropout: f64,
    psi_patterns: bool,
    implicit: bool,
}

/// What a pass through the core leaves: enough for the output, and for a report.
pub(crate) struct Association {
    pub(crate) iteration: Iteration,
    pub(crate) keys: Tensor<2>,
    pub(crate) values: Tensor<2>,
    pub(crate) mask: Mask,
}

impl AssociationCore {
    pub(crate) fn new(config: &HopfieldConfig, random: &mut Random, device: &Device) -> Result<Self> {
        let sizes = config.sizes()?;
        let beta = config.betas(sizes)?;
        let learned = matches!(config.scaling, Some(Scaling::Learned(_)));
        let same_depth = sizes.stored == sizes.input && sizes.projection == sizes.input;
        let joint = same_depth && config.pattern_size.is_none() && !config.pattern_projection_as_connected;
        let projections = Projections::new(config, sizes, random, device);
        let (in_proj, proj) = if joint { (Some(projections), None) } else { (None, Some(projections)) };
        let out_proj = (!config.disable_out_projection)
            .then(|| Linear::narrow(sizes.heads * sizes.pattern, sizes.output, config.input_bias, random, device));
        let psi = Psi::new(&config.psi, config.psi_affine, sizes.hidden, device)?;
        ensure(!config.psi_affine || sizes.pattern == sizes.hidden, || {
            Error::argument("psi_affine", true, "heads, keys and values share it: pattern_size must be hidden_size")
        })?;
        ensure(!config.implicit || !config.psi_affine, || {
            Error::argument("implicit", true, "the gradient of a fixed point is there for psi without psi_affine")
        })?;
        Ok(AssociationCore {
            in_proj,
            proj,
            out_proj,
            beta: learned.then(|| Param::from_data(TensorData::new(beta.clone(), [beta.len()]), device)),
            omega: Omega::new(&config.omega, config.omega_parameter.as_ref(), sizes.heads, device)?,
            psi,
            sizes,
            settings: Settings {
                beta,
                stopping: Stopping::new(config),
                dropout: config.dropout,
                psi_patterns: config.psi_patterns,
                implicit: config.implicit,
            },
        })
    }

    /// The same with another map and another β.
    pub(crate) fn with_map(mut self, omega: Omega, beta: f32) -> Self {
        (self.omega, self.beta, self.settings.beta) = (omega, None, vec![beta]);
        self
    }

    pub(crate) fn sizes(&self) -> Sizes {
        self.sizes
    }

    pub(crate) fn stopping(&self) -> &Stopping {
        &self.settings.stopping
    }

    /// How many patterns are added to the stored ones of each bag.
    pub(crate) fn added(&self) -> usize {
        self.projections().added()
    }

    fn projections(&self) -> &Projections {
        self.in_proj.as_ref().or(self.proj.as_ref()).expect("an association has projections")
    }

    /// β as it is now, one number or one for each head.
    pub(crate) fn beta(&self, device: &Device) -> Tensor<1> {
        match &self.beta {
            Some(beta) => beta.val(),
            None => Tensor::from_data(TensorData::new(self.settings.beta.clone(), [self.settings.beta.len()]), device),
        }
    }

    /// Fails where a learned β cannot be used. Nothing keeps it in its domain, as nothing does in `hfy.torch.nn`:
    /// training or a file may give any number.
    fn check_beta(&self) -> Result<()> {
        let Some(beta) = &self.beta else { return Ok(()) };
        let betas = numbers(&beta.val());
        let Some(head) = betas.iter().position(|beta| !is_beta(*beta)) else { return Ok(()) };
        let which = if betas.len() == 1 { "of all heads".to_owned() } else { format!("of head {head}") };
        Err(Error::argument("scaling", betas[head], format!("{BETA_RULE}, and the learned one {which} is not")))
    }

    /// β as numbers.
    pub(crate) fn betas(&self) -> Vec<f32> {
        self.beta.as_ref().map_or_else(|| self.settings.beta.clone(), |beta| numbers(&beta.val()))
    }

    /// The parameter of the map that is given apart, as it is now.
    pub(crate) fn omega_parameter(&self) -> Option<Vec<f32>> {
        self.omega.parameter(&Device::flex()).map(|parameter| numbers(&parameter))
    }

    /// `ŷ_Ω(β K q)`.
    pub(crate) fn associate(
        &self,
        state: Tensor<2>,
        keys: &Tensor<2>,
        mask: &Mask,
        layout: &Layout,
    ) -> Result<Tensor<1>> {
        let device = state.device();
        let scores = products(state, keys.clone(), self.sizes.hidden, layout)?;
        let parameter = self.omega.parameter(&device);
        separate(scores, self.beta(&device), parameter, self.omega.family(), mask.clone(), layout)
    }

    /// `ŷ_Ψ(Kᵀ y)`.
    pub(crate) fn update(&self, weights: Tensor<1>, keys: &Tensor<2>, layout: &Layout) -> Result<Tensor<2>> {
        self.psi.forward(mixtures(weights, keys.clone(), self.sizes.hidden, layout)?, self.sizes.hidden)
    }

    /// From inputs to the end of the updates. The mask is made for the scores of the first association.
    pub(crate) fn run(
        &self,
        stored: Patterns,
        state: Patterns,
        projection: Patterns,
        mask: impl FnOnce(&Layout) -> Result<Mask>,
    ) -> Result<Association> {
        self.check_beta()?;
        let Sizes { heads, hidden, pattern, .. } = self.sizes;
        let Projected { mut state, mut keys, mut values, state_rows, stored_rows } =
            self.projections().forward(stored, state, projection)?;
        if self.settings.psi_patterns {
            state = self.psi.forward(state, hidden)?;
            keys = self.psi.forward(keys, hidden)?;
            values = self.psi.forward(values, pattern)?;
        }
        let layout = Layout::new(heads, state_rows, stored_rows)?;
        let mask = mask(&layout)?;
        let iterate = |state: Tensor<2>, keys: &Tensor<2>| {
            self.settings.stopping.iterate(
                state,
                layout.clone(),
                |state, layout| self.associate(state, keys, &mask, layout),
                |weights, layout| self.update(weights, keys, layout),
                |state, layout| widened(state, layout, hidden),
            )
        };
        if !self.settings.implicit {
            return Ok(Association { iteration: iterate(state, &keys)?, keys, values, mask });
        }
        // The updates leave no trace; one more from where they end carries the gradient, which the operator makes that
        // of the fixed point.
        let found = iterate(state.detach(), &keys.clone().detach())?;
        let weights = self.associate(found.state.detach(), &keys, &mask, &found.layout)?;
        let step = self.update(weights.clone(), &keys, &found.layout)?;
        let beta = self.beta(&step.device());
        let system = fixed_point::System {
            family: self.omega.family().clone(),
            psi: self.psi.post().clone(),
            mask: mask.clone(),
            layout: found.layout.clone(),
            depth: hidden,
        };
        let state = fixed_point::adjoint(step, keys.clone(), beta, self.omega.parameter(&weights.device()), system)?;
        let weights = self.associate(state.clone(), &keys, &mask, &found.layout)?;
        Ok(Association { iteration: Iteration { weights, state, ..found }, keys, values, mask })
    }

    /// The output of an association, a row for each query.
    pub(crate) fn answer(&self, found: &Association, phase: Phase<'_>) -> Result<Tensor<2>> {
        let weights = self.drop_out(found.iteration.weights.clone(), phase);
        let heads = mixtures(weights, found.values.clone(), self.sizes.pattern, &found.iteration.layout)?;
        let heads = self.psi.forward(heads, self.sizes.pattern)?;
        match &self.out_proj {
            Some(out_proj) => out_proj.forward(heads),
            None => Ok(heads),
        }
    }

    fn drop_out(&self, weights: Tensor<1>, phase: Phase<'_>) -> Tensor<1> {
        let (share, Phase::Training(random)) = (self.settings.dropout, phase) else { return weights };
        if share == 0.0 {
            return weights;
        }
        let kept = if share < 1.0 { (1.0 / (1.0 - share)) as f32 } else { 0.0 };
        let count = weights.dims()[0];
        let factors: Vec<f32> = (0..count).map(|_| if random.uniform() < share { 0.0 } else { kept }).collect();
        let factors = Tensor::from_data(TensorData::new(factors, [count]), &weights.device());
        weights * factors
    }
}

/// States for each bag and head, where one may serve several.
fn widened(state: Tensor<2>, layout: &Layout, depth: usize) -> Tensor<2> {
    let [rows, width] = state.dims();
    let wide = if width == depth { state.repeat_dim(1, layout.heads) } else { state };
    let wanted = layout.answers().total();
    if rows == wanted { wide } else { wide.repeat_dim(0, wanted / rows.max(1)) }
}

/// A mask laid out as the scores are, from one that says for a bag, a head, a query and a stored pattern what is added.
pub(crate) fn laid_out(layout: &Layout, added: impl Fn(usize, usize, usize, usize) -> f32) -> Mask {
    let mut mask = vec![0.0; layout.total()];
    for (bag, head) in layout.blocks() {
        let patterns = layout.stored.of(bag).len();
        for (at, entry) in mask[layout.block(bag, head)].iter_mut().enumerate() {
            *entry = added(bag, head, at / patterns, at % patterns);
        }
    }
    Some(Arc::from(mask))
}
