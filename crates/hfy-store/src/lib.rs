//! A memory you can keep: patterns under stable ids, with labels and metadata, that many processes use at once.
//!
//! ```
//! use hfy_store::{Dtype, Filter, Memory, Texts};
//! use ndarray::array;
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("letters.hfy");
//! let memory = Memory::create(&path, Dtype::F32, 3)?;
//! let texts = Texts { labels: vec![Some("a".into()), Some("b".into())], ..Texts::default() };
//! memory.add(array![[1.0f32, -1.0, 1.0], [-1.0, 1.0, 1.0]].view(), &texts)?; // on disk when it returns
//!
//! let letters = memory.snapshot()?.filtered(&"label = \"b\"".parse::<Filter>()?)?;
//! assert_eq!(letters.patterns::<f32>()?, array![[-1.0, 1.0, 1.0]]); // a memory map: nothing is copied
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Memory`] is a folder: a SQLite catalogue and segments of patterns, which are `safetensors` files that any
//! framework reads. [`Snapshot::export`] writes it as one file for exchange. `docs/memory-format.md` specifies both
//! forms, and `docs/reliability.md` says what is promised and how it is tested. A file is data, never trusted: a fault
//! in one is an [`Error`] that says what and where.

mod building;
mod bytes;
mod catalogue;
mod compact;
mod connection;
pub mod disk;
mod dtype;
mod error;
mod exchange;
mod filter;
mod folder;
mod header;
mod info;
mod memory;
mod pattern_file;
mod progress;
mod replace;
mod run;
mod snapshot;
mod text;
mod texts;
mod write;
mod writer_lock;

pub use connection::release_connections;
pub use dtype::{Dtype, Storable};
pub use error::{Error, Result};
pub use filter::Filter;
pub use info::Info;
pub use memory::{Memory, Options};
pub use progress::Progress;
pub use replace::replace_file;
pub use snapshot::{AnyPatterns, Record, Snapshot};
pub use texts::Texts;
