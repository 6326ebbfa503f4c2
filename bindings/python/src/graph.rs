//! Factor graphs: several structures over shared variables.

use hfy::structure::{Factor, FactorGraph, GraphGradients, GraphSettings, GraphSolution, Status};
use ndarray::Array2;
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::error::{raised, wrong};
use crate::rows::Rows;
use crate::structure::AnyStructure;
use crate::threads::interruptible;

type Doubles<'py> = Bound<'py, PyArrayDyn<f64>>;

/// What is said about some variables of a `FactorGraph`, which are given by their numbers.
///
/// >>> import hfy
/// >>> hfy.Factor.exactly_one([0, 1, 2]).negated([2])
/// <Factor: exactly 1 of [0, 1, not 2]>
#[pyclass(frozen, module = "hfy", name = "Factor")]
pub(crate) struct AnyFactor(Factor);

#[pymethods]
impl AnyFactor {
    /// Exactly one is on.
    #[staticmethod]
    fn exactly_one(variables: Vec<usize>) -> Self {
        AnyFactor(Factor::exactly_one(&variables))
    }

    /// At most one is on.
    #[staticmethod]
    fn at_most_one(variables: Vec<usize>) -> Self {
        AnyFactor(Factor::at_most_one(&variables))
    }

    /// At least one is on.
    #[staticmethod]
    fn any_of(variables: Vec<usize>) -> Self {
        AnyFactor(Factor::or(&variables))
    }

    /// Exactly k are on.
    #[staticmethod]
    fn exactly(variables: Vec<usize>, k: usize) -> Self {
        AnyFactor(Factor::exactly(&variables, k))
    }

    /// At most k are on.
    #[staticmethod]
    fn at_most(variables: Vec<usize>, k: usize) -> Self {
        AnyFactor(Factor::budget(&variables, k))
    }

    /// At least k are on.
    #[staticmethod]
    fn at_least(variables: Vec<usize>, k: usize) -> Self {
        AnyFactor(Factor::at_least(&variables, k))
    }

    /// Where all but the last are on, so is the last.
    #[staticmethod]
    fn imply(variables: Vec<usize>) -> Self {
        AnyFactor(Factor::imply(&variables))
    }

    /// The last is on exactly where one of the others is, and no two of the others are.
    #[staticmethod]
    fn xor_out(variables: Vec<usize>) -> Self {
        AnyFactor(Factor::xor_out(&variables))
    }

    /// The last is on exactly where one of the others is.
    #[staticmethod]
    fn or_out(variables: Vec<usize>) -> Self {
        AnyFactor(Factor::or_out(&variables))
    }

    /// The last is on exactly where all the others are.
    #[staticmethod]
    fn and_out(variables: Vec<usize>) -> Self {
        AnyFactor(Factor::and_out(&variables))
    }

    /// Anything, with a score where both are on: its one higher-order part.
    #[staticmethod]
    fn pair(a: usize, b: usize, score: f64) -> Self {
        AnyFactor(Factor::pair(a, b, score))
    }

    /// A structure, a `Structure` or a text that names one, whose variables are these. One state of a variable is
    /// regularised, whatever the structure.
    #[staticmethod]
    fn structured(variables: Vec<usize>, structure: &Bound<'_, PyAny>) -> PyResult<Self> {
        let structure = AnyStructure::of(structure)?;
        Ok(AnyFactor(Factor::structured(&variables, structure.get().inner.0.clone())))
    }

    /// The same about the negations of the variables at these positions in its list.
    fn negated(&self, positions: Vec<usize>) -> Self {
        AnyFactor(self.0.clone().negated(&positions))
    }

    /// Its variables.
    #[getter]
    fn variables(&self) -> Vec<usize> {
        self.0.variables().to_vec()
    }

    /// Its own scores of higher-order parts.
    #[getter]
    fn higher(&self) -> Vec<f64> {
        self.0.higher()
    }

    fn __repr__(&self) -> String {
        format!("<Factor: {}>", self.0)
    }
}

