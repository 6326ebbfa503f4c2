//! Rows of a batch: any axis of an n-dimensional array, masked, in parallel, without an allocation a row.

mod derivatives;
mod maps;
mod mask;
mod rows;

pub(crate) use maps::Maps;
pub use mask::Mask;
pub(crate) use rows::{Lanes, drive};
use rows::{drive_from, drive_spans, grow};

use ndarray::{Array, ArrayView, ArrayViewMut, Axis, Dimension, RemoveAxis};
use num_traits::Float;

use crate::convex::{Convex, Outcome};
use crate::error::{Error, Result};
use crate::real::{Element, from_copy};
use crate::separation::{Separation, Support};

/// What happened to the rows of a batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many rows there were.
    pub rows: usize,
    /// Rows that were entirely masked and came out as zeros, counted in the order of the other axes.
    pub empty: Vec<usize>,
}

impl Report {
    pub(crate) fn of(outcomes: &[Outcome]) -> Self {
        let empty = outcomes.iter().enumerate().filter(|(_, o)| **o == Outcome::Empty).map(|(row, _)| row);
        Report { rows: outcomes.len(), empty: empty.collect() }
    }
}

/// A map applied along one axis of an array.
///
/// Rows run in parallel unless [`serial`](Batch::serial) is asked for (or the feature `rayon` is off). Arrays whose
/// axis is contiguous are worked on where they lie; others, and half types, pass through one buffer.
///
/// ```
/// use hfy::{Batch, Entmax, Mask};
/// use ndarray::{Axis, array};
///
/// let scores = array![[1.0, 0.0], [0.2, 3.0], [0.9, 0.0]];
/// let hidden = array![[false, false], [false, true], [false, true]];
/// let batch = Batch::new(&Entmax::SPARSEMAX).axis(Axis(0)).mask(Mask::hiding(hidden.view()));
/// let (weights, report) = batch.map(scores.view())?;
/// assert_eq!(weights.column(1), array![1.0, 0.0, 0.0]);
/// assert_eq!((report.rows, report.empty.len()), (2, 0));
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Batch<'a, F: ?Sized> {
    maps: Maps<'a, F>,
    axis: Option<Axis>,
    mask: Option<Mask<'a>>,
    serial: bool,
}

impl<'a, F: ?Sized> Batch<'a, F> {
    /// The map along the last axis, unmasked, in parallel.
    pub fn new(map: &'a F) -> Self {
        Batch { maps: Maps::One(map), axis: None, mask: None, serial: false }
    }

    /// A map for each row, in the order of the other axes: the i-th row by the i-th map.
    ///
    /// ```
    /// use hfy::{Batch, Entmax};
    /// use ndarray::array;
    ///
    /// let scores = array![[2.0, 0.5], [2.0, 0.5]];
    /// let (weights, _) = Batch::each(&[&Entmax::SPARSEMAX, &Entmax::SOFTMAX]).map(scores.view())?;
    /// assert_eq!(weights.row(0), array![1.0, 0.0]);
    /// assert!(weights[[1, 1]] > 0.0);
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn each(maps: &'a [&'a F]) -> Self {
        Batch { maps: Maps::Each(maps), axis: None, mask: None, serial: false }
    }

    /// Along another axis.
    pub fn axis(mut self, axis: Axis) -> Self {
        self.axis = Some(axis);
        self
    }

    /// With some entries hidden.
    pub fn mask<'m: 'a>(mut self, mask: Mask<'m>) -> Self {
        self.mask = Some(mask.shortened());
        self
    }

    /// On the calling thread alone.
    pub fn serial(mut self) -> Self {
        self.serial = true;
        self
    }

    fn lanes(&self, shape: &[usize]) -> Result<Lanes> {
        let axis = match self.axis {
            Some(Axis(axis)) if axis >= shape.len() => {
                return Err(Error::parameter("axis", axis, "the axis must be one of the array's"));
            }
            Some(Axis(axis)) => axis,
            None if shape.is_empty() => {
                return Err(Error::shape("scores", shape, &[1]));
            }
            None => shape.len() - 1,
        };
        let hidden = self.mask.as_ref().map(|m| m.hidden(shape, axis)).transpose()?;
        let lanes = Lanes::new(shape, axis, self.serial, hidden);
        self.maps.check(lanes.rows())?;
        Ok(lanes)
    }
}

fn same_shape(argument: &'static str, got: &[usize], expected: &[usize]) -> Result<()> {
    if got == expected { Ok(()) } else { Err(Error::shape(argument, got, expected)) }
}

