//! Retrieval: which patterns answer a batch of queries, without a matrix of all their scores.
//!
//! A [`Retriever`] runs the updates of a network on a batch of queries until a rule stops them, and reports what each
//! came to.
//!
//! The score matrix is never stored. Tiles of the product of patterns and queries are filtered against each query's
//! running maximum as they appear, and only entries within the map's reach of it are kept; an index of principal
//! directions, where it is built, spares even most of the product, and states that are sums of few patterns are scored
//! from the products of patterns with one another where those are few. Either way the few scores that matter are
//! computed again, one by one in double precision, so that every path gives the same weights to the last bit. Maps that
//! give weight to every pattern are computed a block of queries at a time.

mod answer;
mod associate;
mod bounded;
mod energies;
mod flight;
mod index;
mod judge;
mod model;
mod report;
mod retriever;
mod rows;
mod settings;
mod shortlist;
mod stream;
mod sums;
mod tiles;

pub use associate::Engine;
pub use index::Index;
pub use report::{Report, Retrieval, Status, Stopped};
pub use retriever::Retriever;
pub use settings::{MatchRule, Settings, Stop};
