//! A long short-term memory over sequences of different lengths, in both directions.
//!
//! ```text
//! i, f, o = σ(W x + U h + b)    g = tanh(W x + U h + b)    c ← f c + i g    h ← o tanh(c)
//! ```
//!
//! One product serves the inputs of all steps, and one product a step the four gates of all sequences that are not at
//! their end. Reference: Hochreiter and Schmidhuber, *Long Short-Term Memory*, 1997, with the forget gate of Gers et
//! al., 2000.

mod cell;
mod packed;

use burn::tensor::Tensor;

use self::cell::{Gates, advance, retreat};
use self::packed::{Direction, Packed};
use super::layout::Rows;
use super::matmul::{Matrix, column_sums, multiply, transpose};
use super::operator::{Forward, Input, InputGradients, Operator, View, apply};
use crate::error::{Error, Result, ensure};

/// The weights of one direction, as torch has them: `W` (4 hidden, inputs), `U` (4 hidden, hidden) and `b` (4 hidden),
/// with the gates i, f, g, o one after the other.
pub(crate) struct Weights {
    pub(crate) input: Tensor<2>,
    pub(crate) hidden: Tensor<2>,
    pub(crate) bias: Tensor<1>,
}

/// The states of every row, those of the forward direction beside those of the backward one: (rows, 2 hidden).
pub(crate) fn bidirectional_lstm(x: Tensor<2>, weights: [Weights; 2], sequences: &Rows) -> Result<Tensor<2>> {
    let [forward, backward] = weights;
    let inputs: [Input; 7] = [
        x.into(),
        forward.input.into(),
        forward.hidden.into(),
        forward.bias.into(),
        backward.input.into(),
        backward.hidden.into(),
        backward.bias.into(),
    ];
    apply(Bidirectional { sequences: sequences.clone() }, inputs)
}

#[derive(Debug)]
struct Bidirectional {
    sequences: Rows,
}

/// What the backward pass of one direction needs, in the order of the steps.
struct Run {
    packed: Packed,
    gates: Gates,
}

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];

/// The inputs of one direction.
#[derive(Clone, Copy)]
struct Side<'a> {
    x: &'a [f32],
    input: &'a [f32],
    hidden: &'a [f32],
    bias: &'a [f32],
    /// Numbers of an input, and of a state.
    depths: [usize; 2],
}

