//! What is run: one update rule at one inverse temperature.

use serde::{Deserialize, Serialize};

/// An update rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Model {
    /// `tanh(β Xᵀ w(X q))` in single precision without any care for its range, as the published code computes it.
    Published {
        /// The weights `w`.
        weights: Weights,
        /// The inverse temperature of the tangent.
        beta: f64,
    },
    /// `tanh(β Xᵀ ŷ(X q))` with weights and states that cannot overflow.
    Saturating {
        /// The map `ŷ`, as the library names it.
        omega: String,
        /// The inverse temperature of the tangent.
        beta: f64,
    },
    /// `ŷ_Ψ(Xᵀ ŷ(β X q))` for a post-transformation that leaves the direction alone, over patterns that it was applied
    /// to.
    Spanned {
        /// The map `ŷ`, as the library names it.
        omega: String,
        /// The post-transformation, as the library names it.
        psi: String,
        /// The inverse temperature of the map.
        beta: f64,
    },
    /// No dynamics: the memory with every entry rounded to -1 or 1, the best that a saturated state can be.
    Rounded,
}

/// Weights of the published code.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Weights {
    /// The scores themselves.
    Scores,
    /// Their tenth power, which loses their sign.
    TenthPower,
    /// `exp(rate · score)`.
    Exponential {
        /// The factor.
        rate: f64,
    },
}

impl Model {
    /// The inverse temperature, where there is one.
    pub(super) fn beta(&self) -> f64 {
        match self {
            Model::Published { beta, .. } | Model::Saturating { beta, .. } | Model::Spanned { beta, .. } => *beta,
            Model::Rounded => f64::NAN,
        }
    }

    /// Whether most memories have weight in most updates, so far as can be told beforehand.
    pub(super) fn is_dense(&self) -> bool {
        match self {
            Model::Spanned { omega, psi, beta } => match psi.as_str() {
                "l2" => *beta <= 1.0 || omega == "softmax",
                _ => *beta < 1.0 && omega == "softmax",
            },
            _ => true,
        }
    }

    /// Whether two models share most of their work, so that they are computed together.
    fn goes_with(&self, other: &Model) -> bool {
        match (self, other) {
            (Model::Published { weights: a, .. }, Model::Published { weights: b, .. }) => a == b,
            (Model::Spanned { psi: a, .. }, Model::Spanned { psi: b, .. }) => a == b,
            _ => self == other,
        }
    }

    /// Models without repetition, those that share work together.
    pub(super) fn bundles(models: impl IntoIterator<Item = Model>) -> Vec<Vec<Model>> {
        let mut bundles: Vec<Vec<Model>> = Vec::new();
        for model in models {
            match bundles.iter_mut().find(|bundle| bundle[0].goes_with(&model)) {
                Some(bundle) if bundle.contains(&model) => {}
                Some(bundle) => bundle.push(model),
                None => bundles.push(vec![model]),
            }
        }
        bundles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_hold_what_shares_work_once() {
        let classic = |beta| Model::Published { weights: Weights::Scores, beta };
        let sparse = |psi: &str, beta| Model::Spanned { omega: "sparsemax".into(), psi: psi.into(), beta };
        let models = [classic(1.0), sparse("l2", 20.0), classic(0.1), sparse("identity", 1.0), sparse("l2", 20.0)];
        let bundles = Model::bundles(models.clone());
        assert_eq!(
            bundles,
            [vec![classic(1.0), classic(0.1)], vec![sparse("l2", 20.0)], vec![sparse("identity", 1.0)]]
        );
    }
}
