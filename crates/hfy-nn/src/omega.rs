//! The separation map of a layer: its family, and a parameter that may be learned.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, ensure};
use crate::family::Family;

/// Where a learned parameter may lie, and how it is kept there.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Domain {
    /// Strictly between two bounds: `low + (high - low) sigmoid(raw)`.
    Between(f64, f64),
    /// Above a bound: `low + softplus(raw)`.
    Above(f64),
    /// Anywhere.
    All,
}

/// A separation map, as a layer has it.
///
/// The map is a text as [`hfy::Map`] reads it; the number of entries of `subsets`, `sequence`, `windows`, `atmost` and
/// `spans` may be a share of the entries that take part, too, as in `subsets:20%`. Its parameter may be given apart,
/// one for all heads or one for each, and then be learned: alpha of `entmax` in (1, 2), gamma of `normmax` above 1, the
/// transition of `sequence:K`.
#[derive(Module, Debug)]
pub struct Omega {
    /// The unconstrained numbers behind a learned parameter.
    pub(crate) raw: Option<Param<Tensor<1>>>,
    #[module(skip)]
    text: String,
    #[module(skip)]
    family: Family,
    #[module(skip)]
    domain: Domain,
    #[module(skip)]
    fixed: Option<Vec<f32>>,
}

/// A parameter of a map that is given apart from its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum OmegaParameter {
    /// As it is: one number, or one for each head.
    Fixed(Vec<f64>),
    /// Learned from here on: one number, or one for each head.
    Learned(Vec<f64>),
}

impl Omega {
    /// A map from its text, and its parameter if that is apart.
    pub fn new(text: &str, parameter: Option<&OmegaParameter>, heads: usize, device: &Device) -> Result<Self> {
        let family = Family::read(text, parameter.is_some())?;
        let mut omega = Omega { raw: None, text: text.to_owned(), family, domain: Domain::All, fixed: None };
        let (values, learned) = match parameter {
            None => return Ok(omega),
            Some(OmegaParameter::Fixed(values)) => (values, false),
            Some(OmegaParameter::Learned(values)) => (values, true),
        };
        ensure(values.len() == 1 || values.len() == heads, || {
            let rule = format!("there must be one, or one for each of num_heads = {heads}");
            Error::argument("omega parameter", format!("{} numbers", values.len()), rule)
        })?;
        for &value in values {
            omega.family.map(Some(value), || usize::MAX)?;
        }
        if !learned {
            omega.fixed = Some(values.iter().map(|&value| omega.family.single(value)).collect());
            return Ok(omega);
        }
        omega.domain = match omega.family {
            Family::Entmax => Domain::Between(1.0, 2.0),
            Family::Normmax => Domain::Above(1.0),
            _ => Domain::All,
        };
        let raw = values.iter().map(|&value| omega.domain.raw(value)).collect::<Result<Vec<f32>>>()?;
        let raw = Tensor::from_data(TensorData::new(raw.clone(), [raw.len()]), device);
        omega.raw = Some(Param::from_tensor(raw));
        Ok(omega)
    }

    /// The text that it was made from.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn family(&self) -> &Family {
        &self.family
    }

    /// Whether its weights are never negative, for any number of entries.
    pub(crate) fn is_selector(&self) -> bool {
        self.family.is_selector()
    }

    /// The same map with so many entries.
    pub(crate) fn with_budget(&self, budget: usize) -> Self {
        Omega { family: self.family.with_budget(budget), ..self.clone() }
    }

    /// The parameter that is given apart, as it is now.
    pub(crate) fn parameter(&self, device: &Device) -> Option<Tensor<1>> {
        if let Some(raw) = &self.raw {
            return Some(self.domain.value(raw.val()));
        }
        let fixed = self.fixed.as_ref()?;
        Some(Tensor::from_data(TensorData::new(fixed.clone(), [fixed.len()]), device))
    }
}

impl Domain {
    fn raw(self, value: f64) -> Result<f32> {
        let outside = |rule: String| Error::argument("omega parameter", value, rule);
        let raw = match self {
            Domain::All => value,
            Domain::Between(low, high) => {
                ensure(low < value && value < high, || {
                    outside(format!("to be learned it must lie strictly between {low} and {high}"))
                })?;
                ((value - low) / (high - value)).ln()
            }
            Domain::Above(low) => {
                ensure(value > low && value.is_finite(), || {
                    outside(format!("to be learned it must be a finite number above {low}"))
                })?;
                // The inverse of softplus.
                value - low + (-(low - value).exp_m1()).ln()
            }
        };
        ensure((raw as f32).is_finite(), || outside("to be learned it must be finite in single precision".to_owned()))?;
        Ok(raw as f32)
    }

    fn value(self, raw: Tensor<1>) -> Tensor<1> {
        match self {
            Domain::All => raw,
            // The sum may be rounded across a bound; within, the clamp changes neither value nor gradient.
            Domain::Between(low, high) => {
                (burn::tensor::activation::sigmoid(raw).mul_scalar(high - low).add_scalar(low)).clamp(low, high)
            }
            // The sum may be rounded onto the bound, which is outside.
            Domain::Above(low) => {
                let next = (low as f32).next_up();
                burn::tensor::activation::softplus(raw, 1.0).add_scalar(low).clamp_min(next)
            }
        }
    }
}
