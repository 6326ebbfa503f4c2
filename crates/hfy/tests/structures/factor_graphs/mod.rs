//! Factor graphs against the enumeration of their assignments.

mod brute;
mod convex;
mod golden;
mod gradients;
mod logic;
mod misuse;
mod mixtures;
