//! Free and sequential recall.

use hfy::Entmax;
use hfy::Real;
use hfy::recall::{Cue, FreeRecall, Penalty, Recall as Recalled, SequentialRecall};
use numpy::{PyArray1, ToPyArray};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::error::{raised, wrong};
use crate::patterns::{Matrix, query_rows, with_matrix};
use crate::structure::regulariser_of;
use crate::threads::interruptible;

type Indices<'py> = Bound<'py, PyArray1<i64>>;
type Doubles<'py> = Bound<'py, PyArray1<f64>>;
type Weights<'py> = (Indices<'py>, Doubles<'py>);

/// What a recall brought, round by round.
#[pyclass(frozen, module = "hfy")]
pub(crate) struct Recall {
    recalled: Vec<usize>,
    gaps: Vec<f64>,
    weights: Vec<Sparse>,
    traces: Vec<Option<Trace>>,
    unique_ratio: f64,
    levenshtein: f64,
    ceiling: f64,
    repeats: Vec<bool>,
    jumps: Vec<bool>,
}

type Sparse = (Vec<i64>, Vec<f64>);

struct Trace {
    outer: Vec<f64>,
    inner: Vec<Sparse>,
    account: Vec<f64>,
}

impl Recall {
    fn new<T: Real>(recall: Recalled<T>) -> Self {
        let sparse = |support: &hfy::Support<T>| -> Sparse {
            let indices = support.indices().iter().map(|&index| index as i64).collect();
            (indices, support.weights().iter().map(|weight| weight.wide()).collect())
        };
        Recall {
            recalled: recall.recalled(),
            unique_ratio: recall.unique_ratio(),
            levenshtein: recall.levenshtein(),
            ceiling: recall.ceiling(),
            repeats: recall.repeats(),
            jumps: recall.jumps(),
            gaps: recall.rounds.iter().map(|round| round.gap).collect(),
            weights: recall.rounds.iter().map(|round| sparse(&round.weights)).collect(),
            traces: recall
                .rounds
                .iter()
                .map(|round| {
                    round.trace.as_ref().map(|trace| Trace {
                        outer: trace.outer.clone(),
                        inner: trace.inner.iter().map(sparse).collect(),
                        account: trace.account.clone(),
                    })
                })
                .collect(),
        }
    }

    fn at<'a, R>(&self, rounds: &'a [R], round: usize) -> PyResult<&'a R> {
        let rule = format!("round = {round}: there are {} rounds", rounds.len());
        rounds.get(round).ok_or_else(|| PyIndexError::new_err(rule))
    }
}

fn give<'py>(py: Python<'py>, (indices, weights): &Sparse) -> Weights<'py> {
    (indices.to_pyarray(py), weights.to_pyarray(py))
}

#[pymethods]
impl Recall {
    /// The pattern that each round brought.
    #[getter]
    fn recalled<'py>(&self, py: Python<'py>) -> Indices<'py> {
        self.recalled.iter().map(|&index| index as i64).collect::<Vec<_>>().to_pyarray(py)
    }

    /// By how much its weight exceeds the next largest, in each round.
    #[getter]
    fn gaps<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.gaps.to_pyarray(py)
    }

    /// Distinct patterns for each round: 1 where nothing came twice.
    #[getter]
    fn unique_ratio(&self) -> f64 {
        self.unique_ratio
    }

    /// How well the order of the patterns was kept, from the one after the first; at most `ceiling`.
    #[getter]
    fn levenshtein(&self) -> f64 {
        self.levenshtein
    }

    /// The best that `levenshtein` can be: after the last pattern there is none.
    #[getter]
    fn ceiling(&self) -> f64 {
        self.ceiling
    }

    /// Which rounds brought a pattern that had come before.
    #[getter]
    fn repeats<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.repeats.to_pyarray(py)
    }

    /// Which rounds brought a pattern that is neither the last one nor stored next to it.
    #[getter]
    fn jumps<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.jumps.to_pyarray(py)
    }

    /// The patterns with weight at the end of a round, and their weights.
    fn weights<'py>(&self, py: Python<'py>, round: usize) -> PyResult<Weights<'py>> {
        Ok(give(py, self.at(&self.weights, round)?))
    }

    /// All that a round went through, as (outer, inner, account): the weights of the outer update, those of every inner
    /// update as (patterns, weights), and the bounds or the average after the round. None unless the recall was run
    /// with trace=True.
    #[allow(clippy::type_complexity)] // it is a tuple in Python
    fn trace<'py>(
        &self,
        py: Python<'py>,
        round: usize,
    ) -> PyResult<Option<(Doubles<'py>, Vec<Weights<'py>>, Doubles<'py>)>> {
        let trace = self.at(&self.traces, round)?.as_ref();
        Ok(trace.map(|trace| {
            let inner = trace.inner.iter().map(|weights| give(py, weights)).collect();
            (trace.outer.to_pyarray(py), inner, trace.account.to_pyarray(py))
        }))
    }

    fn __len__(&self) -> usize {
        self.recalled.len()
    }

    fn __repr__(&self) -> String {
        format!("<Recall of {} rounds, unique ratio {}>", self.recalled.len(), self.unique_ratio)
    }
}

