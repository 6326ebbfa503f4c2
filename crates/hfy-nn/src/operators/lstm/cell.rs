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
    pulp::Arch::new().dispatch(Advance(gates, step));
}

// A closure as large as these would not become a part of the function that has the processor's vector instructions.
struct Advance<'a>(&'a mut Gates, &'a Step);

impl pulp::WithSimd for Advance<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        advance_rows(self.0, self.1);
    }
}

#[inline(always)]
fn advance_rows(gates: &mut Gates, step: &Step) {
    let hidden = gates.hidden;
    let first = step.rows.start;
    for row in step.rows.clone() {
        let (past, cell) = gates.cell.split_at_mut(row * hidden);
        let before = step.before.as_ref().map(|before| &past[(before.start + row - first) * hidden..][..hidden]);
        let (cell, four) = (&mut cell[..hidden], &mut gates.values[row * 4 * hidden..][..4 * hidden]);
        // i and f together, then g, then o: each a loop over one slice, which compilers turn into vector instructions.
        let (i_f, g_o) = four.split_at_mut(2 * hidden);
        let (g, o) = g_o.split_at_mut(hidden);
        i_f.iter_mut().for_each(|gate| *gate = sigmoid(*gate));
        g.iter_mut().for_each(|gate| *gate = tanh(*gate));
        o.iter_mut().for_each(|gate| *gate = sigmoid(*gate));
        let (i, f) = i_f.split_at(hidden);
        cell.iter_mut().zip(i).zip(&*g).for_each(|((cell, i), g)| *cell = i * g);
        if let Some(before) = before {
            cell.iter_mut().zip(f).zip(before).for_each(|((cell, f), before)| *cell += f * before);
        }
        let bent = &mut gates.bent[row * hidden..][..hidden];
        bent.iter_mut().zip(&*cell).for_each(|(bent, cell)| *bent = tanh(*cell));
        let state = &mut gates.state[row * hidden..][..hidden];
        state.iter_mut().zip(&*o).zip(&*bent).for_each(|((state, o), bent)| *state = o * bent);
    }
}

/// From the gradients of a step's states and cells to those of its sums and of the cells before.
pub(super) fn retreat(gates: &Gates, step: &Step, in_state: &[f32], in_cell: &mut [f32], in_sums: &mut [f32]) {
    pulp::Arch::new().dispatch(Retreat { gates, step, in_state, in_cell, in_sums });
}

struct Retreat<'a> {
    gates: &'a Gates,
    step: &'a Step,
    in_state: &'a [f32],
    in_cell: &'a mut [f32],
    in_sums: &'a mut [f32],
}

impl pulp::WithSimd for Retreat<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        retreat_rows(self.gates, self.step, self.in_state, self.in_cell, self.in_sums);
    }
}

#[inline(always)]
fn retreat_rows(gates: &Gates, step: &Step, in_state: &[f32], in_cell: &mut [f32], in_sums: &mut [f32]) {
    let (hidden, first) = (gates.hidden, step.rows.start);
    for row in step.rows.clone() {
        let places = row * hidden..(row + 1) * hidden;
        let mut four = gates.values[row * 4 * hidden..][..4 * hidden].chunks_exact(hidden);
        let [i, f, g, o] = [(); 4].map(|()| four.next().expect("a row has four gates"));
        let (bent, dh) = (&gates.bent[places.clone()], &in_state[places]);
        let (past, now) = in_cell.split_at_mut(row * hidden);
        let dc = &mut now[..hidden];
        let mut sums = in_sums[row * 4 * hidden..][..4 * hidden].chunks_exact_mut(hidden);
        let [di, df, dg, d_o] = [(); 4].map(|()| sums.next().expect("a row has four gates"));
        let above = || dh.iter().zip(o).zip(bent);
        dc.iter_mut().zip(above()).for_each(|(dc, ((dh, o), bent))| *dc += dh * o * (1.0 - bent * bent));
        d_o.iter_mut().zip(above()).for_each(|(d_o, ((dh, o), bent))| *d_o = dh * bent * o * (1.0 - o));
        let inner = || dc.iter().zip(i).zip(g);
        di.iter_mut().zip(inner()).for_each(|(di, ((dc, i), g))| *di = dc * g * i * (1.0 - i));
        dg.iter_mut().zip(inner()).for_each(|(dg, ((dc, i), g))| *dg = dc * i * (1.0 - g * g));
        // At the first step there is no cell before: the gradient of the forget gate stays zero.
        let Some(before) = &step.before else { continue };
        let start = (before.start + row - first) * hidden;
        let (cell, in_before) = (&gates.cell[start..][..hidden], &mut past[start..][..hidden]);
        let inner = || dc.iter().zip(f).zip(cell);
        df.iter_mut().zip(inner()).for_each(|(df, ((dc, f), cell))| *df = dc * cell * f * (1.0 - f));
        in_before.iter_mut().zip(dc.iter().zip(f)).for_each(|(before, (dc, f))| *before += dc * f);
    }
}
