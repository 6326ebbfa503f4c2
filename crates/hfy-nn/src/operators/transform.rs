//! Post-transformations of the parts of rows.

use burn::tensor::Tensor;
use hfy::{Convex, Post};

use super::operator::{Forward, InputGradients, Operator, View, apply};
use crate::error::Result;

/// `ŷ_Ψ` of each part of `depth` entries of each row.
pub(crate) fn transform(x: Tensor<2>, psi: &Post, depth: usize) -> Result<Tensor<2>> {
    if matches!(psi, Post::Identity(_)) { Ok(x) } else { apply(Transform { psi: psi.clone(), depth }, [x.into()]) }
}

#[derive(Debug)]
struct Transform {
    psi: Post,
    depth: usize,
}

impl Operator for Transform {
    type Saved = Vec<f32>;

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<Vec<f32>>> {
        let mut output = inputs[0].data.to_vec();
        for part in output.chunks_exact_mut(self.depth) {
            self.psi.argmax(part)?;
        }
        Ok(Forward { shape: inputs[0].shape.to_vec(), saved: output.clone(), output })
    }

    fn backward(&self, inputs: &[View<'_>], saved: &Vec<f32>, gradient: &[f32], _: &[bool]) -> Result<InputGradients> {
        let mut pulled = gradient.to_vec();
        let parts = inputs[0].data.chunks_exact(self.depth).zip(saved.chunks_exact(self.depth));
        for ((z, q), g) in parts.zip(pulled.chunks_exact_mut(self.depth)) {
            self.psi.vjp(z, q, g)?;
        }
        Ok(vec![Some(pulled)])
    }
}
