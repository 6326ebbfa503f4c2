//! The learned projections of an association.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor};

use super::affine::Affine;
use super::config::HopfieldConfig;
use super::linear::{Linear, drawn};
use super::patterns::Patterns;
use super::sizes::Sizes;
use crate::error::Result;
use crate::operators::{Rows, extend, layer_norm};
use crate::random::Random;

/// Projections of the states, the stored patterns and the pattern projections; `None` where one is used as it is.
#[derive(Module, Debug)]
pub(crate) struct Projections {
    pub(crate) q: Option<Linear>,
    pub(crate) k: Option<Linear>,
    pub(crate) v: Option<Linear>,
    /// Without use: the part of the joint bias that a state dict has even where `v` is static.
    pub(crate) v_bias: Option<Param<Tensor<1>>>,
    pub(crate) p_norm: Option<Affine>,
    pub(crate) bias_k: Option<Param<Tensor<2>>>,
    pub(crate) bias_v: Option<Param<Tensor<2>>>,
    #[module(skip)]
    sizes: Sizes,
    #[module(skip)]
    settings: Settings,
}

#[derive(Debug, Clone, Copy)]
struct Settings {
    connected: bool,
    zero: bool,
    hopfield_eps: Option<f64>,
}

/// Queries, keys and values, and the bags of the queries and of the others.
pub(crate) struct Projected {
    pub(crate) state: Tensor<2>,
    pub(crate) keys: Tensor<2>,
    pub(crate) values: Tensor<2>,
    pub(crate) state_rows: Rows,
    pub(crate) stored_rows: Rows,
}

impl Projections {
    pub(crate) fn new(config: &HopfieldConfig, sizes: Sizes, random: &mut Random, device: &Device) -> Self {
        let (width, depth) = (sizes.heads * sizes.hidden, sizes.heads * sizes.pattern);
        let connected = config.pattern_projection_as_connected;
        let v_inputs = if connected && !config.stored_pattern_as_static { width } else { sizes.projection };
        let mut projection = |is_static: bool, inputs, outputs| {
            (!is_static).then(|| Linear::narrow(inputs, outputs, config.input_bias, random, device))
        };
        let q = projection(config.state_pattern_as_static, sizes.input, width);
        let k = projection(config.stored_pattern_as_static, sizes.stored, width);
        let v = projection(config.pattern_projection_as_static, v_inputs, depth);
        let mut bias = |width: usize| {
            config.concat_bias_pattern.then(|| Param::from_tensor(drawn([1, width], device, || 0.02 * random.normal())))
        };
        let (bias_k, bias_v) = (bias(width), bias(depth));
        let norm = config.normalize_hopfield_space;
        let spare = config.input_bias && v.is_none() && (q.is_some() || k.is_some());
        Projections {
            q,
            k,
            v,
            v_bias: spare.then(|| Param::from_tensor(Tensor::zeros([depth], device))),
            p_norm: norm.filter(|norm| norm.affine).map(|_| Affine::new(sizes.hidden, device)),
            bias_k,
            bias_v,
            sizes,
            settings: Settings {
                connected,
                zero: config.add_zero_association,
                hopfield_eps: norm.map(|norm| norm.eps),
            },
        }
    }

    /// How many patterns are added to the stored ones of each bag.
    pub(crate) fn added(&self) -> usize {
        usize::from(self.bias_k.is_some()) + usize::from(self.settings.zero)
    }

    pub(crate) fn forward(&self, stored: Patterns, state: Patterns, projection: Patterns) -> Result<Projected> {
        let project = |layer: &Option<Linear>, rows: Tensor<2>| match layer {
            Some(layer) => layer.forward(rows),
            None => Ok(rows),
        };
        let mut keys = project(&self.k, stored.rows)?;
        let values = if self.settings.connected { project(&self.k, projection.rows)? } else { projection.rows };
        let mut values = project(&self.v, values)?;
        let mut state_rows = project(&self.q, state.rows)?;
        if let Some(eps) = self.settings.hopfield_eps {
            state_rows = self.normalised(state_rows, eps)?;
            keys = self.normalised(keys, eps)?;
        }
        let mut rows = stored.bags;
        let zero = |x: &Tensor<2>| Tensor::zeros([1, x.dims()[1]], &x.device());
        if let (Some(key), Some(value)) = (&self.bias_k, &self.bias_v) {
            keys = extend(keys, key.val(), &rows)?;
            values = extend(values, value.val(), &rows)?;
            rows = rows.extended(1);
        }
        if self.settings.zero {
            let (key, value) = (zero(&keys), zero(&values));
            keys = extend(keys, key, &rows)?;
            values = extend(values, value, &rows)?;
            rows = rows.extended(1);
        }
        Ok(Projected { state: state_rows, keys, values, state_rows: state.bags, stored_rows: rows })
    }

    /// Layer normalisation of each head's part.
    fn normalised(&self, x: Tensor<2>, eps: f64) -> Result<Tensor<2>> {
        let ([rows, width], depth) = (x.dims(), self.sizes.hidden);
        let parts = x.reshape([rows * (width / depth), depth]);
        Ok(layer_norm(parts, self.p_norm.as_ref().map(Affine::values), eps)?.reshape([rows, width]))
    }
}
