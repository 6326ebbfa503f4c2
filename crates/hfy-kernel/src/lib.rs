//! The floor of hfy: vector code over slices of `f32` and `f64`, which knows nothing of maps, networks or errors.
//!
//! Every loop is written once, as a [`Kernel`] over [`Vectors`] of any width, and compiled for each instruction set
//! that a machine may have. [`Kernels`] lists the entry points: they are compiled in this crate, once for each type of
//! numbers, so that the crates above it compile none of them again.
//!
//! This crate is a part of hfy; its interface follows hfy's needs and promises nothing to others.

mod buffers;
mod compact;
mod dots;
mod elementary;
mod exponential;
mod in_out;
mod kernels;
mod lanes;
mod maxima;
mod number;
mod power;
mod product;
mod sums;
mod tier;
mod transpose;
mod vectors;
mod weights;

pub use buffers::{Buffers, Lend, from_copy, with_copy, with_zeros};
pub use compact::{Compact, SLACK};
pub use in_out::InOut;
pub use kernels::Kernels;
pub use lanes::{LaneMap, LaneOutcome, MOST_WIDTH, NextRow};
pub use maxima::BLOCK;
pub use number::{Number, greater, lesser};
pub use power::{Exponent, MOST_SUMS, Offset, Scores, Tabled};
pub use tier::{Tier, with_tier};
pub use vectors::{Kernel, Vectors, vectorised};
pub use weights::{Slope, Weight};
