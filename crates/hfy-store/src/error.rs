//! What can go wrong: the disk, the file, or the call.

use std::path::PathBuf;

use crate::Dtype;

/// The result of every fallible call in this crate.
pub type Result<V> = std::result::Result<V, Error>;

/// An input, a file or a disk that cannot be used; the message names it, its value and the rule it broke.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A file, or a part of it, is not what the format demands.
    #[error("{file}: {place} = {value}: {rule}")]
    Damaged {
        /// The file.
        file: String,
        /// The tensor or the field of the header.
        place: String,
        /// What was found there.
        value: String,
        /// What has to be there.
        rule: String,
    },
    /// The bytes of a part are not those that were written.
    #[error("{file}: {part} has checksum {computed:016x}, but {stored:016x} was written: these bytes have changed")]
    Checksum {
        /// The file.
        file: String,
        /// The tensor, or `header`.
        part: String,
        /// As the file says.
        stored: u64,
        /// As the bytes are.
        computed: u64,
    },
    /// A stored pattern holds an infinity or no number.
    #[error("{file}: patterns[{row}, {index}] = {value} (id {id}): a pattern must be finite")]
    NotFinite {
        /// The file.
        file: String,
        /// Row of the pattern.
        row: usize,
        /// Position in the pattern.
        index: usize,
        /// Id of the pattern.
        id: u64,
        /// What is stored.
        value: f64,
    },
    /// An argument lies outside its domain.
    #[error("{argument} = {value}: {rule}")]
    Argument {
        /// Name of the argument.
        argument: &'static str,
        /// The value that was given.
        value: String,
        /// What it has to satisfy.
        rule: &'static str,
    },
    /// An array has the wrong shape.
    #[error("{argument} has shape {got:?}, expected {expected:?}")]
    Shape {
        /// Name of the array.
        argument: &'static str,
        /// Its shape.
        got: Vec<usize>,
        /// The shape that fits.
        expected: Vec<usize>,
    },
    /// An array has the wrong element type.
    #[error("{argument} is of type {got}, but the memory holds {expected}: convert it first")]
    Type {
        /// Name of the array.
        argument: &'static str,
        /// Its type.
        got: Dtype,
        /// The type of the memory.
        expected: Dtype,
    },
    /// No pattern has this id.
    #[error("id = {id}: no pattern in this memory has it{}", if *.id < *.next { " any more" } else { "" })]
    UnknownId {
        /// The id.
        id: u64,
        /// The id that the next pattern will get.
        next: u64,
    },
    /// SQLite refused, or its file is damaged.
    #[error("{}: {source}", path.display())]
    Catalogue {
        /// The catalogue.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// Other writers did not finish in time.
    #[error("cannot {action} {}: {holder}; waited {seconds} s", memory.display())]
    Busy {
        /// The memory.
        memory: PathBuf,
        /// What was to be done.
        action: &'static str,
        /// How long was waited.
        seconds: f64,
        /// Who writes, and since when.
        holder: String,
    },
    /// A memory exists already where one was to be made.
    #[error("{} exists already", path.display())]
    Exists {
        /// The memory.
        path: PathBuf,
    },
    /// A memory that can only be read was to be changed.
    #[error("{} is one file, which is only read: import it into a memory to change it", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The texts of a snapshot were asked for after its connection was closed, as before a fork.
    #[error("{}: labels and metadata of this snapshot went away when the process forked: take another", path.display())]
    Released {
        /// The memory.
        path: PathBuf,
    },
    /// Whoever watched the work stopped it; everything is as it was.
    #[error("interrupted after {done} of {total} bytes")]
    Interrupted {
        /// Bytes that were done.
        done: u64,
        /// Bytes there are.
        total: u64,
    },
    /// There is not enough memory for a copy.
    #[error("cannot allocate {bytes} bytes for {what}")]
    Allocation {
        /// What the bytes were for.
        what: &'static str,
        /// How many.
        bytes: usize,
    },
}

impl Error {
    pub(crate) fn argument(argument: &'static str, value: impl ToString, rule: &'static str) -> Self {
        Error::Argument { argument, value: value.to_string(), rule }
    }

    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Error::Io { action, path, source }
    }

    /// Names the file in an error of writing.
    pub(crate) fn at(self, file: &std::path::Path) -> Self {
        match self {
            Error::Io { action: "write", source, .. } => Error::Io { action: "write", path: file.to_owned(), source },
            other => other,
        }
    }

    pub(crate) fn catalogue(path: &std::path::Path) -> impl Fn(rusqlite::Error) -> Self + '_ {
        move |source| Error::Catalogue { path: path.to_owned(), source }
    }
}

/// Damage whose file is not known yet.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) place: String,
    pub(crate) value: String,
    pub(crate) rule: String,
}

impl Fault {
    pub(crate) fn new(place: impl Into<String>, value: impl ToString, rule: impl Into<String>) -> Self {
        Fault { place: place.into(), value: shortened(value.to_string()), rule: rule.into() }
    }

    pub(crate) fn in_file(self, file: &str) -> Error {
        Error::Damaged { file: file.to_owned(), place: self.place, value: self.value, rule: self.rule }
    }
}

/// A hostile value may be a megabyte long; the message need not be.
fn shortened(mut text: String) -> String {
    const MOST: usize = 120;
    if text.len() > MOST {
        let cut = (0..=MOST).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(cut);
        text.push_str("...");
    }
    text
}
