//! Alternating directions: factors and variables agree, round by round.

use super::super::active_set::Status;
use super::local::Local;
use super::penalty::Penalty;
use super::settings::GraphSettings;
use crate::error::Result;

/// Each round goes so far beyond its own step.
const RELAXATION: f64 = 1.6;

/// How it ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) status: Status,
    pub(super) primal: f64,
    pub(super) dual: f64,
    pub(super) rounds: usize,
}

/// Solves the problem of factors that share variables. Leaves the output of each factor in `outputs`.
///
/// With a copy `y_f` of its variables for every factor, `μ` to agree on and multipliers `ρ u_f` for `y_f = μ_f`, a round is
///
/// ```text
/// y_f ← argmax { (μ_f - u_f)·y + η_f·e/ρ - |y|²/2 : (y, e) in the hull of f }
/// μ_i ← (θ_i + ρ Σ_f (y_fi + u_fi)) / (1 + ρ deg_i)
/// u_f ← u_f + y_f - μ_f
/// ```
///
/// where the last two take `α y_f + (1 - α) μ_f` for `y_f`. At the end `y_f = μ_f`, and `-ρ u_f`, which sum to `θ - μ`, are the
/// scores that each factor answers.
pub(super) fn solve(
    settings: &GraphSettings,
    theta: &[f64],
    locals: &mut [Local<'_>],
    outputs: &mut [Vec<f64>],
) -> Result<Run> {
    let mut degree = vec![0.0; theta.len()];
    locals.iter().flat_map(|local| &local.factor.variables).for_each(|&v| degree[v] += 1.0);
    let size = (0..theta.len())
        .filter(|&v| degree[v] > 0.0 && theta[v].is_finite())
        .fold(0.0, |top: f64, v| top.max(theta[v].abs()));
    let rounding = 16.0 * f64::EPSILON * size;
    let mut penalty = Penalty::new(settings.penalty);
    let masked = |v: usize| theta[v] == f64::NEG_INFINITY;
    let mut mean: Vec<f64> = theta.iter().map(|s| s.clamp(0.0, 1.0)).collect();
    let mut before = mean.clone();
    let mut sums = vec![0.0; theta.len()];
    // At first every factor answers an equal share.
    let share = |&v: &usize| if masked(v) { 0.0 } else { (mean[v] - theta[v]) / (degree[v] * penalty.value) };
    let mut multipliers: Vec<Vec<f64>> =
        locals.iter().map(|local| local.factor.variables.iter().map(share).collect()).collect();
    let mut run = Run { status: Status::IterationLimit, primal: f64::INFINITY, dual: f64::INFINITY, rounds: 0 };
    while run.rounds < settings.limit {
        run.rounds += 1;
        let rho = penalty.value;
        sums.fill(0.0);
        for ((local, y), u) in locals.iter_mut().zip(&mut *outputs).zip(&mut multipliers) {
            let variables = &local.factor.variables;
            for ((y, u), &v) in y.iter_mut().zip(&*u).zip(variables) {
                *y = if masked(v) { f64::NEG_INFINITY } else { mean[v] - u };
            }
            local.project(y, 1.0 / rho)?;
            for ((y, u), &v) in y.iter().zip(u).zip(variables) {
                *u += RELAXATION * y + (1.0 - RELAXATION) * mean[v];
                sums[v] += *u;
            }
        }
        before.copy_from_slice(&mean);
        for v in (0..theta.len()).filter(|&v| degree[v] > 0.0 && !masked(v)) {
            mean[v] = (theta[v] + rho * sums[v]) / (1.0 + rho * degree[v]);
        }
        (run.primal, run.dual) = (0.0, 0.0);
        let mut moved: f64 = 0.0;
        for ((local, y), u) in locals.iter().zip(&*outputs).zip(&mut multipliers) {
            for ((y, u), &v) in y.iter().zip(u).zip(&local.factor.variables) {
                if masked(v) {
                    *u = 0.0;
                    continue;
                }
                *u -= mean[v];
                run.primal = run.primal.max((y - mean[v]).abs());
                let step = mean[v] - before[v];
                moved = moved.max((rho * step).abs());
                run.dual = run.dual.max((rho * (step + (1.0 - RELAXATION) * (y - before[v]))).abs());
            }
        }
        if run.primal <= settings.tolerance.max(rounding) && run.dual <= settings.tolerance.max(rho * rounding) {
            run.status = Status::Optimal;
            break;
        }
        if let Some(ratio) = penalty.adapt(run.rounds, run.primal, moved) {
            multipliers.iter_mut().flatten().for_each(|u| *u *= ratio);
        }
    }
    Ok(run)
}
