//! Factor graphs against the enumeration of their assignments.

#[path = "../support/mod.rs"]
mod support;

mod brute;
mod convex;
mod golden;
mod gradients;
mod logic;
mod misuse;
mod mixtures;
