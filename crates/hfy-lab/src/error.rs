//! What can be wrong with the data, and with getting them.

use std::path::{Path, PathBuf};

use crate::data::Checksum;

/// The result of every fallible call in this crate.
pub type Result<V> = std::result::Result<V, Error>;

/// Why data could not be read or got.
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
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// There is no folder to put data into.
    #[error("there is no folder for data: name one, or set HFY_DATA_DIR")]
    NoFolder,
    /// A server did not give what it was asked for.
    #[error("cannot download {address}: {what}")]
    Download {
        /// What was asked for.
        address: String,
        /// What came instead.
        what: String,
    },
    /// A file has another size than the one that was published.
    #[error("{file} has {found} bytes, expected {expected}")]
    Size {
        /// Its address, or its path.
        file: String,
        /// How many it has; where it was left there, so many and more.
        found: u64,
        /// How many it should have.
        expected: u64,
    },
    /// A file has another checksum than the one that was published.
    #[error("{file} has the {found}, expected the {expected}")]
    Checksum {
        /// Its address, or its path.
        file: String,
        /// The sum that it has.
        found: Checksum,
        /// The sum that was published.
        expected: Checksum,
    },
    /// Whoever was told of the progress said stop.
    #[error("stopped; what came so far is kept, and the next time goes on from there")]
    Stopped,
}

impl Error {
    pub(crate) fn format(path: &Path, what: impl Into<String>) -> Self {
        Error::Format { path: path.to_owned(), what: what.into() }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Error::Io { action, path, source }
    }
}
