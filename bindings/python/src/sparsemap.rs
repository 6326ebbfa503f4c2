//! SparseMAP: weights over structures.

use hfy::structure::{Regulariser, Solution, SparseMap, Status};
use ndarray::Array2;
use numpy::PyArrayDyn;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::error::raised;
use crate::rows::Rows;
use crate::structure::{AnyStructure, regulariser_of};
use crate::threads::interruptible;

type Doubles<'py> = Bound<'py, PyArrayDyn<f64>>;

/// SparseMAP along an axis, with everything that it found: marginals, structures and their probabilities, gradients.
///
/// Parameters
/// ----------
/// x : array of any shape
///     Scores of the variables, which lie along `axis`.
/// structure : Structure or str
///     Which structures there are.
/// higher : array, optional
///     Scores of the higher-order parts, along the last axis, broadcast over rows; else the structure's own.
/// regulariser : "on" or "both", optional
///     Whether |y|²/2 is subtracted, or (|y|² + |1 - y|²)/2. Sequences have both unless it is said, others on.
/// mask : array of bool, optional
///     Broadcasts to `x`. **True = takes part**; where it is False no structure may have the variable.
///
/// Returns a `SparseMapSolution`. It is solved in double precision. `hfy.sparsemap` gives the marginals alone.
///
/// >>> import hfy
/// >>> solution = hfy.sparsemap_solve([0.9, 0.7, 0.1, 0.6], "sequence:2:t=0.5:reg=on")
/// >>> solution.marginals.round(3)
/// array([0.725, 0.725, 0.275, 0.275])
/// >>> [(members, round(p, 3)) for members, p in solution.structures()]
/// [([0, 1], 0.725), ([2, 3], 0.275)]
#[pyfunction]
#[pyo3(
    signature = (x, structure, higher=None, *, regulariser=None, axis=-1, mask=None),
    text_signature = "(x, structure, higher=None, *, regulariser=None, axis=-1, mask=None)"
)]
pub(crate) fn sparsemap_solve(
    x: &Bound<'_, PyAny>,
    structure: &Bound<'_, PyAny>,
    higher: Option<&Bound<'_, PyAny>>,
    regulariser: Option<&str>,
    axis: isize,
    mask: Option<&Bound<'_, PyAny>>,
) -> PyResult<SparseMapSolution> {
    let structure = AnyStructure::of(structure)?;
    let structure = structure.get();
    let regulariser = regulariser.map_or(Ok(structure.regulariser), regulariser_of)?;
    solve(x.py(), Rows::new("x", x, axis, mask)?, structure, higher, regulariser)
}

fn solve(
    py: Python<'_>,
    rows: Rows,
    structure: &AnyStructure,
    higher: Option<&Bound<'_, PyAny>>,
    regulariser: Regulariser,
) -> PyResult<SparseMapSolution> {
    let n = rows.values.ncols();
    let own = structure.inner.own(n)?;
    let parts = own.len();
    let given = higher.map(|higher| rows.beside("higher", higher, parts)).transpose()?;
    let map = SparseMap::new(structure.inner.clone()).regulariser(regulariser);
    let solutions = interruptible(py, |progress| {
        let one = |number: usize| {
            if progress(number, rows.count()).is_break() {
                return Err(hfy::Error::Interrupted { done: number, total: rows.count() });
            }
            let row = given.as_ref().map(|given| given.row(number).to_vec());
            let solution = map.solve_with(rows.row(number), row.as_deref().unwrap_or(&own), Default::default());
            solution.map_err(|error| error.in_row(number))
        };
        (0..rows.count()).into_par_iter().map(one).collect::<hfy::Result<Vec<_>>>()
    })?
    .map_err(raised)?;
    Ok(SparseMapSolution { rows, parts, solutions })
}

/// What SparseMAP found, for every row of the scores.
///
/// Where rows have several axes, methods that are about one row count them in the order of those axes.
#[pyclass(frozen, module = "hfy")]
pub(crate) struct SparseMapSolution {
    rows: Rows,
    parts: usize,
    solutions: Vec<Solution>,
}

impl SparseMapSolution {
    fn row(&self, row: usize) -> PyResult<&Solution> {
        let rule = format!("row = {row}: there are {} rows", self.solutions.len());
        self.solutions.get(row).ok_or_else(|| PyIndexError::new_err(rule))
    }

    fn concatenated(&self, part: impl Fn(&Solution) -> &[f64]) -> Vec<f64> {
        self.solutions.iter().flat_map(|solution| part(solution).iter().copied()).collect()
    }