/// A cue, the number of a pattern or a state, and the recall that starts from it.
fn recall(patterns: &Bound<'_, PyAny>, cue: &Bound<'_, PyAny>, run: impl Starts) -> PyResult<Recall> {
    let py = patterns.py();
    let matrix = Matrix::new("patterns", patterns, false)?;
    with_matrix!(py, &matrix, keys: T => {
        let keys = keys.as_array();
        let row = cue.extract::<usize>().ok();
        let state = match row {
            Some(_) => None,
            None => Some(query_rows::<T>("cue", cue)?.0),
        };
        let cue = match (row, &state) {
            (Some(row), _) => Cue::Pattern(row),
            (None, Some(state)) => Cue::State(state.as_slice().expect("a row of its own")),
            (None, None) => Cue::Pattern(0),
        };
        let recall = interruptible(py, |progress| run.start::<T>(keys, cue, progress))?;
        Ok(Recall::new(recall.map_err(raised)?))
    })
}

/// Either recall.
trait Starts: Send + Sync {
    fn start<T: Real>(
        &self,
        patterns: ndarray::ArrayView2<'_, T>,
        cue: Cue<'_, T>,
        progress: hfy::certify::Progress<'_>,
    ) -> hfy::Result<Recalled<T>>;
}

impl Starts for FreeRecall {
    fn start<T: Real>(
        &self,
        patterns: ndarray::ArrayView2<'_, T>,
        cue: Cue<'_, T>,
        progress: hfy::certify::Progress<'_>,
    ) -> hfy::Result<Recalled<T>> {
        self.run_with(patterns.reborrow(), cue, progress)
    }
}

impl Starts for SequentialRecall {
    fn start<T: Real>(
        &self,
        patterns: ndarray::ArrayView2<'_, T>,
        cue: Cue<'_, T>,
        progress: hfy::certify::Progress<'_>,
    ) -> hfy::Result<Recalled<T>> {
        self.run_with(patterns.reborrow(), cue, progress)
    }
}

