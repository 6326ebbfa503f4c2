//! Derivatives of maps along an axis, mostly from their weights alone.

use hfy::{Batch, Element, Mask, Quadratic, Real, Scaled};
use ndarray::{ArrayD, Axis};
use numpy::{PyArrayDyn, PyUntypedArrayMethods, ToPyArray};
use pyo3::prelude::*;

use crate::array::{Floats, Typed, axis_of, flags, with_element};
use crate::element::Stored;
use crate::error::raised;
use crate::lend::{Source, fresh, lent, output};
use crate::maps::{Maps, Parameter, bounds, summed};
use crate::threads::compute;

/// The gradient in the scores: `J g` for the weights of a map and the gradient `g` upstream, in a new array or in
/// `out`, which may be `gradient` itself.
///
/// J is symmetric: this is the product of the Jacobian with a direction, too. A mask need not be given again for maps
/// onto the simplex and the like, whose masked weights are zero.
///
/// >>> import numpy as np
/// >>> from hfy import _hfy
/// >>> weights = _hfy.forward("sparsemax", np.array([0.0, 0.5, -2.0]))
/// >>> _hfy.pullback("sparsemax", weights, np.array([1.0, 0.0, 0.0]))
/// array([ 0.5, -0.5,  0. ])
#[pyfunction]
#[pyo3(
    signature = (map, weights, gradient, parameter=None, *, axis=-1, mask=None, out=None, beta=1.0, bfloat16=false),
    text_signature = "(map, weights, gradient, parameter=None, *, axis=-1, mask=None, out=None, beta=1.0, \
        bfloat16=False)"
)]
#[allow(clippy::too_many_arguments)] // they are keywords in Python
pub(crate) fn pullback<'py>(
    map: &str,
    weights: &Bound<'py, PyAny>,
    gradient: &Bound<'py, PyAny>,
    parameter: Option<&Bound<'py, PyAny>>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    beta: f64,
    bfloat16: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = weights.py();
    let parameter = parameter.map(|value| Parameter::new("parameter", value)).transpose()?;
    let weights = Floats::new("weights", weights, bfloat16)?;
    let gradient = weights.like("gradient", gradient)?;
    let axis = axis_of(axis, weights.shape().len())?;
    let maps = Maps::named(map, parameter.as_ref(), weights.shape(), axis, beta)?;
    let shown = mask.map(|mask| flags("mask", mask)).transpose()?;
    let shown = shown.as_ref().map(|shown| shown.as_array());
    let pulled = with_element!(&weights, array: E => {
        let gradient = Typed::<E>::typed(&gradient);
        same_shape("gradient", gradient.shape(), array.shape())?;
        let target = match out {
            None => fresh::<<E as Stored>::Numpy>(py, array.shape())?,
            Some(out) => output(out, array.shape(), &weights.dtype())?,
        };
        let array = lent("weights", array)?;
        {
            let (source, mut to) = Source::beside("gradient", &gradient, &target)?;
            let (y, g, to) = (array.as_array(), source.view(), to.as_array_mut());
            compute(py, || {
                <E as Stored>::write(to, g.is_none(), |mut to| {
                    maps.batch::<<E as Element>::Compute, _>(axis, shown, |batch| {
                        let y = <E as Stored>::read(y);
                        match g {
                            Some(g) => batch.pullback_into(y.view(), <E as Stored>::read(g).view(), to.view_mut()),
                            None => batch.pullback(y.view(), to.view_mut()),
                        }
                    })
                })
            })
            .map_err(raised)?;
        }
        target.into_any()
    });
    match out {
        Some(out) => Ok(out.clone()),
        None => weights.finish(pulled),
    }
}

