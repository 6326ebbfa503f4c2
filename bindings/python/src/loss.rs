//! Fenchel-Young losses along an axis.

use hfy::{Element, Real, Reduction, Targets};
use ndarray::{Array2, ArrayD, ArrayViewD, IxDyn};
use numpy::{PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods, ToPyArray};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array::{Floats, Typed, array_of, axis_of, flags, with_element};
use crate::element::Stored;
use crate::error::{mistyped, raised, wrong};
use crate::lend::lent;
use crate::maps::{Maps, Parameter};
use crate::rows::{from_rows, in_rows};
use crate::threads::compute;

/// Targets as they came.
enum Given<'py> {
    Classes(Vec<i64>),
    Sets(Vec<Vec<usize>>),
    Dense(Floats<'py>),
}

/// The Fenchel-Young loss of a map, Ω(target) + Ω*(x) - x·target, of each row, and its gradient in the scores, which is
/// the weights less the target.
///
/// Parameters
/// ----------
/// map, x, parameter, axis, mask, beta
///     As for `forward`. Where `mask` is False an entry does not take part: True = keep.
/// target : array, or list of lists
///     Whole numbers, one a row: classes. Truth values of the shape of `x`, or a list of lists of classes: a set of classes a row,
///     over which the mass is spread evenly. Numbers of the shape of `x`: points of the domain of the map.
/// reduction : "mean", "sum" or "none"
///     The mean is over the rows that count: neither ignored nor entirely masked.
/// ignore_index : int, optional
///     Rows of this class do not count.
/// return_gradient : bool
///     Whether to return (loss, gradient), the gradient of what is returned, or of the sum if nothing is reduced.
///
/// >>> import numpy as np, hfy
/// >>> hfy.loss("sparsemax", np.array([[2.0, 0.0, 0.0], [0.0, 0.5, 0.0]]), [0, 1], reduction="none").round(4)
/// array([0.    , 0.0833])
#[pyfunction]
#[pyo3(
    signature = (map, x, target, parameter=None, *, axis=-1, mask=None, reduction="mean", ignore_index=None,
        beta=1.0, return_gradient=false, bfloat16=false),
    text_signature = "(map, x, target, parameter=None, *, axis=-1, mask=None, reduction='mean', ignore_index=None, \
        beta=1.0, return_gradient=False, bfloat16=False)"
)]
#[allow(clippy::too_many_arguments)] // they are keywords in Python
pub(crate) fn loss<'py>(
    map: &str,
    x: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    parameter: Option<&Bound<'py, PyAny>>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    reduction: &str,
    ignore_index: Option<i64>,
    beta: f64,
    return_gradient: bool,
    bfloat16: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let parameter = parameter.map(|value| Parameter::new("parameter", value)).transpose()?;
    let scores = Floats::new("x", x, bfloat16)?;
    let axis = axis_of(axis, scores.shape().len())?;
    let maps = Maps::named(map, parameter.as_ref(), scores.shape(), axis, beta)?;
    let given = Given::new(target, &scores, axis)?;
    let reduction = match reduction {
        "mean" => Reduction::Mean,
        "sum" => Reduction::Sum,
        "none" => Reduction::None,
        _ => return Err(wrong("reduction", format!("{reduction:?}"), "a reduction is \"mean\", \"sum\" or \"none\"")),
    };
    let shown = mask.map(|mask| flags("mask", mask)).transpose()?;
    let shown = shown.as_ref().map(|shown| broadcast_rows(shown.as_array(), scores.shape(), axis)).transpose()?;
    let scores_shape = scores.shape();
    let mut rows_shape = scores_shape.to_vec();
    rows_shape.remove(axis);
    let (classes, sets, dense) = match given {
        Given::Classes(classes) => (Some(classes), None, None),
        Given::Sets(sets) => (None, Some(sets), None),
        Given::Dense(dense) => (None, None, Some(dense)),
    };
    let (losses, gradient) = with_element!(&scores, array: E => {
        let view = lent("x", array)?;
        let dense = dense.map(|dense| lent("target", &Typed::<E>::typed(&dense))).transpose()?;
        let (view, dense) = (view.as_array(), dense.as_ref().map(|dense| dense.as_array()));
        let (losses, gradient) = compute(py, || {
            let rows = in_rows(<E as Stored>::read(view), axis);
            let dense = dense.map(|dense| in_rows(<E as Stored>::read(dense), axis));
            let targets = match (&classes, &sets, &dense) {
                (Some(classes), ..) => Targets::OneHot(classes),
                (_, Some(sets), _) => Targets::KHot(sets),
                (.., dense) => Targets::Dense(dense.as_ref().expect("one of the three was given").view()),
            };
            let settings = (reduction, ignore_index);
            maps.losses::<<E as Element>::Compute, _>(settings, shown.as_ref(), |loss| {
                if !return_gradient {
                    return Ok((loss.evaluate(rows.view(), &targets)?, None));
                }
                let (losses, gradient) = loss.with_gradient(rows.view(), &targets)?;
                Ok((losses, Some(<E as Stored>::give(from_rows(gradient, scores_shape, axis)))))
            })
        })
        .map_err(raised)?;
        let losses = match reduction {
            Reduction::None => {
                let rows = ArrayD::from_shape_vec(IxDyn(&rows_shape), losses.rows).expect("one loss a row");
                rows.to_pyarray(py).into_any()
            }
            _ => losses.value.wide().into_bound_py_any(py)?,
        };
        (losses, gradient.map(|gradient| PyArrayDyn::from_owned_array(py, gradient).into_any()))
    });
    match gradient {
        None => Ok(losses),
        Some(gradient) => Ok(PyTuple::new(py, [losses, scores.finish(gradient)?])?.into_any()),
    }
}

