//! Text rationales: gradients, budgets, planted words, files, going on after a stop.

#[path = "../common/mod.rs"]
mod common;

mod budgets;
mod files;
mod gradients;
mod planted;
