//! The settings of a Hopfield layer, under the names of hflayers.

use serde::{Deserialize, Serialize};

use crate::omega::OmegaParameter;

/// Layer normalisation of an input.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct InputNorm {
    /// Whether there is a learned scale and offset.
    pub affine: bool,
    /// What is added to the variance.
    pub eps: f64,
}

impl Default for InputNorm {
    fn default() -> Self {
        InputNorm { affine: true, eps: 1e-5 }
    }
}

/// β: by what scores are multiplied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Scaling {
    /// One number, or one for each head.
    Fixed(Vec<f64>),
    /// Learned from here on: one number, or one for each head. Nothing keeps it above 0, as nothing does in
    /// `hfy.torch.nn`; a layer refuses to compute with one that is not.
    Learned(Vec<f64>),
}

impl From<f64> for Scaling {
    fn from(beta: f64) -> Self {
        Scaling::Fixed(vec![beta])
    }
}

/// What stands at the end of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activation {
    /// max(x, 0)
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// The logistic function.
    Sigmoid,
    /// x Φ(x)
    Gelu,
}

/// All settings of [`Hopfield`](super::Hopfield), with the names, meanings and defaults of hflayers, and then those
/// that hflayers does not have, from `omega` on.
///
/// ```
/// use hfy_nn::layers::HopfieldConfig;
///
/// let config = HopfieldConfig { num_heads: 8, hidden_size: Some(64), ..HopfieldConfig::new(500) };
/// assert_eq!(config.omega, "softmax");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HopfieldConfig {
    /// Depth of the state patterns, and of the other inputs unless their sizes say otherwise.
    pub input_size: usize,
    /// Depth of one head; `input_size / num_heads` by default.
    pub hidden_size: Option<usize>,
    /// Depth of the output; `input_size` by default.
    pub output_size: Option<usize>,
    /// Depth of one head's values; `hidden_size` by default.
    pub pattern_size: Option<usize>,
    /// Heads beside each other.
    pub num_heads: usize,
    /// β; `1 / sqrt(hidden_size)` by default, and 1 in a layer without weights.
    pub scaling: Option<Scaling>,
    /// Updates before the answer, one number or one for each head; `None` is until converged.
    pub update_steps_max: Vec<Option<usize>>,
    /// A head has converged once an update changes its association by no more, in the Frobenius norm; one number or one
    /// for each head.
    pub update_steps_eps: Vec<f64>,
    /// Layer normalisation of stored patterns.
    pub normalize_stored_pattern: Option<InputNorm>,
    /// Layer normalisation of state patterns.
    pub normalize_state_pattern: Option<InputNorm>,
    /// Layer normalisation of pattern projections.
    pub normalize_pattern_projection: Option<InputNorm>,
    /// Layer normalisation of queries and keys in each head, with weights that both and all heads share.
    pub normalize_hopfield_space: Option<InputNorm>,
    /// Stored patterns enter every head as they are.
    pub stored_pattern_as_static: bool,
    /// State patterns enter every head as they are.
    pub state_pattern_as_static: bool,
    /// Pattern projections enter every head as they are.
    pub pattern_projection_as_static: bool,
    /// The values are projected from the keys' projection of their input.
    pub pattern_projection_as_connected: bool,
    /// Depth of the stored patterns; `input_size` by default.
    pub stored_pattern_size: Option<usize>,
    /// Depth of the pattern projections; `input_size` by default.
    pub pattern_projection_size: Option<usize>,
    /// Whether [`Hopfield::forward`](super::Hopfield::forward) and its form with masks take and give (batch, length,
    /// depth), or (length, batch, depth).
    ///
    /// Everything else ignores it: [`Patterns`](super::Patterns) are rows, with offsets that say where a bag begins,
    /// and have no axis for the batch. So [`HopfieldPooling`](super::HopfieldPooling) and
    /// [`HopfieldLayer`](super::HopfieldLayer) are the same either way, and [`Patterns::batch`](super::Patterns::batch)
    /// takes (batch, length, depth) in any case. Learned patterns of both layouts are read from state files, and
    /// written as (1, quantity, depth).
    pub batch_first: bool,
    /// What stands at the end.
    pub association_activation: Option<Activation>,
    /// Share of the association weights that training leaves out, at random.
    pub dropout: f64,
    /// Whether projections have biases.
    pub input_bias: bool,
    /// Adds a learned key and value to the stored patterns.
    pub concat_bias_pattern: bool,
    /// Adds a zero key and value to the stored patterns.
    pub add_zero_association: bool,
    /// The heads' answers beside each other are the output.
    pub disable_out_projection: bool,
    /// ŷ_Ω as a text: `softmax`, `sparsemax`, `entmax:1.5`, `normmax:2`, `subsets:4`, `sequence:4:t=0.1`, ...
    pub omega: String,
    /// The parameter of `entmax`, `normmax` or `sequence:K`, apart from the text.
    pub omega_parameter: Option<OmegaParameter>,
    /// ŷ_Ψ as a text: `identity`, `l2`, `layernorm`, `layernorm:eps=1e-5`, `tanh`.
    pub psi: String,
    /// A learned scale and offset after `layernorm`, which all heads share.
    pub psi_affine: bool,
    /// Queries, keys and values go through ŷ_Ψ, too.
    pub psi_patterns: bool,
    /// Where updates without a limit end in any case.
    pub update_steps_limit: usize,
    /// Updates are made without keeping them, and the gradient is that of the fixed point where they end.
    pub implicit: bool,
}

impl HopfieldConfig {
    /// The defaults, for state patterns of this depth.
    pub fn new(input_size: usize) -> Self {
        let norm = Some(InputNorm::default());
        HopfieldConfig {
            input_size,
            hidden_size: None,
            output_size: None,
            pattern_size: None,
            num_heads: 1,
            scaling: None,
            update_steps_max: vec![Some(0)],
            update_steps_eps: vec![1e-4],
            normalize_stored_pattern: norm,
            normalize_state_pattern: norm,
            normalize_pattern_projection: norm,
            normalize_hopfield_space: None,
            stored_pattern_as_static: false,
            state_pattern_as_static: false,
            pattern_projection_as_static: false,
            pattern_projection_as_connected: false,
            stored_pattern_size: None,
            pattern_projection_size: None,
            batch_first: true,
            association_activation: None,
            dropout: 0.0,
            input_bias: true,
            concat_bias_pattern: false,
            add_zero_association: false,
            disable_out_projection: false,
            omega: "softmax".to_owned(),
            omega_parameter: None,
            psi: "identity".to_owned(),
            psi_affine: false,
            psi_patterns: false,
            update_steps_limit: 1000,
            implicit: false,
        }
    }

    /// The plain associative memory: nothing learned, nothing projected, nothing normalised but by `psi`.
    pub fn memory(depth: usize) -> Self {
        HopfieldConfig {
            scaling: Some(1.0.into()),
            normalize_stored_pattern: None,
            normalize_state_pattern: None,
            normalize_pattern_projection: None,
            stored_pattern_as_static: true,
            state_pattern_as_static: true,
            pattern_projection_as_static: true,
            disable_out_projection: true,
            omega: "sparsemax".to_owned(),
            hidden_size: Some(depth),
            ..HopfieldConfig::new(depth)
        }
    }
}
