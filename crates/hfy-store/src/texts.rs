//! Labels and metadata of patterns that are to be added.

use serde_json::Value;

use crate::{Error, Result};

/// A label and metadata for each of some patterns. An empty list says nothing of any, and an empty label is none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Texts {
    /// One label a pattern.
    pub labels: Vec<Option<String>>,
    /// One JSON value a pattern, nested up to 127 levels deep.
    pub metadata: Vec<Option<Value>>,
}

/// The same as they are kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct Checked {
    labels: Vec<Option<String>>,
    metadata: Vec<Option<String>>,
}

impl Texts {
    /// Fails unless there are as many as patterns, and all can be read back.
    pub(crate) fn check(&self, patterns: usize) -> Result<Checked> {
        for (argument, count) in [("labels", self.labels.len()), ("metadata", self.metadata.len())] {
            if count != 0 && count != patterns {
                return Err(Error::Shape { argument, got: vec![count], expected: vec![patterns] });
            }
        }
        let labels = self.labels.iter().map(|label| checked_label(label.as_deref())).collect::<Result<_>>()?;
        let metadata = self.metadata.iter().map(|value| checked_metadata(value.as_ref())).collect::<Result<_>>()?;
        Ok(Checked { labels, metadata })
    }
}

impl Checked {
    pub(crate) fn of(labels: Vec<Option<String>>, metadata: Vec<Option<String>>) -> Self {
        Checked { labels, metadata }
    }

    pub(crate) fn label(&self, row: usize) -> Option<&str> {
        self.labels.get(row)?.as_deref()
    }

    pub(crate) fn metadata(&self, row: usize) -> Option<&str> {
        self.metadata.get(row)?.as_deref()
    }
}

/// A label as it is kept: an empty one is none.
pub(crate) fn checked_label(label: Option<&str>) -> Result<Option<String>> {
    match label {
        // SQLite's functions end a text there.
        Some(label) if label.contains('\0') => {
            Err(Error::argument("label", format!("{label:?}"), "must not contain a zero character"))
        }
        label => Ok(label.filter(|label| !label.is_empty()).map(str::to_owned)),
    }
}

/// Metadata as it is kept. A text that could not be read back must not be written.
pub(crate) fn checked_metadata(value: Option<&Value>) -> Result<Option<String>> {
    let Some(value) = value else { return Ok(None) };
    let text = value.to_string();
    match serde_json::from_str::<Value>(&text) {
        Ok(_) => Ok(Some(text)),
        Err(error) => Err(Error::argument("metadata", error, "must be JSON that can be read back")),
    }
}
