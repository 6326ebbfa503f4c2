//! Derivatives of a batch in what is not a score: the inverse temperature, and the bounds of constrained sparsemax.

use ndarray::{Array, ArrayView, Axis, Dimension, RemoveAxis};

use super::{Batch, drive, same_shape};
use crate::convex::Convex;
use crate::error::{Error, Result};
use crate::real::Element;
use crate::separation::Bounded;

impl<F: ?Sized> Batch<'_, F> {
    /// The derivative of `gradient · ŷ(β θ)` of each row in its inverse temperature, from `pulled`, what
    /// [`pullback`](Batch::pullback) made of the gradient. The maps must have one, as [`Scaled`](crate::Scaled) has.
    pub fn beta_vjp<E: Element, D: Dimension + RemoveAxis>(
        &self,
        scores: ArrayView<'_, E, D>,
        pulled: ArrayView<'_, E, D>,
    ) -> Result<Array<E::Compute, D::Smaller>>
    where
        F: Convex<E::Compute>,
    {
        same_shape("pulled", pulled.shape(), scores.shape())?;
        let lanes = self.lanes(scores.shape())?;
        let shape = scores.raw_dim().remove_axis(Axis(lanes.axis()));
        let scores = lanes.read(scores.into_dyn());
        let mut rows: Vec<E> = lanes.read(pulled.into_dyn()).slice().to_vec();
        let values = drive(&lanes, [scores.slice()], &mut rows, |row, [scores], pulled| {
            lanes.silence(row, pulled);
            let absent = Error::Unsupported { function: "this map", what: "an inverse temperature" };
            self.maps.of(row).beta_derivative(scores, pulled).ok_or(absent)
        })?;
        Ok(Array::from_shape_vec(shape, values).expect("one value a row"))
    }
}

impl Batch<'_, Bounded<'_>> {
    /// The gradient of `gradient · ŷ` of each row in the bounds of its entries, from the scores and the weights.
    pub fn upper_vjp<E: Element, D: Dimension + RemoveAxis>(
        &self,
        scores: ArrayView<'_, E, D>,
        weights: ArrayView<'_, E, D>,
        gradient: ArrayView<'_, E, D>,
    ) -> Result<Array<E, D>> {
        for (argument, array) in [("weights", &weights), ("gradient", &gradient)] {
            same_shape(argument, array.shape(), scores.shape())?;
        }
        let lanes = self.lanes(scores.shape())?;
        let mut out = Array::from_elem(scores.raw_dim(), E::default());
        let [scores, weights, gradient] = [scores, weights, gradient].map(|array| lanes.read(array.into_dyn()));
        let inputs = [scores.slice(), weights.slice(), gradient.slice()];
        lanes.write(out.view_mut().into_dyn(), false, |out| {
            drive(&lanes, inputs, out, |row, [scores, weights, gradient], out| {
                lanes.visible(row, scores, |scores| self.maps.of(row).upper_vjp(scores, weights, gradient, out))
            })
        })?;
        Ok(out)
    }
}
