//! Layer normalisation with a learned scale and offset.

use burn::tensor::Tensor;

use super::operator::{Forward, InputGradients, Operator, View, apply};
use crate::error::{Error, Result, ensure};

/// `(x - mean) / sqrt(var + eps)` in each row, with the biased variance, times `affine.0` plus `affine.1` if there.
///
/// A constant row is normalised to zeros, and has a gradient of zero, also where `eps` is zero.
pub(crate) fn layer_norm(x: Tensor<2>, affine: Option<(Tensor<1>, Tensor<1>)>, eps: f64) -> Result<Tensor<2>> {
    let operator = LayerNorm { eps };
    match affine {
        Some((scale, offset)) => apply(operator, [x.into(), scale.into(), offset.into()]),
        None => apply(operator, [x.into()]),
    }
}

#[derive(Debug)]
struct LayerNorm {
    eps: f64,
}

/// The normalised rows, and the reciprocal of what each was divided by.
struct Saved {
    normalised: Vec<f32>,
    reciprocals: Vec<f32>,
}

impl Operator for LayerNorm {
    type Saved = Saved;

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<Saved>> {
        let x = inputs[0];
        let (rows, depth) = (x.shape[0], x.shape[1]);
        if let Some(scale) = inputs.get(1) {
            ensure(scale.data.len() == depth, || {
                let rule = format!("their depth must be {}, that of the normalisation", scale.data.len());
                Error::shape("patterns", x.shape, rule)
            })?;
        }
        let mut saved = Saved { normalised: Vec::with_capacity(x.data.len()), reciprocals: Vec::with_capacity(rows) };
        for row in x.data.chunks_exact(depth.max(1)) {
            let mean = row.iter().sum::<f32>() / depth as f32;
            let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f32>() / depth as f32;
            let deviation = (variance + self.eps as f32).sqrt();
            let reciprocal = if deviation == 0.0 { 0.0 } else { 1.0 / deviation };
            saved.normalised.extend(row.iter().map(|v| (v - mean) * reciprocal));
            saved.reciprocals.push(reciprocal);
        }
        let mut output = saved.normalised.clone();
        if let [_, scale, offset] = inputs {
            for row in output.chunks_exact_mut(depth.max(1)) {
                row.iter_mut().zip(scale.data).zip(offset.data).for_each(|((v, s), o)| *v = *v * s + o);
            }
        }
        Ok(Forward { output, shape: x.shape.to_vec(), saved })
    }

    fn backward(&self, inputs: &[View<'_>], saved: &Saved, gradient: &[f32], _: &[bool]) -> Result<InputGradients> {
        let depth = inputs[0].shape[1];
        let scale = inputs.get(1).map(|scale| scale.data);
        let (mut in_scale, mut in_offset) = (vec![0.0; depth], vec![0.0; depth]);
        let mut in_x = Vec::with_capacity(gradient.len());
        let rows = gradient.chunks_exact(depth.max(1)).zip(saved.normalised.chunks_exact(depth.max(1)));
        let mut scaled = vec![0.0; depth];
        for ((g, y), reciprocal) in rows.zip(&saved.reciprocals) {
            for i in 0..depth {
                scaled[i] = g[i] * scale.map_or(1.0, |scale| scale[i]);
                in_scale[i] += g[i] * y[i];
                in_offset[i] += g[i];
            }
            let mean = scaled.iter().sum::<f32>() / depth as f32;
            let along = scaled.iter().zip(y).map(|(g, y)| g * y).sum::<f32>() / depth as f32;
            in_x.extend(scaled.iter().zip(y).map(|(g, y)| (g - mean - y * along) * reciprocal));
        }
        let affine = inputs.len() == 3;
        let mut pulled = vec![Some(in_x)];
        if affine {
            pulled.extend([Some(in_scale), Some(in_offset)]);
        }
        Ok(pulled)
    }
}
