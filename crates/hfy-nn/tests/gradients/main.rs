//! The gradients of layers, held to central differences.

#[path = "../common/mod.rs"]
mod common;

mod fixed_points;
mod lstm;
mod maps;
mod masks;
mod mil;
mod settings;
mod wrong;
