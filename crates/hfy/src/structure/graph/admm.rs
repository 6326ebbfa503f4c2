//! Alternating directions: factors and variables agree, round by round.

use super::super::active_set::Status;
use super::local::Local;
use super::polish::polish;
use super::settings::GraphSettings;
use super::state::State;
use crate::error::Result;

/// Scores may be large, but a disagreement of this size is one.
const COARSE: f64 = 1e-7;
/// The faces are first tried after so many rounds.
const FIRST_POLISH: usize = 4;
/// With as many products as there were rounds, and these, so that trying costs no more than the rounds.
const PRODUCTS: usize = 20;

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
/// Rounds are those of [`State`]. Now and then the problem is solved on the faces that the outputs lie on. Where these
/// are those of the solution, the round that follows finds nothing left to do; where it finds that this was no
/// progress, all is as before.
pub(super) fn solve(
    settings: &GraphSettings,
    theta: &[f64],
    locals: &mut [Local<'_>],
    outputs: &mut [Vec<f64>],
) -> Result<Run> {
    let mut state = State::new(theta, locals, settings.penalty);
    let rounding = 16.0 * f64::EPSILON * state.size;
    let mut run = Run { status: Status::IterationLimit, primal: f64::INFINITY, dual: f64::INFINITY, rounds: 0 };
    let mut next = FIRST_POLISH;
    let mut before: Option<(Vec<f64>, Vec<f64>, f64)> = None;
    while run.rounds < settings.limit {
        run.rounds += 1;
        let rho = state.penalty.value;
        let residuals = state.round(locals, outputs)?;
        (run.primal, run.dual) = (residuals.primal, residuals.dual);
        if run.primal <= settings.tolerance.max(rounding.min(COARSE)) && run.dual <= settings.tolerance.max(rounding) {
            run.status = Status::Optimal;
            break;
        }
        let worst = run.primal.max(run.dual);
        if let Some((mean, multipliers, reached)) = before.take() {
            if !(worst < reached) {
                (state.mean, state.multipliers) = (mean, multipliers);
            }
        } else if run.rounds >= next {
            next = run.rounds + run.rounds / 2;
            let scores: Vec<f64> = state.multipliers.iter().map(|u| -rho * u).collect();
            if let Some(polished) = polish(theta, locals, outputs, &scores, run.rounds + PRODUCTS) {
                let mean = std::mem::replace(&mut state.mean, polished.mean);
                let multipliers = polished.scores.iter().map(|s| -s / rho).collect();
                before = Some((mean, std::mem::replace(&mut state.multipliers, multipliers), worst));
            }
        } else {
            state.adapt(run.rounds, residuals);
        }
    }
    Ok(run)
}
