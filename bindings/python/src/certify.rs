//! What is guaranteed of a network's patterns.

use hfy::certify::{Certificate, Certifier, StructuredCertifier, Summary};
use hfy::{Map, Separation};
use ndarray::ArrayView2;
use numpy::{PyArray1, ToPyArray};
use pyo3::prelude::*;

use crate::error::raised;
use crate::json::to_python;
use crate::network::PyNetwork;
use crate::patterns::{query_rows, row_of, with_matrix};
use crate::threads::interruptible;

type Indices<'py> = Bound<'py, PyArray1<i64>>;
type Doubles<'py> = Bound<'py, PyArray1<f64>>;

/// The certificates of all patterns of a network: arrays with an entry for each.
///
/// One step from a query within `radius` of a state c_i, or within `radius_pattern` of the pattern x_i itself, returns
/// c_i = psi(x_i) exactly, in every entry. With psi the identity that is the pattern, and the radii are the same;
/// otherwise `moved` says how far c_i is from x_i, and is zero where the pattern itself comes back. A network with
/// separate values v is certified by its keys: one step from a query within `radius` of key i returns psi(v_i); c_i
/// is the key, and `fixed_point` says that the key recalls its value.
///
/// >>> import numpy as np, hfy
/// >>> certificates = hfy.Network(np.array([[3.0, 0.0], [0.0, 3.0], [-3.0, 0.0]]), "sparsemax", beta=0.5).certify()
/// >>> certificates.separation, certificates.rival, certificates.fixed_point
/// (array([9., 9., 9.]), array([1, 0, 1]), array([ True,  True,  True]))
/// >>> certificates.radius.round(3)
/// array([1.65, 1.65, 1.65])
///
/// >>> network = hfy.Network(np.array([[3.0, 4.0], [-5.0, 0.0]]), "sparsemax", "l2")
/// >>> network.certify().moved, network.step([3.0, 4.0])
/// (array([4., 4.]), array([0.6, 0.8]))
#[pyclass(frozen, module = "hfy")]
pub(crate) struct Certificates {
    all: Vec<Certificate>,
    summary: Summary,
}

impl Certificates {
    fn doubles<'py>(&self, py: Python<'py>, part: impl Fn(&Certificate) -> f64) -> Doubles<'py> {
        self.all.iter().map(part).collect::<Vec<_>>().to_pyarray(py)
    }

    fn indices<'py>(&self, py: Python<'py>, part: impl Fn(&Certificate) -> Option<usize>) -> Indices<'py> {
        self.all.iter().map(|one| part(one).map_or(-1, |index| index as i64)).collect::<Vec<_>>().to_pyarray(py)
    }
}

#[pymethods]
impl Certificates {
    /// By how much each state's score with its own pattern leads its best rival's.
    #[getter]
    fn separation<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.doubles(py, |one| one.separation)
    }

    /// That rival; -1 where there is no other pattern.
    #[getter]
    fn rival<'py>(&self, py: Python<'py>) -> Indices<'py> {
        self.indices(py, |one| one.rival)
    }

    /// Whether one step from each state c_i = psi(x_i) returns it.
    #[getter]
    fn fixed_point<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.all.iter().map(|one| one.fixed_point).collect::<Vec<_>>().to_pyarray(py)
    }

    /// Whether one step from each pattern itself returns its state.
    #[getter]
    fn recalled<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.all.iter().map(|one| one.recalled).collect::<Vec<_>>().to_pyarray(py)
    }

    /// The largest radius around each state c_i = psi(x_i) from all of which one step returns it exactly.
    #[getter]
    fn radius<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.doubles(py, |one| one.radius_sharp)
    }

    /// The largest radius around each pattern itself from all of which one step returns its state exactly.
    #[getter]
    fn radius_pattern<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.doubles(py, |one| one.radius_pattern)
    }

    /// The radius around each state that the paper's bound gives, which is never larger.
    #[getter]
    fn radius_paper<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.doubles(py, |one| one.radius_paper)
    }

    /// The pattern on whose side each radius ends; -1 where none does.
    #[getter]
    fn boundary<'py>(&self, py: Python<'py>) -> Indices<'py> {
        self.indices(py, |one| one.boundary)
    }

    /// How far the post-transformation moves each pattern; zero if and only if the state is the pattern in every entry.
    #[getter]
    fn moved<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.doubles(py, |one| one.moved)
    }

    /// All in a few numbers: shares, quantiles, the smallest beta for shares of the patterns, capacities. What is
    /// infinite is None.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.summary)
    }

    fn __len__(&self) -> usize {
        self.all.len()
    }

    fn __repr__(&self) -> String {
        let fixed = self.all.iter().filter(|one| one.fixed_point).count();
        format!("<Certificates of {} patterns, {fixed} of them fixed points>", self.all.len())
    }
}

