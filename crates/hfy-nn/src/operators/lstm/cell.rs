//! One step of the recurrence, and back.

use super::packed::Step;
use crate::operators::sigmoid::{sigmoid, tanh};

/// The four gates, the cell and the state of every place.
pub(super) struct Gates {
    hidden: usize,
    /// The sums before a step and i, f, g, o after it.
    pub(super) values: Vec<f32>,
    cell: Vec<f32>,
    /// tanh of the cell.
    bent: Vec<f32>,
    pub(super) state: Vec<f32>,
}

impl Gates {
    pub(super) fn new(sums: Vec<f32>, hidden: usize) -> Self {
        let zeros = vec![0.0; sums.len() / 4];
        Gates { hidden, values: sums, cell: zeros.clone(), bent: zeros.clone(), state: zeros }
    }
}

/// From the sums of a step to its gates, cells and states.
pub(super) fn advance(gates: &mut Gates, step: &Step) {
    pulp::Arch::new().dispatch(|| advance_rows(gates, step));
}

#[inline(always)]
fn advance_rows(gates: &mut Gates, step: &Step) {
    let hidden = gates.hidden;
    let first = step.rows.start;
    for row in step.rows.clone() {
        let (past, cell) = gates.cell.split_at_mut(row * hidden);
        let before = step.before.as_ref().map(|before| &past[(before.start + row - first) * hidden..][..hidden]);
        let (cell, four) = (&mut cell[..hidden], &mut gates.values[row * 4 * hidden..][..4 * hidden]);
        let (i, rest) = four.split_at_mut(hidden);
        let (f, rest) = rest.split_at_mut(hidden);
        let (g, o) = rest.split_at_mut(hidden);
        [&mut *i, &mut *f, &mut *o].into_iter().flatten().for_each(|gate| *gate = sigmoid(*gate));
        g.iter_mut().for_each(|gate| *gate = tanh(*gate));
        for at in 0..hidden {
            cell[at] = i[at] * g[at];
        }
        if let Some(before) = before {
            for at in 0..hidden {
                cell[at] += f[at] * before[at];
            }
        }
        let bent = &mut gates.bent[row * hidden..][..hidden];
        let state = &mut gates.state[row * hidden..][..hidden];
        for at in 0..hidden {
            bent[at] = tanh(cell[at]);
            state[at] = o[at] * bent[at];
        }
    }
}

/// From the gradients of a step's states and cells to those of its sums and of the cells before.
pub(super) fn retreat(gates: &Gates, step: &Step, in_state: &[f32], in_cell: &mut [f32], in_sums: &mut [f32]) {
    pulp::Arch::new().dispatch(|| retreat_rows(gates, step, in_state, in_cell, in_sums));
}

#[inline(always)]
fn retreat_rows(gates: &Gates, step: &Step, in_state: &[f32], in_cell: &mut [f32], in_sums: &mut [f32]) {
    let (hidden, first) = (gates.hidden, step.rows.start);
    for row in step.rows.clone() {
        let places = row * hidden..(row + 1) * hidden;
        let four = &gates.values[row * 4 * hidden..][..4 * hidden];
        let (i, f) = (&four[..hidden], &four[hidden..][..hidden]);
        let (g, o) = (&four[2 * hidden..][..hidden], &four[3 * hidden..][..hidden]);
        let (bent, dh) = (&gates.bent[places.clone()], &in_state[places]);
        let (past, now) = in_cell.split_at_mut(row * hidden);
        let dc = &mut now[..hidden];
        let sums = &mut in_sums[row * 4 * hidden..][..4 * hidden];
        let (di, rest) = sums.split_at_mut(hidden);
        let (df, rest) = rest.split_at_mut(hidden);
        let (dg, d_o) = rest.split_at_mut(hidden);
        for at in 0..hidden {
            dc[at] += dh[at] * o[at] * (1.0 - bent[at] * bent[at]);
            d_o[at] = dh[at] * bent[at] * o[at] * (1.0 - o[at]);
            di[at] = dc[at] * g[at] * i[at] * (1.0 - i[at]);
            dg[at] = dc[at] * i[at] * (1.0 - g[at] * g[at]);
        }
        // At the first step there is no cell before: the gradient of the forget gate stays zero.
        let Some(before) = &step.before else { continue };
        let start = (before.start + row - first) * hidden;
        let (cell, in_before) = (&gates.cell[start..][..hidden], &mut past[start..][..hidden]);
        for at in 0..hidden {
            df[at] = dc[at] * cell[at] * f[at] * (1.0 - f[at]);
            in_before[at] += dc[at] * f[at];
        }
    }
}
