//! SparseMAP: weights over structures.

mod active_set;
mod cholesky;
mod graph;
mod regulariser;
mod sequence;
mod solution;
mod sparse_map;
mod vertex;
mod wide;

pub use active_set::{ActiveSet, Status};
pub use graph::{Factor, FactorGraph, GraphGradients, GraphMap, GraphSettings, GraphSolution, GraphSolver};
pub use regulariser::Regulariser;
pub use sequence::{Sequence, Transitions};
pub use solution::{Gradients, Solution};
pub use sparse_map::SparseMap;
pub use vertex::{Parts, Vertex};

use std::borrow::Cow;

use crate::error::Result;

/// A finite set of structures, each of them a [`Vertex`], with an oracle that finds the best one.
///
/// A structure scores `unary · a_V + higher · a_F`, where `a_V` has one entry a variable and `a_F` one an interaction of
/// several. This is all that SparseMAP asks for; how many structures there are does not matter.
pub trait Structure: Send + Sync {
    /// The scores of the higher-order parts of structures over so many variables, whose number is that of the parts; an
    /// error where there are no structures over so many variables.
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>>;

    /// Writes a structure with the best score, and returns that score.
    ///
    /// `vertex` arrives empty. A score of minus infinity forbids its part; where no structure is left, what is returned is
    /// minus infinity, and the vertex does not matter. Other scores are finite. Of several best structures, which is
    /// written depends on the scores alone.
    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64>;

    /// What the unary part of every structure sums to, where that is one number.
    fn mass(&self) -> Option<f64> {
        None
    }
}

impl<S: Structure + ?Sized> Structure for &S {
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>> {
        (**self).higher(variables)
    }
    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        (**self).maximise(unary, higher, vertex)
    }
    fn mass(&self) -> Option<f64> {
        (**self).mass()
    }
}
