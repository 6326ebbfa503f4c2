//! What came of queries.

use hfy::Real;
use hfy::retrieval::{Report, Status, Stopped};
use numpy::{PyArray1, ToPyArray};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

type Indices<'py> = Bound<'py, PyArray1<i64>>;
type Doubles<'py> = Bound<'py, PyArray1<f64>>;

/// A report in double precision, whatever the patterns are in.
pub(crate) struct Plain {
    status: Status,
    stopped: Stopped,
    steps: usize,
    residual: f64,
    indices: Vec<i64>,
    weights: Vec<f64>,
    structures: Vec<(Vec<usize>, f64)>,
    energy: Option<f64>,
    trace: Option<Vec<f64>>,
}

impl Plain {
    pub(crate) fn new<T: Real>(report: Report<T>) -> Self {
        Plain {
            status: report.status,
            stopped: report.stopped,
            steps: report.steps,
            residual: report.residual.wide(),
            indices: report.support.indices().iter().map(|&index| index as i64).collect(),
            weights: report.support.weights().iter().map(|weight| weight.wide()).collect(),
            structures: report.structures.into_iter().map(|share| (share.members, share.probability.wide())).collect(),
            energy: report.energy.map(|energy| energy.wide()),
            trace: report.trace.map(|trace| trace.iter().map(|energy| energy.wide()).collect()),
        }
    }

    fn kind(&self) -> &'static str {
        match self.status {
            Status::Pattern(_) => "pattern",
            Status::Association(_) => "association",
            Status::Blend { .. } => "blend",
            Status::StepLimit => "step limit",
            _ => "no match",
        }
    }

    fn pattern(&self) -> Option<usize> {
        if let Status::Pattern(index) = self.status { Some(index) } else { None }
    }
}

/// Final states, and what came of each query: a sequence of reports, and arrays with an entry for each.
///
/// >>> import numpy as np, hfy
/// >>> found = hfy.Network(np.eye(2) * 2).retrieve([[1.8, 0.1], [1.0, 1.0]])
/// >>> [report.status for report in found], found.pattern, found.steps
/// (['pattern', 'blend'], array([ 0, -1]), array([2, 1]))
#[pyclass(frozen, module = "hfy")]
pub(crate) struct Retrieval {
    states: Py<PyAny>,
    reports: std::sync::Arc<Vec<Plain>>,
    stop: String,
}

impl Retrieval {
    pub(crate) fn new(states: Py<PyAny>, reports: Vec<Plain>, stop: String) -> Self {
        Retrieval { states, reports: std::sync::Arc::new(reports), stop }
    }

    fn doubles<'py>(&self, py: Python<'py>, part: impl Fn(&Plain) -> f64) -> Doubles<'py> {
        self.reports.iter().map(part).collect::<Vec<_>>().to_pyarray(py)
    }

    fn whole<'py>(&self, py: Python<'py>, part: impl Fn(&Plain) -> i64) -> Indices<'py> {
        self.reports.iter().map(part).collect::<Vec<_>>().to_pyarray(py)
    }
}

#[pymethods]
impl Retrieval {
    /// The final state of each query, of the shape of the queries.
    #[getter]
    fn states<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.states.bind(py).clone()
    }

    /// The rule that was to stop the queries, in words.
    ///
    /// >>> import numpy as np, hfy
    /// >>> hfy.Network(np.eye(2), "softmax").retrieve([0.2, 0.1]).stop
    /// 'where a step moves the state by at most 1.0e-5 of its length, at most 100 steps'
    #[getter]
    fn stop(&self) -> &str {
        &self.stop
    }

    /// Which pattern each query came to exactly; -1 where none.
    #[getter]
    fn pattern<'py>(&self, py: Python<'py>) -> Indices<'py> {
        self.whole(py, |report| report.pattern().map_or(-1, |index| index as i64))
    }

    /// How many updates each query took.
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> Indices<'py> {
        self.whole(py, |report| report.steps as i64)
    }

    /// How many patterns have weight, for each query.
    #[getter]
    fn sizes<'py>(&self, py: Python<'py>) -> Indices<'py> {
        self.whole(py, |report| report.indices.len() as i64)
    }

    /// By how much the last update moved each state, in the 2-norm.
    #[getter]
    fn residual<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.doubles(py, |report| report.residual)
    }

    /// The energy of each final state; not a number where it was not asked for, or there is none.
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.doubles(py, |report| report.energy.unwrap_or(f64::NAN))
    }

    /// The status of each query, as in its report.
    #[getter]
    fn status(&self) -> Vec<&'static str> {
        self.reports.iter().map(Plain::kind).collect()
    }

    fn __len__(&self) -> usize {
        self.reports.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<QueryReport> {
        let count = self.reports.len() as isize;
        let place = if index < 0 { index + count } else { index };
        if !(0..count).contains(&place) {
            return Err(PyIndexError::new_err(format!("index = {index}: there are {count} reports")));
        }
        Ok(QueryReport { all: self.reports.clone(), place: place as usize })
    }

    fn __repr__(&self) -> String {
        let exact = self.reports.iter().filter(|report| report.pattern().is_some()).count();
        format!("<Retrieval of {} queries, {exact} of them exactly a pattern>", self.reports.len())
    }
}

/// What came of one query.
#[pyclass(frozen, module = "hfy", name = "Report")]
pub(crate) struct QueryReport {
    all: std::sync::Arc<Vec<Plain>>,
    place: usize,
}

impl QueryReport {
    fn plain(&self) -> &Plain {
        &self.all[self.place]
    }
}

#[pymethods]
impl QueryReport {
    /// "pattern", "association", "blend", "step limit" or "no match".
    #[getter]
    fn status(&self) -> &'static str {
        self.plain().kind()
    }

    /// The pattern that it is exactly, if it is one.
    #[getter]
    fn pattern(&self) -> Option<usize> {
        self.plain().pattern()
    }

    /// The patterns of an association, each with weight one; else None.
    #[getter]
    fn association(&self) -> Option<Vec<usize>> {
        if let Status::Association(members) = &self.plain().status { Some(members.clone()) } else { None }
    }

    /// Why it stopped.
    #[getter]
    fn stopped(&self) -> String {
        self.plain().stopped.to_string()
    }

    /// How many updates it took.
    #[getter]
    fn steps(&self) -> usize {
        self.plain().steps
    }

    /// By how much the last update moved the state, in the 2-norm.
    #[getter]
    fn residual(&self) -> f64 {
        self.plain().residual
    }

    /// The energy of the final state, if there is one and it was asked for.
    #[getter]
    fn energy(&self) -> Option<f64> {
        self.plain().energy
    }

    /// The patterns that have weight in the last update, and their weights.
    #[getter]
    fn support<'py>(&self, py: Python<'py>) -> (Indices<'py>, Doubles<'py>) {
        (self.plain().indices.to_pyarray(py), self.plain().weights.to_pyarray(py))
    }

    /// For a map over structures: those that the weights are a blend of, as (patterns, probability).
    #[getter]
    fn structures(&self) -> Vec<(Vec<usize>, f64)> {
        self.plain().structures.clone()
    }

    /// The energies of the query and of every state after it, if asked for.
    #[getter]
    fn trace<'py>(&self, py: Python<'py>) -> Option<Doubles<'py>> {
        self.plain().trace.as_ref().map(|trace| trace.to_pyarray(py))
    }

    fn __repr__(&self) -> String {
        let (status, steps) = (&self.plain().status, self.plain().steps);
        format!("<Report: {status} after {steps} step{}>", if steps == 1 { "" } else { "s" })
    }
}