    fn each<T>(&self, part: impl Fn(&Solution) -> T) -> Vec<T> {
        self.solutions.iter().map(part).collect()
    }
}

#[pymethods]
impl SparseMapSolution {
    /// The probability of each variable, of the shape of the scores.
    #[getter]
    fn marginals<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.rows.give(py, self.concatenated(|solution| &solution.marginals))
    }

    /// The probability of each higher-order part, along the last axis.
    #[getter]
    fn higher<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.rows.give_wide(py, self.concatenated(|solution| &solution.higher), self.parts)
    }

    /// The maximum, Ω*(x), of each row.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.rows.give_each(py, self.each(|solution| solution.value))
    }

    /// The duality gap of each row: so much at most is missing to the maximum.
    #[getter]
    fn gap<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.rows.give_each(py, self.each(|solution| solution.gap))
    }

    /// How often the algorithm was asked for the best structure, for each row.
    #[getter]
    fn iterations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<i64>> {
        self.rows.give_each(py, self.each(|solution| solution.iterations as i64))
    }

    /// Whether each row was solved to the optimum, up to rounding.
    #[getter]
    fn optimal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<bool>> {
        self.rows.give_each(py, self.each(|solution| solution.status == Status::Optimal))
    }

    /// The structures that share the probability of a row, as (variables, probability), by their variables.
    #[pyo3(signature = (row=0))]
    fn structures(&self, row: usize) -> PyResult<Vec<(Vec<usize>, f64)>> {
        let active = self.row(row)?.active().iter();
        let mut shares: Vec<_> = active.map(|(vertex, share)| (vertex.unary().indices().to_vec(), share)).collect();
        shares.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(shares)
    }

    /// The variables of the structure that has all probability of a row, exactly; None where several share it.
    #[pyo3(signature = (row=0))]
    fn exact(&self, row: usize) -> PyResult<Option<Vec<usize>>> {
        Ok(self.row(row)?.exact().map(|vertex| vertex.unary().indices().to_vec()))
    }

    /// The variables of the structure of a row with the best score, before regularisation.
    #[pyo3(signature = (row=0))]
    fn best(&self, row: usize) -> PyResult<Vec<usize>> {
        Ok(self.row(row)?.best.unary().indices().to_vec())
    }

    /// The gradients of gradient · marginals (+ higher_gradient · higher) in the scores and in the higher-order scores.
    ///
    /// >>> import hfy
    /// >>> solution = hfy.sparsemap_solve([0.9, 0.7, 0.1, 0.6], "sequence:2:t=0.5:reg=on")
    /// >>> unary, higher = solution.vjp([1.0, 0.0, 0.0, 0.0])
    /// >>> unary.round(3), higher.round(3)
    /// (array([ 0.25,  0.25, -0.25, -0.25]), array([ 0.25,  0.  , -0.25]))
    #[pyo3(signature = (gradient, higher_gradient=None))]
    fn vjp<'py>(
        &self,
        py: Python<'py>,
        gradient: &Bound<'py, PyAny>,
        higher_gradient: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Doubles<'py>, Doubles<'py>)> {
        let unary = self.rows.like("gradient", gradient)?;
        let higher = higher_gradient.map(|g| self.rows.beside("higher_gradient", g, self.parts)).transpose()?;
        let gradients = interruptible(py, |_| pull(&self.solutions, &unary, higher.as_ref()))?.map_err(raised)?;
        let (unary, higher): (Vec<_>, Vec<_>) = gradients.into_iter().map(|g| (g.unary, g.higher)).unzip();
        Ok((self.rows.give(py, unary.concat()), self.rows.give_wide(py, higher.concat(), self.parts)))
    }

    fn __len__(&self) -> usize {
        self.solutions.len()
    }

    fn __repr__(&self) -> String {
        format!("<SparseMapSolution of {} rows of {} variables>", self.solutions.len(), self.rows.values.ncols())
    }
}

fn pull(
    solutions: &[Solution],
    unary: &Array2<f64>,
    higher: Option<&Array2<f64>>,
) -> hfy::Result<Vec<hfy::structure::Gradients>> {
    let one = |(number, solution): (usize, &Solution)| {
        let higher = higher.map_or(Vec::new(), |higher| higher.row(number).to_vec());
        solution.vjp(&unary.row(number).to_vec(), &higher).map_err(|error| error.in_row(number))
    };
    solutions.par_iter().enumerate().map(one).collect()
}