/// Free recall: from a cue through all patterns, in whatever order it takes. Ctrl-C stops it.
///
/// Parameters
/// ----------
/// patterns : array (N, D), or a Memory, or a Snapshot of one
/// cue : int or array (D,)
///     A pattern, or any state.
/// method : "constrained" or "penalised"
///     By bounds on weights, which no pattern can exceed in all rounds together; or by a penalty on the average of past weights.
/// beta, steps : float, int
///     Inverse temperature, and updates in a round.
/// alpha, penalty, forgetting : float
///     Of penalised recall: the entmax, the weight of the average in the scores, and the weight of what is new in the average.
/// rounds : int, optional
///     As many as patterns, unless given.
/// trace : bool
///     Whether every round keeps all that it went through.
///
/// >>> import numpy as np, hfy
/// >>> x = np.array([[3.0, 1.0, 0.0, 0.0], [0.0, 3.0, 1.0, 0.0], [0.0, 0.0, 3.0, 2.0], [1.0, 0.0, 0.0, 3.0]])
/// >>> recall = hfy.free_recall(x, [0.1, 1.0, 0.5, 0.0], beta=1.0)
/// >>> int(recall.recalled[0]), recall.unique_ratio
/// (1, 1.0)
#[pyfunction]
#[pyo3(signature = (
    patterns, cue=None, *, method="constrained", beta=0.1, steps=20, alpha=2.0, penalty=1e9, forgetting=1e-3, rounds=None,
    trace=false
))]
#[allow(clippy::too_many_arguments)] // they are keywords in Python
pub(crate) fn free_recall(
    patterns: &Bound<'_, PyAny>,
    cue: Option<&Bound<'_, PyAny>>,
    method: &str,
    beta: f64,
    steps: usize,
    alpha: f64,
    penalty: f64,
    forgetting: f64,
    rounds: Option<usize>,
    trace: bool,
) -> PyResult<Recall> {
    let mut run = match method {
        "constrained" => FreeRecall::constrained(beta, steps),
        "penalised" => Penalty::new(penalty, forgetting)
            .and_then(|penalty| FreeRecall::penalised(Entmax::new(alpha)?, penalty, beta, steps)),
        _ => return Err(wrong("method", format!("{method:?}"), "a method is \"constrained\" or \"penalised\"")),
    }
    .map_err(raised)?;
    if let Some(rounds) = rounds {
        run = run.rounds(rounds).map_err(raised)?;
    }
    if trace {
        run = run.traced();
    }
    recall(patterns, &cue_or_first(patterns, cue)?, run)
}

/// Sequential recall: each pattern brings the one that is stored after it. Ctrl-C stops it.
///
/// Parameters
/// ----------
/// patterns, cue, steps, alpha, penalty, forgetting, rounds, trace
///     As for `free_recall`.
/// beta, inner_beta : float
///     Inverse temperature of the associations, and of the updates that settle.
/// k, transition : int, float
///     How many patterns are associated, and what neighbours score; infinity admits nothing but neighbours.
/// omega : float
///     The weight of what was recalled in the account.
/// regulariser : "both" or "on"
///     Which states of a variable are regularised.
///
/// >>> import numpy as np, hfy
/// >>> recall = hfy.sequential_recall(np.eye(8) * 3, penalty=1e8)
/// >>> recall.recalled[:7], recall.levenshtein
/// (array([1, 2, 3, 4, 5, 6, 7]), 0.875)
#[pyfunction]
#[pyo3(signature = (
    patterns, cue=None, *, beta=0.1, steps=20, k=2, transition=1e8, omega=1.1, inner_beta=1.0, alpha=2.0, penalty=1e9,
    forgetting=1e-3, regulariser="both", rounds=None, trace=false
))]
#[allow(clippy::too_many_arguments)] // they are keywords in Python
pub(crate) fn sequential_recall(
    patterns: &Bound<'_, PyAny>,
    cue: Option<&Bound<'_, PyAny>>,
    beta: f64,
    steps: usize,
    k: usize,
    transition: f64,
    omega: f64,
    inner_beta: f64,
    alpha: f64,
    penalty: f64,
    forgetting: f64,
    regulariser: &str,
    rounds: Option<usize>,
    trace: bool,
) -> PyResult<Recall> {
    let regulariser = regulariser_of(regulariser)?;
    let build = || -> hfy::Result<SequentialRecall> {
        let run = SequentialRecall::new(beta, steps)?
            .penalty(Penalty::new(penalty, forgetting)?)
            .map(Entmax::new(alpha)?)
            .inner_beta(inner_beta)?
            .omega(omega)?
            .transition(transition)?
            .regulariser(regulariser)
            .k(k)?;
        let run = if trace { run.traced() } else { run };
        rounds.map_or(Ok(run), |rounds| run.rounds(rounds))
    };
    let run = build().map_err(raised)?;
    recall(patterns, &cue_or_first(patterns, cue)?, run)
}

fn cue_or_first<'py>(patterns: &Bound<'py, PyAny>, cue: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    match cue {
        Some(cue) => Ok(cue.clone()),
        None => Ok(0usize.into_pyobject(patterns.py())?.into_any()),
    }
}
