//! Golden values: inputs with their exact results.

#[path = "../common/mod.rs"]
mod common;

mod maps;
mod structures;
