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
    /// A source could not be read, or not as was asked.
    #[error("{0}")]
    Input(#[from] hfy_io::Error),
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
    /// A model could not be trained, read or used.
    #[cfg(feature = "learn")]
    #[error("{0}")]
    Learn(#[from] hfy_nn::Error),
    /// Some query had no match, and that was to count as a failure.
    #[error("{count} of {total} {} no match", if *.count == 1 { "queries has" } else { "queries have" })]
    NoMatch {
        /// How many queries.
        count: usize,
        /// Of how many.
        total: usize,
    },
    /// Ctrl-C ended work that did not stop by itself.
    #[error("interrupted")]
    Interrupted,
    /// Whoever read the output has stopped reading.
    #[error("the output was closed")]
    Closed,
}

impl Error {
    /// 1: the work failed, for its data or files; 2: the command line cannot be meant so; 3: no match; 130:
    /// interrupted, as shells count it.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.kind() {
            "usage" => 2,
            "no_match" => 3,
            "interrupted" => 130,
            "closed" => 0,
            _ => 1,
        }
    }

    /// A word for programs.
    pub(crate) fn kind(&self) -> &'static str {
        use hfy::Error as Library;
        match self {
            Error::Usage(_) | Error::Input(hfy_io::Error::Usage(_)) => "usage",
            // Parameters come from the command line; what was read from a file is said of the file.
            Error::Library(Library::Parameter { .. } | Library::Parse { .. } | Library::Unsupported { .. }) => "usage",
            #[cfg(feature = "learn")]
            Error::Learn(hfy_nn::Error::Argument { .. } | hfy_nn::Error::Library(_)) => "usage",
            #[cfg(feature = "learn")]
            Error::Learn(hfy_nn::Error::Interrupted) => "interrupted",
            Error::Interrupted
            | Error::Library(Library::Interrupted { .. })
            | Error::Store(hfy_store::Error::Interrupted { .. }) => "interrupted",
            #[cfg(feature = "lab")]
            Error::Lab(hfy_lab::Error::Interrupted) => "interrupted",
            Error::Io { .. } | Error::Input(hfy_io::Error::Io { .. }) => "io",
            Error::NoMatch { .. } => "no_match",
            Error::Closed => "closed",
            _ => "data",
        }
    }

    /// For programs: kind, message, and the place where there is one.
    pub(crate) fn document(&self) -> serde_json::Value {
        let mut fields = serde_json::json!({ "kind": self.kind(), "message": self.to_string() });
        match self {
            Error::Input(hfy_io::Error::Data { file, row, column, .. }) => {
                fields["file"] = file.as_str().into();
                let places = [("row", row), ("column", column)];
                places.into_iter().for_each(|(name, place)| fields[name] = (*place).into());
            }
            Error::Io { path, .. } | Error::Input(hfy_io::Error::Io { path, .. }) => {
                fields["file"] = path.display().to_string().into();
            }
            _ => {}
        }
        serde_json::json!({ "error": fields })
    }

    /// Something is wrong in a file.
    pub(crate) fn data(file: &str, what: impl std::fmt::Display) -> Self {
        hfy_io::Error::data(file, what).into()
    }

    /// Something is wrong at one place of a file. Rows and columns are counted from 1, as editors do.
    pub(crate) fn at(file: &str, row: usize, column: usize, what: impl std::fmt::Display) -> Self {
        hfy_io::Error::at(file, row, column, what).into()
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
