//! How files are read.

use std::str::FromStr;

use crate::{Float, csv, picture};

/// What to read numbers to, and how texts and pictures are understood.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// The type of the numbers; that of the file unless it is given.
    pub float: Option<Float>,
    /// How csv is understood.
    pub csv: csv::Options,
    /// How pictures become rows.
    pub picture: picture::Options,
    /// Which rows of all sources together.
    pub rows: Option<RowRange>,
}

impl From<Option<Float>> for Options {
    fn from(float: Option<Float>) -> Self {
        Options { float, ..Options::default() }
    }
}

impl From<&Options> for Options {
    fn from(options: &Options) -> Self {
        options.clone()
    }
}

/// Rows from `first` up to, but without, `end`: `A..B`, `A..` or `..B`, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowRange {
    /// The first row.
    pub first: usize,
    /// The row after the last; all that follow where it is `None`.
    pub end: Option<usize>,
}

impl FromStr for RowRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const RULE: &str = "must be A..B, A.. or ..B, rows from A up to but without B, counted from 0";
        let (first, end) = text.split_once("..").ok_or(RULE)?;
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            digits if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().map(Some).map_err(|_| RULE),
            _ => Err(RULE),
        };
        let (first, end) = (number(first)?.unwrap_or(0), number(end)?);
        if end.is_some_and(|end| end <= first) {
            return Err(format!("holds no rows: {RULE}"));
        }
        Ok(RowRange { first, end })
    }
}

impl std::fmt::Display for RowRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.first, self.end.map(|end| end.to_string()).unwrap_or_default())
    }
}
