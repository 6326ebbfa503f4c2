//! Factor graphs: several structures over shared variables.

mod admm;
mod count;
mod face;
mod factor;
mod flat;
mod local;
mod map;
mod normal;
mod or_out;
mod pair;
mod penalty;
mod polish;
mod settings;
mod solution;
mod solver;
mod state;
mod tangent;

pub use factor::Factor;
pub use map::GraphMap;
pub use settings::GraphSettings;
pub use solution::{GraphGradients, GraphSolution};
pub use solver::GraphSolver;

use crate::error::Result;

/// Variables that are on or off, and factors over some of them each.
///
/// With `M_f` the hull of the assignments that factor `f` allows, higher-order parts included, its solution is that of
///
/// ```text
/// max { θ·μ + Σ_f η_f·e_f - |μ|²/2 : (μ_f, e_f) in M_f for every f },
/// ```
///
/// where `μ_f` are the variables of `f`. What several factors allow together is in general less than what each allows:
/// the solution may be outside of the hull of assignments that all of them allow. Where a graph has no cycles it is
/// inside. Variables in no factor are between zero and one.
///
/// **Cost.** Factors that share no variable are solved by themselves. The others are brought to agreement by
/// alternating directions (ADMM): a projection for every factor a round. Logic and pairs are projected in closed form,
/// structures from where they ended in the last round. Once it is known which faces the solution lies on, a linear
/// system gives it.
///
/// **Stability.** Factors by themselves are as stable as their maps. Those that share variables are brought to
/// agreement for scores up to 1e10; beyond, where the rounding of scores is that of probabilities, they may not be, and
/// the status and the residuals of the [`GraphSolution`] say so.
///
/// References: Martins, Figueiredo, Aguiar, Smith, Xing, *AD3: Alternating Directions Dual Decomposition for MAP
/// Inference in Graphical Models*, 2015; Niculae, Martins, *LP-SparseMAP: Differentiable Relaxed Optimization for
/// Sparse Structured Prediction*, 2020.
///
/// ```
/// use hfy::structure::{Factor, FactorGraph, Status};
///
/// // Two workers and two tasks: each worker has one task, no task has two workers, and the first worker would like to have
/// // the first task wherever the second has the second.
/// let mut graph = FactorGraph::new(4);
/// graph.add(Factor::exactly_one(&[0, 1]))?;
/// graph.add(Factor::exactly_one(&[2, 3]))?;
/// graph.add(Factor::at_most_one(&[0, 2]))?;
/// graph.add(Factor::at_most_one(&[1, 3]))?;
/// graph.add(Factor::pair(0, 3, 0.5))?;
/// let solution = graph.solve(&[0.2, 0.4, 0.1, 0.0])?;
/// assert_eq!(solution.status, Status::Optimal);
/// assert!((solution.marginals[0] - solution.marginals[3]).abs() < 1e-8);
/// assert!((solution.marginals[0] - 0.55).abs() < 1e-8);
///
/// let gradients = solution.vjp(&[1.0, 0.0, 0.0, 0.0])?;
/// assert!((gradients.unary[1] + 0.25).abs() < 1e-8);
/// assert!((gradients.higher[4][0] - 0.25).abs() < 1e-8);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FactorGraph {
    variables: usize,
    factors: Vec<Factor>,
}

impl FactorGraph {
    /// So many variables, and no factors yet.
    pub fn new(variables: usize) -> Self {
        FactorGraph { variables, factors: Vec::new() }
    }

    /// Adds a factor and returns its number.
    pub fn add(&mut self, factor: Factor) -> Result<usize> {
        factor.check(self.variables)?;
        self.factors.push(factor);
        Ok(self.factors.len() - 1)
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The factors, in the order in which they came.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// The factors' own scores of their higher-order parts.
    pub fn higher(&self) -> Vec<Vec<f64>> {
        self.factors.iter().map(Factor::higher).collect()
    }

    /// Its solver, with the usual settings.
    pub fn solver(&self) -> GraphSolver<'_> {
        GraphSolver::new(self, GraphSettings::default())
    }

    /// Solves with the usual settings.
    pub fn solve(&self, theta: &[f64]) -> Result<GraphSolution> {
        self.solver().solve(theta)
    }

    /// Which factors share a variable with another one.
    fn coupled(&self) -> Vec<bool> {
        let mut degree = vec![0usize; self.variables];
        self.factors.iter().flat_map(Factor::variables).for_each(|&v| degree[v] += 1);
        self.factors.iter().map(|factor| factor.variables().iter().any(|&v| degree[v] > 1)).collect()
    }
}
