//! Patterns of a network: a matrix that is held as numpy holds it.

use hfy::Real;
use ndarray::{Array2, ArrayView2, Ix2};
use numpy::{PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

use crate::array::{Floats, Typed};
use crate::element::Stored;
use crate::error::{raised, wrong};
use crate::memory::AnyMemory;
use crate::snapshot::AnySnapshot;

/// A number that networks compute in.
pub(crate) trait Number: Real + Stored<Numpy = Self> + numpy::Element {
    const NAME: &'static str;
}

impl Number for f32 {
    const NAME: &'static str = "float32";
}

impl Number for f64 {
    const NAME: &'static str = "float64";
}

/// A matrix whose rows lie one after the other and that nobody may write to.
pub(crate) enum Matrix {
    F32(Py<PyArray2<f32>>),
    F64(Py<PyArray2<f64>>),
}

/// Runs `$body` for the type that a matrix is of, with the matrix lent.
macro_rules! with_matrix {
    ($py:expr, $matrix:expr, $view:ident: $T:ident => $body:expr) => {
        match $matrix {
            $crate::patterns::Matrix::F32(array) => {
                type $T = f32;
                let $view = $crate::patterns::lent_matrix(array.bind($py))?;
                $body
            }
            $crate::patterns::Matrix::F64(array) => {
                type $T = f64;
                let $view = $crate::patterns::lent_matrix(array.bind($py))?;
                $body
            }
        }
    };
}
pub(crate) use with_matrix;

pub(crate) fn lent_matrix<'py, T: Number>(array: &Bound<'py, PyArray2<T>>) -> PyResult<PyReadonlyArray2<'py, T>> {
    array.try_readonly().map_err(|_| wrong("patterns", "busy", "another thread is writing to this array"))
}

impl Matrix {
    /// A copy; or, where none is asked for and rows lie one after the other, the array itself. Halves become float32. A
    /// memory or a snapshot gives its patterns where they lie.
    pub(crate) fn new(argument: &'static str, value: &Bound<'_, PyAny>, copy: bool) -> PyResult<Self> {
        if let Ok(memory) = value.cast::<AnyMemory>() {
            return Self::new(argument, &AnyMemory::patterns(memory)?, false);
        }
        if let Ok(snapshot) = value.cast::<AnySnapshot>() {
            return Self::new(argument, &AnySnapshot::patterns(snapshot)?, false);
        }
        let floats = Floats::new(argument, value, false)?;
        let shape = floats.shape().to_vec();
        let [_, _] = shape.as_slice() else {
            return Err(wrong(
                argument,
                format!("an array of shape {shape:?}"),
                "a matrix was expected, one pattern a row",
            ));
        };
        if matches!(floats, Floats::F64(_)) {
            Ok(Matrix::F64(kept::<f64>(floats.into_any(), copy)?))
        } else {
            Ok(Matrix::F32(kept::<f32>(floats.into_any(), copy)?))
        }
    }

    /// The array, which cannot be written to.
    pub(crate) fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match self {
            Matrix::F32(array) => array.bind(py).clone().into_any(),
            Matrix::F64(array) => array.bind(py).clone().into_any(),
        }
    }

    /// Rows and columns.
    pub(crate) fn shape(&self, py: Python<'_>) -> (usize, usize) {
        let shape = match self {
            Matrix::F32(array) => array.bind(py).shape().to_vec(),
            Matrix::F64(array) => array.bind(py).shape().to_vec(),
        };
        (shape[0], shape[1])
    }
}

fn kept<T: Number>(array: Bound<'_, PyAny>, copy: bool) -> PyResult<Py<PyArray2<T>>> {
    let py = array.py();
    let numpy = py.import("numpy")?;
    let settings = [("order", "C"), ("dtype", T::NAME)].into_py_dict(py)?;
    let function = if copy { "array" } else { "asarray" };
    let array = numpy.call_method(function, (array,), Some(&settings))?;
    // A view of its own can be closed to writers without closing the caller's.
    let array = array.call_method0("view")?;
    array.call_method("setflags", (), Some(&[("write", false)].into_py_dict(py)?))?;
    Ok(array.cast_into::<PyArray2<T>>()?.unbind())
}

/// Queries as rows, and whether it was one vector.
pub(crate) fn query_rows<T: Number>(argument: &'static str, value: &Bound<'_, PyAny>) -> PyResult<(Array2<T>, bool)>
where
    for<'py> Floats<'py>: Typed<'py, T>,
{
    let floats = Floats::new(argument, value, false)?;
    let floats = Floats::new(argument, &floats.into_any().call_method1("astype", (T::NAME,))?, false)?;
    let array: Bound<'_, PyArrayDyn<T>> = Typed::<T>::typed(&floats);
    let owned = array.readonly().as_array().to_owned();
    let shape = owned.shape().to_vec();
    match shape.as_slice() {
        [n] => Ok((owned.into_shape_with_order((1, *n)).expect("the same entries"), true)),
        [_, _] => Ok((owned.into_dimensionality::<Ix2>().expect("two axes"), false)),
        _ => Err(raised(hfy::Error::Shape { argument, got: shape, expected: vec![1, 1] })),
    }
}

/// Rows for Python: a vector again where it was one.
pub(crate) fn give_rows<'py, T: Number>(py: Python<'py>, rows: Array2<T>, single: bool) -> Bound<'py, PyAny> {
    let n = rows.len();
    let array = if single { rows.into_shape_with_order(n).expect("one row").into_dyn() } else { rows.into_dyn() };
    PyArrayDyn::from_owned_array(py, array).into_any()
}

/// A row of a matrix.
pub(crate) fn row_of<'a, T>(rows: &'a ArrayView2<'_, T>, number: usize) -> &'a [T] {
    let n = rows.ncols();
    &rows.as_slice().expect("rows lie one after the other")[number * n..(number + 1) * n]
}

/// What a memory or a snapshot says about itself; nothing for an array.
pub(crate) fn usual(patterns: &Bound<'_, PyAny>) -> PyResult<hfy_store::Info> {
    if let Ok(memory) = patterns.cast::<AnyMemory>() {
        return Ok(memory.get().now(patterns.py())?.get().usual());
    }
    Ok(patterns.cast::<AnySnapshot>().map(|snapshot| snapshot.get().usual()).unwrap_or_default())
}
