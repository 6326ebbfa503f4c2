//! The laboratory of hfy: [data sets](data), read from the files in which they are published; the [experiments] of the
//! paper, one a file; and what [runs](reproduce) them, keeps what is done, and writes results, figures and a page over
//! all.
//!
//! ```no_run
//! use hfy_lab::data::{Place, mnist};
//!
//! let place = Place::find(None)?;
//! let digits = mnist::train(&place)?;
//! let patterns = digits.patterns(&[0, 1, 2]); // rows in [-1, 1]
//! assert_eq!(patterns.dim(), (3, 784));
//! # Ok::<(), hfy_lab::Error>(())
//! ```

pub mod data;
mod error;
pub mod experiment;
pub mod experiments;
pub mod reproduce;

pub use error::{Error, Result};