impl<'a> Side<'a> {
    fn new(inputs: &[View<'a>], direction: usize) -> Self {
        let [input, hidden, bias] = [1, 2, 3].map(|at| inputs[3 * direction + at]);
        let depths = [input.shape[1], hidden.shape[1]];
        Side { x: inputs[0].data, input: input.data, hidden: hidden.data, bias: bias.data, depths }
    }

    fn weights(&self) -> [Matrix<'a>; 2] {
        let [depth, hidden] = self.depths;
        [Matrix::new(self.input, 4 * hidden, depth), Matrix::new(self.hidden, 4 * hidden, hidden)]
    }

    fn run(&self, packed: Packed) -> Run {
        let ([depth, hidden], [input, _]) = (self.depths, self.weights());
        // A product a step reads these weights: turned once, they need not be turned for each.
        let turned = transpose(self.hidden, 4 * hidden, hidden);
        let recurrent = Matrix::new(&turned, hidden, 4 * hidden);
        let rows = packed.rows();
        let x = packed.gather(self.x, depth);
        let mut sums = Vec::with_capacity(rows * 4 * hidden);
        (0..rows).for_each(|_| sums.extend_from_slice(self.bias));
        multiply(&mut sums, true, Matrix::new(&x, rows, depth), input.transposed());
        let mut gates = Gates::new(sums, hidden);
        for step in packed.steps() {
            if let Some(before) = &step.before {
                let states =
                    Matrix::new(&gates.state[before.start * hidden..before.end * hidden], before.len(), hidden);
                let sums = &mut gates.values[step.rows.start * 4 * hidden..step.rows.end * 4 * hidden];
                multiply(sums, true, states, recurrent);
            }
            advance(&mut gates, &step);
        }
        Run { packed, gates }
    }

    /// The gradients of x and of the three weights, from that of the states in packed order.
    fn pull(&self, run: &Run, mut in_state: Vec<f32>, wanted: &[bool; 4]) -> [Option<Vec<f32>>; 4] {
        let ([depth, hidden], [input, recurrent]) = (self.depths, self.weights());
        let (packed, rows) = (&run.packed, run.packed.rows());
        let mut in_cell = vec![0.0; rows * hidden];
        let mut in_sums = vec![0.0; rows * 4 * hidden];
        for step in packed.steps().rev() {
            retreat(&run.gates, &step, &in_state, &mut in_cell, &mut in_sums);
            if let Some(before) = step.before {
                let sums = &in_sums[step.rows.start * 4 * hidden..step.rows.end * 4 * hidden];
                let out = &mut in_state[before.start * hidden..before.end * hidden];
                multiply(out, true, Matrix::new(sums, step.rows.len(), 4 * hidden), recurrent);
            }
        }
        let sums = Matrix::new(&in_sums, rows, 4 * hidden);
        let product = |size: usize, a: Matrix<'_>, b: Matrix<'_>| {
            let mut out = vec![0.0; size];
            multiply(&mut out, false, a, b);
            out
        };
        [
            wanted[0].then(|| packed.scatter(&product(rows * depth, sums, input), depth)),
            wanted[1].then(|| {
                let x = packed.gather(self.x, depth);
                product(4 * hidden * depth, sums.transposed(), Matrix::new(&x, rows, depth))
            }),
            wanted[2].then(|| {
                let before = packed.states_before(&run.gates.state, hidden);
                product(4 * hidden * hidden, sums.transposed(), Matrix::new(&before, rows, hidden))
            }),
            wanted[3].then(|| column_sums(&in_sums, 4 * hidden)),
        ]
    }
}

/// Does the same for both directions, at once where there are two threads.
fn both<R: Send>(work: impl Fn(usize) -> R + Sync) -> [R; 2] {
    let (forward, backward) = rayon::join(|| work(0), || work(1));
    [forward, backward]
}

fn check(inputs: &[View<'_>], sequences: &Rows) -> Result<()> {
    let [rows, depth] = [inputs[0].shape[0], inputs[0].shape[1]];
    let inner = inputs[1].shape[1];
    ensure(depth == inner, || {
        Error::shape("sequences", inputs[0].shape, format!("their depth must be {inner}, that of the weights"))
    })?;
    ensure(rows == sequences.total() && sequences.count().is_some(), || {
        Error::shape("sequences", inputs[0].shape, format!("there must be {} rows", sequences.total()))
    })
}

impl Operator for Bidirectional {
    type Saved = [Run; 2];

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<[Run; 2]>> {
        check(inputs, &self.sequences)?;
        let (rows, hidden) = (inputs[0].shape[0], inputs[2].shape[1]);
        let run = |at: usize| Side::new(inputs, at).run(Packed::new(&self.sequences, DIRECTIONS[at]));
        let saved = both(run);
        let mut output = vec![0.0; rows * 2 * hidden];
        for (at, run) in saved.iter().enumerate() {
            run.packed.write_columns(&run.gates.state, &mut output, hidden, at);
        }
        Ok(Forward { output, shape: vec![rows, 2 * hidden], saved })
    }

    fn backward(
        &self,
        inputs: &[View<'_>],
        saved: &[Run; 2],
        gradient: &[f32],
        wanted: &[bool],
    ) -> Result<InputGradients> {
        let pulled = both(|at| {
            let (side, run) = (Side::new(inputs, at), &saved[at]);
            let in_state = run.packed.read_columns(gradient, side.depths[1], at);
            side.pull(run, in_state, &[wanted[0], wanted[3 * at + 1], wanted[3 * at + 2], wanted[3 * at + 3]])
        });
        let [mut forward, mut backward] = pulled;
        let mut in_x = forward[0].take();
        if let (Some(sum), Some(other)) = (&mut in_x, backward[0].take()) {
            sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
        }
        let weights = forward.into_iter().skip(1).chain(backward.into_iter().skip(1));
        Ok(std::iter::once(in_x).chain(weights).collect())
    }
}
