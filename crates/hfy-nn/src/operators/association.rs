//! The two products of an association: scores of stored patterns, and mixtures of them.

use std::ops::Range;

use burn::tensor::Tensor;

use super::layout::Layout;
use super::matmul::{Matrix, multiply, multiply_strided};
use super::operator::{Forward, InputGradients, Operator, View, apply};
use crate::error::{Error, Result, ensure};

/// `q · k` for every query with every stored pattern of its bag, in every head, laid out as [`Layout`] says.
///
/// States and keys have the heads' parts beside each other, or one part that serves all heads.
pub(crate) fn products(state: Tensor<2>, keys: Tensor<2>, depth: usize, layout: &Layout) -> Result<Tensor<1>> {
    apply(Products { layout: layout.clone(), depth }, [state.into(), keys.into()])
}

/// `Σ w v` for every query over the values of its bag, the heads' parts beside each other.
pub(crate) fn mixtures(weights: Tensor<1>, values: Tensor<2>, depth: usize, layout: &Layout) -> Result<Tensor<2>> {
    apply(Mixtures { layout: layout.clone(), depth }, [weights.into(), values.into()])
}

/// A matrix whose columns are the heads' parts, or one part for all heads.
#[derive(Debug, Clone, Copy)]
struct Heads {
    width: usize,
    depth: usize,
}

impl Heads {
    fn new(argument: &'static str, shape: &[usize], rows: usize, heads: usize, depth: usize) -> Result<Self> {
        let width = shape[1];
        ensure(shape[0] == rows && (width == depth || width == heads * depth), || {
            Error::shape(argument, shape, format!("it must be ({rows}, {depth}), or ({rows}, {heads} x {depth})"))
        })?;
        Ok(Heads { width, depth })
    }

    /// The first entry of a head's part in a row.
    fn at(self, row: usize, head: usize) -> usize {
        row * self.width + if self.width == self.depth { 0 } else { head * self.depth }
    }

    fn part<'a>(self, data: &'a [f32], rows: &Range<usize>, head: usize) -> Matrix<'a> {
        if rows.is_empty() {
            return Matrix::new(&[], 0, self.depth);
        }
        Matrix::strided(&data[self.at(rows.start, head)..], rows.len(), self.depth, self.width)
    }

    /// Adds a product to a head's part.
    fn add(self, data: &mut [f32], rows: &Range<usize>, head: usize, a: Matrix<'_>, b: Matrix<'_>) {
        if !rows.is_empty() {
            multiply_strided(&mut data[self.at(rows.start, head)..], self.width, rows.len(), self.depth, true, a, b);
        }
    }
}

#[derive(Debug)]
struct Products {
    layout: Layout,
    depth: usize,
}

impl Products {
    fn parts(&self, inputs: &[View<'_>]) -> Result<(Heads, Heads)> {
        let Layout { heads, state, stored, .. } = &self.layout;
        let states = Heads::new("state patterns", inputs[0].shape, state.total(), *heads, self.depth)?;
        Ok((states, Heads::new("stored patterns", inputs[1].shape, stored.total(), *heads, self.depth)?))
    }
}

impl Operator for Products {
    type Saved = ();

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<()>> {
        let (states, keys) = self.parts(inputs)?;
        let Layout { state, stored, .. } = &self.layout;
        let mut output = vec![0.0; self.layout.total()];
        for (bag, head) in self.layout.blocks() {
            let (queries, patterns) = (state.of(bag), stored.of(bag));
            let q = states.part(inputs[0].data, &queries, head);
            let k = keys.part(inputs[1].data, &patterns, head);
            multiply(&mut output[self.layout.block(bag, head)], false, q, k.transposed());
        }
        Ok(Forward { shape: vec![output.len()], output, saved: () })
    }

    fn backward(&self, inputs: &[View<'_>], (): &(), gradient: &[f32], wanted: &[bool]) -> Result<InputGradients> {
        let (states, keys) = self.parts(inputs)?;
        let Layout { state, stored, .. } = &self.layout;
        let mut in_state = wanted[0].then(|| vec![0.0; inputs[0].data.len()]);
        let mut in_keys = wanted[1].then(|| vec![0.0; inputs[1].data.len()]);
        for (bag, head) in self.layout.blocks() {
            let (queries, patterns) = (state.of(bag), stored.of(bag));
            let g = Matrix::new(&gradient[self.layout.block(bag, head)], queries.len(), patterns.len());
            if let Some(out) = &mut in_state {
                states.add(out, &queries, head, g, keys.part(inputs[1].data, &patterns, head));
            }
            if let Some(out) = &mut in_keys {
                keys.add(out, &patterns, head, g.transposed(), states.part(inputs[0].data, &queries, head));
            }
        }
        Ok(vec![in_state, in_keys])
    }
}

#[derive(Debug)]
struct Mixtures {
    layout: Layout,
    depth: usize,
}

impl Mixtures {
    /// The columns of the values, and those of the answers, which always have a part for each head.
    fn parts(&self, inputs: &[View<'_>]) -> Result<(Heads, Heads)> {
        let Layout { heads, stored, .. } = &self.layout;
        let values = Heads::new("pattern projections", inputs[1].shape, stored.total(), *heads, self.depth)?;
        Ok((values, Heads { width: heads * self.depth, depth: self.depth }))
    }
}

impl Operator for Mixtures {
    type Saved = ();

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<()>> {
        let (values, answers) = self.parts(inputs)?;
        let (stored, rows) = (&self.layout.stored, self.layout.answers());
        let mut output = vec![0.0; rows.total() * answers.width];
        for (bag, head) in self.layout.blocks() {
            let (queries, patterns) = (rows.of(bag), stored.of(bag));
            let weights = Matrix::new(&inputs[0].data[self.layout.block(bag, head)], queries.len(), patterns.len());
            answers.add(&mut output, &queries, head, weights, values.part(inputs[1].data, &patterns, head));
        }
        Ok(Forward { shape: vec![rows.total(), answers.width], output, saved: () })
    }

    fn backward(&self, inputs: &[View<'_>], (): &(), gradient: &[f32], wanted: &[bool]) -> Result<InputGradients> {
        let (values, answers) = self.parts(inputs)?;
        let (stored, rows) = (&self.layout.stored, self.layout.answers());
        let mut in_weights = wanted[0].then(|| vec![0.0; inputs[0].data.len()]);
        let mut in_values = wanted[1].then(|| vec![0.0; inputs[1].data.len()]);
        for (bag, head) in self.layout.blocks() {
            let (queries, patterns) = (rows.of(bag), stored.of(bag));
            let g = answers.part(gradient, &queries, head);
            if let Some(out) = &mut in_weights {
                let v = values.part(inputs[1].data, &patterns, head);
                multiply(&mut out[self.layout.block(bag, head)], false, g, v.transposed());
            }
            if let Some(out) = &mut in_values {
                let block = &inputs[0].data[self.layout.block(bag, head)];
                let weights = Matrix::new(block, queries.len(), patterns.len());
                values.add(out, &patterns, head, weights.transposed(), g);
            }
        }
        Ok(vec![in_weights, in_values])
    }
}