/// The gradient in the parameter of a map (alpha, gamma, k, r), from its weights and the gradient upstream: an array of
/// the shape of `parameter`, in float64. Where `mask` is False an entry does not take part: True = keep.
///
/// >>> import numpy as np
/// >>> from hfy import _hfy
/// >>> weights = _hfy.forward("entmax", np.array([-1.0, 0.0, 0.5]), 1.33)
/// >>> float(_hfy.parameter_vjp("entmax", weights, np.array([1.0, 0.0, 0.0]), 1.33).round(4))
/// -0.2562
#[pyfunction]
#[pyo3(
    signature = (map, weights, gradient, parameter, *, axis=-1, mask=None, bfloat16=false),
    text_signature = "(map, weights, gradient, parameter, *, axis=-1, mask=None, bfloat16=False)"
)]
pub(crate) fn parameter_vjp<'py>(
    map: &str,
    weights: &Bound<'py, PyAny>,
    gradient: &Bound<'py, PyAny>,
    parameter: &Bound<'py, PyAny>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    bfloat16: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = weights.py();
    let parameter = Parameter::new("parameter", parameter)?;
    let weights = Floats::new("weights", weights, bfloat16)?;
    let gradient = weights.like("gradient", gradient)?;
    let axis = axis_of(axis, weights.shape().len())?;
    let maps = Maps::named(map, Some(&parameter), weights.shape(), axis, 1.0)?;
    let shown = mask.map(|mask| flags("mask", mask)).transpose()?;
    let shown = shown.as_ref().map(|shown| shown.as_array());
    let rows: ArrayD<f64> = with_element!(&weights, array: E => {
        let (y, g) = (lent("weights", array)?, lent("gradient", &Typed::<E>::typed(&gradient))?);
        let (y, g) = (y.as_array(), g.as_array());
        compute(py, || {
            maps.batch::<<E as Element>::Compute, _>(axis, shown, |batch| {
                let (y, g) = (<E as Stored>::read(y), <E as Stored>::read(g));
                Ok(batch.parameter_vjp(y.view(), g.view())?.mapv(|row| row.wide()))
            })
        })
        .map_err(raised)?
    });
    Ok(summed(rows.insert_axis(Axis(axis)), parameter.shape()).to_pyarray(py).into_any())
}

/// The gradient in the bounds of constrained sparsemax, from scores, weights and the gradient upstream: an array of the
/// shape of `upper`, in float64. Where `mask` is False an entry does not take part: True = keep.
///
/// >>> import numpy as np
/// >>> from hfy import _hfy
/// >>> x, upper = np.array([1.0, 0.9, 0.0]), np.array([0.25, 1.0, 1.0])
/// >>> weights = _hfy.bounded(x, upper)
/// >>> _hfy.upper_vjp(x, weights, np.array([1.0, 0.0, 0.0]), upper)
/// array([1., 0., 0.])
#[pyfunction]
#[pyo3(
    signature = (x, weights, gradient, upper, *, axis=-1, mask=None, bfloat16=false),
    text_signature = "(x, weights, gradient, upper, *, axis=-1, mask=None, bfloat16=False)"
)]
pub(crate) fn upper_vjp<'py>(
    x: &Bound<'py, PyAny>,
    weights: &Bound<'py, PyAny>,
    gradient: &Bound<'py, PyAny>,
    upper: &Bound<'py, PyAny>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    bfloat16: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let upper = Parameter::new("upper", upper)?;
    let scores = Floats::new("x", x, bfloat16)?;
    let (weights, gradient) = (scores.like("weights", weights)?, scores.like("gradient", gradient)?);
    let axis = axis_of(axis, scores.shape().len())?;
    let maps = bounds(&upper, scores.shape(), axis)?;
    let shown = mask.map(|mask| flags("mask", mask)).transpose()?;
    let shown = shown.as_ref().map(|shown| shown.as_array());
    let entries: ArrayD<f64> = with_element!(&scores, array: E => {
        let x = lent("x", array)?;
        let (y, g) = (lent("weights", &Typed::<E>::typed(&weights))?, lent("gradient", &Typed::<E>::typed(&gradient))?);
        let (x, y, g) = (x.as_array(), y.as_array(), g.as_array());
        compute(py, || {
            let each: Vec<_> = maps.iter().collect();
            let batch = if let [map] = each.as_slice() { Batch::new(*map) } else { Batch::each(&each) };
            let batch = batch.axis(Axis(axis));
            let batch = if let Some(shown) = shown { batch.mask(Mask::keeping(shown)) } else { batch };
            let [x, y, g] = [x, y, g].map(<E as Stored>::read);
            Ok(batch.upper_vjp(x.view(), y.view(), g.view())?.mapv(|v| v.load().wide()))
        })
        .map_err(raised)?
    });
    Ok(summed(entries, upper.shape()).to_pyarray(py).into_any())
}

