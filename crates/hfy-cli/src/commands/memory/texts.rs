//! Labels and metadata for new patterns, and the adding itself.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use half::{bf16, f16};
use hfy_store::{Dtype, Memory};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::io::{Rows, check_finite};

/// Texts for new patterns.
#[derive(Debug, Args)]
pub(crate) struct Texts {
    /// Labels, one a line; an empty line is none [default: the names of pictures]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Metadata, one JSON value a line; an empty line is none
    #[arg(long, value_name = "FILE")]
    metadata: Option<PathBuf>,
}

impl Texts {
    /// Adds rows with their texts, and returns their ids.
    pub(crate) fn add(&self, memory: &mut Memory, rows: &Rows) -> Result<Range<u64>> {
        let labels = match &self.labels {
            Some(path) => Some(lines(path, rows.dim.0)?),
            None => rows.names.clone(),
        };
        let metadata = self.metadata.as_deref().map(|path| values(path, rows.dim.0)).transpose()?;
        let ids = add_rows(memory, rows)?;
        for (id, label) in ids.clone().zip(labels.iter().flatten()) {
            memory.set_label(id, Some(label))?;
        }
        for (id, value) in ids.clone().zip(metadata.iter().flatten()) {
            memory.set_metadata(id, value.as_ref())?;
        }
        Ok(ids)
    }
}

/// The lines of a file, as many as there are patterns.
fn lines(path: &Path, patterns: usize) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(path).map_err(Error::io("read", path))?;
    let lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
    if lines.len() != patterns {
        let what = format!("has {} lines, but there are {patterns} patterns to add", lines.len());
        return Err(Error::data(&path.display().to_string(), what));
    }
    Ok(lines)
}

fn values(path: &Path, patterns: usize) -> Result<Vec<Option<Value>>> {
    let file = path.display().to_string();
    let value = |(row, line): (usize, String)| match &line[..] {
        "" => Ok(None),
        line => serde_json::from_str(line)
            .map(Some)
            .map_err(|error| Error::at(&file, row + 1, error.column(), format!("is not JSON: {error}"))),
    };
    lines(path, patterns)?.into_iter().enumerate().map(value).collect()
}

/// Adds the rows in the type of the memory.
fn add_rows(memory: &mut Memory, rows: &Rows) -> Result<Range<u64>> {
    check_finite(rows, "a pattern")?;
    fits(rows, memory.dtype())?;
    Ok(match memory.dtype() {
        Dtype::F32 => memory.add_batch(rows.matrix::<f32>().view())?,
        Dtype::F64 => memory.add_batch(rows.matrix::<f64>().view())?,
        Dtype::F16 => memory.add_batch(rows.matrix::<f32>().mapv(f16::from_f32).view())?,
        Dtype::Bf16 => memory.add_batch(rows.matrix::<f32>().mapv(bf16::from_f32).view())?,
    })
}

/// Names the first entry that is finite, and would not be in the type of the memory.
fn fits(rows: &Rows, dtype: Dtype) -> Result<()> {
    let overflows = |value: f64| match dtype {
        Dtype::F16 => f16::from_f64(value).is_infinite(),
        Dtype::Bf16 => bf16::from_f64(value).is_infinite(),
        Dtype::F32 => (value as f32).is_infinite(),
        Dtype::F64 => false,
    };
    let matrix = rows.matrix::<f64>();
    match matrix.indexed_iter().find(|(_, value)| overflows(**value)) {
        None => Ok(()),
        Some(((row, column), value)) => {
            Err(rows.wrong_at(row, column, format!("{value}: is beyond the range of {dtype}")).into())
        }
    }
}
