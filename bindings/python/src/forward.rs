//! Maps along an axis: from scores to weights.

use hfy::Real;
use ndarray::{ArrayD, ArrayView1, ArrayViewD, ArrayViewMutD, Axis, Zip};
use numpy::{PyArray1, PyArrayDyn, PyUntypedArrayMethods, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array::{Floats, axis_of, flags, with_element};
use crate::element::Stored;
use crate::error::raised;
use crate::lend::{Source, fresh, lent, output};
use crate::maps::{Maps, Parameter};
use crate::threads::compute;

type Indices<'py> = Bound<'py, PyArray1<i64>>;

/// What all calls of a map share.
pub(crate) struct Call<'a, 'py> {
    pub(crate) axis: isize,
    pub(crate) mask: Option<&'a Bound<'py, PyAny>>,
    pub(crate) out: Option<&'a Bound<'py, PyAny>>,
    pub(crate) return_support: bool,
    pub(crate) bfloat16: bool,
}

impl<'py> Call<'_, 'py> {
    /// Applies the maps that `choose` gives for the shape of the scores and their axis.
    pub(crate) fn run(
        &self,
        x: &Bound<'py, PyAny>,
        choose: impl FnOnce(&[usize], usize) -> PyResult<Maps>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let scores = Floats::new("x", x, self.bfloat16)?;
        let axis = axis_of(self.axis, scores.shape().len())?;
        let maps = choose(scores.shape(), axis)?;
        let (weights, sizes) = with_element!(&scores, array: E => self.map::<E>(array, &scores, &maps, axis)?);
        let weights = match self.out {
            Some(out) => out.clone(),
            None => scores.finish(weights)?,
        };
        let Some(sizes) = sizes else { return Ok(weights) };
        Ok(PyTuple::new(x.py(), [weights, sizes.to_pyarray(x.py()).into_any()])?.into_any())
    }

    fn map<E: Stored>(
        &self,
        scores: &Bound<'py, PyArrayDyn<E::Numpy>>,
        floats: &Floats<'py>,
        maps: &Maps,
        axis: usize,
    ) -> PyResult<(Bound<'py, PyAny>, Option<ArrayD<i64>>)> {
        let py = scores.py();
        let out = match self.out {
            None => fresh::<E::Numpy>(py, scores.shape())?,
            Some(out) => output(out, scores.shape(), &floats.dtype())?,
        };
        let (source, mut target) = Source::beside("x", scores, &out)?;
        let shown = self.mask.map(|mask| flags("mask", mask)).transpose()?;
        let shown = shown.as_ref().map(|shown| shown.as_array());
        let (from, to) = (source.view(), target.as_array_mut());
        let count = self.return_support;
        let sizes = compute(py, || map::<E>(from, to, maps, axis, shown, count)).map_err(raised)?;
        drop(target);
        Ok((out.into_any(), sizes))
    }
}

/// Applies maps from one array to another, or in place where there is no other, and counts the weights of each row if
/// asked.
fn map<E: Stored>(
    from: Option<ArrayViewD<'_, E::Numpy>>,
    to: ArrayViewMutD<'_, E::Numpy>,
    maps: &Maps,
    axis: usize,
    shown: Option<ArrayViewD<'_, bool>>,
    count: bool,
) -> hfy::Result<Option<ArrayD<i64>>> {
    E::write(to, from.is_none(), |mut to| {
        maps.batch::<E::Compute, _>(axis, shown, |batch| match from {
            Some(from) => batch.map_into(E::read(from).view(), to.view_mut()),
            None => batch.map_in_place(to.view_mut()),
        })?;
        Ok(count.then(|| sizes::<E>(to.view(), axis)))
    })
}

/// How many weights of each row are not zero.
fn sizes<E: Stored>(weights: ArrayViewD<'_, E>, axis: usize) -> ArrayD<i64> {
    const MANY: usize = 1 << 16;
    let zero = E::Compute::of(0.0);
    let count = |row: ArrayView1<'_, E>| row.iter().filter(|weight| weight.load() != zero).count() as i64;
    if weights.len() < MANY {
        return weights.map_axis(Axis(axis), count);
    }
    Zip::from(weights.lanes(Axis(axis))).par_map_collect(count)
}

/// Weights of a map that is named at run time, along an axis: what `hfy.softmax` and the others do.
///
/// `map` is a text such as "entmax:1.5" or "sequence:2:t=0.5"; or, with `parameter`, a name: "entmax", "normmax",
/// "subsets", "power" take a number, or an array that broadcasts against `x` with its axis cut down to length one, and
/// "bounded" takes bounds that broadcast against `x`.
///
/// Where `mask` is False an entry does not take part: True = keep. With `bfloat16`, arrays of uint16 hold the bits of
/// bfloat16.
///
/// >>> import numpy as np
/// >>> from hfy import _hfy
/// >>> _hfy.forward("entmax", np.array([[2.0, 1.5], [2.0, 1.5]]), np.array([[2.0], [1.0]])).round(3)
/// array([[0.75 , 0.25 ],
///        [0.622, 0.378]])
#[pyfunction]
#[pyo3(
    signature = (map, x, parameter=None, *, axis=-1, mask=None, out=None, beta=1.0, return_support=false,
        bfloat16=false),
    text_signature = "(map, x, parameter=None, *, axis=-1, mask=None, out=None, beta=1.0, return_support=False, \
        bfloat16=False)"
)]
#[allow(clippy::too_many_arguments)] // they are keywords in Python
pub(crate) fn forward<'py>(
    map: &str,
    x: &Bound<'py, PyAny>,
    parameter: Option<&Bound<'py, PyAny>>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    out: Option<&Bound<'py, PyAny>>,
    beta: f64,
    return_support: bool,
    bfloat16: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let parameter = parameter.map(|value| Parameter::new("parameter", value)).transpose()?;
    let call = Call { axis, mask, out, return_support, bfloat16 };
    call.run(x, |shape, axis| Maps::named(map, parameter.as_ref(), shape, axis, beta))
}

