//! Oracles of structures against all of their vertices.

#[path = "../common/mod.rs"]
mod common;
#[path = "../support/mod.rs"]
mod support;

mod check;
mod enumerate;
mod golden;
mod large;
mod misuse;
mod oracles;
