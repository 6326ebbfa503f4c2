//! What the library can write as JSON, as objects of Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;

/// Dicts, lists, numbers and texts. What JSON has no word for, infinity and what is no number, is None.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// The same the other way.
pub(crate) fn from_python(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<serde_json::Value> {
    let py = value.py();
    let text: String = py.import("json")?.call_method1("dumps", (value,))?.extract()?;
    serde_json::from_str(&text).map_err(|error| PyValueError::new_err(format!("{argument}: {error}")))
}
