//! What the solver of a factor graph found.

use super::super::active_set::Status;
use super::tangent::Tangent;
use crate::convex::check_gradient;
use crate::error::{Result, check_len};

/// The solution of a [`FactorGraph`](super::FactorGraph).
#[derive(Debug, Clone)]
pub struct GraphSolution {
    /// `μ`: the mean of what the factors of a variable say, which agree to within the primal residual.
    pub marginals: Vec<f64>,
    /// `e`: the higher-order parts of each factor, none for logic.
    pub higher: Vec<Vec<f64>>,
    /// `θ·μ + Σ η·e - |μ|²/2`.
    pub value: f64,
    /// How the solve ended. At the limit of iterations the residuals say how far factors and variables are apart; where
    /// the primal one does not fall, however many iterations there are, the factors contradict each other.
    pub status: Status,
    /// The largest disagreement of a factor with a variable; zero where no factors share variables.
    pub primal_residual: f64,
    /// By how much the scores that a factor answers are off, at most.
    pub dual_residual: f64,
    /// Rounds of all factors; zero where no factors share variables.
    pub iterations: usize,
    /// Whether every variable was masked, so that there was nothing to solve.
    pub(super) empty: bool,
    pub(super) tangent: Tangent,
}

/// Derivatives of `g · μ` in the scores.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphGradients {
    /// In the scores of the variables.
    pub unary: Vec<f64>,
    /// In the higher-order scores of each factor.
    pub higher: Vec<Vec<f64>>,
}

impl GraphSolution {
    /// The derivative of `g · μ`.
    ///
    /// The output of each factor moves on its face, so that `μ` moves as the projection `J` onto the directions that
    /// every face has. With `d = J g`, the derivative in `θ` is `d`, and that in `η_f` is the change of `e_f` that
    /// comes with `d`. Gradients of variables that are off are not looked at.
    ///
    /// At a kink, where a face is about to change, this is one element of the generalised derivative; a pair whose
    /// score is zero has a kink in it, and its derivative is that towards rewards.
    pub fn vjp(&self, g: &[f64]) -> Result<GraphGradients> {
        self.vjp_with(g, &[])
    }

    /// The derivative of `g · μ + Σ_f h_f · e_f`, with an `h_f` for each factor, or none at all.
    ///
    /// `e_f` changes by some `H_f d` where `μ` moves in direction `d`, so that this is `d = J (g + Σ_f H_fᵀ h_f)` and
    /// `H_f d`. All of it is symmetric: the same product is the change of `μ` and `e` with the scores.
    pub fn vjp_with(&self, g: &[f64], h: &[Vec<f64>]) -> Result<GraphGradients> {
        check_len("g", g.len(), self.marginals.len())?;
        let mut unary: Vec<f64> =
            g.iter().zip(&self.marginals).map(|(&g, &m)| if m == 0.0 { 0.0 } else { g }).collect();
        check_gradient(unary.iter().sum(), g)?;
        if !h.is_empty() {
            check_len("h", h.len(), self.higher.len())?;
            for (h, e) in h.iter().zip(&self.higher) {
                check_len("h", h.len(), e.len())?;
                check_gradient(h.iter().sum(), h)?;
            }
        }
        if self.empty {
            let higher = self.higher.iter().map(|e| vec![0.0; e.len()]).collect();
            return Ok(GraphGradients { unary, higher });
        }
        self.tangent.pull(&mut unary, h);
        self.tangent.project(&mut unary)?;
        let higher = self.tangent.higher(&unary);
        Ok(GraphGradients { unary, higher })
    }
}
