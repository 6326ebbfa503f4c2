//! A memory you can keep: patterns under stable ids, with labels and metadata, in one file.
//!
//! ```
//! use hfy_store::Memory;
//! use ndarray::array;
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("letters.hfy");
//! let mut memory = Memory::from_patterns(array![[1.0f32, -1.0, 1.0], [-1.0, 1.0, 1.0]].view())?;
//! memory.set_label(0, Some("a"))?;
//! memory.save_as(&path)?;
//!
//! let mut memory = Memory::open(&path)?; // a memory map: nothing is copied
//! let id = memory.add(array![1.0f32, 1.0, -1.0].view())?;
//! memory.remove(&[1])?;
//! assert_eq!(memory.ids().collect::<Vec<_>>(), [0, 2]);
//! assert_eq!(memory.row_of(id), Some(1));
//! assert_eq!(memory.get(0)?.label()?, Some("a"));
//! assert_eq!(memory.patterns::<f32>()?, array![[1.0, -1.0, 1.0], [1.0, 1.0, -1.0]]);
//! memory.save()?; // a new file takes the old one's place at once, or not at all
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The file is a `safetensors` file, so that any framework reads it; `docs/memory-format.md` specifies it byte by byte.
//! A file is data, never trusted: whatever is wrong with one is an [`Error`] that says what and where.

mod base;
mod bytes;
mod dtype;
mod error;
mod header;
mod info;
mod memory;
mod record;
mod replace;
mod rows;
mod runs;
mod save;
mod text;

pub use dtype::{Dtype, Storable};
pub use error::{Error, Result};
pub use info::Info;
pub use memory::{Memory, Pending};
pub use record::Record;
pub use replace::replace_file;
pub use runs::AnyPatterns;
