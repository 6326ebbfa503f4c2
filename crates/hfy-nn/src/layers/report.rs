//! What an association did.

use hfy::structure::Regulariser;
use hfy::{Convex, Map};

use super::core::{Association, AssociationCore};
use super::iteration::{distance, numbers};
use crate::error::Result;
use crate::operators::{Layout, Rows};

/// What an association did, without gradients: weights and support, energy, updates, convergence.
#[derive(Debug, Clone)]
pub struct AssociationReport {
    layout: Layout,
    /// Weights of all stored patterns, and then of those that the layer adds.
    weights: Vec<f32>,
    /// `E(q) = Ψ(q) - Ω*(β K q)/β` for each query; `None` for a Ψ with a learned scale and offset.
    energies: Option<Vec<f64>>,
    steps: Vec<usize>,
    residuals: Vec<f64>,
    converged: Vec<bool>,
}

impl AssociationReport {
    pub(crate) fn new(core: &AssociationCore, found: &Association) -> Result<Self> {
        let layout = found.iteration.layout.clone();
        let weights = numbers(&found.iteration.weights);
        let (state, keys) = (found.iteration.state.clone().detach(), found.keys.clone().detach());
        let onward = core.update(found.iteration.weights.clone().detach(), &keys, &layout)?;
        let next = Layout::new(layout.heads, layout.answers(), layout.stored.clone())?;
        let after = numbers(&core.associate(onward, &keys, &found.mask, &next)?);
        let residuals: Vec<f64> = layout
            .blocks()
            .map(|(bag, head)| distance(&after[next.block(bag, head)], &weights[layout.block(bag, head)]))
            .collect();
        let settled = residuals.iter().zip(layout.blocks());
        let converged = settled.map(|(residual, (_, head))| *residual <= core.stopping().eps(head)).collect();
        let energies = core.psi.affine.is_none().then(|| energies(core, found, &state, &keys)).transpose()?;
        Ok(AssociationReport { layout, weights, energies, steps: found.iteration.steps.clone(), residuals, converged })
    }

    /// Weights and energies that came about without updates: one query for each head of each bag.
    pub(crate) fn of_weights(heads: usize, bags: Rows, weights: Vec<f32>, energies: Vec<f64>) -> Result<Self> {
        let count = bags.count().unwrap_or(1);
        let layout = Layout::new(heads, Rows::batch(count, 1), bags)?;
        let blocks = count * heads;
        let (steps, residuals, converged) = (vec![0; blocks], vec![0.0; blocks], vec![true; blocks]);
        Ok(AssociationReport { layout, weights, energies: Some(energies), steps, residuals, converged })
    }

    /// How many bags there are.
    pub fn bags(&self) -> usize {
        self.layout.bags()
    }

    /// How many heads there are.
    pub fn heads(&self) -> usize {
        self.layout.heads
    }

    /// How many queries a bag has.
    pub fn queries(&self, bag: usize) -> usize {
        self.layout.state.of(bag).len()
    }

    /// The weights of the stored patterns of a bag for a query of a head.
    pub fn weights(&self, bag: usize, head: usize, query: usize) -> &[f32] {
        let patterns = self.layout.stored.of(bag).len();
        &self.weights[self.layout.block(bag, head)][query * patterns..(query + 1) * patterns]
    }

    /// The stored patterns that have weight for a query of a head.
    pub fn support(&self, bag: usize, head: usize, query: usize) -> Vec<usize> {
        let weights = self.weights(bag, head, query).iter().enumerate();
        weights.filter(|(_, weight)| **weight > 0.0).map(|(pattern, _)| pattern).collect()
    }

    /// The energy of the state of a query; infinite outside the domain of Ψ, `None` for a Ψ that is learned.
    pub fn energy(&self, bag: usize, head: usize, query: usize) -> Option<f64> {
        let before: usize = (0..bag).map(|bag| self.queries(bag)).sum::<usize>() * self.layout.heads;
        self.energies.as_ref().map(|all| all[before + head * self.queries(bag) + query])
    }

    /// How many updates a head of a bag made.
    pub fn steps(&self, bag: usize, head: usize) -> usize {
        self.steps[bag * self.layout.heads + head]
    }

    /// By how much one more update would change the association, in the Frobenius norm.
    pub fn residual(&self, bag: usize, head: usize) -> f64 {
        self.residuals[bag * self.layout.heads + head]
    }

    /// Whether the residual is at most `update_steps_eps`.
    pub fn converged(&self, bag: usize, head: usize) -> bool {
        self.converged[bag * self.layout.heads + head]
    }
}

/// The energy of every query, in double precision: bag after bag, head after head.
fn energies(
    core: &AssociationCore,
    found: &Association,
    state: &burn::tensor::Tensor<2>,
    keys: &burn::tensor::Tensor<2>,
) -> Result<Vec<f64>> {
    let (layout, depth) = (&found.iteration.layout, core.sizes().hidden);
    let device = state.device();
    let betas = numbers(&core.beta(&device));
    let parameters = core.omega.parameter(&device).map(|parameter| numbers(&parameter));
    let scores = numbers(&crate::operators::products(state.clone(), keys.clone(), depth, layout)?);
    let (states, width) = (numbers(state), state.dims()[1]);
    let mut energies = Vec::new();
    for (bag, head) in layout.blocks() {
        let patterns = layout.stored.of(bag).len();
        let beta = f64::from(betas[if betas.len() == 1 { 0 } else { head }]);
        for (query, row) in layout.state.of(bag).enumerate() {
            let start = row * width + if width == depth { 0 } else { head * depth };
            let q: Vec<f64> = states[start..start + depth].iter().map(|&v| f64::from(v)).collect();
            let at = layout.block(bag, head).start + query * patterns;
            let added = |at: usize| found.mask.as_ref().map_or(0.0, |mask| f64::from(mask[at]));
            let theta: Vec<f64> = (at..at + patterns).map(|at| beta * f64::from(scores[at]) + added(at)).collect();
            let present = theta.iter().filter(|score| **score != f64::NEG_INFINITY).count();
            if present == 0 {
                energies.push(f64::INFINITY);
                continue;
            }
            let parameter =
                parameters.as_ref().map(|values| f64::from(values[if values.len() == 1 { 0 } else { head }]));
            let map: Map = core.omega.family().map(parameter, || present)?;
            let conjugate = map.conjugate(&theta)? + (patterns - present) as f64 * off(&map);
            energies.push(domain_value(core, &q) - conjugate / beta);
        }
    }
    Ok(energies)
}

/// The regulariser of an entry that does not take part. An energy is that of the other entries alone.
fn off(map: &Map) -> f64 {
    match map {
        Map::Structured(map) if map.which() == Regulariser::Both => 0.5,
        _ => 0.0,
    }
}

/// Ψ of a state, which may lie outside the domain by the rounding of single precision: then it is in the domain but for
/// rounding, and is evaluated there.
fn domain_value(core: &AssociationCore, q: &[f64]) -> f64 {
    let post = core.psi.post();
    let value: f64 = post.value(q);
    if value.is_finite() {
        return value;
    }
    // In double precision a domain is as narrow as its rounding, and the state was computed in single precision.
    let single: Vec<f32> = q.iter().map(|&v| v as f32).collect();
    f64::from(post.value(&single))
}