/// Of the patterns; without psi, which acts on the values alone, where there are separate values.
fn certifier<'a, T: hfy::Real>(network: &'a PyNetwork, keys: ArrayView2<'a, T>) -> hfy::Result<Certifier<'a, T>> {
    let certifier = Certifier::new(keys, &network.omega, network.beta)?;
    Ok(if network.is_hetero() { certifier } else { certifier.post(&network.psi) })
}

/// The certificates of a network's patterns.
pub(crate) fn certify(py: Python<'_>, network: &PyNetwork, epsilon: f64, failure: f64) -> PyResult<Certificates> {
    with_matrix!(py, &network.keys, keys: T => {
        let keys = keys.as_array();
        interruptible(py, |progress| {
            let certifier = certifier::<T>(network, keys)?;
            let all = certifier.certificates_with(progress)?;
            let summary = certifier.summary(&all, epsilon, failure)?;
            Ok(Certificates { all, summary })
        })?
        .map_err(raised)
    })
}

/// What one step is certain to do with each query, as dicts.
pub(crate) fn guarantee<'py>(network: &PyNetwork, queries: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = queries.py();
    with_matrix!(py, &network.keys, keys: T => {
        let (rows, single) = query_rows::<T>("queries", queries)?;
        let (keys, rows) = (keys.as_array(), rows.view());
        let guarantees = interruptible(py, |progress| {
            let certifier = certifier::<T>(network, keys)?;
            let one = |number: usize| {
                if progress(number, rows.nrows()).is_break() {
                    return Err(hfy::Error::Interrupted { done: number, total: rows.nrows() });
                }
                certifier.guarantee(row_of(&rows, number)).map_err(|error| error.in_row(number))
            };
            (0..rows.nrows()).map(one).collect::<hfy::Result<Vec<_>>>()
        })?
        .map_err(raised)?;
        if single { to_python(py, &guarantees[0]) } else { to_python(py, &guarantees) }
    })
}

/// What is guaranteed for an association, as a dict.
pub(crate) fn association<'py>(py: Python<'py>, network: &PyNetwork, members: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    with_matrix!(py, &network.keys, keys: T => {
        let keys = keys.as_array();
        if let Map::Structured(map) = &network.omega {
            let found = interruptible(py, |_| {
                let certifier = StructuredCertifier::<T, _>::new(keys, map.as_ref(), network.beta)?;
                let certifier = if network.is_hetero() { certifier } else { certifier.post(&network.psi) };
                certifier.association(members)
            })?;
            return to_python(py, &found.map_err(raised)?);
        }
        let found = interruptible(py, |_| {
            certifier::<T>(network, keys)?.association(members)
        })?;
        to_python(py, &found.map_err(raised)?)
    })
}

/// The margin of a map: the lead of the best score from which on it has all weight. None where no lead suffices.
///
/// >>> import hfy
/// >>> hfy.margin("entmax:1.5"), hfy.margin("softmax")
/// (2.0, None)
#[pyfunction]
#[pyo3(signature = (map, *, beta=1.0))]
pub(crate) fn margin(map: &str, beta: f64) -> PyResult<Option<f64>> {
    let map: Map = map.parse().map_err(raised)?;
    let map = hfy::Scaled::with_beta(map, beta).map_err(raised)?;
    Ok(Separation::<f64>::margin(&map))
}
