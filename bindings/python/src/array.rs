//! Arrays as they come from Python, and as they go back.

use half::{bf16, f16};
use numpy::npyffi::NPY_TYPES;
use numpy::{
    PyArrayDescr, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::element::Stored;
use crate::error::{mistyped, wrong};

/// More axes than these cannot be seen from here.
const MOST_AXES: usize = 32;

/// An array of floating-point numbers.
pub(crate) enum Floats<'py> {
    F32(Bound<'py, PyArrayDyn<f32>>),
    F64(Bound<'py, PyArrayDyn<f64>>),
    F16(Bound<'py, PyArrayDyn<f16>>),
    /// With the type that it had, where that was one for such numbers.
    Bf16(Bound<'py, PyArrayDyn<u16>>, Option<Bound<'py, PyArrayDescr>>),
}

/// Runs `$body` for the element type that an array has.
macro_rules! with_element {
    ($floats:expr, $array:ident: $E:ident => $body:expr) => {
        match $floats {
            $crate::array::Floats::F32($array) => {
                type $E = f32;
                $body
            }
            $crate::array::Floats::F64($array) => {
                type $E = f64;
                $body
            }
            $crate::array::Floats::F16($array) => {
                type $E = half::f16;
                $body
            }
            $crate::array::Floats::Bf16($array, _) => {
                type $E = half::bf16;
                $body
            }
        }
    };
}
pub(crate) use with_element;

const F16: i32 = NPY_TYPES::NPY_HALF as i32;
const F32: i32 = NPY_TYPES::NPY_FLOAT as i32;
const F64: i32 = NPY_TYPES::NPY_DOUBLE as i32;
const U16: i32 = NPY_TYPES::NPY_USHORT as i32;

impl<'py> Floats<'py> {
    /// Floating-point arrays as they are; whole numbers and truth values as `float64`, and so lists and whatever else
    /// numpy makes an array of. `bits` says that numbers of 16 bits without a sign are those of `bfloat16`.
    pub(crate) fn new(argument: &str, value: &Bound<'py, PyAny>, bits: bool) -> PyResult<Self> {
        let array = array_of(argument, value)?;
        let dtype = array.dtype();
        match dtype.num() {
            F32 => Ok(Floats::F32(native(argument, array, "float32")?)),
            F64 => Ok(Floats::F64(native(argument, array, "float64")?)),
            F16 => Ok(Floats::F16(native(argument, array, "float16")?)),
            U16 if bits => Ok(Floats::Bf16(native(argument, array, "uint16")?, None)),
            _ if is_bfloat16(&dtype) => {
                let seen = array.call_method1("view", ("uint16",))?.cast_into::<PyUntypedArray>()?;
                Ok(Floats::Bf16(native(argument, seen, "uint16")?, Some(dtype)))
            }
            _ if b"biuf".contains(&dtype.kind()) => Ok(Floats::F64(native(argument, array, "float64")?)),
            _ => {
                let what = format!("is of dtype {dtype}");
                Err(mistyped(argument, what, "an array of real numbers was expected"))
            }
        }
    }

    /// Another array, in the element type of this one.
    pub(crate) fn like(&self, argument: &str, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        let other = Floats::new(argument, value, matches!(self, Floats::Bf16(..)))?;
        Ok(match (self, other) {
            (Floats::F32(_), Floats::F32(array)) => Floats::F32(array),
            (Floats::F64(_), Floats::F64(array)) => Floats::F64(array),
            (Floats::F16(_), Floats::F16(array)) => Floats::F16(array),
            (Floats::Bf16(_, dtype), Floats::Bf16(array, _)) => Floats::Bf16(array, dtype.clone()),
            (_, other) => self.converted(argument, &other.into_any())?,
        })
    }

    fn converted(&self, argument: &str, other: &Bound<'py, PyAny>) -> PyResult<Self> {
        let name = match self {
            Floats::F32(_) => "float32",
            Floats::F64(_) => "float64",
            Floats::F16(_) => "float16",
            Floats::Bf16(_, Some(dtype)) => {
                return Floats::new(argument, &other.call_method1("astype", (dtype,))?, true);
            }
            Floats::Bf16(_, None) => {
                let rule = "beside bits of bfloat16 an array must be of uint16 too";
                return Err(mistyped(argument, format!("is of dtype {}", other.getattr("dtype")?), rule));
            }
        };
        Floats::new(argument, &other.call_method1("astype", (name,))?, false)
    }

    /// The array, with the type that it had.
    pub(crate) fn into_any(self) -> Bound<'py, PyAny> {
        match self {
            Floats::Bf16(array, Some(dtype)) => array.call_method1("view", (dtype,)).expect("bits of the same size"),
            floats => with_element!(floats, array: E => {
                let _: Option<E> = None;
                array.into_any()
            }),
        }
    }

    pub(crate) fn shape(&self) -> &[usize] {
        with_element!(self, array: E => {
            let _: Option<E> = None;
            array.shape()
        })
    }

    /// The type of its elements.
    pub(crate) fn dtype(&self) -> Bound<'py, PyArrayDescr> {
        match self {
            Floats::Bf16(_, Some(dtype)) => dtype.clone(),
            floats => with_element!(floats, array: E => {
                let _: Option<E> = None;
                array.dtype()
            }),
        }
    }

    /// What an array that is like this one has to be viewed as before it is given back.
    pub(crate) fn finish(&self, array: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Floats::Bf16(_, Some(dtype)) => array.call_method1("view", (dtype,)),
            _ => Ok(array),
        }
    }
}

