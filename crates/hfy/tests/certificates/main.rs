//! Certificates of exact retrieval.

#[path = "../common/mod.rs"]
mod common;

mod golden;
mod radii;
mod scores;
mod states;
