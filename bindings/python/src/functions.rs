//! The maps of the interface, one function each. They call no Python before their kernel, so that a short row costs
//! little.

use hfy::structure::SparseMap;
use hfy::{Entmax, Map};
use pyo3::prelude::*;

use crate::forward::Call;
use crate::maps::{Maps, Parameter};
use crate::structure::{AnyStructure, regulariser_of};

/// Softmax along an axis: weights proportional to exp(beta x).
///
/// Parameters
/// ----------
/// x : array of any shape
///     float16, bfloat16 (ml_dtypes), float32 or float64 are computed and returned as such; whole numbers as float64.
/// axis : int
///     The axis that a row lies along.
/// mask : array of bool, optional
///     Broadcasts to `x`. **True = takes part**, as numpy's `where`: False hides an entry, whose weight is exactly 0. So does a
///     score of minus infinity. A row with nothing left gives zeros.
/// out : array, optional
///     Where the weights go, of the shape and dtype of `x`; may be `x` itself.
/// beta : float
///     Inverse temperature: the map is applied to `beta * x`.
/// return_support : bool
///     Whether to return (weights, sizes), sizes being how many weights of each row are not zero.
///
/// >>> import hfy
/// >>> hfy.softmax([0.0, 0.0])
/// array([0.5, 0.5])
#[pyfunction]
#[pyo3(
    signature = (x, axis=-1, *, mask=None, out=None, beta=1.0, return_support=false),
    text_signature = "(x, axis=-1, *, mask=None, out=None, beta=1.0, return_support=False)"
)]
pub(crate) fn softmax<'py>(
    x: &Bound<'py, PyAny>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    beta: f64,
    return_support: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let call = Call { axis, mask, out, return_support, bfloat16: false };
    call.run(x, |_, _| Ok(Maps::one(Map::Entmax(Entmax::SOFTMAX), beta)))
}

/// Sparsemax along an axis: the point of the simplex that is nearest to `x`, with most weights exactly 0.
///
/// One entry has all weight as soon as its score leads the next by 1.
///
/// Parameters
/// ----------
/// x : array of any shape
///     float16, bfloat16 (ml_dtypes), float32 or float64 are computed and returned as such; whole numbers as float64.
/// axis : int
///     The axis that a row lies along.
/// mask : array of bool, optional
///     Broadcasts to `x`. **True = takes part**, as numpy's `where`: False hides an entry, whose weight is exactly 0. So does a
///     score of minus infinity. A row with nothing left gives zeros.
/// out : array, optional
///     Where the weights go, of the shape and dtype of `x`; may be `x` itself.
/// beta : float
///     Inverse temperature: the map is applied to `beta * x`.
/// return_support : bool
///     Whether to return (weights, sizes), sizes being how many weights of each row are not zero.
///
/// >>> import numpy as np, hfy
/// >>> hfy.sparsemax(np.array([[-2.0, 0.0, 0.5], [3.0, 0.0, 0.0]]))
/// array([[0.  , 0.25, 0.75],
///        [1.  , 0.  , 0.  ]])
/// >>> hfy.sparsemax([2.0, 1.5, 9.0], mask=[True, True, False], return_support=True)
/// (array([0.75, 0.25, 0.  ]), array(2))
#[pyfunction]
#[pyo3(
    signature = (x, axis=-1, *, mask=None, out=None, beta=1.0, return_support=false),
    text_signature = "(x, axis=-1, *, mask=None, out=None, beta=1.0, return_support=False)"
)]
pub(crate) fn sparsemax<'py>(
    x: &Bound<'py, PyAny>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    beta: f64,
    return_support: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let call = Call { axis, mask, out, return_support, bfloat16: false };
    call.run(x, |_, _| Ok(Maps::one(Map::Entmax(Entmax::SPARSEMAX), beta)))
}

