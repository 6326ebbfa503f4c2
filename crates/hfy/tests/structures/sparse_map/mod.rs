//! SparseMAP against its definition: every vertex is written out, and the solution must beat them all.

mod brute;
mod convexity;
mod derivatives;
mod guarantees;
mod kkt;
mod large;
mod problems;
mod uses;
