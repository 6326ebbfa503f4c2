//! Which map is meant: a text, or a name with a parameter for all rows or one for each.

use hfy::structure::SparseMap;
use hfy::{
    Batch, Bounded, Entmax, FenchelYoung, Map, Mask, Normmax, Power, Real, Reduction, Scaled, Separation, Subsets,
};
use ndarray::{Array2, ArrayD, ArrayViewD, Axis, IxDyn};
use numpy::PyUntypedArray;
use pyo3::prelude::*;

use crate::array::{Floats, Typed};
use crate::error::{raised, wrong};
use crate::lend::lent;
use crate::structure::Shared;

/// A parameter as it came.
pub(crate) enum Parameter {
    One(f64),
    Many(ArrayD<f64>),
}

impl Parameter {
    pub(crate) fn new(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if value.cast::<PyUntypedArray>().is_err()
            && let Ok(number) = value.extract::<f64>()
        {
            return Ok(Parameter::One(number));
        }
        let array = wide(Floats::new(argument, value, false)?, argument)?;
        let array = lent(argument, &Typed::<f64>::typed(&array))?.as_array().to_owned();
        Ok(match array.ndim() {
            0 => Parameter::One(array.sum()),
            _ => Parameter::Many(array),
        })
    }

    /// The shape that its gradient has.
    pub(crate) fn shape(&self) -> &[usize] {
        match self {
            Parameter::One(_) => &[],
            Parameter::Many(array) => array.shape(),
        }
    }
}

fn wide<'py>(array: Floats<'py>, argument: &str) -> PyResult<Floats<'py>> {
    if matches!(array, Floats::F64(_)) {
        return Ok(array);
    }
    Floats::new(argument, &array.into_any().call_method1("astype", ("float64",))?, false)
}

/// A map of any type, so that what runs it is compiled once.
type Any<T> = dyn Separation<T> + 'static;

/// The map of every row, or one for each, at an inverse temperature.
pub(crate) struct Maps {
    maps: Kind,
    beta: f64,
}

enum Kind {
    Named(Vec<Map>),
    Structured(SparseMap<Shared>),
}

impl Maps {
    /// One map.
    pub(crate) fn one(map: Map, beta: f64) -> Self {
        Maps { maps: Kind::Named(vec![map]), beta }
    }

    /// SparseMAP over structures.
    pub(crate) fn structured(map: SparseMap<Shared>, beta: f64) -> Self {
        Maps { maps: Kind::Structured(map), beta }
    }

    /// The map that a text names; where there is a parameter, the text is a name without one.
    pub(crate) fn named(
        name: &str,
        parameter: Option<&Parameter>,
        shape: &[usize],
        axis: usize,
        beta: f64,
    ) -> PyResult<Self> {
        let Some(parameter) = parameter else { return Ok(Maps::one(name.parse().map_err(raised)?, beta)) };
        match name {
            "entmax" => Maps::entmax(parameter, shape, axis, beta),
            "normmax" => Maps::normmax(parameter, shape, axis, beta),
            "subsets" => Maps::subsets(parameter, shape, axis, beta),
            "power" => Maps::by_row("r", parameter, shape, axis, beta, |r| Power::new(r).map(Map::from)),
            "bounded" => Maps::bounded(parameter, shape, axis, beta),
            _ => {
                let rule = "a parameter goes with entmax, normmax, subsets, power and bounded";
                Err(wrong("map", format!("{name:?}"), rule))
            }
        }
    }

    pub(crate) fn entmax(alpha: &Parameter, shape: &[usize], axis: usize, beta: f64) -> PyResult<Self> {
        Maps::by_row("alpha", alpha, shape, axis, beta, |alpha| Entmax::new(alpha).map(Map::from))
    }

    pub(crate) fn normmax(gamma: &Parameter, shape: &[usize], axis: usize, beta: f64) -> PyResult<Self> {
        Maps::by_row("gamma", gamma, shape, axis, beta, |gamma| Normmax::new(gamma).map(Map::from))
    }

    pub(crate) fn subsets(k: &Parameter, shape: &[usize], axis: usize, beta: f64) -> PyResult<Self> {
        Maps::by_row("k", k, shape, axis, beta, |k| Subsets::new(k).map(Map::from))
    }

    /// One map for a parameter that is a number; else one for each row, by broadcasting against the scores with their
    /// axis cut down to length one.
    fn by_row(
        argument: &'static str,
        parameter: &Parameter,
        shape: &[usize],
        axis: usize,
        beta: f64,
        build: impl Fn(f64) -> hfy::Result<Map>,
    ) -> PyResult<Self> {
        let maps = match parameter {
            Parameter::One(number) => vec![build(*number).map_err(raised)?],
            Parameter::Many(array) => {
                let mut rows = shape.to_vec();
                rows[axis] = 1;
                broadcast(argument, array, &rows)?
                    .iter()
                    .map(|&number| build(number))
                    .collect::<hfy::Result<_>>()
                    .map_err(raised)?
            }
        };
        Ok(Maps { maps: Kind::Named(maps), beta })
    }

