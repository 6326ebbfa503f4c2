//! The Hopfield update of every head of every bag, as often as asked for.

use burn::tensor::{Bool, Tensor, TensorData};

use super::config::HopfieldConfig;
use crate::error::Result;
use crate::operators::Layout;

/// When the updates of a head end.
#[derive(Debug, Clone)]
pub(crate) struct Stopping {
    most: Vec<Option<usize>>,
    eps: Vec<f64>,
    limit: usize,
}

/// Where the updates ended.
pub(crate) struct Iteration {
    pub(crate) weights: Tensor<1>,
    pub(crate) state: Tensor<2>,
    pub(crate) layout: Layout,
    /// Updates made of each head of each bag.
    pub(crate) steps: Vec<usize>,
}

/// An entry for a head from one entry, or one for each.
fn of_head<V: Copy>(values: &[V], head: usize) -> V {
    values[if values.len() == 1 { 0 } else { head }]
}

impl Stopping {
    pub(crate) fn new(config: &HopfieldConfig) -> Self {
        let (most, eps) = (config.update_steps_max.clone(), config.update_steps_eps.clone());
        Stopping { most, eps, limit: config.update_steps_limit }
    }

    /// Updates that a head may make.
    fn allowed(&self, head: usize) -> usize {
        of_head(&self.most, head).unwrap_or(self.limit)
    }

    pub(crate) fn eps(&self, head: usize) -> f64 {
        of_head(&self.eps, head)
    }

    /// Associates, then updates the state and associates again, until each head of each bag has ended.
    ///
    /// `update` gives a state for each bag; `widen` the first state in the same form, for heads that end while others
    /// go on. A bag ends by itself, so that its answer does not depend on the other bags.
    pub(crate) fn iterate(
        &self,
        state: Tensor<2>,
        layout: Layout,
        associate: impl Fn(Tensor<2>, &Layout) -> Result<Tensor<1>>,
        update: impl Fn(Tensor<1>, &Layout) -> Result<Tensor<2>>,
        widen: impl Fn(Tensor<2>, &Layout) -> Tensor<2>,
    ) -> Result<Iteration> {
        let heads = layout.heads;
        let blocks = layout.bags() * heads;
        let (mut steps, mut settled) = (vec![0; blocks], vec![false; blocks]);
        let weights = associate(state.clone(), &layout)?;
        let most = (0..heads).map(|head| self.allowed(head)).max().unwrap_or(0);
        let mut iteration = Iteration { weights, state, layout, steps: Vec::new() };
        let mut before = if most == 0 { Vec::new() } else { numbers(&iteration.weights) };
        for step in 0..most {
            let active: Vec<bool> = (0..blocks).map(|at| !settled[at] && self.allowed(at % heads) > step).collect();
            if !active.contains(&true) {
                break;
            }
            let Iteration { weights, state, layout, .. } = iteration;
            let updated = update(weights, &layout)?;
            let next = Layout::new(heads, layout.answers(), layout.stored.clone())?;
            let state = if active.contains(&false) {
                let resting = resting(&active, &next, &updated);
                updated.mask_where(resting, widen(state, &layout))
            } else {
                updated
            };
            let weights = associate(state.clone(), &next)?;
            let after = numbers(&weights);
            for (at, (bag, head)) in next.blocks().enumerate().filter(|(at, _)| active[*at]) {
                steps[at] += 1;
                settled[at] = distance(&after[next.block(bag, head)], &before[next.block(bag, head)]) <= self.eps(head);
            }
            before = after;
            iteration = Iteration { weights, state, layout: next, steps: Vec::new() };
        }
        Ok(Iteration { steps, ..iteration })
    }
}

/// The numbers of a tensor, without gradient.
pub(crate) fn numbers<const D: usize>(tensor: &Tensor<D>) -> Vec<f32> {
    tensor.clone().into_data().try_to_vec().expect("layers compute in single precision")
}

/// The Euclidean distance.
pub(crate) fn distance(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
}

/// True in the heads' parts of states that stay as they are.
fn resting(active: &[bool], layout: &Layout, states: &Tensor<2>) -> Tensor<2, Bool> {
    let [rows, width] = states.dims();
    let depth = width / layout.heads;
    let mut mask = vec![false; rows * width];
    for ((bag, head), _) in layout.blocks().zip(active).filter(|(_, active)| !**active) {
        for row in layout.state.of(bag) {
            mask[row * width + head * depth..][..depth].fill(true);
        }
    }
    Tensor::from_data(TensorData::new(mask, [rows, width]), &states.device())
}
