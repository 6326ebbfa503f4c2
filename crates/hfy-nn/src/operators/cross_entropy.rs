//! The loss of a binary decision.

use burn::tensor::Tensor;

use super::operator::{Forward, InputGradients, Operator, View, apply};
use crate::error::{Error, Result, ensure};

/// The mean over bags of `-log p` or `-log(1 - p)`, with `p` the logistic function of the logit, kept in
/// `[clamp, 1 - clamp]`; where it is cut off there is no gradient.
pub(crate) fn binary_cross_entropy(logits: Tensor<1>, positive: &[bool], clamp: f32) -> Result<Tensor<1>> {
    apply(BinaryCrossEntropy { positive: positive.to_vec(), clamp }, [logits.into()])
}

#[derive(Debug)]
struct BinaryCrossEntropy {
    positive: Vec<bool>,
    clamp: f32,
}

impl Operator for BinaryCrossEntropy {
    /// The probability of the decision that is right, before it is cut off.
    type Saved = Vec<f32>;

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<Vec<f32>>> {
        ensure(inputs[0].data.len() == self.positive.len() && !self.positive.is_empty(), || {
            Error::shape(
                "logits",
                inputs[0].shape,
                format!("there must be one for each of {} labels", self.positive.len()),
            )
        })?;
        let signed = inputs[0].data.iter().zip(&self.positive).map(|(&z, &positive)| if positive { z } else { -z });
        let right: Vec<f32> = signed.map(|z| 1.0 / (1.0 + (-z).exp())).collect();
        let losses = right.iter().map(|p| -p.clamp(self.clamp, 1.0 - self.clamp).ln());
        let mean = losses.sum::<f32>() / right.len() as f32;
        Ok(Forward { output: vec![mean], shape: vec![1], saved: right })
    }

    fn backward(&self, _: &[View<'_>], right: &Vec<f32>, gradient: &[f32], _: &[bool]) -> Result<InputGradients> {
        let share = gradient[0] / right.len() as f32;
        let inside = |p: f32| p > self.clamp && p < 1.0 - self.clamp;
        let slope = |p: f32| if inside(p) || p.is_nan() { p - 1.0 } else { 0.0 };
        let pulled = right.iter().zip(&self.positive).map(|(&p, &positive)| {
            let slope = share * slope(p);
            if positive { slope } else { -slope }
        });
        Ok(vec![Some(pulled.collect())])
    }
}