/// Alpha-entmax along an axis, for any alpha from 1 (softmax) through 2 (sparsemax) to infinity (argmax, ties shared).
///
/// One entry has all weight as soon as its score leads the next by 1 / (alpha - 1).
///
/// Parameters
/// ----------
/// x : array of any shape
///     float16, bfloat16 (ml_dtypes), float32 or float64 are computed and returned as such; whole numbers as float64.
/// alpha : float or array
///     An array holds one alpha a row: it broadcasts against `x` with its axis cut down to length one.
/// axis : int
///     The axis that a row lies along.
/// mask : array of bool, optional
///     Broadcasts to `x`. **True = takes part**, as numpy's `where`: False hides an entry, whose weight is exactly 0. So does a
///     score of minus infinity. A row with nothing left gives zeros.
/// out : array, optional
///     Where the weights go, of the shape and dtype of `x`; may be `x` itself.
/// beta : float
///     Inverse temperature: the map is applied to `beta * x`.
/// return_support : bool
///     Whether to return (weights, sizes), sizes being how many weights of each row are not zero.
///
/// >>> import numpy as np, hfy
/// >>> hfy.entmax(np.array([-2.0, 0.0, 0.5]), 1.5).round(4)
/// array([0.   , 0.326, 0.674])
/// >>> hfy.entmax(np.array([[0.0, 0.5], [0.0, 0.5]]), alpha=np.array([[1.0], [2.0]])).round(4)
/// array([[0.3775, 0.6225],
///        [0.25  , 0.75  ]])
#[pyfunction]
#[pyo3(
    signature = (x, alpha=None, axis=-1, *, mask=None, out=None, beta=1.0, return_support=false),
    text_signature = "(x, alpha=None, axis=-1, *, mask=None, out=None, beta=1.0, return_support=False)"
)]
#[allow(clippy::too_many_arguments)] // they are keywords in Python
pub(crate) fn entmax<'py>(
    x: &Bound<'py, PyAny>,
    alpha: Option<&Bound<'py, PyAny>>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    beta: f64,
    return_support: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let alpha = match alpha {
        Some(alpha) => Parameter::new("alpha", alpha)?,
        None => Parameter::One(1.5),
    };
    let call = Call { axis, mask, out, return_support, bfloat16: false };
    call.run(x, |shape, axis| Maps::entmax(&alpha, shape, axis, beta))
}

/// Gamma-normmax along an axis, for gamma above 1: the weights among the kept entries are flatter, the larger gamma is.
///
/// One entry has all weight as soon as its score leads the next by 1.
///
/// Parameters
/// ----------
/// x : array of any shape
///     float16, bfloat16 (ml_dtypes), float32 or float64 are computed and returned as such; whole numbers as float64.
/// gamma : float or array
///     An array holds one gamma a row: it broadcasts against `x` with its axis cut down to length one.
/// axis : int
///     The axis that a row lies along.
/// mask : array of bool, optional
///     Broadcasts to `x`. **True = takes part**, as numpy's `where`: False hides an entry, whose weight is exactly 0. So does a
///     score of minus infinity. A row with nothing left gives zeros.
/// out : array, optional
///     Where the weights go, of the shape and dtype of `x`; may be `x` itself.
/// beta : float
///     Inverse temperature: the map is applied to `beta * x`.
/// return_support : bool
///     Whether to return (weights, sizes), sizes being how many weights of each row are not zero.
///
/// >>> import numpy as np, hfy
/// >>> hfy.normmax(np.array([-2.0, 0.0, 0.5]), 2).round(4)
/// array([0.   , 0.311, 0.689])
#[pyfunction]
#[pyo3(
    signature = (x, gamma=None, axis=-1, *, mask=None, out=None, beta=1.0, return_support=false),
    text_signature = "(x, gamma=None, axis=-1, *, mask=None, out=None, beta=1.0, return_support=False)"
)]
#[allow(clippy::too_many_arguments)] // they are keywords in Python
pub(crate) fn normmax<'py>(
    x: &Bound<'py, PyAny>,
    gamma: Option<&Bound<'py, PyAny>>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    beta: f64,
    return_support: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let gamma = match gamma {
        Some(gamma) => Parameter::new("gamma", gamma)?,
        None => Parameter::One(2.0),
    };
    let call = Call { axis, mask, out, return_support, bfloat16: false };
    call.run(x, |shape, axis| Maps::normmax(&gamma, shape, axis, beta))
}

