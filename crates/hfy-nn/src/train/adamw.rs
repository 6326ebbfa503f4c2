//! AdamW in one pass over each parameter, with the gradient's norm clipped over all of them.

use std::collections::HashMap;

use burn::backend::Flex;
use burn::module::{Module, ModuleMapper, Param, ParamId};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

use super::Optimiser;
use super::norm::{gradient_norm, with_slice};
use crate::error::{Error, Result};
use crate::state::Tensors;

/// The settings of [`AdamW`], with torch's names and defaults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamWConfig {
    /// Decay of the first moment.
    pub beta_1: f32,
    /// Decay of the second moment.
    pub beta_2: f32,
    /// Added to the root of the second moment.
    pub eps: f32,
    /// Decoupled weight decay.
    pub weight_decay: f32,
    /// Weight decay as Adam has it: so much of the weights is added to the gradient, after that is clipped.
    pub l2: f32,
    /// The largest norm of the gradient of all parameters together; a longer one is shortened.
    pub clip: Option<f32>,
}

impl Default for AdamWConfig {
    fn default() -> Self {
        AdamWConfig { beta_1: 0.9, beta_2: 0.999, eps: 1e-8, weight_decay: 1e-2, l2: 0.0, clip: None }
    }
}

/// AdamW: `m ← β₁ m + (1-β₁) g`, `v ← β₂ v + (1-β₂) g²`, `w ← w - η (λ w + m̂ / (√v̂ + ε))`.
///
/// Burn's own makes a dozen tensors a parameter and clips each gradient by itself. This one reads and writes each
/// number once, where it lies, and clips the norm over all parameters. Moments that would become denormal are zero,
/// since arithmetic on denormal numbers is slow.
///
/// Reference: Loshchilov and Hutter, *Decoupled Weight Decay Regularization*, 2019.
#[derive(Debug, Clone)]
pub struct AdamW {
    config: AdamWConfig,
    steps: i32,
    moments: HashMap<ParamId, Moments>,
}

/// The two moments of a parameter.
#[derive(Debug, Clone)]
struct Moments {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl AdamW {
    /// An optimiser that has made no step.
    pub fn new(config: AdamWConfig) -> Self {
        AdamW { config, steps: 0, moments: HashMap::new() }
    }
}

impl Optimiser for AdamW {
    fn step<M: Module>(&mut self, module: M, gradients: GradientsParams, rate: f64) -> Result<(M, f64)> {
        let norm = gradient_norm(&module, &gradients);
        if !norm.is_finite() {
            return Ok((module, norm));
        }
        self.steps += 1;
        // As torch clips: the norm is that of the gradient plus 1e-6.
        let scale = self.config.clip.map_or(1.0, |clip| (f64::from(clip) / (norm + 1e-6)).min(1.0)) as f32;
        let corrections = [self.config.beta_1, self.config.beta_2].map(|beta| 1.0 - f64::from(beta).powi(self.steps));
        let coefficients = Coefficients {
            scale,
            l2: self.config.l2,
            beta_1: self.config.beta_1,
            beta_2: self.config.beta_2,
            eps: self.config.eps,
            keep: (1.0 - rate * f64::from(self.config.weight_decay)) as f32,
            rate: (rate / corrections[0]) as f32,
            second: (1.0 / corrections[1].sqrt()) as f32,
        };
        let mut update = Update { gradients, moments: &mut self.moments, coefficients, failure: None };
        let module = module.map(&mut update);
        match update.failure {
            Some(error) => Err(error),
            None => Ok((module, norm)),
        }
    }

    fn state(&self) -> Result<Vec<u8>> {
        let mut tensors = Tensors::default();
        for (id, moments) in &self.moments {
            let shape = vec![moments.first.len()];
            tensors.insert(format!("{}.first", id.val()), shape.clone(), moments.first.clone());
            tensors.insert(format!("{}.second", id.val()), shape, moments.second.clone());
        }
        tensors.note("steps", self.steps.to_string());
        tensors.to_bytes()
    }

