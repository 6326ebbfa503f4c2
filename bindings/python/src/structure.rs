//! Structures, by name or built.

use std::sync::Arc;

use hfy::structure::{
    BudgetedLabels, LabelSequence, Listed, Named, Regulariser, Sequence, SpanningTree, Spans, SparseMap, Structure,
    Vertex,
};
use ndarray::Ix2;
use numpy::{PyArray1, ToPyArray};
use pyo3::prelude::*;

use crate::error::{mistyped, raised, wrong};
use crate::rows::doubles;

/// A set of structures over variables, with an algorithm that finds the best: what `sparsemap` and factor graphs take.
///
/// From a text, one of
///
/// - "sequence:2", "sequence:2:t=0.5": k variables, and what neighbours score that are both on,
/// - "windows:3", "spans", "spans:3": k neighbours; any number of them, or at most k,
/// - "atmost:3": at most k variables,
/// - "labels:6x3", "labels:6x3:t=0.5": one of 3 labels at 6 positions, and what a label scores that stays,
/// - "assignment:3x4", "matching:3x4": one column a row; at most one,
/// - "trees:4": the spanning trees of 4 nodes,
/// - "arborescence:5", "projective:5", "projective:5:root=single": dependency trees of 5 words,
///
/// or by one of the constructors below.
///
/// >>> import hfy
/// >>> hfy.Structure("trees:4").best([3.0, 2.0, 1.0, 0.5, 0.0, 0.0])
/// (6.0, array([1., 1., 1., 0., 0., 0.]))
#[pyclass(frozen, weakref, module = "hfy", name = "Structure")]
pub(crate) struct AnyStructure {
    pub(crate) inner: Shared,
    pub(crate) regulariser: Regulariser,
    /// How it is printed, and read where `named`.
    text: String,
    named: bool,
}

/// A structure that several solutions share.
#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Arc<dyn Structure>);

impl Shared {
    /// Its own scores of higher-order parts.
    pub(crate) fn own(&self, variables: usize) -> PyResult<Vec<f64>> {
        Ok(self.0.higher(variables).map_err(raised)?.into_owned())
    }
}

impl Structure for Shared {
    fn higher(&self, variables: usize) -> hfy::Result<std::borrow::Cow<'_, [f64]>> {
        self.0.higher(variables)
    }
    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> hfy::Result<f64> {
        self.0.maximise(unary, higher, vertex)
    }
    fn mass(&self) -> Option<f64> {
        self.0.mass()
    }
}

impl AnyStructure {
    fn built(structure: impl Structure + 'static, regulariser: Regulariser, text: String) -> Self {
        AnyStructure { inner: Shared(Arc::new(structure)), regulariser, text, named: false }
    }

    /// The structure that an argument is, or names.
    pub(crate) fn of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        if let Ok(structure) = value.cast::<Self>() {
            return Ok(structure.clone());
        }
        match value.extract::<&str>() {
            Ok(text) => Bound::new(value.py(), Self::new(text)?),
            Err(_) => {
                let what = format!("is a {}", value.get_type().name()?);
                Err(mistyped("structure", what, "a hfy.Structure, or a text that names one, was expected"))
            }
        }
    }
}

/// The regulariser that a text names.
pub(crate) fn regulariser_of(text: &str) -> PyResult<Regulariser> {
    match text {
        "on" => Ok(Regulariser::On),
        "both" => Ok(Regulariser::Both),
        _ => Err(wrong("regulariser", format!("{text:?}"), "a regulariser is \"on\" or \"both\"")),
    }
}

