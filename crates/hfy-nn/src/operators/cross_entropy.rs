//! The loss of a binary decision.

use burn::tensor::Tensor;

use super::operator::{Forward, InputGradients, Operator, View, apply};
use crate::error::{Error, Result, ensure};

/// The mean over bags of `-w log p` or `-w log(1 - p)`, with `p` the logistic function of the logit, kept in
/// `[floor, 1 - floor]`; where it is cut off there is no gradient. `weights` are those of negative and of positive bags.
pub(crate) fn binary_cross_entropy(
    logits: Tensor<1>,
    positive: &[bool],
    floor: f32,
    weights: [f32; 2],
) -> Result<Tensor<1>> {
    ensure((0.0..0.5).contains(&floor), || Error::argument("floor", floor, "it must lie in [0, 0.5)"))?;
    apply(BinaryCrossEntropy { positive: positive.to_vec(), floor, weights }, [logits.into()])
}

#[derive(Debug)]
struct BinaryCrossEntropy {
    positive: Vec<bool>,
    floor: f32,
    weights: [f32; 2],
}

impl Operator for BinaryCrossEntropy {
    /// The logits of the decisions that are right.
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
        let right: Vec<f32> = signed.collect();
        let (least, most) = (-(-self.floor).ln_1p(), -self.floor.ln());
        // Without the logistic function, which would round to 0 or 1 where the loss is large or small.
        let losses = right.iter().map(|z| ((-z.abs()).exp().ln_1p() + (-z).max(0.0)).clamp(least, most));
        let weighted = losses.zip(&self.positive).map(|(loss, &positive)| self.weights[usize::from(positive)] * loss);
        let mean = weighted.sum::<f32>() / right.len() as f32;
        Ok(Forward { output: vec![mean], shape: vec![1], saved: right })
    }

    fn backward(&self, _: &[View<'_>], right: &Vec<f32>, gradient: &[f32], _: &[bool]) -> Result<InputGradients> {
        let share = gradient[0] / right.len() as f32;
        let slope = |z: f32| {
            let wrong = 1.0 / (1.0 + z.exp());
            let cut = wrong <= self.floor || wrong >= 1.0 - self.floor;
            if self.floor > 0.0 && cut { 0.0 } else { -wrong }
        };
        let pulled = right.iter().zip(&self.positive).map(|(&z, &positive)| {
            let slope = share * self.weights[usize::from(positive)] * slope(z);
            if positive { slope } else { -slope }
        });
        Ok(vec![Some(pulled.collect())])
    }
}