    fn load(&mut self, state: &[u8]) -> Result<()> {
        let wrong = |rule: &str| Error::argument("state", "the state of AdamW", rule);
        let mut tensors = Tensors::from_bytes(state).map_err(|what| wrong(&what))?;
        let steps = tensors.noted("steps").and_then(|steps| steps.parse().ok());
        self.steps = steps.ok_or_else(|| wrong("it does not say how many steps were made"))?;
        self.moments.clear();
        let names: Vec<String> = tensors.names().map(str::to_owned).collect();
        for name in names {
            let Some(id) = name.strip_suffix(".first") else { continue };
            let number: u64 = id.parse().map_err(|_| wrong("moments are named by the numbers of parameters"))?;
            let mut take = |part: &str| tensors.take(&format!("{id}.{part}")).map(|(_, values)| values);
            let (Some(first), Some(second)) = (take("first"), take("second")) else {
                return Err(wrong("each parameter has a first and a second moment"));
            };
            self.moments.insert(ParamId::from(number), Moments { first, second });
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Coefficients {
    /// Of the gradient, from clipping.
    scale: f32,
    l2: f32,
    beta_1: f32,
    beta_2: f32,
    eps: f32,
    /// What weight decay leaves.
    keep: f32,
    /// The learning rate over the correction of the first moment.
    rate: f32,
    /// One over the root of the correction of the second moment.
    second: f32,
}

struct Update<'a> {
    gradients: GradientsParams,
    moments: &'a mut HashMap<ParamId, Moments>,
    coefficients: Coefficients,
    failure: Option<Error>,
}

impl ModuleMapper for Update<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (id, tensor, mapper) = param.consume();
        let Some(gradient) = self.gradients.remove::<D>(id) else {
            return Param::from_mapped_value(id, tensor, mapper);
        };
        let mut weights = tensor.inner().try_into_primitive::<Flex>().expect("layers are on the device flex");
        if !weights.is_contiguous() {
            weights = weights.to_contiguous();
        }
        let count = weights.layout().num_elements();
        let moments =
            self.moments.entry(id).or_insert_with(|| Moments { first: vec![0.0; count], second: vec![0.0; count] });
        if moments.first.len() == count {
            let coefficients = self.coefficients;
            // Copies only if somebody else holds the parameter.
            let values = &mut weights.storage_mut::<f32>()[..count];
            with_slice(gradient, |gradient| {
                pulp::Arch::new().dispatch(|| update(values, gradient, moments, coefficients));
            });
        } else {
            let rule = format!("the optimiser has moments of {} numbers for it", moments.first.len());
            self.failure = Some(Error::argument("parameter", format!("{count} numbers"), rule));
        }
        let tensor = Tensor::from_inner(Tensor::<D>::from_primitive::<Flex>(weights)).require_grad();
        Param::from_mapped_value(id, tensor, mapper)
    }
}

/// What is smaller is zero: next to a weight, or as a share of a step, it would be nothing.
const LEAST: f32 = 1e-30;

#[inline(always)]
fn update(weights: &mut [f32], gradient: &[f32], moments: &mut Moments, by: Coefficients) {
    let numbers = weights.iter_mut().zip(gradient).zip(&mut moments.first).zip(&mut moments.second);
    for (((w, g), m), v) in numbers {
        let g = g * by.scale + by.l2 * *w;
        let first = by.beta_1 * *m + (1.0 - by.beta_1) * g;
        let second = by.beta_2 * *v + (1.0 - by.beta_2) * (g * g);
        *m = if first.abs() < LEAST { 0.0 } else { first };
        *v = if second < LEAST { 0.0 } else { second };
        *w = by.keep * *w - by.rate * *m / (v.sqrt() * by.second + by.eps);
    }
}
