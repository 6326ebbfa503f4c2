//! Arrays that a kernel reads and writes.

use ndarray::{ArrayD, ArrayViewD};
use numpy::{
    BorrowError, PyArrayDescr, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::array::{is_bfloat16, is_regular, numpy_function};
use crate::error::{mistyped, raised, wrong};

/// An array, lent for reading.
pub(crate) fn lent<'py, N: numpy::Element>(
    argument: &str,
    array: &Bound<'py, PyArrayDyn<N>>,
) -> PyResult<PyReadonlyArrayDyn<'py, N>> {
    array.try_readonly().map_err(|_| wrong(argument, "busy", "another thread is writing to this array"))
}

/// What a result is computed from.
pub(crate) enum Source<'py, N: numpy::Element> {
    /// The array that it is written to.
    Same,
    Lent(PyReadonlyArrayDyn<'py, N>),
    /// As numpy does where the two overlap.
    Copied(ArrayD<N>),
}

impl<'py, N: numpy::Element + Copy> Source<'py, N> {
    /// Lends an array for reading and another one for writing, which may be the same.
    pub(crate) fn beside(
        argument: &str,
        array: &Bound<'py, PyArrayDyn<N>>,
        out: &Bound<'py, PyArrayDyn<N>>,
    ) -> PyResult<(Self, PyReadwriteArrayDyn<'py, N>)> {
        let refused = |error| match error {
            BorrowError::NotWriteable => wrong("out", "a read-only array", "an output must be writeable"),
            _ => wrong("out", "busy", "another thread is using this array"),
        };
        if out.data() == array.data() && out.strides() == array.strides() && out.shape() == array.shape() {
            return Ok((Source::Same, out.try_readwrite().map_err(refused)?));
        }
        let reading = lent(argument, array)?;
        match out.try_readwrite() {
            Ok(writing) => Ok((Source::Lent(reading), writing)),
            Err(BorrowError::AlreadyBorrowed) => {
                let copy = reading.as_array().to_owned();
                drop(reading);
                Ok((Source::Copied(copy), out.try_readwrite().map_err(refused)?))
            }
            Err(error) => Err(refused(error)),
        }
    }

    /// The array; none where it is that which is written to.
    pub(crate) fn view(&self) -> Option<ArrayViewD<'_, N>> {
        match self {
            Source::Same => None,
            Source::Lent(array) => Some(array.as_array()),
            Source::Copied(array) => Some(array.view()),
        }
    }
}

/// From this many entries on, clearing an array before it is filled costs more than asking numpy for one that is not
/// cleared.
const MANY: usize = 1 << 14;

/// A new array to be filled.
pub(crate) fn fresh<'py, N: numpy::Element>(py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyArrayDyn<N>>> {
    static EMPTY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if shape.iter().product::<usize>() < MANY {
        return Ok(PyArrayDyn::<N>::zeros(py, shape, false));
    }
    let shape = PyTuple::new(py, shape)?;
    let array = numpy_function(py, &EMPTY, "empty")?.call1((shape, numpy::dtype::<N>(py)))?;
    Ok(array.cast_into::<PyArrayDyn<N>>()?)
}

/// The output that a caller gave, checked.
pub(crate) fn output<'py, N: numpy::Element>(
    value: &Bound<'py, PyAny>,
    shape: &[usize],
    dtype: &Bound<'py, PyArrayDescr>,
) -> PyResult<Bound<'py, PyArrayDyn<N>>> {
    let is_right = |array: &Bound<'py, PyUntypedArray>| -> PyResult<bool> { array.dtype().eq(dtype) };
    let Ok(array) = value.cast::<PyUntypedArray>() else {
        return Err(mistyped("out", format!("is a {}", value.get_type().name()?), "it must be a numpy array"));
    };
    if !is_right(array)? {
        let rule = format!("it must be of {dtype}, as what is computed is");
        return Err(mistyped("out", format!("is of dtype {}", array.dtype()), &rule));
    }
    if array.shape() != shape {
        let (got, expected) = (array.shape().to_vec(), shape.to_vec());
        return Err(raised(hfy::Error::Shape { argument: "out", got, expected }));
    }
    let seen =
        if is_bfloat16(&array.dtype()) { array.call_method1("view", ("uint16",))? } else { array.clone().into_any() };
    let seen = seen.cast_into::<PyArrayDyn<N>>()?;
    let overlaps = seen.strides().iter().zip(shape).any(|(&stride, &n)| stride == 0 && n > 1);
    if !is_regular(&seen) || overlaps {
        return Err(wrong("out", "an irregular view", "its entries must be aligned, each in a place of its own"));
    }
    Ok(seen)
}
