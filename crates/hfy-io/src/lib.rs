//! Arrays and pictures in files, as rows of numbers.
//!
//! npy, npz, csv, safetensors, and pictures (PNG, JPEG, BMP, WebP, TIFF). Every reader takes bytes or a stream as well
//! as a path, checks sizes before it allocates, and names the file, the row, the column, the value and the rule in its
//! errors. What a reader leaves out or interprets (a header, a decimal comma, the scale of pictures) is said in
//! [`Rows::notes`]. [`bags`] reads bags of instances with a label for each bag, [`texts`] texts with labels,
//! [`vectors`] vectors of words.
//!
//! ```
//! use hfy_io::{Format, Options};
//!
//! let rows = hfy_io::read_bytes(b"x;y\n1,5;2\n", Format::Csv(None), "a.csv", &Options::default())?;
//! assert_eq!(rows.dim, (1, 2));
//! assert_eq!(rows.matrix::<f64>().row(0).to_vec(), [1.5, 2.0]);
//! assert_eq!(rows.notes[0], "a.csv: line 1 was taken as a header: 'x', 'y'");
//! # Ok::<(), hfy_io::Error>(())
//! ```

mod array;
pub mod bags;
pub mod csv;
mod element;
mod elements;
mod error;
mod format;
mod names;
pub mod npy;
pub mod npz;
mod number;
mod options;
pub mod picture;
mod read;
mod rows;
pub mod safetensors;
mod sources;
mod stream;
mod text;
pub mod texts;
pub mod vectors;

pub use array::Array;
pub use bags::Bags;
pub use element::{Float, Kind, Numbers};
pub use error::{Error, Result};
pub use format::{Format, Place};
pub use number::Number;
pub use options::{Options, RowRange};
pub use picture::{Form, Scale};
pub use read::{read_all, read_all_with, read_bytes, read_rows};
pub use rows::{Rows, owned};
pub use sources::{Source, expand};
pub use stream::RowStream;
pub use text::visible;
pub use vectors::WordVectors;
