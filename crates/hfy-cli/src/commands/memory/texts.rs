//! Rows, labels and metadata for the patterns of a memory.

use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::Args;
use half::{bf16, f16};
use hfy_store::{Dtype, Memory, Storable, Texts};
use ndarray::ArrayView2;
use serde_json::Value;

use crate::cli::Files;
use crate::error::{Error, Result};
use crate::io::{self, Float, Rows, check_finite};
use crate::patterns::{match_pictures, picture_of};

/// Files of texts for patterns.
#[derive(Debug, Args)]
pub(crate) struct TextFiles {
    /// Labels, one a line; an empty line is none [default: the names of pictures]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Metadata, one JSON value a line; an empty line is none
    #[arg(long, value_name = "FILE")]
    metadata: Option<PathBuf>,
}

impl TextFiles {
    /// What the files say of so many patterns.
    pub(crate) fn read(&self, patterns: usize) -> Result<Texts> {
        let labels = self.labels.as_deref().map(|path| lines(path, patterns)).transpose()?.unwrap_or_default();
        let metadata = self.metadata.as_deref().map(|path| values(path, patterns)).transpose()?.unwrap_or_default();
        Ok(Texts { labels: labels.into_iter().map(Some).collect(), metadata })
    }

    /// The same for rows that may have names of their own.
    pub(crate) fn of_rows(&self, rows: &Rows) -> Result<Texts> {
        let mut texts = self.read(rows.dim.0)?;
        if self.labels.is_none() {
            texts.labels = rows.names.iter().flatten().cloned().map(Some).collect();
        }
        Ok(texts)
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

/// Where rows go.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Into<'a> {
    /// New patterns.
    Add,
    /// These patterns.
    Update(&'a [u64]),
}

/// Adds rows, or puts them in the place of patterns, in the type of the memory. Returns their ids, as far as they are
/// new.
pub(crate) fn put_rows(memory: &Memory, rows: &Rows, texts: &Texts, into: Into<'_>) -> Result<Range<u64>> {
    fn put<T: Storable>(
        memory: &Memory,
        matrix: ArrayView2<'_, T>,
        texts: &Texts,
        into: Into<'_>,
    ) -> hfy_store::Result<Range<u64>> {
        match into {
            Into::Add => memory.add(matrix, texts),
            Into::Update(ids) => memory.update(ids, matrix, texts).map(|()| 0..0),
        }
    }
    check_finite(rows, "a pattern")?;
    fits(rows, memory.dtype())?;
    Ok(match memory.dtype() {
        Dtype::F32 => put(memory, rows.matrix::<f32>().view(), texts, into),
        Dtype::F64 => put(memory, rows.matrix::<f64>().view(), texts, into),
        Dtype::F16 => put(memory, rows.matrix::<f32>().mapv(f16::from_f32).view(), texts, into),
        Dtype::Bf16 => put(memory, rows.matrix::<f32>().mapv(bf16::from_f32).view(), texts, into),
    }?)
}

/// Reads rows that fit a memory.
pub(crate) fn read_for(memory: &Memory, path: &str, sources: &[String], files: &Files) -> Result<Rows> {
    let float = if memory.dtype() == Dtype::F64 { Float::F64 } else { Float::F32 };
    let mut rows = io::read_all(sources, files.options(Some(float)))?;
    match_pictures(&mut rows, picture_of(&memory.info()?), path)?;
    if rows.dim.1 != memory.dim() {
        let what = format!("has {} columns, but the patterns in {path} have {}", rows.dim.1, memory.dim());
        return Err(Error::data(rows.file(), what));
    }
    Ok(rows)
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
