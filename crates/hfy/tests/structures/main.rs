//! Structures: oracles, SparseMAP and factor graphs against the enumeration of all vertices.

#[path = "../common/mod.rs"]
mod common;

mod check;
mod enumerate;
mod factor_graphs;
mod golden;
mod large;
mod misuse;
mod oracles;
mod sparse_map;
