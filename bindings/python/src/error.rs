//! Errors of the library as those of Python, in the same words.

use pyo3::PyErr;
use pyo3::exceptions::{
    PyFileExistsError, PyKeyError, PyMemoryError, PyOSError, PyRuntimeError, PyTimeoutError, PyTypeError, PyValueError,
};

/// A wrong value is a `ValueError`; a system that could not be solved is no fault of its caller.
pub(crate) fn raised(error: hfy::Error) -> PyErr {
    match error {
        hfy::Error::Unsolved { .. } => PyRuntimeError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The disk is an `OSError`, an unknown id a `KeyError`.
pub(crate) fn raised_by_store(error: hfy_store::Error) -> PyErr {
    use hfy_store::Error;
    let words = error.to_string();
    match error {
        Error::Io { source, path, .. } => match source.raw_os_error() {
            // With its number an OSError becomes FileNotFoundError and the like.
            Some(number) => PyOSError::new_err((number, words, path)),
            None => PyOSError::new_err(words),
        },
        Error::UnknownId { .. } => PyKeyError::new_err(words),
        Error::Allocation { .. } => PyMemoryError::new_err(words),
        Error::Type { .. } => PyTypeError::new_err(words),
        Error::Busy { .. } => PyTimeoutError::new_err(words),
        Error::Exists { .. } => PyFileExistsError::new_err(words),
        _ => PyValueError::new_err(words),
    }
}

/// An argument outside its domain.
pub(crate) fn wrong(argument: &str, value: impl std::fmt::Display, rule: &str) -> PyErr {
    PyValueError::new_err(format!("{argument} = {value}: {rule}"))
}

/// An argument of the wrong type.
pub(crate) fn mistyped(argument: &str, what: impl std::fmt::Display, rule: &str) -> PyErr {
    PyTypeError::new_err(format!("{argument} {what}: {rule}"))
}
