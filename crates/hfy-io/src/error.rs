//! What can be wrong with a file or with the options that it is read by.

use std::path::PathBuf;

/// The result of every fallible call in this crate.
pub type Result<V> = std::result::Result<V, Error>;

/// What stopped a reader.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Options or sources that cannot be used together.
    #[error("{0}")]
    Usage(String),
    /// A file, or a place in one, is not what it has to be.
    #[error("{file}{}: {what}", place(*.row, *.column))]
    Data {
        /// The file, as it was named.
        file: String,
        /// The row or line, counted from 1.
        row: Option<usize>,
        /// The column, counted from 1.
        column: Option<usize>,
        /// The value and the rule.
        what: String,
    },
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
}

fn place(row: Option<usize>, column: Option<usize>) -> String {
    let part = |name: &str, number: Option<usize>| number.map(|n| format!(", {name} {n}")).unwrap_or_default();
    part("row", row) + &part("column", column)
}

impl Error {
    /// Something is wrong in a file.
    pub fn data(file: &str, what: impl std::fmt::Display) -> Self {
        Error::Data { file: file.to_owned(), row: None, column: None, what: what.to_string() }
    }

    /// Something is wrong in one row of a file, counted from 1.
    pub fn in_row(file: &str, row: usize, what: impl std::fmt::Display) -> Self {
        Error::Data { file: file.to_owned(), row: Some(row), column: None, what: what.to_string() }
    }

    /// Something is wrong at one place of a file. Rows and columns are counted from 1, as editors do.
    pub fn at(file: &str, row: usize, column: usize, what: impl std::fmt::Display) -> Self {
        Error::Data { file: file.to_owned(), row: Some(row), column: Some(column), what: what.to_string() }
    }

    /// The operating system refused to do something with a file.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Error::Io { action, path, source }
    }
}