/// The array of an element type that this one is known to be of.
pub(crate) trait Typed<'py, E: Stored> {
    fn typed(&self) -> Bound<'py, PyArrayDyn<E::Numpy>>;
}

macro_rules! typed {
    ($($variant:ident => $t:ty),*) => {$(
        impl<'py> Typed<'py, $t> for Floats<'py> {
            fn typed(&self) -> Bound<'py, PyArrayDyn<<$t as Stored>::Numpy>> {
                match self {
                    Floats::$variant(array, ..) => array.clone(),
                    _ => unreachable!("arrays were brought to one type"),
                }
            }
        }
    )*};
}

typed!(F32 => f32, F64 => f64, F16 => f16, Bf16 => bf16);

/// A function of numpy, looked up once.
pub(crate) fn numpy_function<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let found = cell.get_or_try_init(py, || Ok::<_, PyErr>(py.import("numpy")?.getattr(name)?.unbind()))?;
    Ok(found.bind(py).clone())
}

/// The array that a value is, or what numpy makes of it.
pub(crate) fn array_of<'py>(argument: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    static ASARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let array = match value.cast_exact::<PyUntypedArray>() {
        Ok(array) => array.clone(),
        Err(_) => {
            if value.cast::<PyUntypedArray>().is_ok() && value.hasattr("filled")? {
                let rule = "give its data, and its mask as mask=~x.mask";
                return Err(mistyped(argument, "is a masked array", rule));
            }
            numpy_function(py, &ASARRAY, "asarray")?.call1((value,))?.cast_into::<PyUntypedArray>()?
        }
    };
    if array.ndim() > MOST_AXES {
        return Err(wrong(argument, format!("{} axes", array.ndim()), "an array must have at most 32 axes"));
    }
    Ok(array)
}

/// The array with its elements in the machine's order, where Rust can look at them: copied if they are not.
fn native<'py, N: numpy::Element>(
    argument: &str,
    array: Bound<'py, PyUntypedArray>,
    dtype: &str,
) -> PyResult<Bound<'py, PyArrayDyn<N>>> {
    match array.cast::<PyArrayDyn<N>>() {
        Ok(array) if is_regular(array) => Ok(array.clone()),
        _ => {
            let copy = array.call_method1("astype", (dtype,))?;
            let rule = "an array of real numbers was expected";
            copy.cast_into::<PyArrayDyn<N>>().map_err(|_| mistyped(argument, "cannot be converted", rule))
        }
    }
}

/// Whether elements lie at multiples of their size.
pub(crate) fn is_regular<N: numpy::Element>(array: &Bound<'_, PyArrayDyn<N>>) -> bool {
    array.is_aligned() && array.strides().iter().all(|stride| stride.unsigned_abs() % size_of::<N>() == 0)
}

pub(crate) fn is_bfloat16(dtype: &Bound<'_, PyArrayDescr>) -> bool {
    dtype.itemsize() == 2 && dtype.getattr("name").and_then(|name| name.eq("bfloat16")).unwrap_or(false)
}

/// The axis that a number counted from either end means.
pub(crate) fn axis_of(axis: isize, axes: usize) -> PyResult<usize> {
    let from_front = if axis < 0 { axis + axes as isize } else { axis };
    if axes == 0 {
        return Err(wrong("axis", axis, "a single number has no axis; give at least one row"));
    }
    if (0..axes as isize).contains(&from_front) {
        return Ok(from_front as usize);
    }
    Err(wrong("axis", axis, &format!("an array with {axes} axes has those from -{axes} to {}", axes - 1)))
}

/// An array of truth values.
pub(crate) fn flags<'py>(argument: &str, value: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, bool>> {
    let array = array_of(argument, value)?;
    match array.cast::<PyArrayDyn<bool>>() {
        Ok(array) => Ok(array.readonly()),
        Err(_) => {
            let what = format!("is of dtype {}", array.dtype());
            Err(mistyped(argument, what, "an array of bool was expected, True for what takes part"))
        }
    }
}
