//! A linear layer.

use burn::tensor::Tensor;

use super::matmul::{Matrix, column_sums, multiply};
use super::operator::{Forward, InputGradients, Operator, View, apply};
use crate::error::{Error, Result, ensure};

/// `x Wᵀ + b`, with `x` of rows and `W` (outputs, inputs) as torch has it. The weights are read where they lie, in both
/// directions.
pub(crate) fn linear(x: Tensor<2>, weight: Tensor<2>, bias: Option<Tensor<1>>) -> Result<Tensor<2>> {
    match bias {
        Some(bias) => apply(Linear, [x.into(), weight.into(), bias.into()]),
        None => apply(Linear, [x.into(), weight.into()]),
    }
}

#[derive(Debug)]
struct Linear;

impl Operator for Linear {
    type Saved = ();

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<()>> {
        let ([rows, depth], [outputs, inner]) = (pair(inputs[0]), pair(inputs[1]));
        ensure(depth == inner, || {
            Error::shape("patterns", inputs[0].shape, format!("their depth must be {inner}, that of the weights"))
        })?;
        let mut output = Vec::with_capacity(rows * outputs);
        match inputs.get(2) {
            Some(bias) => (0..rows).for_each(|_| output.extend_from_slice(bias.data)),
            None => output.resize(rows * outputs, 0.0),
        }
        let (x, weight) = (Matrix::new(inputs[0].data, rows, depth), Matrix::new(inputs[1].data, outputs, depth));
        multiply(&mut output, true, x, weight.transposed());
        Ok(Forward { output, shape: vec![rows, outputs], saved: () })
    }

    fn backward(&self, inputs: &[View<'_>], (): &(), gradient: &[f32], wanted: &[bool]) -> Result<InputGradients> {
        let ([rows, depth], [outputs, _]) = (pair(inputs[0]), pair(inputs[1]));
        let g = Matrix::new(gradient, rows, outputs);
        let product = |wanted: bool, size: usize, a: Matrix<'_>, b: Matrix<'_>| {
            wanted.then(|| {
                let mut out = vec![0.0; size];
                multiply(&mut out, false, a, b);
                out
            })
        };
        let (x, weight) = (Matrix::new(inputs[0].data, rows, depth), Matrix::new(inputs[1].data, outputs, depth));
        let mut pulled =
            vec![product(wanted[0], rows * depth, g, weight), product(wanted[1], outputs * depth, g.transposed(), x)];
        if inputs.len() == 3 {
            pulled.push(wanted[2].then(|| column_sums(gradient, outputs)));
        }
        Ok(pulled)
    }
}

fn pair(view: View<'_>) -> [usize; 2] {
    [view.shape[0], view.shape[1]]
}