/// The nonzero weights of each row, without a dense array: (offsets, indices, weights).
///
/// Row r, counted in the order of the other axes, has the indices `indices[offsets[r]:offsets[r + 1]]`, ascending, and
/// the weights at those places. Arguments are as for the maps; where `mask` is False an entry does not take part.
///
/// >>> import numpy as np, hfy
/// >>> offsets, indices, weights = hfy.support("sparsemax", np.array([[0.1, 3.0, 2.5], [9.0, 0.0, 0.0]]))
/// >>> offsets, indices, weights
/// (array([0, 2, 3]), array([1, 2, 0]), array([0.75, 0.25, 1.  ]))
#[pyfunction]
#[pyo3(
    signature = (map, x, parameter=None, *, axis=-1, mask=None, beta=1.0, bfloat16=false),
    text_signature = "(map, x, parameter=None, *, axis=-1, mask=None, beta=1.0, bfloat16=False)"
)]
pub(crate) fn support<'py>(
    map: &str,
    x: &Bound<'py, PyAny>,
    parameter: Option<&Bound<'py, PyAny>>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    beta: f64,
    bfloat16: bool,
) -> PyResult<(Indices<'py>, Indices<'py>, Bound<'py, PyAny>)> {
    let py = x.py();
    let parameter = parameter.map(|value| Parameter::new("parameter", value)).transpose()?;
    let scores = Floats::new("x", x, bfloat16)?;
    let axis = axis_of(axis, scores.shape().len())?;
    let maps = Maps::named(map, parameter.as_ref(), scores.shape(), axis, beta)?;
    let shown = mask.map(|mask| flags("mask", mask)).transpose()?;
    let shown = shown.as_ref().map(|shown| shown.as_array());
    with_element!(&scores, array: E => {
        let array = lent("x", array)?;
        let view = array.as_array();
        let (offsets, indices, weights) = compute(py, || {
            let supports = maps.batch::<<E as hfy::Element>::Compute, _>(axis, shown, |batch| {
                batch.supports(<E as Stored>::read(view).view())
            })?;
            let mut offsets = vec![0];
            offsets.extend(supports.iter().scan(0, |end, support| {
                *end += support.len() as i64;
                Some(*end)
            }));
            let indices: Vec<i64> = supports.iter().flat_map(|s| s.indices()).map(|&index| index as i64).collect();
            let weights: Vec<_> = supports.iter().flat_map(|s| s.weights()).copied().collect();
            Ok((offsets, indices, weights))
        })
        .map_err(raised)?;
        Ok((PyArray1::from_vec(py, offsets), PyArray1::from_vec(py, indices), PyArray1::from_vec(py, weights).into_any()))
    })
}

/// The conjugate Ω*(x) of each row: the smooth maximum whose gradient the map is. For softmax this is log-sum-exp.
///
/// Arguments are as for `support`; rows that are entirely masked give minus infinity.
///
/// >>> import numpy as np, hfy
/// >>> round(float(hfy.conjugate("softmax", np.array([0.0, 0.0]))), 6)  # log 2
/// 0.693147
#[pyfunction]
#[pyo3(
    signature = (map, x, parameter=None, *, axis=-1, mask=None, beta=1.0, bfloat16=false),
    text_signature = "(map, x, parameter=None, *, axis=-1, mask=None, beta=1.0, bfloat16=False)"
)]
pub(crate) fn conjugate<'py>(
    map: &str,
    x: &Bound<'py, PyAny>,
    parameter: Option<&Bound<'py, PyAny>>,
    axis: isize,
    mask: Option<&Bound<'py, PyAny>>,
    beta: f64,
    bfloat16: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    let parameter = parameter.map(|value| Parameter::new("parameter", value)).transpose()?;
    let scores = Floats::new("x", x, bfloat16)?;
    let axis = axis_of(axis, scores.shape().len())?;
    let maps = Maps::named(map, parameter.as_ref(), scores.shape(), axis, beta)?;
    let shown = mask.map(|mask| flags("mask", mask)).transpose()?;
    let shown = shown.as_ref().map(|shown| shown.as_array());
    with_element!(&scores, array: E => {
        let array = lent("x", array)?;
        let view = array.as_array();
        let values = compute(py, || {
            maps.batch::<<E as hfy::Element>::Compute, _>(axis, shown, |batch| {
                batch.conjugate(<E as Stored>::read(view).view())
            })
        });
        Ok(values.map_err(raised)?.to_pyarray(py).into_any())
    })
}
