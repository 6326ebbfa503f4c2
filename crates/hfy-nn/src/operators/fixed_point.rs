//! The gradient of a fixed point, without the updates that led to it.

use burn::tensor::Tensor;
use faer::Mat;
use faer::linalg::solvers::{PartialPivLu, Solve};
use hfy::{Convex, Post};

use super::layout::Layout;
use super::operator::{Forward, Input, InputGradients, Operator, View, apply};
use super::separate::{Mask, RowMap, of_head, row_map};
use crate::error::{Error, Result};
use crate::family::Family;

/// The update whose fixed point a state is.
#[derive(Debug, Clone)]
pub(crate) struct System {
    pub(crate) family: Family,
    pub(crate) psi: Post,
    pub(crate) mask: Mask,
    pub(crate) layout: Layout,
    /// Depth of a head.
    pub(crate) depth: usize,
}

/// `state`, the update of a fixed point, with its upstream gradient g replaced by the solution of `(I - J)ᵀ w = g`,
/// where J is the Jacobian of the update. Pulled back through the one update that made `state`, w gives the gradient of
/// the fixed point in the keys, in β and in the map's parameter. Each head of each query has a system of its own, as
/// large as the head is deep, which is factorised.
pub(crate) fn adjoint(
    state: Tensor<2>,
    keys: Tensor<2>,
    beta: Tensor<1>,
    parameter: Option<Tensor<1>>,
    system: System,
) -> Result<Tensor<2>> {
    let (keys, beta) = (keys.detach(), beta.detach());
    match parameter {
        Some(parameter) => apply(system, [state.into(), keys.into(), beta.into(), Input::from(parameter.detach())]),
        None => apply(system, [Input::from(state), keys.into(), beta.into()]),
    }
}

impl Operator for System {
    type Saved = ();

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<()>> {
        Ok(Forward { output: inputs[0].data.to_vec(), shape: inputs[0].shape.to_vec(), saved: () })
    }

    fn backward(&self, inputs: &[View<'_>], (): &(), gradient: &[f32], _: &[bool]) -> Result<InputGradients> {
        let (depth, width) = (self.depth, inputs[0].shape[1]);
        let mut pulled = vec![0.0; gradient.len()];
        for (bag, head) in self.layout.blocks() {
            for (query, row) in self.layout.state.of(bag).enumerate() {
                let at = row * width + head * depth;
                let jacobian = self.jacobian(inputs, bag, head, query, &inputs[0].data[at..at + depth])?;
                // Row i of the Jacobian is Jᵀ e_i.
                let system = Mat::<f64>::from_fn(depth, depth, |i, j| f64::from(u8::from(i == j)) - jacobian[j][i]);
                let g = Mat::<f64>::from_fn(depth, 1, |i, _| f64::from(gradient[at + i]));
                let solution = PartialPivLu::new(system.as_ref()).solve(&g);
                for i in 0..depth {
                    pulled[at + i] = solution[(i, 0)] as f32;
                }
                if pulled[at..at + depth].iter().any(|v| !v.is_finite()) {
                    let what = "the linear system of the fixed point's derivative";
                    let error = hfy::Error::Unsolved { what, residual: f64::INFINITY, tolerance: 1.0, iterations: 1 };
                    return Err(Error::Library(error));
                }
            }
        }
        let mut all = vec![None; inputs.len()];
        all[0] = Some(pulled);
        Ok(all)
    }
}

impl System {
    /// `Jᵀ e_i` for every unit vector.
    fn jacobian(
        &self,
        inputs: &[View<'_>],
        bag: usize,
        head: usize,
        query: usize,
        state: &[f32],
    ) -> Result<Vec<Vec<f64>>> {
        let depth = self.depth;
        let (keys, width) = (inputs[1].data, inputs[1].shape[1]);
        let beta = of_head(inputs[2].data, head).1;
        let patterns = self.layout.stored.of(bag);
        let start = |pattern: usize| pattern * width + if width == depth { 0 } else { head * depth };
        let key = |pattern: usize| &keys[start(pattern)..start(pattern) + depth];
        let first = self.layout.block(bag, head).start + query * patterns.len();
        let added = |at: usize| self.mask.as_ref().map_or(0.0, |mask| mask[first + at]);
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let theta: Vec<f32> =
            patterns.clone().enumerate().map(|(at, pattern)| beta * dot(key(pattern), state) + added(at)).collect();
        let map = row_map(&self.family, inputs.get(3).map(|view| view.data), head, &theta)?;
        // Without weights the update is a constant.
        let Some(map): Option<RowMap> = map else { return Ok(vec![vec![0.0; depth]; depth]) };
        let mut weights = vec![0.0; theta.len()];
        map.argmax(&theta, &mut weights)?;
        let mut mixture = vec![0.0; depth];
        for (pattern, weight) in patterns.clone().zip(&weights).filter(|(_, weight)| **weight != 0.0) {
            mixture.iter_mut().zip(key(pattern)).for_each(|(sum, k)| *sum += weight * k);
        }
        let mut updated = mixture.clone();
        self.psi.argmax(&mut updated)?;
        (0..depth)
            .map(|unit| {
                let mut g = vec![0.0; depth];
                g[unit] = 1.0;
                self.psi.vjp(&mixture, &updated, &mut g)?;
                let mut in_theta: Vec<f32> = patterns.clone().map(|pattern| dot(key(pattern), &g)).collect();
                map.pull(&theta, &weights, &mut in_theta, false)?;
                let mut pulled = vec![0.0; depth];
                for (pattern, g) in patterns.clone().zip(&in_theta) {
                    pulled.iter_mut().zip(key(pattern)).for_each(|(sum, k)| *sum += f64::from(beta * g * k));
                }
                Ok(pulled)
            })
            .collect()
    }
}