/// Variables that are on or off, and factors over some of them each: LP-SparseMAP.
///
/// Factors that share no variable are solved by themselves, the others to agreement, by alternating directions.
///
/// >>> import hfy
/// >>> graph = hfy.FactorGraph(3, [hfy.Factor.at_most_one([0, 1]), hfy.Factor.imply([0, 2])])
/// >>> solution = graph.solve([1.0, 0.5, -0.25])
/// >>> solution.marginals.round(6)
/// array([0.375, 0.5  , 0.375])
/// >>> unary, higher = solution.vjp([1.0, 0.0, 0.0])
/// >>> unary.round(6)
/// array([0.5, 0. , 0.5])
#[pyclass(frozen, module = "hfy", name = "FactorGraph")]
pub(crate) struct AnyGraph(FactorGraph);

#[pymethods]
impl AnyGraph {
    #[new]
    #[pyo3(signature = (variables, factors))]
    fn new(variables: usize, factors: Vec<Bound<'_, AnyFactor>>) -> PyResult<Self> {
        let mut graph = FactorGraph::new(variables);
        for factor in factors {
            graph.add(factor.get().0.clone()).map_err(raised)?;
        }
        Ok(AnyGraph(graph))
    }

    /// How many variables there are.
    #[getter]
    fn variables(&self) -> usize {
        self.0.variables()
    }

    /// The factors' own scores of their higher-order parts: a list for each factor.
    #[getter]
    fn higher(&self) -> Vec<Vec<f64>> {
        self.0.higher()
    }

    /// Solves for scores of the variables, which lie along `axis`, one problem a row.
    ///
    /// `higher` has for each factor the scores of its higher-order parts, along a last axis and broadcast over rows;
    /// None for the factors' own. Where `mask` is False a variable is off: True = takes part. `tolerance` bounds how
    /// far factors may disagree, `limit` the rounds.
    #[pyo3(
        signature = (x, higher=None, *, axis=-1, mask=None, tolerance=1e-9, limit=10_000, penalty=1.0, direct=true),
        text_signature = "($self, x, higher=None, *, axis=-1, mask=None, tolerance=1e-9, limit=10000, penalty=1.0, \
            direct=True)"
    )]
    #[allow(clippy::too_many_arguments)] // they are keywords in Python
    fn solve(
        &self,
        x: &Bound<'_, PyAny>,
        higher: Option<Vec<Bound<'_, PyAny>>>,
        axis: isize,
        mask: Option<&Bound<'_, PyAny>>,
        tolerance: f64,
        limit: usize,
        penalty: f64,
        direct: bool,
    ) -> PyResult<AnyGraphSolution> {
        let rows = Rows::new("x", x, axis, mask)?;
        let own = self.0.higher();
        let parts: Vec<usize> = own.iter().map(Vec::len).collect();
        let given = higher.map(|higher| beside_each("higher", &rows, &higher, &parts)).transpose()?;
        let settings = GraphSettings { tolerance, limit, penalty, direct };
        let solver = self.0.solver().settings(settings);
        let solutions = interruptible(x.py(), |progress| {
            let one = |number: usize| {
                if progress(number, rows.count()).is_break() {
                    return Err(hfy::Error::Interrupted { done: number, total: rows.count() });
                }
                let scores: Option<Vec<Vec<f64>>> =
                    given.as_ref().map(|given| given.iter().map(|scores| scores.row(number).to_vec()).collect());
                let solution = solver.solve_with(rows.row(number), scores.as_ref().unwrap_or(&own));
                solution.map_err(|error| error.in_row(number))
            };
            (0..rows.count()).into_par_iter().map(one).collect::<hfy::Result<Vec<_>>>()
        })?
        .map_err(raised)?;
        Ok(AnyGraphSolution { rows, parts, solutions })
    }

    fn __repr__(&self) -> String {
        format!("<FactorGraph of {} variables and {} factors>", self.0.variables(), self.0.factors().len())
    }
}

