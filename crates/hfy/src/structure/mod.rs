//! SparseMAP: weights over structures, and so memories that recall associations.
//!
//! A [`Structure`] is a set of vertices with an oracle that finds the best of them; [`SparseMap`] makes a convex
//! function of it, whose map is a blend of few structures, or exactly one. Networks, losses, certificates and batches
//! take it as any other.
//!
//! | structure | vertices | oracle |
//! |---|---|---|
//! | [`Subsets`](crate::Subsets) | sets of k variables, no interactions | closed form, not here |
//! | [`Sequence`] | sets of k variables in a row, neighbours interact | dynamic programming, O(Nk) |
//! | [`Spans`] | neighbours: k of them, at most k, any number | prefix sums, O(N) |
//! | [`AtMost`] | sets of at most k variables | selection, O(N) |
//! | [`LabelSequence`] | one label a position, neighbours interact | Viterbi, O(N L²) |
//! | [`Assignment`], [`Matching`] | one column a row; at most one | shortest augmenting paths |
//! | [`SpanningTree`] | spanning trees of a graph | Kruskal |
//! | [`Arborescence`], [`Projective`] | dependency trees | Chu-Liu/Edmonds, Eisner |
//! | [`Listed`] | any list of vectors | a pass |
//!
//! Variables that several of these share, with logical factors between them, make a [`FactorGraph`]. [`Named`] reads a
//! structure from text, which is how the program and [`Map`](crate::Map) name one.
//!
//! ```
//! use hfy::retrieval::{Retriever, Status};
//! use hfy::structure::{Sequence, SparseMap};
//! use hfy::{Network, Scaled, post::Identity};
//! use ndarray::array;
//!
//! // Four patterns in a row; neighbours belong together.
//! let patterns = array![[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 2.0]];
//! let pairs = SparseMap::new(Sequence::new(2)?.transition(0.5)?);
//! let network = Network::new(Scaled::with_beta(pairs, 1.0)?, Identity, &patterns)?;
//! let found = Retriever::new(&network)?.retrieve(array![[0.1, 1.0, 0.7, 0.6]].view())?;
//! assert_eq!(found.reports[0].status, Status::Association(vec![1, 2]));
//! # Ok::<(), hfy::Error>(())
//! ```
//!
//! A structure of one's own is the trait's two methods:
//!
//! ```
//! use std::borrow::Cow;
//! use hfy::structure::{SparseMap, Structure, Vertex};
//!
//! /// The first variable alone, or all the others.
//! struct FirstOrRest;
//!
//! impl Structure for FirstOrRest {
//!     fn higher(&self, _variables: usize) -> hfy::Result<Cow<'_, [f64]>> {
//!         Ok(Cow::Borrowed(&[])) // no interactions
//!     }
//!     fn maximise(&self, unary: &[f64], _higher: &[f64], vertex: &mut Vertex) -> hfy::Result<f64> {
//!         let rest: f64 = unary[1..].iter().sum();
//!         if unary[0] >= rest {
//!             vertex.choose(0);
//!         } else {
//!             (1..unary.len()).for_each(|i| vertex.choose(i));
//!         }
//!         Ok(unary[0].max(rest))
//!     }
//! }
//!
//! let solution = SparseMap::new(FirstOrRest).solve(&[1.0, 0.5, 0.5])?;
//! assert!((solution.marginals[0] - 2.0 / 3.0).abs() < 1e-15);
//! # Ok::<(), hfy::Error>(())
//! ```

mod active_set;
mod arborescence;
mod assignment;
mod at_most;
mod budgeted_labels;
mod check;
mod cholesky;
mod face;
mod graph;
mod labels;
mod listed;
mod matching;
mod named;
mod projective;
mod regulariser;
mod rivals;
mod sequence;
mod solution;
mod spanning_tree;
mod spans;
mod sparse_map;
mod vertex;
mod wide;

pub use active_set::{ActiveSet, Status};
pub use arborescence::Arborescence;
pub use assignment::Assignment;
pub use at_most::AtMost;
pub use budgeted_labels::BudgetedLabels;
pub use graph::{Factor, FactorGraph, GraphGradients, GraphMap, GraphSettings, GraphSolution, GraphSolver};
pub use labels::LabelSequence;
pub use listed::Listed;
pub use matching::Matching;
pub use named::Named;
pub use projective::Projective;
pub use regulariser::Regulariser;
pub(crate) use rivals::Rivals;
pub use sequence::{Sequence, Transitions};
pub use solution::{Gradients, Solution};
pub use spanning_tree::SpanningTree;
pub use spans::Spans;
pub use sparse_map::SparseMap;
pub use vertex::{Parts, Vertex};

use std::borrow::Cow;

use crate::error::Result;

/// A finite set of structures, each of them a [`Vertex`], with an oracle that finds the best one.
///
/// A structure scores `unary · a_V + higher · a_F`, where `a_V` has one entry a variable and `a_F` one an interaction
/// of several. This is all that SparseMAP asks for; how many structures there are does not matter.
pub trait Structure: Send + Sync {
    /// The scores of the higher-order parts of structures over so many variables, whose number is that of the parts; an
    /// error where there are no structures over so many variables.
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>>;

    /// Writes a structure with the best score, and returns that score.
    ///
    /// `vertex` arrives empty. A score of minus infinity forbids its part; where no structure is left, what is returned
    /// is minus infinity, and the vertex does not matter. Other scores are finite. Of several best structures, which is
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
