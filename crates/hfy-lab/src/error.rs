//! What can go wrong.

use std::path::{Path, PathBuf};

use crate::data::Checksum;

/// The result of every fallible call in this crate.
pub type Result<V> = std::result::Result<V, Error>;

/// Why data could not be read or got, or an experiment could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A data set is nowhere to be found.
    #[error("the data set {name} is not there: looked for {} in {}; hfy data get {name} gets it", .files.join(", "), .folders.iter().map(|f| f.display().to_string()).collect::<Vec<_>>().join(", "))]
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
    /// A data set could not be read, for the reason that is said.
    #[error("{0}")]
    Data(String),
    /// What was kept of an experiment is not what it has to be.
    #[error("a kept result cannot be used: {0}")]
    Cell(String),
    /// An experiment was asked for that there is not.
    #[error("experiment = {asked}: must be one of {}", .known.join(", "))]
    Unknown {
        /// What was asked for.
        asked: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// A setting is not what it has to be.
    #[error("{argument} = {value}: {rule}")]
    Setting {
        /// The setting.
        argument: &'static str,
        /// Its value.
        value: String,
        /// The rule that it broke.
        rule: &'static str,
    },
    /// Someone asked the work to stop.
    #[error("stopped; what is done is kept, and the next time goes on from there")]
    Interrupted,
    /// The library refused its arguments.
    #[error("{0}")]
    Library(hfy::Error),
    /// A model could not be trained or used.
    #[cfg(feature = "learn")]
    #[error("{0}")]
    Learn(hfy_nn::Error),
    /// A file could not be written.
    #[error("{0}")]
    Store(#[from] hfy_store::Error),
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
}

impl From<hfy::Error> for Error {
    fn from(error: hfy::Error) -> Self {
        match error {
            hfy::Error::Interrupted { .. } => Error::Interrupted,
            other => Error::Library(other),
        }
    }
}

#[cfg(feature = "learn")]
impl From<hfy_nn::Error> for Error {
    fn from(error: hfy_nn::Error) -> Self {
        match error {
            hfy_nn::Error::Interrupted => Error::Interrupted,
            other => Error::Learn(other),
        }
    }
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
