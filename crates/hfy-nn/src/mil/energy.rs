//! Decisions about bags by the energy of their instances' scores.

use burn::tensor::Tensor;
use hfy::Map;

use crate::error::{Error, Result, ensure};
use crate::family::{Family, unread};
use crate::layers::{AssociationReport, HopfieldConfig, Scaling, numbers};
use crate::operators::{Rows, conjugate, separated};

/// The logit of a bag from the scores of its instances: `Ω*(β s) / β`, minus the energy of a network that stores the
/// scores.
///
/// With Ω zero on the simplex (`argmax`) it is the largest score, with the negative entropy (`softmax`) the logarithm
/// of a sum of exponentials, with others something between. Its derivative in a score is the weight `ŷ_Ω(β s) ≥ 0`:
/// evidence can raise the logit and never lower it, as the assumption of multiple-instance learning says, and instances
/// outside the support have no part in it. The map must be onto the simplex: a subset of k would have to take low
/// scores too where a bag has few instances. A linear layer on what attention pools can learn the opposite, that a bag
/// is positive until something speaks against it.
///
/// Several heads score apart, and the bag has the mean of their logits.
#[derive(Debug, Clone)]
pub struct EnergyPooling {
    family: Family,
    heads: usize,
    beta: f32,
}

impl EnergyPooling {
    /// The map, the heads and the β (1 unless given) of these settings.
    pub fn new(config: &HopfieldConfig) -> Result<Self> {
        let text = &config.omega;
        let map: Map = text.parse().map_err(|error| unread("omega", text, error))?;
        ensure(matches!(map, Map::Entmax(_) | Map::Normmax(_)), || {
            let rule = "decisions by energies need a map onto the simplex: softmax, entmax:ALPHA, sparsemax, normmax:GAMMA, argmax";
            Error::argument("omega", format!("{text:?}"), rule)
        })?;
        let plain = config.omega_parameter.is_none() && config.dropout == 0.0 && config.psi == "identity";
        ensure(plain, || {
            let rule =
                "decisions by energies have no parameter apart, no dropout of weights and no post-transformation";
            Error::argument("pooling", "with omega_parameter, dropout or psi", rule)
        })?;
        ensure(config.num_heads > 0, || Error::argument("num_heads", 0, "it must be at least 1"))?;
        let beta = match &config.scaling {
            None => 1.0,
            Some(Scaling::Fixed(betas)) if betas.len() == 1 && betas[0] > 0.0 && betas[0].is_finite() => betas[0],
            Some(other) => return Err(Error::argument("scaling", format!("{other:?}"), "one finite number above 0")),
        };
        Ok(EnergyPooling { family: Family::read(text, false)?, heads: config.num_heads, beta: beta as f32 })
    }

    /// The logit of each bag. Scores have a row for each instance and a column for each head.
    pub fn forward(&self, scores: Tensor<2>, bags: &Rows) -> Result<Tensor<1>> {
        conjugate(scores, self.beta, &self.family, bags)
    }

    /// Weights and energies.
    pub(super) fn report(&self, scores: &Tensor<2>, bags: &Rows) -> Result<AssociationReport> {
        let found = separated(&numbers(scores), self.heads, self.beta, &self.family, bags)?;
        let energies = found.iter().map(|one| -f64::from(one.value)).collect();
        let weights = found.into_iter().flat_map(|one| one.weights).collect();
        AssociationReport::of_weights(self.heads, bags.clone(), weights, energies)
    }
}
