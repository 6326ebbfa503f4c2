//! SparseMAP against its definition: every vertex is written out, and the solution must beat them all.

#[path = "../common/mod.rs"]
mod common;
#[path = "../structures/enumerate.rs"]
#[allow(dead_code)] // the oracles' own tests use the rest
mod enumerate;

mod brute;
mod convexity;
mod derivatives;
mod guarantees;
mod kkt;
mod large;
mod problems;
mod uses;