impl<'py> Given<'py> {
    fn new(target: &Bound<'py, PyAny>, scores: &Floats<'py>, axis: usize) -> PyResult<Self> {
        if target.cast::<PyUntypedArray>().is_err()
            && let Ok(sets) = target.extract::<Vec<Vec<usize>>>()
        {
            return Ok(Given::Sets(sets));
        }
        let array = array_of("target", target)?;
        match array.dtype().kind() {
            b'b' => {
                let members = flags("target", array.as_any())?;
                let rows = broadcast_rows(members.as_array(), scores.shape(), axis)?;
                let set = |row: ndarray::ArrayView1<'_, bool>| (0..row.len()).filter(|&i| row[i]).collect();
                Ok(Given::Sets(rows.rows().into_iter().map(set).collect()))
            }
            b'i' | b'u' => {
                let mut expected = scores.shape().to_vec();
                expected.remove(axis);
                if array.shape() != expected {
                    let got = array.shape().to_vec();
                    return Err(raised(hfy::Error::Shape { argument: "target", got, expected }));
                }
                let classes = array.call_method1("astype", ("int64",))?.cast_into::<PyArrayDyn<i64>>()?;
                Ok(Given::Classes(classes.readonly().as_array().iter().copied().collect()))
            }
            b'f' | b'V' => {
                let dense = scores.like("target", target)?;
                if dense.shape() != scores.shape() {
                    let (got, expected) = (dense.shape().to_vec(), scores.shape().to_vec());
                    return Err(raised(hfy::Error::Shape { argument: "target", got, expected }));
                }
                Ok(Given::Dense(dense))
            }
            _ => {
                let rule = "classes, sets of classes or points of the domain were expected";
                Err(mistyped("target", format!("is of dtype {}", array.dtype()), rule))
            }
        }
    }
}

/// Truth values for each entry of an array, in rows.
fn broadcast_rows(shown: ArrayViewD<'_, bool>, shape: &[usize], axis: usize) -> PyResult<Array2<bool>> {
    let wide = shown.broadcast(IxDyn(shape)).ok_or_else(|| {
        raised(hfy::Error::Shape { argument: "mask", got: shown.shape().to_vec(), expected: shape.to_vec() })
    })?;
    Ok(in_rows(wide.into(), axis))
}