#[pymethods]
impl AnyStructure {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let map: SparseMap<Named> = text.parse().map_err(raised)?;
        let inner = Shared(Arc::new(map.structure().clone()));
        Ok(AnyStructure { inner, regulariser: map.which(), text: map.to_string(), named: true })
    }

    /// Sets of k variables in a row, where neighbours interact.
    ///
    /// `transition` is what neighbours score that are both on: one number for all (infinity admits nothing but k
    /// neighbours), one for each of the n - 1 pairs, or a table of n - 1 times 2 times 2: off or on, then off or on.
    /// Both states of a variable are regularised, unless it is said otherwise.
    ///
    /// >>> import hfy
    /// >>> pairs = hfy.Structure.sequence(2, [1.0, 0.0, 0.0])
    /// >>> pairs.best([0.0, 0.5, 1.0, 0.0])
    /// (1.5, array([0., 1., 1., 0.]))
    #[staticmethod]
    #[pyo3(signature = (k, transition=None))]
    pub(crate) fn sequence(k: usize, transition: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let (sequence, both) = (Sequence::new(k).map_err(raised)?, Regulariser::Both);
        let text = format!("sequence of {k}");
        let Some(transition) = transition else { return Ok(Self::built(sequence, both, text)) };
        let scores = doubles("transition", transition)?;
        let values: Vec<f64> = scores.iter().copied().collect();
        let sequence = match (scores.shape(), values.as_slice()) {
            ([], [score]) if *score == f64::INFINITY => {
                return Ok(Self::built(Spans::of_length(k).map_err(raised)?, both, format!("windows of {k}")));
            }
            ([], [score]) => sequence.transition(*score),
            ([_], _) => sequence.edges(values),
            ([_, 2, 2], values) => sequence.tables(values.as_chunks::<4>().0),
            (shape, _) => {
                let rule = "one number, one a pair of neighbours, or a table of 2 x 2 a pair was expected";
                return Err(wrong("transition", format!("an array of shape {shape:?}"), rule));
            }
        };
        Ok(Self::built(sequence.map_err(raised)?, both, text))
    }

    /// One of some labels at each position, with `transitions` scored: a table of labels x labels, or one for each pair
    /// of neighbours. Variables are positions x labels, row by row. `at_most` and `exactly` say at how many positions
    /// label 0 is.
    ///
    /// >>> import numpy as np, hfy
    /// >>> chain = hfy.Structure.labels(3, 2, [[0.0, -1.0], [-1.0, 0.0]])
    /// >>> chain.best([2.0, 0.0, 0.0, 0.5, 2.0, 0.0])
    /// (4.0, array([1., 0., 1., 0., 1., 0.]))
    /// >>> hfy.Structure.labels(3, 2, np.zeros((2, 2)), at_most=1).best([1.0, 0.0, 3.0, 0.0, 2.0, 0.0])
    /// (3.0, array([0., 1., 1., 0., 0., 1.]))
    #[staticmethod]
    #[pyo3(signature = (positions, labels, transitions, *, at_most=None, exactly=None))]
    fn labels(
        positions: usize,
        labels: usize,
        transitions: &Bound<'_, PyAny>,
        at_most: Option<usize>,
        exactly: Option<usize>,
    ) -> PyResult<Self> {
        let scores: Vec<f64> = doubles("transitions", transitions)?.iter().copied().collect();
        let structure = LabelSequence::new(positions, labels, &scores).map_err(raised)?;
        let text = format!("labels {positions}x{labels}");
        let (budgeted, text) = match (at_most, exactly) {
            (None, None) => return Ok(Self::built(structure, Regulariser::On, text)),
            (Some(k), None) => (BudgetedLabels::at_most(structure, k), format!("{text}, at most {k} of label 0")),
            (None, Some(k)) => (BudgetedLabels::exactly(structure, k), format!("{text}, exactly {k} of label 0")),
            (Some(_), Some(k)) => return Err(wrong("exactly", k, "at_most and exactly exclude each other")),
        };
        Ok(Self::built(budgeted.map_err(raised)?, Regulariser::On, text))
    }

    /// The spanning trees of a graph; variables are its edges, each a pair of nodes.
    ///
    /// >>> import hfy
    /// >>> hfy.Structure.spanning_tree(3, [(0, 1), (1, 2), (0, 2)]).best([1.0, 2.0, 3.0])
    /// (5.0, array([0., 1., 1.]))
    #[staticmethod]
    fn spanning_tree(nodes: usize, edges: Vec<(usize, usize)>) -> PyResult<Self> {
        let structure = SpanningTree::of(nodes, &edges).map_err(raised)?;
        Ok(Self::built(structure, Regulariser::On, format!("spanning trees of {nodes} nodes")))
    }

    /// The structures of a list, one a row of `vertices`, each any vector, with a score of its own where there are
    /// `scores`.
    ///
    /// >>> import hfy
    /// >>> hfy.Structure.listed([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]], [0.0, 0.5]).best([1.0, 1.0, 1.0])
    /// (2.5, array([0., 1., 1.]))
    #[staticmethod]
    #[pyo3(signature = (vertices, scores=None))]
    fn listed(vertices: &Bound<'_, PyAny>, scores: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let table = doubles("vertices", vertices)?;
        let shape = table.shape().to_vec();
        let Ok(table) = table.into_dimensionality::<Ix2>() else {
            let rule = "a table with a vertex a row was expected";
            return Err(wrong("vertices", format!("an array of shape {shape:?}"), rule));
        };
        let rows: Vec<Vec<f64>> = table.rows().into_iter().map(|row| row.to_vec()).collect();
        let mut listed = Listed::new(&rows).map_err(raised)?;
        if let Some(scores) = scores {
            let scores: Vec<f64> = doubles("scores", scores)?.iter().copied().collect();
            listed = listed.scored(&scores).map_err(raised)?;
        }
        Ok(Self::built(listed, Regulariser::On, format!("{} listed structures", rows.len())))
    }

    /// Its own scores of higher-order parts (the interactions of several variables) over so many variables.
    ///
    /// >>> import hfy
    /// >>> hfy.Structure("sequence:2:t=0.5").higher(4)
    /// array([0.5, 0.5, 0.5])
    fn higher<'py>(&self, py: Python<'py>, variables: usize) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.inner.higher(variables).map_err(raised)?.to_pyarray(py))
    }

    /// The best score, and the structure that has it as a vector: the unregularised maximum.
    #[pyo3(signature = (scores, higher=None))]
    fn best<'py>(
        &self,
        scores: &Bound<'py, PyAny>,
        higher: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(f64, Bound<'py, PyArray1<f64>>)> {
        let py = scores.py();
        let unary: Vec<f64> = doubles("scores", scores)?.iter().copied().collect();
        let own = self.inner.higher(unary.len()).map_err(raised)?.into_owned();
        let higher = match higher {
            None => own.clone(),
            Some(higher) => doubles("higher", higher)?.iter().copied().collect(),
        };
        if higher.len() != own.len() {
            let (got, expected) = (vec![higher.len()], vec![own.len()]);
            return Err(raised(hfy::Error::Shape { argument: "higher", got, expected }));
        }
        let mut vertex = Vertex::default();
        let score = self.inner.maximise(&unary, &higher, &mut vertex).map_err(raised)?;
        if score == f64::NEG_INFINITY {
            return Err(wrong("scores", "masked", "every structure has a variable or a part that is masked"));
        }
        let mut dense = vec![0.0; unary.len()];
        vertex.unary().iter().for_each(|(i, value)| dense[i] = value);
        Ok((score, dense.to_pyarray(py)))
    }

    fn __repr__(&self) -> String {
        if self.named { format!("Structure('{}')", self.text) } else { format!("<Structure: {}>", self.text) }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        if !slf.get().named {
            return Err(mistyped("structure", "was built", "only one that was made from a text can be pickled"));
        }
        Ok((slf.get_type().into_any(), (slf.get().text.clone(),)))
    }
}
