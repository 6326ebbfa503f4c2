//! Why a command failed, and the exit code that says so.

use std::path::PathBuf;

/// The result of every fallible step of a command.
pub(crate) type Result<V> = std::result::Result<V, Error>;

/// What stopped a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Arguments that do not go together.
    #[error("{0}")]
    Usage(String),
    /// A file, or a place in one, is not what it has to be.
    #[error("{0}")]
    Data(String),
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
    /// The library refused its arguments.
    #[error("{0}")]
    Library(#[from] hfy::Error),
    /// The store refused a file or a change.
    #[error("{0}")]
    Store(#[from] hfy_store::Error),
    /// The laboratory could not read its data or run an experiment.
    #[cfg(feature = "lab")]
    #[error("{0}")]
    Lab(#[from] hfy_lab::Error),
    /// Some query had no match, and that was to count as a failure.
    #[error("{count} of {total} {} no match", if *.count == 1 { "queries has" } else { "queries have" })]
    NoMatch {
        /// How many queries.
        count: usize,
        /// Of how many.
        total: usize,
    },
    /// Whoever read the output has stopped reading.
    #[error("the output was closed")]
    Closed,
}

impl Error {
    /// 1: data or files; 2: usage; 3: no match; 130: interrupted, as shells count it.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Error::Usage(_) => 2,
            Error::NoMatch { .. } => 3,
            Error::Library(hfy::Error::Interrupted { .. }) => 130,
            #[cfg(feature = "lab")]
            Error::Lab(hfy_lab::Error::Interrupted) => 130,
            Error::Closed => 0,
            _ => 1,
        }
    }

    /// Something is wrong in a file.
    pub(crate) fn data(file: &str, what: impl std::fmt::Display) -> Self {
        Error::Data(format!("{file}: {what}"))
    }

    /// Something is wrong at one place of a file. Rows and columns are counted from 1, as editors do.
    pub(crate) fn at(file: &str, row: usize, column: usize, what: impl std::fmt::Display) -> Self {
        Error::Data(format!("{file}, row {row}, column {column}: {what}"))
    }

    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Error::Io { action, path, source }
    }

    /// An error of the library about an entry of an array, said of the file that the array came from.
    pub(crate) fn in_file(file: &str) -> impl Fn(hfy::Error) -> Self + '_ {
        move |error| match error {
            hfy::Error::Entry { row: Some(row), index, value, rule, .. } => {
                Error::at(file, row + 1, index + 1, format!("{value}: {rule}"))
            }
            hfy::Error::Interrupted { .. } => Error::Library(error),
            other => Error::data(file, other),
        }
    }
}