/// k-subsets along an axis: weights between 0 and 1 that sum to k, the marginals of sets of exactly k entries.
///
/// A set of k has weight 1 each as soon as the least of its scores leads the next by 1.
///
/// Parameters
/// ----------
/// x : array of any shape
///     float16, bfloat16 (ml_dtypes), float32 or float64 are computed and returned as such; whole numbers as float64.
/// k : float or array
///     From 0 to the length of a row, not only whole. An array holds one k a row: it broadcasts against `x` with its axis cut down
///     to length one.
/// axis : int
///     The axis that a row lies along.
/// mask : array of bool, optional
///     Broadcasts to `x`. **True = takes part**, as numpy's `where`: False hides an entry, whose weight is exactly 0. So does a
///     score of minus infinity. A row with nothing left gives zeros.
/// out : array, optional
///     Where the weights go, of the shape and dtype of `x`; may be `x` itself.
/// beta : float
///     Inverse temperature: the map is applied to `beta * x`.
/// return_support : bool
///     Whether to return (weights, sizes), sizes being how many weights of each row are not zero.
///
/// >>> import numpy as np, hfy
/// >>> hfy.subsets(np.array([0.0, 0.25, 0.5, 0.75, 1.0]), 2)
/// array([0.   , 0.125, 0.375, 0.625, 0.875])
#[pyfunction]
#[pyo3(
    signature = (x, k, axis=-1, *, mask=None, out=None, beta=1.0, return_support=false),
    text_signature = "(x, k, axis=-1, *, mask=None, out=None, beta=1.0, return_support=False)"
)]
#[allow(clippy::too_many_arguments)] // they are keywords in Python
pub(crate) fn subsets<'py>(
    x: &Bound<'py, PyAny>,
    k: &Bound<'py, PyAny>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    beta: f64,
    return_support: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let k = Parameter::new("k", k)?;
    let call = Call { axis, mask, out, return_support, bfloat16: false };
    call.run(x, |shape, axis| Maps::subsets(&k, shape, axis, beta))
}

/// Constrained sparsemax along an axis: the nearest point of the simplex whose weights do not exceed `upper`.
///
/// Parameters
/// ----------
/// x : array of any shape
///     float16, bfloat16 (ml_dtypes), float32 or float64 are computed and returned as such; whole numbers as float64.
/// upper : float or array
///     What each weight may be at most; broadcasts to `x`. The bounds of a row must sum to at least 1.
/// axis : int
///     The axis that a row lies along.
/// mask : array of bool, optional
///     Broadcasts to `x`. **True = takes part**, as numpy's `where`: False hides an entry, whose weight is exactly 0. So does a
///     score of minus infinity. A row with nothing left gives zeros.
/// out : array, optional
///     Where the weights go, of the shape and dtype of `x`; may be `x` itself.
/// beta : float
///     Inverse temperature: the map is applied to `beta * x`.
/// return_support : bool
///     Whether to return (weights, sizes), sizes being how many weights of each row are not zero.
///
/// >>> import numpy as np, hfy
/// >>> hfy.bounded(np.array([1.0, 1.0, 1.0, 0.0]), [0.25, 1.0, 1.0, 1.0])
/// array([0.25 , 0.375, 0.375, 0.   ])
#[pyfunction]
#[pyo3(
    signature = (x, upper, axis=-1, *, mask=None, out=None, beta=1.0, return_support=false),
    text_signature = "(x, upper, axis=-1, *, mask=None, out=None, beta=1.0, return_support=False)"
)]
#[allow(clippy::too_many_arguments)] // they are keywords in Python
pub(crate) fn bounded<'py>(
    x: &Bound<'py, PyAny>,
    upper: &Bound<'py, PyAny>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    beta: f64,
    return_support: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let upper = Parameter::new("upper", upper)?;
    let call = Call { axis, mask, out, return_support, bfloat16: false };
    call.run(x, |shape, axis| Maps::bounded(&upper, shape, axis, beta))
}

