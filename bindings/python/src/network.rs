//! Networks: two functions and the patterns that they recall.

use std::sync::{Arc, Mutex};

use hfy::retrieval::{Index, MatchRule, Retriever, Settings, Stop};
use hfy::{AnyNetwork, Map, Network, Post, Scaled};
use ndarray::ArrayView2;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rayon::prelude::*;

use crate::certify::{self, Certificates};
use crate::error::{raised, wrong};
use crate::index::{AnyIndex, Indexed};
use crate::patterns::{Matrix, Number, give_rows, query_rows, row_of, usual, with_matrix};
use crate::report::{Plain, Retrieval};
use crate::threads::interruptible;

/// An associative memory: patterns X, a separation Ω that turns the scores of a query with them into weights, and a
/// post-transformation Ψ of what the weights retrieve,
///
///     q  <-  psi(X^T omega(beta X q)),   with the energy   E(q) = Psi(q) - Omega*(X q).
///
/// Parameters
/// ----------
/// patterns : array (N, D), or a Memory, or a Snapshot of one
///     One pattern a row. float32 and float64 are computed as such, halves in float32, whole numbers in float64. They are copied,
///     unless `copy` is False and rows lie one after the other; then do not change them. A `Memory` is used where it lies.
/// omega : str
///     "softmax", "sparsemax", "entmax:1.5", "normmax:5", "subsets:4", "sequence:2:t=0.5", "power:3", "exponential", "quadratic" and so
///     on. Unless given it is the memory's own, or sparsemax.
/// psi : str
///     "identity", "l2", "layernorm", "tanh:0.5", "sign". Unless given it is the memory's own, or the identity.
/// beta : float
///     Inverse temperature. Unless given it is the memory's own, or 1.
/// values : array (N, E), optional
///     What is recalled instead of the patterns. Such a network has no energy.
///
/// >>> import numpy as np, hfy
/// >>> patterns = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, 0.0]])
/// >>> network = hfy.Network(patterns, omega="sparsemax", beta=2.0)
/// >>> found = network.retrieve([[1.5, 0.3], [0.1, 0.1]])
/// >>> found.states
/// array([[2., 0.],
///        [1., 1.]])
/// >>> found[0]
/// <Report: pattern 0 after 2 steps>
#[pyclass(frozen, module = "hfy", name = "Network")]
pub(crate) struct PyNetwork {
    pub(crate) keys: Matrix,
    values: Option<Matrix>,
    pub(crate) omega: Map,
    pub(crate) psi: Post,
    pub(crate) beta: f64,
    /// The last index that was asked for.
    index: Mutex<Option<AnyIndex>>,
}

/// How a retrieval runs.
struct Run {
    settings: Settings,
    rank: Option<usize>,
    energy: bool,
}

impl PyNetwork {
    fn over<'a, T: Number>(
        &self,
        keys: ArrayView2<'a, T>,
        values: Option<ArrayView2<'a, T>>,
    ) -> hfy::Result<AnyNetwork<'a, T>> {
        let omega = Scaled::with_beta(self.omega.clone(), self.beta)?;
        // Keys were looked at when the network was made.
        let network = Network::assume_finite(omega, self.psi.clone(), keys)?;
        match values {
            Some(values) => network.with_values(values),
            None => Ok(network),
        }
    }

    /// Whether there are separate values.
    pub(crate) fn is_hetero(&self) -> bool {
        self.values.is_some()
    }

    /// The index of a rank, built unless it was the last one.
    fn index<T: Indexed>(&self, keys: ArrayView2<'_, T>, rank: usize) -> hfy::Result<Arc<Index<T>>> {
        let mut last = self.index.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(index) = last.as_ref().and_then(T::kept).filter(|index| index.rank() == rank) {
            return Ok(index.clone());
        }
        let index = Arc::new(Index::build(keys, rank)?);
        *last = Some(T::any(index.clone()));
        Ok(index)
    }

    fn run<T: Indexed>(
        &self,
        py: Python<'_>,
        network: &AnyNetwork<'_, T>,
        queries: ArrayView2<'_, T>,
        run: &Run,
    ) -> PyResult<hfy::retrieval::Retrieval<T>> {
        interruptible(py, |progress| {
            let mut retriever = Retriever::new(network)?.with_settings(run.settings.clone())?;
            if let Some(rank) = run.rank {
                retriever = retriever.with_built_index(self.index(network.keys(), rank)?)?;
            }
            if !run.energy {
                retriever = retriever.without_energy();
            }
            retriever.retrieve_with(queries, progress)
        })?
        .map_err(raised)
    }
}

