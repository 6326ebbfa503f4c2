//! A round of alternating directions.

use super::local::Local;
use super::penalty::Penalty;
use crate::error::Result;

/// Each round goes so far beyond its own step.
const RELAXATION: f64 = 1.6;

/// How far a round is from agreement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Residuals {
    pub(super) primal: f64,
    pub(super) dual: f64,
    /// How far the variables moved, in units of the dual.
    moved: f64,
}

/// What variables and factors say.
///
/// With a copy `y_f` of its variables for every factor, `μ` to agree on and multipliers `ρ u_f` for `y_f = μ_f`, a
/// round is
///
/// ```text
/// y_f ← argmax { (μ_f - u_f)·y + η_f·e/ρ - |y|²/2 : (y, e) in the hull of f }
/// μ_i ← (θ_i + ρ Σ_f (y_fi + u_fi)) / (1 + ρ deg_i)
/// u_f ← u_f + y_f - μ_f
/// ```
///
/// where the last two take `α y_f + (1 - α) μ_f` for `y_f`. At the end `y_f = μ_f`, and `-ρ u_f`, which sum to `θ - μ`,
/// are the scores that each factor answers.
#[derive(Debug)]
pub(super) struct State<'t> {
    theta: &'t [f64],
    /// The largest score.
    pub(super) size: f64,
    degree: Vec<f64>,
    /// `μ`.
    pub(super) mean: Vec<f64>,
    /// `u`, one factor after the other.
    pub(super) multipliers: Vec<f64>,
    pub(super) penalty: Penalty,
    sums: Vec<f64>,
}

impl<'t> State<'t> {
    /// At first every factor answers an equal share.
    pub(super) fn new(theta: &'t [f64], locals: &[Local<'_>], penalty: f64) -> Self {
        let variables = || locals.iter().flat_map(|local| &local.factor.variables);
        let mut degree = vec![0.0; theta.len()];
        variables().for_each(|&v| degree[v] += 1.0);
        let mean: Vec<f64> = theta.iter().map(|s| s.clamp(0.0, 1.0)).collect();
        let share = |&v: &usize| {
            if theta[v] == f64::NEG_INFINITY { 0.0 } else { (mean[v] - theta[v]) / (degree[v] * penalty) }
        };
        let multipliers = variables().map(share).collect();
        let used = theta.iter().zip(&degree).filter(|(s, degree)| s.is_finite() && **degree > 0.0);
        let size = used.fold(0.0, |top: f64, (s, _)| top.max(s.abs()));
        State { theta, size, degree, mean, multipliers, penalty: Penalty::new(penalty), sums: vec![0.0; theta.len()] }
    }

    fn masked(&self, v: usize) -> bool {
        self.theta[v] == f64::NEG_INFINITY
    }

    /// One round.
    pub(super) fn round(&mut self, locals: &mut [Local<'_>], outputs: &mut [Vec<f64>]) -> Result<Residuals> {
        let rho = self.penalty.value;
        self.sums.fill(0.0);
        let mut edge = 0;
        for (local, y) in locals.iter_mut().zip(&mut *outputs) {
            let variables = &local.factor.variables;
            let u = &mut self.multipliers[edge..edge + variables.len()];
            for ((y, u), &v) in y.iter_mut().zip(&*u).zip(variables) {
                *y = if self.theta[v] == f64::NEG_INFINITY { f64::NEG_INFINITY } else { self.mean[v] - u };
            }
            local.project(y, 1.0 / rho)?;
            for ((y, u), &v) in y.iter().zip(u).zip(variables) {
                *u += RELAXATION * y + (1.0 - RELAXATION) * self.mean[v];
                self.sums[v] += *u;
            }
            edge += variables.len();
        }
        let before = self.mean.clone();
        for v in 0..self.mean.len() {
            if self.degree[v] > 0.0 && !self.masked(v) {
                self.mean[v] = (self.theta[v] + rho * self.sums[v]) / (1.0 + rho * self.degree[v]);
            }
        }
        let mut residuals = Residuals { primal: 0.0, dual: 0.0, moved: 0.0 };
        let variables = locals.iter().flat_map(|local| &local.factor.variables);
        for (edge, (&v, y)) in variables.zip(outputs.iter().flatten()).enumerate() {
            if self.masked(v) {
                self.multipliers[edge] = 0.0;
                continue;
            }
            self.multipliers[edge] -= self.mean[v];
            let step = self.mean[v] - before[v];
            residuals.primal = residuals.primal.max((y - self.mean[v]).abs());
            residuals.dual = residuals.dual.max((rho * (step + (1.0 - RELAXATION) * (y - before[v]))).abs());
            residuals.moved = residuals.moved.max((rho * step).abs());
        }
        Ok(residuals)
    }

    /// Residuals are compared in units of the root of the scores: small scores are a matter of distances, large ones of
    /// which of them is larger.
    pub(super) fn adapt(&mut self, rounds: usize, residuals: Residuals) {
        let unit = self.size.max(1.0).sqrt();
        if let Some(ratio) = self.penalty.adapt(rounds, residuals.primal, residuals.moved / unit) {
            self.multipliers.iter_mut().for_each(|u| *u *= ratio);
        }
    }
}
