//! What can be wrong with the data.

use std::path::{Path, PathBuf};

/// The result of every fallible call in this crate.
pub type Result<V> = std::result::Result<V, Error>;

/// Why data could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A data set is nowhere to be found.
    #[error("the data set {name} is not there: looked for {} in {}", .files.join(", "), .folders.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", "))]
    Missing {
        /// The data set.
        name: &'static str,
        /// The files that would do, any of them.
        files: Vec<String>,
        /// Where they were looked for.
        folders: Vec<PathBuf>,
    },
    /// A file is not what it has to be.
    #[error("{}: {what}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The operating system refused.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
}

impl Error {
    pub(crate) fn format(path: &Path, what: impl Into<String>) -> Self {
        Error::Format { path: path.to_owned(), what: what.into() }
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Error::Io { path, source }
    }
}