/// Arrays with the parts of each factor along their last axis, broadcast over rows.
fn beside_each(
    argument: &'static str,
    rows: &Rows,
    higher: &[Bound<'_, PyAny>],
    parts: &[usize],
) -> PyResult<Vec<Array2<f64>>> {
    if higher.len() != parts.len() {
        let value = format!("a list of {}", higher.len());
        return Err(wrong(argument, value, &format!("one array for each of {} factors was expected", parts.len())));
    }
    higher.iter().zip(parts).map(|(scores, &n)| rows.beside(argument, scores, n)).collect()
}

/// What the solver of a factor graph found, for every row of the scores.
#[pyclass(frozen, module = "hfy", name = "GraphSolution")]
pub(crate) struct AnyGraphSolution {
    rows: Rows,
    /// How many higher-order parts each factor has.
    parts: Vec<usize>,
    solutions: Vec<GraphSolution>,
}

impl AnyGraphSolution {
    fn each<T>(&self, part: impl Fn(&GraphSolution) -> T) -> Vec<T> {
        self.solutions.iter().map(part).collect()
    }

    /// The higher-order parts of each factor, from those of all factors for each row.
    fn by_factor<'py>(&self, py: Python<'py>, rows: &[&Vec<Vec<f64>>]) -> Vec<Doubles<'py>> {
        let factor = |(number, &n): (usize, &usize)| {
            let parts = rows.iter().flat_map(|row| row[number].iter().copied()).collect();
            self.rows.give_wide(py, parts, n)
        };
        self.parts.iter().enumerate().map(factor).collect()
    }
}

#[pymethods]
impl AnyGraphSolution {
    /// The probability of each variable, of the shape of the scores.
    #[getter]
    fn marginals<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        let all = self.solutions.iter().flat_map(|solution| solution.marginals.iter().copied());
        self.rows.give(py, all.collect())
    }

    /// The probabilities of the higher-order parts: for each factor an array, along its last axis.
    #[getter]
    fn higher<'py>(&self, py: Python<'py>) -> Vec<Doubles<'py>> {
        let rows: Vec<_> = self.solutions.iter().map(|solution| &solution.higher).collect();
        self.by_factor(py, &rows)
    }

    /// The maximum of each row.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.rows.give_each(py, self.each(|solution| solution.value))
    }

    /// Whether each row was solved to the tolerance.
    #[getter]
    fn optimal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<bool>> {
        self.rows.give_each(py, self.each(|solution| solution.status == Status::Optimal))
    }

    /// The largest disagreement of a factor with a variable, for each row.
    #[getter]
    fn primal_residual<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.rows.give_each(py, self.each(|solution| solution.primal_residual))
    }

    /// By how much the scores that a factor answers are off at most, for each row.
    #[getter]
    fn dual_residual<'py>(&self, py: Python<'py>) -> Doubles<'py> {
        self.rows.give_each(py, self.each(|solution| solution.dual_residual))
    }

    /// How many rounds each row took; 0 where no factors share variables.
    #[getter]
    fn iterations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDyn<i64>> {
        self.rows.give_each(py, self.each(|solution| solution.iterations as i64))
    }

    /// The gradients of gradient · marginals in the scores, and for each factor in its higher-order scores.
    ///
    /// `higher_gradient` has an array for each factor: then of their products with `higher`, too.
    #[pyo3(signature = (gradient, higher_gradient=None))]
    fn vjp<'py>(
        &self,
        py: Python<'py>,
        gradient: &Bound<'py, PyAny>,
        higher_gradient: Option<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<(Doubles<'py>, Vec<Doubles<'py>>)> {
        let unary = self.rows.like("gradient", gradient)?;
        let by_factor = |given: Vec<_>| beside_each("higher_gradient", &self.rows, &given, &self.parts);
        let higher = higher_gradient.map(by_factor).transpose()?.unwrap_or_default();
        let gradients = interruptible(py, |_| pull(&self.solutions, &unary, &higher))?.map_err(raised)?;
        let higher: Vec<_> = gradients.iter().map(|gradients| &gradients.higher).collect();
        let higher = self.by_factor(py, &higher);
        Ok((self.rows.give(py, gradients.iter().flat_map(|g| g.unary.iter().copied()).collect()), higher))
    }

    fn __len__(&self) -> usize {
        self.solutions.len()
    }

    fn __repr__(&self) -> String {
        let solved = self.solutions.iter().filter(|solution| solution.status == Status::Optimal).count();
        format!("<GraphSolution of {} rows, {solved} of them solved>", self.solutions.len())
    }
}

fn pull(solutions: &[GraphSolution], unary: &Array2<f64>, higher: &[Array2<f64>]) -> hfy::Result<Vec<GraphGradients>> {
    let one = |(number, solution): (usize, &GraphSolution)| {
        let higher: Vec<Vec<f64>> = higher.iter().map(|parts| parts.row(number).to_vec()).collect();
        solution.vjp_with(&unary.row(number).to_vec(), &higher).map_err(|error| error.in_row(number))
    };
    solutions.par_iter().enumerate().map(one).collect()
}
