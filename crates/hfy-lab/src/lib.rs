//! The laboratory of hfy: the data sets that experiments run on, read from the files in which they are published.
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

pub use error::{Error, Result};