impl<F: ?Sized> Batch<'_, F> {
    /// The weights, in a new array.
    pub fn map<E: Element, D: Dimension + RemoveAxis>(
        &self,
        scores: ArrayView<'_, E, D>,
    ) -> Result<(Array<E, D>, Report)>
    where
        F: Convex<E::Compute>,
    {
        let (lanes, shape) = (self.lanes(scores.shape())?, scores.raw_dim());
        if !lanes.in_order(shape.ndim()) {
            let mut out = Array::from_elem(shape, E::default());
            let report = self.map_into(scores, out.view_mut())?;
            return Ok((out, report));
        }
        let from = lanes.read(scores.into_dyn());
        let (rows, outcomes) = grow(&lanes, |first, rows| self.map_rows(&lanes, first, from.slice(), rows))?;
        Ok((Array::from_shape_vec(shape, rows).expect("as many entries as there were"), Report::of(&outcomes)))
    }

    /// The weights, into a caller's array of the same shape.
    pub fn map_into<E: Element, D: Dimension + RemoveAxis>(
        &self,
        scores: ArrayView<'_, E, D>,
        mut out: ArrayViewMut<'_, E, D>,
    ) -> Result<Report>
    where
        F: Convex<E::Compute>,
    {
        same_shape("out", out.shape(), scores.shape())?;
        let lanes = self.lanes(scores.shape())?;
        let from = lanes.read(scores.into_dyn());
        let outcomes =
            lanes.write(out.view_mut().into_dyn(), false, |to| self.map_rows(&lanes, 0, from.slice(), to))?;
        Ok(Report::of(&outcomes))
    }

    /// The weights of the rows from number `first` on.
    fn map_rows<E: Element>(&self, lanes: &Lanes, first: usize, from: &[E], to: &mut [E]) -> Result<Vec<Outcome>>
    where
        F: Convex<E::Compute>,
    {
        if let Some(map) = self.together(lanes) {
            return drive_spans(lanes, first, lanes.rows_a_span(), [from], to, |row, [scores], to, outcomes| {
                lanes.visible(row, scores, |scores| {
                    map.argmax_rows(scores, lanes.length(), to, &mut |outcome| outcomes.push(outcome))
                })
            });
        }
        drive_from(lanes, first, [from], to, |row, [scores], to| {
            if !lanes.hides() {
                return self.maps.of(row).argmax_into(scores, to);
            }
            to.copy_from_slice(scores);
            lanes.hide(row, to);
            self.maps.of(row).argmax(to)
        })
    }

    /// The map of short rows, which are worked on together.
    fn together(&self, lanes: &Lanes) -> Option<&F> {
        match self.maps {
            Maps::One(map) if lanes.rows_a_span() > 1 => Some(map),
            _ => None,
        }
    }

    /// The weights, over the scores. If a row is at fault, rows before it may already have been written.
    pub fn map_in_place<E: Element, D: Dimension + RemoveAxis>(
        &self,
        mut scores: ArrayViewMut<'_, E, D>,
    ) -> Result<Report>
    where
        F: Convex<E::Compute>,
    {
        let lanes = self.lanes(scores.shape())?;
        let outcomes = lanes.write(scores.view_mut().into_dyn(), true, |rows| {
            if let Some(map) = self.together(&lanes) {
                return drive_spans(&lanes, 0, lanes.rows_a_span(), [], rows, |row, [], to, outcomes| {
                    from_copy(to, |scores, to| {
                        lanes.hide(row, scores);
                        map.argmax_rows(scores, lanes.length(), to, &mut |outcome| outcomes.push(outcome))
                    })
                });
            }
            drive(&lanes, [], rows, |row, [], to| {
                lanes.hide(row, to);
                self.maps.of(row).argmax(to)
            })
        })?;
        Ok(Report::of(&outcomes))
    }

    /// `gradient ← Jᵀ gradient` for each row, from the scores and the weights that the map gave for them.
    pub fn vjp<E: Element, D: Dimension + RemoveAxis>(
        &self,
        scores: ArrayView<'_, E, D>,
        weights: ArrayView<'_, E, D>,
        mut gradient: ArrayViewMut<'_, E, D>,
    ) -> Result<()>
    where
        F: Convex<E::Compute>,
    {
        same_shape("weights", weights.shape(), scores.shape())?;
        same_shape("gradient", gradient.shape(), scores.shape())?;
        let lanes = self.lanes(scores.shape())?;
        let (scores, weights) = (lanes.read(scores.into_dyn()), lanes.read(weights.into_dyn()));
        lanes.write(gradient.view_mut().into_dyn(), true, |g| {
            drive(&lanes, [scores.slice(), weights.slice()], g, |row, [scores, weights], g| {
                lanes.visible(row, scores, |scores| self.maps.of(row).vjp(scores, weights, g))
            })
        })?;
        Ok(())
    }

    /// `gradient ← Jᵀ gradient` for each row, from the weights alone. Masks need not be given again where a weight of
    /// zero has a gradient of zero, which the identity and its like do not grant.
    pub fn pullback<E: Element, D: Dimension + RemoveAxis>(
        &self,
        weights: ArrayView<'_, E, D>,
        mut gradient: ArrayViewMut<'_, E, D>,
    ) -> Result<()>
    where
        F: Separation<E::Compute>,
    {
        same_shape("gradient", gradient.shape(), weights.shape())?;
        let lanes = self.lanes(weights.shape())?;
        let weights = lanes.read(weights.into_dyn());
        lanes.write(gradient.view_mut().into_dyn(), true, |g| {
            if let Some(map) = self.together(&lanes) {
                return drive_spans(&lanes, 0, lanes.rows_a_span(), [weights.slice()], g, |row, [weights], g, done| {
                    from_copy(g, |gradient, g| {
                        lanes.silence(row, gradient);
                        map.pullback_rows(weights, gradient, lanes.length(), g, &mut || done.push(()))
                    })
                });
            }
            drive(&lanes, [weights.slice()], g, |row, [weights], g| {
                lanes.silence(row, g);
                self.maps.of(row).pullback(weights, g)
            })
        })?;
        Ok(())
    }

    /// `out ← Jᵀ gradient` for each row, from the weights alone: [`pullback`](Self::pullback) that keeps its argument.
    pub fn pullback_into<E: Element, D: Dimension + RemoveAxis>(
        &self,
        weights: ArrayView<'_, E, D>,
        gradient: ArrayView<'_, E, D>,
        mut out: ArrayViewMut<'_, E, D>,
    ) -> Result<()>
    where
        F: Separation<E::Compute>,
    {
        same_shape("gradient", gradient.shape(), weights.shape())?;
        same_shape("out", out.shape(), weights.shape())?;
        let lanes = self.lanes(weights.shape())?;
        let (weights, gradient) = (lanes.read(weights.into_dyn()), lanes.read(gradient.into_dyn()));
        lanes.write(out.view_mut().into_dyn(), false, |out| {
            self.pull_rows(&lanes, 0, [weights.slice(), gradient.slice()], out)
        })?;
        Ok(())
    }

    /// The gradients in the scores of the rows from number `first` on.
    fn pull_rows<E: Element>(&self, lanes: &Lanes, first: usize, inputs: [&[E]; 2], out: &mut [E]) -> Result<Vec<()>>
    where
        F: Separation<E::Compute>,
    {
        if let Some(map) = self.together(lanes) {
            return drive_spans(
                lanes,
                first,
                lanes.rows_a_span(),
                inputs,
                out,
                |row, [weights, gradient], out, done| {
                    lanes.with_silent(row, gradient, |gradient| {
                        map.pullback_rows(weights, gradient, lanes.length(), out, &mut || done.push(()))
                    })
                },
            );
        }
        drive_from(lanes, first, inputs, out, |row, [weights, gradient], out| {
            if !lanes.hides() {
                return self.maps.of(row).pullback_into(weights, gradient, out);
            }
            out.copy_from_slice(gradient);
            lanes.silence(row, out);
            self.maps.of(row).pullback(weights, out)
        })
    }

    /// `Jᵀ gradient` for each row, from the weights alone, in a new array.
    pub fn pulled_back<E: Element, D: Dimension + RemoveAxis>(
        &self,
        weights: ArrayView<'_, E, D>,
        gradient: ArrayView<'_, E, D>,
    ) -> Result<Array<E, D>>
    where
        F: Separation<E::Compute>,
    {
        let (lanes, shape) = (self.lanes(weights.shape())?, weights.raw_dim());
        if !lanes.in_order(shape.ndim()) {
            let mut out = Array::from_elem(shape, E::default());
            self.pullback_into(weights, gradient, out.view_mut())?;
            return Ok(out);
        }
        same_shape("gradient", gradient.shape(), weights.shape())?;
        let (weights, gradient) = (lanes.read(weights.into_dyn()), lanes.read(gradient.into_dyn()));
        let inputs = [weights.slice(), gradient.slice()];
        let (rows, _) = grow(&lanes, |first, rows| self.pull_rows(&lanes, first, inputs, rows))?;
        Ok(Array::from_shape_vec(shape, rows).expect("as many entries as there were"))
    }

    /// The support of each row, in the order of the other axes.
    pub fn supports<E: Element, D: Dimension + RemoveAxis>(
        &self,
        scores: ArrayView<'_, E, D>,
    ) -> Result<Vec<Support<E::Compute>>>
    where
        F: Separation<E::Compute>,
    {
        let lanes = self.lanes(scores.shape())?;
        let mut rows: Vec<E> = lanes.read(scores.into_dyn()).slice().to_vec();
        drive(&lanes, [], &mut rows, |row, [], scores| {
            lanes.hide(row, scores);
            let mut support = Support::default();
            self.maps.of(row).support(scores, &mut support)?;
            Ok(support)
        })
    }

    /// The derivative of `gradient · ŷ` of each row in the map's own parameter, from the weights.
    pub fn parameter_vjp<E: Element, D: Dimension + RemoveAxis>(
        &self,
        weights: ArrayView<'_, E, D>,
        gradient: ArrayView<'_, E, D>,
    ) -> Result<Array<E::Compute, D::Smaller>>
    where
        F: Separation<E::Compute>,
    {
        same_shape("gradient", gradient.shape(), weights.shape())?;
        let lanes = self.lanes(weights.shape())?;
        let shape = weights.raw_dim().remove_axis(Axis(lanes.axis()));
        let weights = lanes.read(weights.into_dyn());
        let mut rows: Vec<E> = lanes.read(gradient.into_dyn()).slice().to_vec();
        let values = drive(&lanes, [weights.slice()], &mut rows, |row, [weights], g| {
            lanes.silence(row, g);
            let absent = Error::Unsupported { function: "this map", what: "a parameter of its own" };
            self.maps.of(row).parameter_vjp(weights, g)?.ok_or(absent)
        })?;
        Ok(Array::from_shape_vec(shape, values).expect("one value a row"))
    }

    /// The second derivative of each row: `out ← ∇_θ (u · J(θ) w)`.
    pub fn second_vjp<E: Element, D: Dimension + RemoveAxis>(
        &self,
        scores: ArrayView<'_, E, D>,
        weights: ArrayView<'_, E, D>,
        u: ArrayView<'_, E, D>,
        w: ArrayView<'_, E, D>,
    ) -> Result<Array<E, D>>
    where
        F: Convex<E::Compute>,
    {
        for (argument, array) in [("weights", &weights), ("u", &u), ("w", &w)] {
            same_shape(argument, array.shape(), scores.shape())?;
        }
        let lanes = self.lanes(scores.shape())?;
        let mut out = Array::from_elem(scores.raw_dim(), E::default());
        let [scores, weights, u, w] = [scores, weights, u, w].map(|array| lanes.read(array.into_dyn()));
        let inputs = [scores.slice(), weights.slice(), u.slice(), w.slice()];
        lanes.write(out.view_mut().into_dyn(), false, |out| {
            drive(&lanes, inputs, out, |row, [scores, weights, u, w], out| {
                lanes.visible(row, scores, |scores| self.maps.of(row).second_vjp(scores, weights, u, w, out))?;
                lanes.silence(row, out);
                Ok(())
            })
        })?;
        Ok(out)
    }

    /// The conjugate of each row, in an array without the axis; minus infinity for rows that are entirely masked.
    pub fn conjugate<E: Element, D: Dimension + RemoveAxis>(
        &self,
        scores: ArrayView<'_, E, D>,
    ) -> Result<Array<E::Compute, D::Smaller>>
    where
        F: Convex<E::Compute>,
    {
        let lanes = self.lanes(scores.shape())?;
        let shape = scores.raw_dim().remove_axis(Axis(lanes.axis()));
        let mut rows: Vec<E> = lanes.read(scores.into_dyn()).slice().to_vec();
        let values = drive(&lanes, [], &mut rows, |row, [], scores| {
            lanes.hide(row, scores);
            if scores.iter().all(|&s| s == E::Compute::neg_infinity()) {
                return Ok(E::Compute::neg_infinity());
            }
            self.maps.of(row).conjugate(scores)
        })?;
        Ok(Array::from_shape_vec(shape, values).expect("one value a row"))
    }
}
