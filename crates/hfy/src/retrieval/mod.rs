//! Retrieval: which patterns answer a batch of queries, without a matrix of all their scores.
//!
//! The score matrix is never stored. Tiles of the product of patterns and queries are filtered against each query's
//! running maximum as they appear, and only entries within the map's reach of it are kept; an index of principal
//! directions, where it is built, spares even most of the product. Either way the few scores that matter are computed
//! again, one by one in double precision, so that every path gives the same weights to the last bit.

mod associate;
mod index;
mod shortlist;
mod tiles;

pub use associate::Engine;
pub use index::Index;
