//! Arrays as rows in double precision, for what is solved a row at a time.

use ndarray::{Array2, ArrayD, Axis, CowArray, IxDyn};
use numpy::PyArrayDyn;
use pyo3::prelude::*;

use crate::array::{Floats, Typed, axis_of, flags};
use crate::error::raised;
use crate::lend::lent;

/// The rows of an array, one after the other.
pub(crate) fn in_rows<T: Clone>(array: CowArray<'_, T, IxDyn>, axis: usize) -> Array2<T> {
    let n = array.shape()[axis];
    let rows = array.shape().iter().enumerate().filter(|(other, _)| *other != axis).map(|(_, n)| n).product();
    let mut moved = array.view();
    (axis..moved.ndim() - 1).for_each(|next| moved.swap_axes(next, next + 1));
    let moved = moved.as_standard_layout().into_owned();
    moved.into_shape_with_order((rows, n)).expect("as many entries as there were")
}

/// The array of a shape that has these rows along an axis.
pub(crate) fn from_rows<T>(rows: Array2<T>, shape: &[usize], axis: usize) -> ArrayD<T> {
    let mut moved = shape.to_vec();
    let n = moved.remove(axis);
    moved.push(n);
    let mut array = rows.into_shape_with_order(IxDyn(&moved)).expect("as many entries as there were");
    (axis..shape.len() - 1).rev().for_each(|next| array.swap_axes(next, next + 1));
    array
}

/// An array of any numbers, as float64.
pub(crate) fn doubles(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<ArrayD<f64>> {
    let array = Floats::new(argument, value, false)?;
    if let Floats::F64(array) = &array {
        return Ok(lent(argument, array)?.as_array().to_owned());
    }
    let wide = Floats::new(argument, &array.into_any().call_method1("astype", ("float64",))?, false)?;
    Ok(lent(argument, &Typed::<f64>::typed(&wide))?.as_array().to_owned())
}

/// An array of any numbers as float64, broadcast to a shape.
pub(crate) fn doubles_of(argument: &'static str, value: &Bound<'_, PyAny>, shape: &[usize]) -> PyResult<ArrayD<f64>> {
    let array = doubles(argument, value)?;
    match array.broadcast(IxDyn(shape)) {
        Some(wide) => Ok(wide.to_owned()),
        None => Err(raised(hfy::Error::Shape { argument, got: array.shape().to_vec(), expected: shape.to_vec() })),
    }
}

/// Scores along an axis of an array, a row each; hidden ones are minus infinity.
pub(crate) struct Rows {
    pub(crate) values: Array2<f64>,
    /// The shape of the array.
    pub(crate) shape: Vec<usize>,
    pub(crate) axis: usize,
}

impl Rows {
    pub(crate) fn new(
        argument: &'static str,
        value: &Bound<'_, PyAny>,
        axis: isize,
        mask: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut array = doubles(argument, value)?;
        let axis = axis_of(axis, array.ndim())?;
        if let Some(mask) = mask {
            let shown = flags("mask", mask)?;
            let shown = shown.as_array();
            let Some(wide) = shown.broadcast(array.raw_dim()) else {
                let (got, expected) = (shown.shape().to_vec(), array.shape().to_vec());
                return Err(raised(hfy::Error::Shape { argument: "mask", got, expected }));
            };
            array.zip_mut_with(&wide, |score, &shown| *score = if shown { *score } else { f64::NEG_INFINITY });
        }
        Ok(Rows { shape: array.shape().to_vec(), values: in_rows(array.into(), axis), axis })
    }

    /// The shape without the axis.
    pub(crate) fn outer(&self) -> Vec<usize> {
        let mut outer = self.shape.clone();
        outer.remove(self.axis);
        outer
    }

    /// Rows like these, as an array of the shape of the scores.
    pub(crate) fn give<'py>(&self, py: Python<'py>, rows: Vec<f64>) -> Bound<'py, PyArrayDyn<f64>> {
        let rows = Array2::from_shape_vec(self.values.raw_dim(), rows).expect("as many entries as there were");
        PyArrayDyn::from_owned_array(py, from_rows(rows, &self.shape, self.axis))
    }

    /// One number for each row.
    pub(crate) fn give_each<'py, T: numpy::Element>(&self, py: Python<'py>, each: Vec<T>) -> Bound<'py, PyArrayDyn<T>> {
        let each = ArrayD::from_shape_vec(IxDyn(&self.outer()), each).expect("one a row");
        PyArrayDyn::from_owned_array(py, each)
    }

    /// Rows of another length, in the order of these.
    pub(crate) fn give_wide<'py>(&self, py: Python<'py>, rows: Vec<f64>, n: usize) -> Bound<'py, PyArrayDyn<f64>> {
        let mut shape = self.outer();
        shape.push(n);
        PyArrayDyn::from_owned_array(py, ArrayD::from_shape_vec(IxDyn(&shape), rows).expect("rows of this length"))
    }

    /// Rows of `n` numbers, broadcast to as many as there are here; from an array whose last axis they lie along.
    pub(crate) fn beside(&self, argument: &'static str, value: &Bound<'_, PyAny>, n: usize) -> PyResult<Array2<f64>> {
        let mut shape = self.outer();
        shape.push(n);
        let axis = shape.len() - 1;
        Ok(in_rows(doubles_of(argument, value, &shape)?.into(), axis))
    }

    /// Rows like these, from an array of their shape.
    pub(crate) fn like(&self, argument: &'static str, value: &Bound<'_, PyAny>) -> PyResult<Array2<f64>> {
        Ok(in_rows(doubles_of(argument, value, &self.shape)?.into(), self.axis))
    }

    pub(crate) fn count(&self) -> usize {
        self.values.len_of(Axis(0))
    }

    /// A row.
    pub(crate) fn row(&self, number: usize) -> &[f64] {
        let n = self.values.ncols();
        &self.values.as_slice().expect("rows lie one after the other")[number * n..(number + 1) * n]
    }
}