/// Sequential k-subsets along an axis: marginals of sets of exactly k entries, where neighbours that are both in score
/// more.
///
/// Parameters
/// ----------
/// x : array of any shape
///     float16, bfloat16 (ml_dtypes), float32 or float64 are computed and returned as such; whole numbers as float64.
/// k : int
///     How many entries a set has.
/// transition : float or array
///     What neighbours score that are both in: one number (infinity admits nothing but k neighbours), one for each of the n - 1
///     pairs, or tables of shape (n - 1, 2, 2), off or on, then off or on.
/// regulariser : "on" or "both", optional
///     Whether |y|²/2 is subtracted, or (|y|² + |1 - y|²)/2. Both, unless it is said.
/// axis : int
///     The axis that a row lies along.
/// mask : array of bool, optional
///     Broadcasts to `x`. **True = takes part**, as numpy's `where`: False hides an entry, whose weight is exactly 0. So does a
///     score of minus infinity. A row with nothing left gives zeros.
/// out : array, optional
///     Where the weights go, of the shape and dtype of `x`; may be `x` itself.
/// beta : float
///     Inverse temperature: the map is applied to `beta * x`.
/// return_support : bool
///     Whether to return (weights, sizes), sizes being how many weights of each row are not zero.
///
/// >>> import numpy as np, hfy
/// >>> hfy.sequence(np.array([0.0, 3.0, 0.0, 1.5, 4.0]), 2, 1.0, regulariser="on")
/// array([0.  , 0.75, 0.  , 0.25, 1.  ])
#[pyfunction]
#[pyo3(
    signature = (x, k, transition=None, axis=-1, *, regulariser=None, mask=None, out=None, beta=1.0,
        return_support=false),
    text_signature = "(x, k, transition=None, axis=-1, *, regulariser=None, mask=None, out=None, beta=1.0, \
        return_support=False)"
)]
#[allow(clippy::too_many_arguments)] // they are keywords in Python
pub(crate) fn sequence<'py>(
    x: &Bound<'py, PyAny>,
    k: usize,
    transition: Option<&Bound<'py, PyAny>>,
    axis: isize,
    regulariser: Option<&str>,
    mask: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    beta: f64,
    return_support: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let structure = AnyStructure::sequence(k, transition)?;
    let regulariser = regulariser.map_or(Ok(structure.regulariser), regulariser_of)?;
    let map = SparseMap::new(structure.inner.clone()).regulariser(regulariser);
    let call = Call { axis, mask, out, return_support, bfloat16: false };
    call.run(x, |_, _| Ok(Maps::structured(map, beta)))
}

/// SparseMAP along an axis: the point of the hull of some structures that is nearest to `x`, a blend of few of them.
///
/// `hfy.sparsemap_solve` gives the structures, their probabilities and gradients, too.
///
/// Parameters
/// ----------
/// x : array of any shape
///     float16, bfloat16 (ml_dtypes), float32 or float64 are computed and returned as such; whole numbers as float64.
/// structure : Structure or str
///     Which structures there are.
/// regulariser : "on" or "both", optional
///     Whether |y|²/2 is subtracted, or (|y|² + |1 - y|²)/2. Both for sequences, on for others,
///     unless it is said.
/// axis : int
///     The axis that a row lies along.
/// mask : array of bool, optional
///     Broadcasts to `x`. **True = takes part**, as numpy's `where`: False hides an entry, whose weight is exactly 0. So does a
///     score of minus infinity. A row with nothing left gives zeros.
/// out : array, optional
///     Where the weights go, of the shape and dtype of `x`; may be `x` itself.
/// beta : float
///     Inverse temperature: the map is applied to `beta * x`.
/// return_support : bool
///     Whether to return (weights, sizes), sizes being how many weights of each row are not zero.
///
/// >>> import numpy as np, hfy
/// >>> hfy.sparsemap(np.array([0.9, 0.7, 0.1, 0.6]), "sequence:2:t=0.5:reg=on").round(3)
/// array([0.725, 0.725, 0.275, 0.275])
#[pyfunction]
#[pyo3(
    signature = (x, structure, axis=-1, *, regulariser=None, mask=None, out=None, beta=1.0, return_support=false),
    text_signature = "(x, structure, axis=-1, *, regulariser=None, mask=None, out=None, beta=1.0, \
        return_support=False)"
)]
#[allow(clippy::too_many_arguments)] // they are keywords in Python
pub(crate) fn sparsemap<'py>(
    x: &Bound<'py, PyAny>,
    structure: &Bound<'py, PyAny>,
    axis: isize,
    regulariser: Option<&str>,
    mask: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    beta: f64,
    return_support: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let structure = AnyStructure::of(structure)?;
    let structure = structure.get();
    let regulariser = regulariser.map_or(Ok(structure.regulariser), regulariser_of)?;
    let map = SparseMap::new(structure.inner.clone()).regulariser(regulariser);
    let call = Call { axis, mask, out, return_support, bfloat16: false };
    call.run(x, |_, _| Ok(Maps::structured(map, beta)))
}
