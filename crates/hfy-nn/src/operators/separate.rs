//! Separation of the scores of ragged bags into weights.

use std::sync::Arc;

use burn::tensor::Tensor;
use hfy::structure::{ActiveSet, Regulariser, Sequence, SparseMap, Structure};
use hfy::{Convex, Map, Separation};

use super::layout::Layout;
use super::operator::{Forward, Input, InputGradients, Operator, View, apply};
use crate::error::{Error, Result};
use crate::family::Family;

/// What is added to scores before they are separated, laid out as they are; minus infinity leaves a pattern out.
pub(crate) type Mask = Option<Arc<[f32]>>;

/// `ŷ_Ω(β s + mask)` of every query, with gradients in the scores, in β (one entry, or one for each head), and in the
/// map's own parameter, where it is given apart.
pub(crate) fn separate(
    scores: Tensor<1>,
    beta: Tensor<1>,
    parameter: Option<Tensor<1>>,
    family: &Family,
    mask: Mask,
    layout: &Layout,
) -> Result<Tensor<1>> {
    let operator = Separate { family: family.clone(), mask, layout: layout.clone() };
    match parameter {
        Some(parameter) => apply(operator, [Input::from(scores), beta.into(), parameter.into()]),
        None => apply(operator, [Input::from(scores), beta.into()]),
    }
}

#[derive(Debug)]
struct Separate {
    family: Family,
    mask: Mask,
    layout: Layout,
}

/// Scaled and masked scores, and the weights.
struct Saved {
    theta: Vec<f32>,
    weights: Vec<f32>,
}

/// A number for each head from one number, or one for each.
pub(super) fn of_head(values: &[f32], head: usize) -> (usize, f32) {
    let at = if values.len() == 1 { 0 } else { head };
    (at, values[at])
}

/// The map of a row, which may depend on how many of its entries take part; `None` where none does.
pub(super) fn row_map(
    family: &Family,
    parameters: Option<&[f32]>,
    head: usize,
    theta: &[f32],
) -> Result<Option<RowMap>> {
    // A NaN takes part, so that the map refuses it.
    let takes_part = |score: &&f32| **score != f32::NEG_INFINITY;
    if !theta.iter().any(|score| takes_part(&score)) {
        return Ok(None);
    }
    let present = || theta.iter().filter(takes_part).count();
    let parameter = parameters.map(|values| f64::from(of_head(values, head).1));
    Ok(Some(match (family, parameter) {
        (Family::Sequence { budget, regulariser }, Some(transition)) => {
            let sequence = Sequence::new(budget.whole(present()))?.transition(transition)?;
            RowMap::Sequence(SparseMap::new(sequence).regulariser(*regulariser))
        }
        (family, parameter) => RowMap::Map(family.map(parameter, present)?),
    }))
}

/// A map, or sequential k-subsets whose transition has a gradient.
pub(super) enum RowMap {
    Map(Map),
    Sequence(SparseMap<Sequence>),
}

impl RowMap {
    pub(super) fn argmax(&self, theta: &[f32], weights: &mut [f32]) -> hfy::Result<()> {
        match self {
            RowMap::Map(map) => map.argmax_into(theta, weights).map(|_| ()),
            RowMap::Sequence(map) => {
                let theta = widened(theta);
                let higher = map.structure().higher(theta.len())?;
                let solution = map.relax(&theta, &higher, ActiveSet::default())?;
                weights.iter_mut().zip(&solution.marginals).for_each(|(weight, y)| *weight = *y as f32);
                Ok(())
            }
        }
    }

    /// `g ← Jᵀ g`, and the derivative in the parameter if it is wanted.
    pub(super) fn pull(&self, theta: &[f32], weights: &[f32], g: &mut [f32], parameter: bool) -> hfy::Result<f32> {
        match self {
            RowMap::Map(map) => {
                let in_parameter = if parameter { map.parameter_vjp(weights, g)? } else { None };
                map.vjp(theta, weights, g)?;
                Ok(in_parameter.unwrap_or(0.0))
            }
            RowMap::Sequence(map) => {
                let edges = vec![0.0; theta.len().saturating_sub(1)];
                let pulled = map.solve(&widened(theta))?.vjp(&widened(g), &edges)?;
                g.iter_mut().zip(&pulled.unary).for_each(|(g, pulled)| *g = *pulled as f32);
                Ok(pulled.higher.iter().sum::<f64>() as f32)
            }
        }
    }
}

fn widened(row: &[f32]) -> Vec<f64> {
    row.iter().map(|&value| f64::from(value)).collect()
}

impl Operator for Separate {
    type Saved = Saved;

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<Saved>> {
        let (scores, betas) = (inputs[0].data, inputs[1].data);
        let parameters = inputs.get(2).map(|view| view.data);
        let mut theta = scores.to_vec();
        let mut weights = vec![0.0; scores.len()];
        for (number, (head, row)) in self.layout.rows().enumerate() {
            let beta = of_head(betas, head).1;
            theta[row.clone()].iter_mut().for_each(|score| *score *= beta);
            if let Some(mask) = &self.mask {
                theta[row.clone()].iter_mut().zip(&mask[row.clone()]).for_each(|(score, mask)| *score += mask);
            }
            let theta = &theta[row.clone()];
            let Some(map) = row_map(&self.family, parameters, head, theta)? else { continue };
            map.argmax(theta, &mut weights[row]).map_err(|error| Error::Library(error.in_row(number)))?;
        }
        let saved = Saved { theta, weights: weights.clone() };
        Ok(Forward { shape: vec![weights.len()], output: weights, saved })
    }

    fn backward(
        &self,
        inputs: &[View<'_>],
        saved: &Saved,
        gradient: &[f32],
        wanted: &[bool],
    ) -> Result<InputGradients> {
        let (scores, betas) = (inputs[0].data, inputs[1].data);
        let parameters = inputs.get(2).map(|view| view.data);
        let mut pulled = gradient.to_vec();
        let mut in_betas = vec![0.0; betas.len()];
        let mut in_parameters = parameters.map(|values| vec![0.0; values.len()]);
        for (head, row) in self.layout.rows() {
            let (theta, weights) = (&saved.theta[row.clone()], &saved.weights[row.clone()]);
            let g = &mut pulled[row.clone()];
            let Some(map) = row_map(&self.family, parameters, head, theta)? else {
                g.fill(0.0);
                continue;
            };
            let in_parameter = map.pull(theta, weights, g, wanted.get(2) == Some(&true))?;
            let (at, beta) = of_head(betas, head);
            in_betas[at] += g.iter().zip(&scores[row]).map(|(g, score)| g * score).sum::<f32>();
            g.iter_mut().for_each(|g| *g *= beta);
            if let (Some(sums), Some(values)) = (&mut in_parameters, parameters) {
                sums[of_head(values, head).0] += in_parameter;
            }
        }
        let mut all = vec![Some(pulled), Some(in_betas)];
        all.extend(in_parameters.map(Some));
        Ok(all)
    }
}

/// Which states sequential k-subsets regularise, unless it is said.
pub(crate) const SEQUENCE_REGULARISER: Regulariser = Regulariser::Both;
