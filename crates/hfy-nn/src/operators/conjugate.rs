//! The conjugate of a separation map at the scores of ragged bags.

use burn::tensor::Tensor;
use hfy::Convex;

use super::layout::Rows;
use super::operator::{Forward, InputGradients, Operator, View, apply};
use crate::error::{Error, Result};
use crate::family::Family;

/// `Ω*(β s) / β` of every bag, for scores with a row for each instance and a column for each head, in the mean over the
/// heads.
///
/// The derivative in a score is its weight `ŷ_Ω(β s)` over the number of heads, which is never negative.
pub(crate) fn conjugate(scores: Tensor<2>, beta: f32, family: &Family, bags: &Rows) -> Result<Tensor<1>> {
    apply(Conjugate { beta, family: family.clone(), bags: bags.clone() }, [scores.into()])
}

/// What becomes of the scores of a head in a bag.
pub(crate) struct Separated {
    /// `Ω*(β s) / β`
    pub(crate) value: f32,
    /// `ŷ_Ω(β s)`
    pub(crate) weights: Vec<f32>,
}

/// Separates the scores of every head in every bag: bag after bag, in each head after head.
pub(crate) fn separated(
    scores: &[f32],
    heads: usize,
    beta: f32,
    family: &Family,
    bags: &Rows,
) -> Result<Vec<Separated>> {
    let blocks = (0..bags.count().unwrap_or(1)).flat_map(|bag| (0..heads).map(move |head| (bag, head)));
    let one = |(bag, head)| {
        let theta: Vec<f32> = bags.of(bag).map(|row| beta * scores[row * heads + head]).collect();
        let map = family.map(None, || theta.len())?;
        let mut weights = vec![0.0; theta.len()];
        let in_bag = |error: hfy::Error| Error::Library(error.in_row(bag));
        map.argmax_into(&theta, &mut weights).map_err(in_bag)?;
        Ok(Separated { value: map.conjugate(&theta).map_err(in_bag)? / beta, weights })
    };
    blocks.map(one).collect()
}

#[derive(Debug)]
struct Conjugate {
    beta: f32,
    family: Family,
    bags: Rows,
}

impl Operator for Conjugate {
    type Saved = Vec<Separated>;

    fn forward(&self, inputs: &[View<'_>]) -> Result<Forward<Vec<Separated>>> {
        let heads = inputs[0].shape[1];
        let saved = separated(inputs[0].data, heads, self.beta, &self.family, &self.bags)?;
        let mean = |heads: &[Separated]| heads.iter().map(|head| head.value).sum::<f32>() / heads.len() as f32;
        let output: Vec<f32> = saved.chunks_exact(heads).map(mean).collect();
        Ok(Forward { shape: vec![output.len()], output, saved })
    }

    fn backward(
        &self,
        inputs: &[View<'_>],
        saved: &Vec<Separated>,
        gradient: &[f32],
        _: &[bool],
    ) -> Result<InputGradients> {
        let heads = inputs[0].shape[1];
        let mut pulled = vec![0.0; inputs[0].data.len()];
        for (bag, (of_bag, g)) in saved.chunks_exact(heads).zip(gradient).enumerate() {
            for (head, found) in of_bag.iter().enumerate() {
                for (row, weight) in self.bags.of(bag).zip(&found.weights) {
                    pulled[row * heads + head] = g * weight / heads as f32;
                }
            }
        }
        Ok(vec![Some(pulled)])
    }
}
