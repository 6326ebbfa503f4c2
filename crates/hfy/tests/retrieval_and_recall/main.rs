//! Retrieval and recall.

#[path = "../common/mod.rs"]
mod common;

mod recall;
mod retrieval;
mod retrieval_loop;
mod stopping;
