//! The separation map of a layer: its family, and a parameter that may be learned.

use burn::module::{Module, Param};
use burn::tensor::{Device, Tensor, TensorData};
use hfy::structure::{Regulariser, Sequence, SparseMap};
use hfy::{Entmax, Map, Normmax, Subsets};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, ensure};
use crate::operators::SEQUENCE_REGULARISER;

/// A map up to the parameter that is given apart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Family {
    /// A map with its parameter.
    Map(Map),
    /// Exactly so many entries, or all where there are fewer.
    Subsets(f64),
    /// The same for a structure by its text: a name, how many entries, and settings.
    Neighbours {
        /// Of so many entries.
        map: Map,
        /// `sequence` or `windows`.
        name: &'static str,
        /// How many entries.
        k: usize,
        /// The text behind the number.
        settings: String,
    },
    /// Entmax of an alpha given apart.
    Entmax,
    /// Normmax of a gamma given apart.
    Normmax,
    /// Sequential k-subsets of a transition given apart, or all entries where there are fewer.
    Sequence {
        /// How many entries.
        k: usize,
        /// Which states are regularised.
        regulariser: Regulariser,
    },
}

impl Family {
    pub(crate) fn read(text: &str, apart: bool) -> Result<Self> {
        if !apart {
            return Ok(match text.parse().map_err(|error| unread("omega", text, error))? {
                Map::Subsets(map) => Family::Subsets(map.k()),
                map => Family::neighbours(text, &map).unwrap_or(Family::Map(map)),
            });
        }
        let sequence = text.strip_prefix("sequence:").filter(|k| !k.contains(':'));
        match (text, sequence.and_then(|k| k.parse().ok())) {
            ("entmax", _) => Ok(Family::Entmax),
            ("normmax", _) => Ok(Family::Normmax),
            (_, Some(k)) => Sequence::new(k)
                .map(|_| Family::Sequence { k, regulariser: SEQUENCE_REGULARISER })
                .map_err(Error::Library),
            _ => {
                let rule = "a parameter apart goes with entmax (alpha), normmax (gamma) or sequence:K (its transition)";
                Err(Error::argument("omega", format!("{text:?}"), rule))
            }
        }
    }

    fn neighbours(text: &str, map: &Map) -> Option<Self> {
        let (name, rest) = text.trim().split_once(':')?;
        let name = *["sequence", "windows"].iter().find(|known| **known == name.trim())?;
        let (k, settings) = rest.split_at(rest.find(':').unwrap_or(rest.len()));
        let k = k.trim().parse().ok()?;
        Some(Family::Neighbours { map: map.clone(), name, k, settings: settings.to_owned() })
    }

    /// The map of a row in which `present` entries take part, at least one.
    pub(crate) fn map(&self, parameter: Option<f64>, present: impl Fn() -> usize) -> Result<Map> {
        let apart = || parameter.ok_or_else(|| Error::argument("omega parameter", "none", "this map needs one"));
        Ok(match self {
            Family::Map(map) => map.clone(),
            // A row in which all entries are chosen has as many of them as there are.
            Family::Subsets(k) => Map::Subsets(Subsets::new(k.min(present() as f64))?),
            Family::Neighbours { map, name, k, settings } => match present() {
                fewer if fewer < *k => format!("{name}:{fewer}{settings}").parse()?,
                _ => map.clone(),
            },
            Family::Entmax => Map::Entmax(Entmax::new(apart()?)?),
            Family::Normmax => Map::Normmax(Normmax::new(apart()?)?),
            Family::Sequence { k, regulariser } => {
                let text = format!("sequence:{}:t={}", (*k).min(present()), apart()?);
                Map::from(text.parse::<SparseMap<_>>()?.regulariser(*regulariser))
            }
        })
    }

    /// A valid parameter in single precision, in which it must be valid too: a gamma just above 1 must not become 1.
    fn single(&self, value: f64) -> f32 {
        match self {
            Family::Normmax => (value as f32).max(1_f32.next_up()),
            _ => value as f32,
        }
    }
}

/// A text that the library cannot read, as an argument.
pub(crate) fn unread(argument: &'static str, text: &str, error: hfy::Error) -> Error {
    match error {
        hfy::Error::Parse { rule, .. } => Error::argument(argument, format!("{text:?}"), rule),
        other => Error::Library(other),
    }
}

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
/// The map is a text as [`hfy::Map`] reads it. Its parameter may be given apart, one for all heads or one for each, and
/// then be learned: alpha of `entmax` in (1, 2), gamma of `normmax` above 1, the transition of `sequence:K`.
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
