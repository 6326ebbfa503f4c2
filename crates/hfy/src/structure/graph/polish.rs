//! The solution, if the faces are the right ones.

use super::face::Face;
use super::local::{EXACT, Local};
use super::normal::subtract;

/// Marginals that are further out of bounds are those of wrong faces.
const SLACK: f64 = 1e-6;

/// What variables and factors would agree on.
#[derive(Debug, Clone)]
pub(super) struct Agreement {
    /// `μ`.
    pub(super) mean: Vec<f64>,
    /// The scores that each factor answers, one factor after the other: where all is solved they sum to `θ - μ`.
    pub(super) scores: Vec<f64>,
}

/// Solves the problem on the faces that the `outputs` of the factors lie on, instead of their hulls: a linear system.
///
/// On a face the higher-order parts follow the variables, so that they pull with a vector `r_f` of its directions, and
/// the factor answers the scores `s_f = n_f - r_f`, where `n_f` is at a right angle to the face. Of all such scores the
/// nearest to the given ones are found for which `μ = θ - Σ s_f` stays on every face. `None` where the faces have no
/// point in common, or one that is no marginal.
pub(super) fn polish(
    theta: &[f64],
    locals: &[Local<'_>],
    outputs: &[Vec<f64>],
    scores: &[f64],
    products: usize,
) -> Option<Agreement> {
    let faces: Vec<Face> = locals.iter().zip(outputs).map(|(local, y)| local.face(y, EXACT)).collect();
    let masked = |v: usize| theta[v] == f64::NEG_INFINITY;
    let mut mean: Vec<f64> = (0..theta.len()).map(|v| if masked(v) { 0.0 } else { theta[v] }).collect();
    let mut scores = scores.to_vec();
    let (mut rest, mut near) = (scores.as_mut_slice(), Vec::new());
    for (face, local) in faces.iter().zip(locals) {
        let (own, others) = rest.split_at_mut(face.variables.len());
        face.project(own, &mut near);
        let pull = face.pull(local.scores);
        for (((score, near), pull), &v) in own.iter_mut().zip(&near).zip(&pull).zip(&face.variables) {
            *score = if masked(v) { 0.0 } else { *score - near - pull };
            mean[v] -= *score;
        }
        rest = others;
    }
    let size = 1.0 + theta.iter().filter(|s| s.is_finite()).fold(0.0, |top: f64, s| top.max(s.abs()));
    let faces: Vec<&Face> = faces.iter().collect();
    let reached = subtract(&faces, &mut mean, &outputs.concat(), &mut scores, (size, products));
    clean(&faces, outputs, &mut mean);
    let used = faces.iter().flat_map(|face| &face.variables);
    let plausible = reached.residual < SLACK && used.into_iter().all(|&v| mean[v] > -SLACK && mean[v] < 1.0 + SLACK);
    plausible.then_some(Agreement { mean, scores })
}

/// Replaces each mean by that of the nearest points on the faces, which do not have the rounding of large scores.
fn clean(faces: &[&Face], outputs: &[Vec<f64>], mean: &mut [f64]) {
    let (mut sums, mut count) = (vec![0.0; mean.len()], vec![0.0; mean.len()]);
    let mut near = Vec::new();
    for (face, y) in faces.iter().zip(outputs) {
        let apart: Vec<f64> = face.variables.iter().zip(y).map(|(&v, y)| mean[v] - y).collect();
        face.project(&apart, &mut near);
        for ((&v, y), near) in face.variables.iter().zip(y).zip(&near) {
            sums[v] += y + near;
            count[v] += 1.0;
        }
    }
    (0..mean.len()).filter(|&v| count[v] > 0.0).for_each(|v| mean[v] = sums[v] / count[v]);
}