/// Runs `$body` on the network in its type.
macro_rules! with_network {
    ($py:expr, $slf:expr, $network:ident: $T:ident => $body:expr) => {
        with_matrix!($py, &$slf.keys, keys: $T => {
            let values = $slf.values.as_ref().map(|values| match_type::<$T>($py, values)).transpose()?;
            let values = values.as_ref().map(|values| values.as_array());
            let $network = $slf.over::<$T>(keys.as_array(), values).map_err(raised)?;
            $body
        })
    };
}

/// Values in the type of the keys.
fn match_type<'py, T: Number>(py: Python<'py>, values: &Matrix) -> PyResult<numpy::PyReadonlyArray2<'py, T>> {
    let array = values.array(py).cast_into::<numpy::PyArray2<T>>()?;
    crate::patterns::lent_matrix(&array)
}

#[pymethods]
impl PyNetwork {
    #[new]
    #[pyo3(signature = (patterns, omega=None, psi=None, beta=None, *, values=None, copy=true))]
    fn new(
        patterns: &Bound<'_, PyAny>,
        omega: Option<&str>,
        psi: Option<&str>,
        beta: Option<f64>,
        values: Option<&Bound<'_, PyAny>>,
        copy: bool,
    ) -> PyResult<Self> {
        let py = patterns.py();
        let own = usual(patterns)?;
        let omega = omega.map(str::to_owned).or(own.omega).unwrap_or("sparsemax".to_owned());
        let psi = psi.map(str::to_owned).or(own.psi).unwrap_or("identity".to_owned());
        let beta = match (beta, own.beta) {
            (Some(beta), _) => beta,
            (None, Some(text)) => {
                text.parse().map_err(|_| wrong("beta", text, "the memory's beta must be a number"))?
            }
            (None, None) => 1.0,
        };
        let keys = Matrix::new("patterns", patterns, copy)?;
        let values = values.map(|values| Matrix::new("values", values, copy)).transpose()?;
        let values = match (&keys, values) {
            // In the type of the keys.
            (Matrix::F32(_), Some(Matrix::F64(array))) => {
                Some(Matrix::new("values", &array.bind(py).call_method1("astype", ("float32",))?, false)?)
            }
            (Matrix::F64(_), Some(Matrix::F32(array))) => {
                Some(Matrix::new("values", &array.bind(py).call_method1("astype", ("float64",))?, false)?)
            }
            (_, values) => values,
        };
        let (omega, psi) = (omega.parse().map_err(raised)?, psi.parse().map_err(raised)?);
        let network = PyNetwork { keys, values, omega, psi, beta, index: Mutex::new(None) };
        with_network!(py, network, checked: T => {
            let (omega, psi): (&Scaled<Map>, &Post) = (checked.omega(), checked.psi());
            Network::<T, _, _>::new(omega, psi, checked.keys()).map_err(raised)?;
        });
        Ok(network)
    }

