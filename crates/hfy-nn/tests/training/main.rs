//! Training: the same bits for the same seed, AdamW, checkpoints, early stopping, divergence.

#[path = "../common/mod.rs"]
mod common;

mod adamw;
mod checkpoints;
mod optimisers;
mod same_bits;
mod stopping;
mod tasks;
