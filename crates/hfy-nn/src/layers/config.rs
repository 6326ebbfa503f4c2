//! The settings of a Hopfield layer, under the names of hflayers.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, ensure};
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
    /// Learned from here on: one number, or one for each head.
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

/// All settings of [`Hopfield`](super::Hopfield), with the names, meanings and defaults of hflayers, and then those that
/// hflayers does not have, from `omega` on.
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
    /// Whether tensors of rank 3 are (batch, length, depth) or (length, batch, depth).
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

    /// Nothing is projected, and nothing normalised in the Hopfield space.
    fn is_without_weights(&self) -> bool {
        let all_static =
            self.state_pattern_as_static && self.stored_pattern_as_static && self.pattern_projection_as_static;
        all_static
            && !self.pattern_projection_as_connected
            && self.disable_out_projection
            && self.normalize_hopfield_space.is_none()
    }

    /// The sizes that follow, checked.
    pub(crate) fn sizes(&self) -> Result<Sizes> {
        let heads = self.num_heads;
        let given = [
            ("input_size", Some(self.input_size)),
            ("hidden_size", self.hidden_size),
            ("output_size", self.output_size),
            ("pattern_size", self.pattern_size),
            ("num_heads", Some(heads)),
            ("stored_pattern_size", self.stored_pattern_size),
            ("pattern_projection_size", self.pattern_projection_size),
            ("update_steps_limit", Some(self.update_steps_limit)),
        ];
        if let Some((argument, _)) = given.into_iter().find(|(_, size)| *size == Some(0)) {
            return Err(Error::argument(argument, 0, "it must be at least 1"));
        }
        ensure((0.0..=1.0).contains(&self.dropout), || {
            Error::argument("dropout", self.dropout, "it must lie in [0, 1]")
        })?;
        let input = self.input_size;
        let without_weights = self.is_without_weights();
        let hidden = match self.hidden_size {
            Some(hidden) => hidden,
            None if without_weights => input,
            None => {
                ensure(input.is_multiple_of(heads), || {
                    let rule = format!("without hidden_size it must be divisible by num_heads = {heads}");
                    Error::argument("input_size", input, rule)
                })?;
                input / heads
            }
        };
        let sizes = Sizes {
            heads,
            input,
            hidden,
            stored: self.stored_pattern_size.unwrap_or(input),
            projection: self.pattern_projection_size.unwrap_or(input),
            pattern: self.pattern_size.unwrap_or(hidden),
            output: self.output_size.unwrap_or(input),
            without_weights,
        };
        self.check(sizes)?;
        Ok(sizes)
    }

    fn check(&self, sizes: Sizes) -> Result<()> {
        let fits = |argument, size: usize, needed: usize, wrong: bool| {
            ensure(!wrong || size == needed, || {
                Error::argument(argument, size, format!("a static input enters a head, whose depth is {needed}"))
            })
        };
        fits("input_size", sizes.input, sizes.hidden, self.state_pattern_as_static)?;
        fits("stored_pattern_size", sizes.stored, sizes.hidden, self.stored_pattern_as_static)?;
        let as_is = self.pattern_projection_as_static && !self.pattern_projection_as_connected;
        fits("pattern_projection_size", sizes.projection, sizes.pattern, as_is)?;
        if self.pattern_projection_as_connected {
            let same = sizes.stored == sizes.projection && sizes.pattern == sizes.hidden;
            ensure(same, || {
                let rule = "connected values need the depths of the keys: stored_pattern_size and hidden_size";
                Error::argument("pattern_projection_as_connected", true, rule)
            })?;
        }
        ensure(
            !self.concat_bias_pattern || !(self.stored_pattern_as_static || self.pattern_projection_as_static),
            || {
                Error::argument(
                    "concat_bias_pattern",
                    true,
                    "it adds to stored patterns and projections that are not static",
                )
            },
        )?;
        self.check_per_head("update_steps_max", self.update_steps_max.len())?;
        self.check_per_head("update_steps_eps", self.update_steps_eps.len())?;
        if let Some(eps) = self.update_steps_eps.iter().find(|eps| !(**eps > 0.0)) {
            return Err(Error::argument("update_steps_eps", eps, "it must be above 0"));
        }
        let norms = [
            ("eps of normalize_stored_pattern", self.normalize_stored_pattern),
            ("eps of normalize_state_pattern", self.normalize_state_pattern),
            ("eps of normalize_pattern_projection", self.normalize_pattern_projection),
            ("eps of normalize_hopfield_space", self.normalize_hopfield_space),
        ];
        for (argument, eps) in norms.into_iter().filter_map(|(argument, norm)| Some((argument, norm?.eps))) {
            ensure(eps >= 0.0 && eps.is_finite(), || {
                Error::argument(argument, eps, "it must be a finite number of at least 0")
            })?;
        }
        let unlimited = self.update_steps_max.iter().all(Option::is_none);
        ensure(!self.implicit || unlimited, || {
            Error::argument(
                "implicit",
                true,
                "the gradient of a fixed point needs update_steps_max of None: until converged",
            )
        })
    }

    /// One entry, or one for each head.
    pub(crate) fn check_per_head(&self, argument: &'static str, count: usize) -> Result<()> {
        ensure(count == 1 || count == self.num_heads, || {
            let rule = format!("there must be one, or one for each of num_heads = {}", self.num_heads);
            Error::argument(argument, format!("{count} entries"), rule)
        })
    }
}

/// Depths that follow from the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) heads: usize,
    pub(crate) input: usize,
    pub(crate) stored: usize,
    pub(crate) projection: usize,
    /// Depth of a head's queries and keys.
    pub(crate) hidden: usize,
    /// Depth of a head's values.
    pub(crate) pattern: usize,
    pub(crate) output: usize,
    pub(crate) without_weights: bool,
}
