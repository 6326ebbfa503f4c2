//! Hopfield layers and their training, on Burn.

mod error;
pub mod layers;
pub mod mil;
mod omega;
mod operators;
mod random;
pub mod state;
pub mod train;

pub use error::{Error, Result};
pub use omega::{Omega, OmegaParameter};
pub use operators::Rows;
pub use random::{Phase, Random, RandomState};