    /// The patterns, as an array that cannot be written to.
    #[getter]
    fn patterns<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.keys.array(py)
    }

    /// What is recalled instead of the patterns, if anything.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.values.as_ref().map(|values| values.array(py))
    }

    /// The separation, as text.
    #[getter]
    fn omega(&self) -> String {
        self.omega.to_string()
    }

    /// The post-transformation, as text.
    #[getter]
    fn psi(&self) -> String {
        self.psi.to_string()
    }

    /// The inverse temperature.
    #[getter]
    fn beta(&self) -> f64 {
        self.beta
    }

    /// Runs queries until they stop, and reports what each came to. Ctrl-C stops it.
    ///
    /// Parameters
    /// ----------
    /// queries : array (D,) or (Q, D)
    /// steps : int, optional
    ///     Take exactly so many steps; else stop at a fixed point of a sparse map, and for other maps once a step
    ///     moves the state by at most 1e-5 of its length (1.2e-4 in float32).
    /// tolerance : float, optional
    ///     Stop once a step moves the state by at most this; 0 for exact fixed points.
    /// limit : int
    ///     The most steps.
    /// min_score, max_energy, max_distance : float, optional
    ///     At most one of them: what fails it is reported as no match.
    /// blend_floor : float
    ///     Weights at or below this do not count where every pattern has weight, as for softmax.
    /// trace : bool
    ///     Whether reports have the energies of the query and of every state after it.
    /// energy : bool
    ///     Whether reports have the energy of the final state.
    /// index : int, optional
    ///     Build an index of so many principal directions first, and keep it: it changes no result, and spares most of the work where
    ///     many patterns have structure.
    ///
    /// >>> import numpy as np, hfy
    /// >>> network = hfy.Network(np.eye(3) * 2, "sparsemax", beta=2.0)
    /// >>> found = network.retrieve([0.2, 1.9, 0.1])
    /// >>> found.states, found.pattern, found[0].status, found[0].steps
    /// (array([0., 2., 0.]), array([1]), 'pattern', 2)
    #[pyo3(signature = (
        queries, *, steps=None, tolerance=None, limit=100, min_score=None, max_energy=None, max_distance=None,
        blend_floor=0.01, trace=false, energy=true, index=None
    ))]
    #[allow(clippy::too_many_arguments)] // they are keywords in Python
    fn retrieve(
        &self,
        queries: &Bound<'_, PyAny>,
        steps: Option<usize>,
        tolerance: Option<f64>,
        limit: usize,
        min_score: Option<f64>,
        max_energy: Option<f64>,
        max_distance: Option<f64>,
        blend_floor: f64,
        trace: bool,
        energy: bool,
        index: Option<usize>,
    ) -> PyResult<Retrieval> {
        let py = queries.py();
        let stop = match (steps, tolerance) {
            (Some(steps), None) => Stop::Steps(steps),
            (None, Some(tolerance)) => Stop::Residual { tolerance, limit },
            (None, None) => Stop::Auto { limit },
            (Some(steps), Some(_)) => return Err(wrong("steps", steps, "either steps or tolerance says when to stop")),
        };
        let rule = match (min_score, max_energy, max_distance) {
            (None, None, None) => None,
            (Some(score), None, None) => Some(MatchRule::Score(score)),
            (None, Some(energy), None) => Some(MatchRule::Energy(energy)),
            (None, None, Some(distance)) => Some(MatchRule::Distance(distance)),
            _ => {
                let rule = "at most one of min_score, max_energy and max_distance says what is a match";
                return Err(wrong("min_score", "not alone", rule));
            }
        };
        let run = Run { settings: Settings { stop, trace, rule, blend_floor }, rank: index, energy };
        with_network!(py, self, network: T => {
            let (rows, single) = query_rows::<T>("queries", queries)?;
            let found = self.run(py, &network, rows.view(), &run)?;
            let stop = found.stop.to_string();
            let reports = found.reports.into_iter().map(Plain::new).collect();
            Ok(Retrieval::new(give_rows(py, found.states, single).unbind(), reports, stop))
        })
    }

    /// One update of each query: an array like `queries`.
    ///
    /// >>> import numpy as np, hfy
    /// >>> hfy.Network(np.eye(2), "softmax").step([0.0, 0.0])
    /// array([0.5, 0.5])
    fn step<'py>(&self, queries: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = queries.py();
        let settings = Settings { stop: Stop::Steps(1), ..Settings::default() };
        let run = Run { settings, rank: None, energy: false };
        with_network!(py, self, network: T => {
            let (rows, single) = query_rows::<T>("queries", queries)?;
            Ok(give_rows(py, self.run(py, &network, rows.view(), &run)?.states, single))
        })
    }

    /// The weights of the patterns in one update of each query: an array (Q, N), or (N,) for one query. Those of
    /// unbounded maps are divided by their common factor, where they would overflow.
    ///
    /// >>> import numpy as np, hfy
    /// >>> hfy.Network(np.eye(3), "sparsemax", beta=2.0).weights([0.5, 0.25, 0.0])
    /// array([0.75, 0.25, 0.  ])
    fn weights<'py>(&self, queries: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = queries.py();
        with_network!(py, self, network: T => {
            let (rows, single) = query_rows::<T>("queries", queries)?;
            let view = rows.view();
            let weights = each_row(py, view.nrows(), |number| Ok(network.step(row_of(&view, number))?.weights))?;
            let all = ndarray::Array2::from_shape_vec((rows.nrows(), network.count()), weights.concat());
            Ok(give_rows(py, all.expect("a weight for each pattern"), single))
        })
    }

    /// The energy of each state: an array (Q,), or a number for one state. Infinite outside the domain of psi.
    ///
    /// >>> import numpy as np, hfy
    /// >>> network = hfy.Network(np.eye(2) * 2, "sparsemax")
    /// >>> float(network.energy([2.0, 0.0])), float(network.energy([1.0, 1.0]))
    /// (-2.0, -1.25)
    fn energy<'py>(&self, states: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = states.py();
        with_network!(py, self, network: T => {
            let (rows, single) = query_rows::<T>("states", states)?;
            let view = rows.view();
            let energies = interruptible(py, |progress| Retriever::new(&network)?.energies_with(view, progress))?;
            let energies = energies.map_err(raised)?.iter().map(|parts| parts.total()).collect();
            let column = ndarray::Array2::from_shape_vec((rows.nrows(), 1), energies).expect("one a row");
            let energies = give_rows(py, column, false).call_method1("reshape", (-1,))?;
            if single { energies.get_item(0) } else { Ok(energies) }
        })
    }

    /// What is guaranteed for every pattern, by a map with a margin: separations, fixed points, radii. What one step
    /// returns is psi of the pattern; see `Certificates`. Ctrl-C stops it.
    ///
    /// `epsilon` is the perturbation and `failure` the probability that the capacities in the summary are for.
    ///
    /// >>> import numpy as np, hfy
    /// >>> hfy.Network(np.eye(3) * 3, "entmax:1.5").certify().summary["fixed_points"]
    /// 1.0
    #[pyo3(signature = (*, epsilon=0.0, failure=0.01))]
    fn certify(&self, py: Python<'_>, epsilon: f64, failure: f64) -> PyResult<Certificates> {
        certify::certify(py, self, epsilon, failure)
    }

    /// What one step is certain to do with each query: a dict, or a list of dicts for several queries.
    ///
    /// "exact" says whether the map gives weight one to each of the "best" patterns and zero to all others, so that
    /// the step returns psi of their sum; "slack" by how much their lead exceeds what that takes; "robust" whether it
    /// holds however products are summed.
    ///
    /// >>> import numpy as np, hfy
    /// >>> network = hfy.Network(np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, 0.0]]), "sparsemax")
    /// >>> near = network.guarantee([1.0, 0.5])
    /// >>> near["best"], near["exact"], near["slack"]
    /// ([0], True, 0.0)
    fn guarantee<'py>(&self, queries: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        certify::guarantee(self, queries)
    }

    /// What is guaranteed for an association of patterns under k-subsets, or under a map over structures: a dict, with
    /// whether it is a "fixed_point" and within which radius of its state, psi of the sum of its patterns, that state
    /// comes back.
    ///
    /// >>> import numpy as np, hfy
    /// >>> pair = hfy.Network(np.eye(3) * 2, "subsets:2").certify_association([0, 2])
    /// >>> pair["fixed_point"], pair["lead"], pair["rival"], round(pair["radius_sharp"], 4)
    /// (True, 4.0, 1, 1.0607)
    fn certify_association<'py>(&self, py: Python<'py>, members: Vec<usize>) -> PyResult<Bound<'py, PyAny>> {
        certify::association(py, self, &members)
    }

    /// How many patterns there are, and how many entries each has.
    #[getter]
    fn shape(&self, py: Python<'_>) -> (usize, usize) {
        self.keys.shape(py)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.keys.shape(py).0
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let ((count, width), omega, psi, beta) = (self.keys.shape(py), &self.omega, &self.psi, self.beta);
        format!("Network(<{count} patterns of {width}>, omega='{omega}', psi='{psi}', beta={beta})")
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, network) = (slf.py(), slf.get());
        let rebuild = py.import("hfy._pickling")?.getattr("network")?;
        let arguments = (
            network.keys.array(py),
            network.omega.to_string(),
            network.psi.to_string(),
            network.beta,
            network.values(py),
        );
        Ok((rebuild, arguments.into_pyobject(py)?))
    }
}

/// Runs `work` for each row, in all threads, until interrupted.
fn each_row<R: Send>(
    py: Python<'_>,
    rows: usize,
    work: impl Fn(usize) -> hfy::Result<R> + Sync + Send,
) -> PyResult<Vec<R>> {
    interruptible(py, |progress| {
        let one = |number: usize| {
            if progress(number, rows).is_break() {
                return Err(hfy::Error::Interrupted { done: number, total: rows });
            }
            work(number).map_err(|error| error.in_row(number))
        };
        (0..rows).into_par_iter().map(one).collect::<hfy::Result<Vec<_>>>()
    })?
    .map_err(raised)
}
