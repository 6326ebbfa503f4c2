//! Solving a factor graph.

use super::super::active_set::Status;
use super::FactorGraph;
use super::admm::{self, Run};
use super::flat::is_open;
use super::local::{EXACT, Local};
use super::settings::GraphSettings;
use super::solution::GraphSolution;
use super::tangent::Tangent;
use crate::convex::{all_masked, check_scores};
use crate::error::{Error, Result, check_len};

/// Faces are told from outputs that are off by so many times the residual.
const BLUR: f64 = 16.0;
/// But not by more than this, however early the solver stopped.
const COARSE: f64 = 1e-3;

/// A [`FactorGraph`] and how to solve it.
#[derive(Debug, Clone, Copy)]
pub struct GraphSolver<'g> {
    graph: &'g FactorGraph,
    settings: GraphSettings,
}

impl<'g> GraphSolver<'g> {
    pub(super) fn new(graph: &'g FactorGraph, settings: GraphSettings) -> Self {
        GraphSolver { graph, settings }
    }

    /// With other settings.
    pub fn settings(mut self, settings: GraphSettings) -> Self {
        self.settings = settings;
        self
    }

    /// With this [tolerance](GraphSettings::tolerance).
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.settings.tolerance = tolerance;
        self
    }

    /// With this [limit](GraphSettings::limit).
    pub fn limit(mut self, limit: usize) -> Self {
        self.settings.limit = limit;
        self
    }

    /// With this [penalty](GraphSettings::penalty).
    pub fn penalty(mut self, penalty: f64) -> Self {
        self.settings.penalty = penalty;
        self
    }

    /// Whether factors that share no variable are solved [by themselves](GraphSettings::direct).
    pub fn direct(mut self, direct: bool) -> Self {
        self.settings.direct = direct;
        self
    }

    /// Solves for these scores of the variables and the factors' own scores of their higher-order parts.
    ///
    /// Where every score is minus infinity there is nothing to solve, and all is zero.
    pub fn solve(&self, theta: &[f64]) -> Result<GraphSolution> {
        self.solve_with(theta, &self.graph.higher())
    }

    /// The same for other scores of the higher-order parts, by factor.
    pub fn solve_with(&self, theta: &[f64], higher: &[Vec<f64>]) -> Result<GraphSolution> {
        self.settings.validate()?;
        check_len("scores", theta.len(), self.graph.variables())?;
        check_scores(theta)?;
        self.graph.check_higher(higher)?;
        if all_masked(theta) {
            return Ok(nothing(theta.len(), higher));
        }
        let factors = self.graph.factors();
        let coupled = if self.settings.direct { self.graph.coupled() } else { vec![true; factors.len()] };
        let (mut locals, mut others) = (Vec::new(), Vec::new());
        for (number, (factor, higher)) in factors.iter().zip(higher).enumerate() {
            let local = Local::new(factor, number, higher);
            if coupled[number] { locals.push(local) } else { others.push(local) }
        }
        let mut outputs: Vec<Vec<f64>> = locals.iter().map(|local| vec![0.0; local.factor.variables().len()]).collect();
        let mut run = Run { status: Status::Optimal, primal: 0.0, dual: 0.0, rounds: 0 };
        if !locals.is_empty() {
            run = admm::solve(&self.settings, theta, &mut locals, &mut outputs)?;
        }
        let blur = (BLUR * run.primal.max(self.settings.tolerance)).min(COARSE);
        let (mut shared, mut alone) = (locals.into_iter().zip(outputs), others.into_iter());
        let mut solved = Vec::new();
        for &coupled in &coupled {
            if let Some((local, y)) = coupled.then(|| shared.next()).flatten() {
                solved.push((local, y, blur));
            } else if let Some(mut local) = alone.next() {
                let mut y: Vec<f64> = local.factor.variables().iter().map(|&v| theta[v]).collect();
                local.project(&mut y, 1.0)?;
                solved.push((local, y, EXACT));
            }
        }
        self.assemble(theta, higher, solved, coupled, run)
    }

    fn assemble(
        &self,
        theta: &[f64],
        higher: &[Vec<f64>],
        solved: Vec<(Local<'_>, Vec<f64>, f64)>,
        coupled: Vec<bool>,
        run: Run,
    ) -> Result<GraphSolution> {
        let mut degree = vec![0.0; theta.len()];
        let mut marginals = vec![0.0; theta.len()];
        for (local, y, _) in &solved {
            for (&v, y) in local.factor.variables().iter().zip(y) {
                degree[v] += 1.0;
                marginals[v] += y;
            }
        }
        let mut fixed = vec![false; theta.len()];
        for v in 0..theta.len() {
            if degree[v] == 0.0 {
                marginals[v] = theta[v].clamp(0.0, 1.0);
                fixed[v] = !is_open(marginals[v], 0.0);
            } else {
                marginals[v] /= degree[v];
            }
        }
        let parts: Vec<Vec<f64>> = solved.iter().map(|(local, y, _)| local.higher(y)).collect();
        let stopped = solved.iter().map(|(local, ..)| local.status).find(|status| *status != Status::Optimal);
        let interactions: f64 = higher.iter().zip(&parts).map(|(scores, parts)| inner(scores, parts)).sum();
        let value = inner(theta, &marginals) + interactions - inner(&marginals, &marginals) / 2.0;
        let faces = solved.into_iter().map(|(local, y, blur)| local.whole_face(&y, blur)).collect::<Result<_>>()?;
        Ok(GraphSolution {
            marginals,
            higher: parts,
            value,
            status: stopped.unwrap_or(run.status),
            primal_residual: run.primal,
            dual_residual: run.dual,
            iterations: run.rounds,
            empty: false,
            tangent: Tangent { faces, coupled, fixed },
        })
    }
}

fn nothing(variables: usize, higher: &[Vec<f64>]) -> GraphSolution {
    GraphSolution {
        marginals: vec![0.0; variables],
        higher: higher.iter().map(|scores| vec![0.0; scores.len()]).collect(),
        value: 0.0,
        status: Status::Optimal,
        primal_residual: 0.0,
        dual_residual: 0.0,
        iterations: 0,
        empty: true,
        tangent: Tangent::default(),
    }
}

fn inner(scores: &[f64], weights: &[f64]) -> f64 {
    scores.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(s, w)| s * w).sum()
}

impl FactorGraph {
    /// Fails unless these are scores of the higher-order parts of the factors.
    pub(super) fn check_higher(&self, higher: &[Vec<f64>]) -> Result<()> {
        check_len("higher", higher.len(), self.factors().len())?;
        for (row, (factor, scores)) in self.factors().iter().zip(higher).enumerate() {
            let expected = factor.higher().len();
            if scores.len() != expected {
                return Err(Error::shape("higher", &[row, scores.len()], &[row, expected]));
            }
            if let Some(index) = scores.iter().position(|s| !(*s < f64::INFINITY)) {
                let rule = "a score must be finite, or minus infinity where it is forbidden";
                return Err(Error::Entry { argument: "higher", row: Some(row), index, value: scores[index], rule });
            }
        }
        Ok(())
    }
}
