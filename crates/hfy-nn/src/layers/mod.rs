//! Hopfield layers: associations with any separation map, any number of updates, and reports.

mod affine;
mod config;
mod core;
mod hopfield;
mod iteration;
mod linear;
mod lookup;
mod lstm;
mod patterns;
mod pooling;
mod projections;
mod psi;
mod report;
mod sizes;

pub use config::{Activation, HopfieldConfig, InputNorm, Scaling};
pub use hopfield::{Hopfield, Masks};
pub(crate) use iteration::numbers;
pub use linear::Linear;
pub(crate) use linear::drawn;
pub use lookup::{HopfieldLayer, LookupConfig};
pub use lstm::BidirectionalLstm;
pub use patterns::Patterns;
pub use pooling::HopfieldPooling;
pub use report::AssociationReport;