/// The gradient in the inverse temperature, summed over all rows, from scores and from what `pullback` gave with that
/// `beta`. Where `mask` is False an entry does not take part: True = keep.
///
/// >>> import numpy as np
/// >>> from hfy import _hfy
/// >>> x, g = np.array([0.0, 0.5]), np.array([0.0, 1.0])
/// >>> weights = _hfy.forward("sparsemax", x, beta=0.5)
/// >>> _hfy.beta_vjp(x, _hfy.pullback("sparsemax", weights, g, beta=0.5), 0.5)
/// 0.25
#[pyfunction]
#[pyo3(signature = (x, pulled, beta, *, mask=None, bfloat16=false))]
pub(crate) fn beta_vjp<'py>(
    x: &Bound<'py, PyAny>,
    pulled: &Bound<'py, PyAny>,
    beta: f64,
    mask: Option<&Bound<'py, PyAny>>,
    bfloat16: bool,
) -> PyResult<f64> {
    let py = x.py();
    let scores = Floats::new("x", x, bfloat16)?;
    let pulled = scores.like("pulled", pulled)?;
    axis_of(-1, scores.shape().len())?;
    let scaled = Scaled::with_beta(Quadratic, beta).map_err(raised)?;
    let shown = mask.map(|mask| flags("mask", mask)).transpose()?;
    let shown = shown.as_ref().map(|shown| shown.as_array());
    with_element!(&scores, array: E => {
        let (x, v) = (lent("x", array)?, lent("pulled", &Typed::<E>::typed(&pulled))?);
        let (x, v) = (x.as_array(), v.as_array());
        let rows = compute(py, || {
            // What every map has of its temperature is the same, so that any will do.
            let (x, v, batch) = (<E as Stored>::read(x), <E as Stored>::read(v), Batch::new(&scaled));
            match &shown {
                Some(shown) => batch.mask(Mask::keeping(shown.view())).beta_vjp(x.view(), v.view()),
                None => batch.beta_vjp(x.view(), v.view()),
            }
        });
        Ok(rows.map_err(raised)?.iter().map(|row| row.wide()).sum())
    })
}

/// The second derivative of each row: the gradient of `u · J(x) w` in the scores, which differentiating a backward pass
/// needs. Where `mask` is False an entry does not take part: True = keep.
///
/// >>> import numpy as np
/// >>> from hfy import _hfy
/// >>> x, u, w = np.array([0.2, 0.1]), np.array([1.0, 0.0]), np.array([1.0, 0.0])
/// >>> weights = _hfy.forward("softmax", x)
/// >>> _hfy.second_vjp("softmax", x, weights, u, w).round(4)
/// array([-0.0125,  0.0125])
#[pyfunction]
#[pyo3(
    signature = (map, x, weights, u, w, parameter=None, *, axis=-1, mask=None, beta=1.0, bfloat16=false),
    text_signature = "(map, x, weights, u, w, parameter=None, *, axis=-1, mask=None, beta=1.0, bfloat16=False)"
)]
#[allow(clippy::too_many_arguments)] // they are keywords in Python
pub(crate) fn second_vjp<'py>(
    map: &str,
    x: &Bound<'py, PyAny>,
    weights: &Bound<'py, PyAny>,
    u: &Bound<'py, PyAny>,
    w: &Bound<'py, PyAny>,
    parameter: Option<&Bound<'py, PyAny>>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    beta: f64,
    bfloat16: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let parameter = parameter.map(|value| Parameter::new("parameter", value)).transpose()?;
    let scores = Floats::new("x", x, bfloat16)?;
    let (weights, u, w) = (scores.like("weights", weights)?, scores.like("u", u)?, scores.like("w", w)?);
    let axis = axis_of(axis, scores.shape().len())?;
    let maps = Maps::named(map, parameter.as_ref(), scores.shape(), axis, beta)?;
    let shown = mask.map(|mask| flags("mask", mask)).transpose()?;
    let shown = shown.as_ref().map(|shown| shown.as_array());
    let second = with_element!(&scores, array: E => {
        let x = lent("x", array)?;
        let y = lent("weights", &Typed::<E>::typed(&weights))?;
        let (u, w) = (lent("u", &Typed::<E>::typed(&u))?, lent("w", &Typed::<E>::typed(&w))?);
        let views = [x.as_array(), y.as_array(), u.as_array(), w.as_array()];
        let second = compute(py, || {
            maps.batch::<<E as Element>::Compute, _>(axis, shown, |batch| {
                let [x, y, u, w] = views.map(<E as Stored>::read);
                batch.second_vjp(x.view(), y.view(), u.view(), w.view())
            })
        });
        PyArrayDyn::from_owned_array(py, <E as Stored>::give(second.map_err(raised)?)).into_any()
    });
    scores.finish(second)
}

fn same_shape(argument: &'static str, got: &[usize], expected: &[usize]) -> PyResult<()> {
    if got == expected {
        return Ok(());
    }
    Err(raised(hfy::Error::Shape { argument, got: got.to_vec(), expected: expected.to_vec() }))
}
