//! Patterns that a layer adds to every bag.

use burn::tensor::Tensor;

use super::layout::Rows;
use super::operator::{Forward, InputGradients, Operator, View, apply};
use crate::error::Result;

/// The rows of each bag, and then a row more, the same for all: `rows.extended(1)` says where they lie.
pub(crate) fn extend(x: Tensor<2>, row: Tensor<2>, rows: &Rows) -> Result<Tensor<2>> {
    apply(Extend(rows.clone()), [x.into(), row.into()])
}

#[derive(Debug)]
struct Extend(Rows);

impl Extend {
    fn bags(&self) -> usize {
        self.0.count().unwrap_or(1)
    }
}

impl Operator for Extend {
    type Saved = ();

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<()>> {
        let width = inputs[1].data.len();
        let mut output = Vec::with_capacity(inputs[0].data.len() + self.bags() * width);
        for bag in 0..self.bags() {
            let rows = self.0.of(bag);
            output.extend_from_slice(&inputs[0].data[rows.start * width..rows.end * width]);
            output.extend_from_slice(inputs[1].data);
        }
        Ok(Forward { shape: vec![inputs[0].shape[0] + self.bags(), width], output, saved: () })
    }

    fn backward(&self, inputs: &[View<'_>], (): &(), gradient: &[f32], _: &[bool]) -> Result<InputGradients> {
        let width = inputs[1].data.len();
        let mut in_x = Vec::with_capacity(inputs[0].data.len());
        let mut in_row = vec![0.0; width];
        for bag in 0..self.bags() {
            let (rows, extended) = (self.0.of(bag), self.0.extended(1).of(bag));
            let end = (extended.start + rows.len()) * width;
            in_x.extend_from_slice(&gradient[extended.start * width..end]);
            in_row.iter_mut().zip(&gradient[end..end + width]).for_each(|(sum, g)| *sum += g);
        }
        Ok(vec![Some(in_x), Some(in_row)])
    }
}