    /// Bounds broadcast against the scores, one an entry.
    pub(crate) fn bounded(upper: &Parameter, shape: &[usize], axis: usize, beta: f64) -> PyResult<Self> {
        let maps = bounds(upper, shape, axis)?.into_iter().map(Map::from).collect();
        Ok(Maps { maps: Kind::Named(maps), beta })
    }

    /// Runs `work` on a batch of these maps along an axis, which hides what is not shown.
    pub(crate) fn batch<T: Real, R>(
        &self,
        axis: usize,
        shown: Option<ArrayViewD<'_, bool>>,
        work: impl FnOnce(&Batch<'_, Any<T>>) -> hfy::Result<R>,
    ) -> hfy::Result<R> {
        self.with(|maps| {
            let batch = if let [map] = maps { Batch::new(*map) } else { Batch::each(maps) };
            let batch = batch.axis(Axis(axis));
            match &shown {
                Some(shown) => work(&batch.mask(Mask::keeping(shown.view()))),
                None => work(&batch),
            }
        })
    }

    /// Runs `work` on the losses of these maps, for rows in a matrix.
    pub(crate) fn losses<T: Real, R>(
        &self,
        (reduction, ignored): (Reduction, Option<i64>),
        shown: Option<&Array2<bool>>,
        work: impl FnOnce(&FenchelYoung<'_, Any<T>>) -> hfy::Result<R>,
    ) -> hfy::Result<R> {
        self.with(|maps| {
            let mut loss = if let [map] = maps { FenchelYoung::new(*map) } else { FenchelYoung::each(maps) };
            loss = loss.reduction(reduction);
            if let Some(class) = ignored {
                loss = loss.ignore_index(class);
            }
            match shown {
                Some(shown) => work(&loss.mask(Mask::keeping(shown.view()))),
                None => work(&loss),
            }
        })
    }

    fn with<T: Real, R>(&self, work: impl FnOnce(&[&Any<T>]) -> hfy::Result<R>) -> hfy::Result<R> {
        match (&self.maps, self.beta == 1.0) {
            (Kind::Structured(map), true) => work(&[map]),
            (Kind::Structured(map), false) => work(&[&Scaled::with_beta(map.clone(), self.beta)?]),
            (Kind::Named(maps), true) => match maps.as_slice() {
                [map] => work(&[map]),
                maps => work(&maps.iter().map(|map| map as &Any<T>).collect::<Vec<_>>()),
            },
            (Kind::Named(maps), false) => {
                let scaled = maps.iter().map(|map| Scaled::with_beta(map.clone(), self.beta));
                let scaled = scaled.collect::<hfy::Result<Vec<_>>>()?;
                work(&scaled.iter().map(|map| map as &Any<T>).collect::<Vec<_>>())
            }
        }
    }
}

/// The bounds of every row, or of all where they are the same.
pub(crate) fn bounds(upper: &Parameter, shape: &[usize], axis: usize) -> PyResult<Vec<Bounded<'static>>> {
    let n = shape[axis];
    let build = |row: Vec<f64>| Bounded::new(row).map_err(raised);
    match upper {
        Parameter::One(number) => Ok(vec![build(vec![*number; n])?]),
        Parameter::Many(array) => {
            let mut wide = broadcast("upper", array, shape)?;
            let last = wide.ndim() - 1;
            let same = array.ndim() == 1 && axis == last;
            if same {
                return Ok(vec![build(
                    wide.lanes(Axis(axis)).into_iter().next().map_or(Vec::new(), |lane| lane.to_vec()),
                )?]);
            }
            (axis..last).for_each(|next| wide.swap_axes(next, next + 1));
            let rows = wide.rows().into_iter().enumerate();
            rows.map(|(number, row)| Bounded::new(row.to_vec()).map_err(|e| raised(e.in_row(number)))).collect()
        }
    }
}

fn broadcast<'a>(argument: &'static str, array: &'a ArrayD<f64>, shape: &[usize]) -> PyResult<ArrayViewD<'a, f64>> {
    array
        .broadcast(IxDyn(shape))
        .ok_or_else(|| raised(hfy::Error::Shape { argument, got: array.shape().to_vec(), expected: shape.to_vec() }))
}

/// The sum of an array over the axes along which a parameter of a shape was broadcast.
pub(crate) fn summed(mut array: ArrayD<f64>, shape: &[usize]) -> ArrayD<f64> {
    while array.ndim() > shape.len() {
        array = array.sum_axis(Axis(0));
    }
    for (axis, &n) in shape.iter().enumerate() {
        if n == 1 && array.shape()[axis] != 1 {
            array = array.sum_axis(Axis(axis)).insert_axis(Axis(axis));
        }
    }
    array
}
