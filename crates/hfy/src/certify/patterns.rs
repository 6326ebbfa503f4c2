//! The stored patterns as certificates need them: row after row, finite, with their norms.

use ndarray::{ArrayView2, CowArray, Ix2};

use super::rounding::dot;
use crate::error::{Error, Result};
use crate::real::{Real, vectorised};

#[derive(Debug, Clone)]
pub(super) struct Patterns<'a, T> {
    rows: CowArray<'a, T, Ix2>,
    squares: Vec<f64>,
    norms: Vec<f64>,
}

impl<'a, T: Real> Patterns<'a, T> {
    pub(super) fn new(patterns: ArrayView2<'a, T>) -> Result<Self> {
        let (n, width) = patterns.dim();
        if n == 0 || width == 0 {
            return Err(Error::shape("patterns", &[n, width], &[n.max(1), width.max(1)]));
        }
        let rows = if patterns.is_standard_layout() {
            CowArray::from(patterns)
        } else {
            CowArray::from(patterns.as_standard_layout().into_owned())
        };
        let mut patterns = Patterns { rows, squares: Vec::with_capacity(n), norms: Vec::with_capacity(n) };
        for i in 0..n {
            let square = patterns.check(i)?;
            patterns.squares.push(square);
            patterns.norms.push(square.sqrt());
        }
        Ok(patterns)
    }

    /// `|x_i|²`, where it and what is made of it can be held.
    fn check(&self, i: usize) -> Result<f64> {
        let row = self.row(i);
        let entry = |index: usize, rule| {
            let value = row[index].wide();
            Err(Error::Entry { argument: "patterns", row: Some(i), index, value, rule })
        };
        if let Some(index) = row.iter().position(|v| !v.is_finite()) {
            return entry(index, "a pattern must be finite");
        }
        let square = vectorised(
            #[inline(always)]
            || dot(row, row),
        );
        if !(T::of(8.0 * square).is_finite()) {
            let largest = |&a: &usize, &b: &usize| row[a].abs().partial_cmp(&row[b].abs()).expect("finite");
            let index = (0..row.len()).max_by(largest).expect("a row is not empty");
            return entry(index, "inner products of the patterns must not overflow");
        }
        Ok(square)
    }

    pub(super) fn len(&self) -> usize {
        self.rows.nrows()
    }

    pub(super) fn width(&self) -> usize {
        self.rows.ncols()
    }

    /// All rows from one number up to another, without gaps.
    pub(super) fn slice(&self, range: std::ops::Range<usize>) -> &[T] {
        let width = self.width();
        &self.rows.as_slice().expect("the rows were laid out in standard order")[range.start * width..range.end * width]
    }

    pub(super) fn row(&self, i: usize) -> &[T] {
        self.slice(i..i + 1)
    }

    /// `|x_i|²` for every `i`.
    pub(super) fn squares(&self) -> &[f64] {
        &self.squares
    }

    /// `|x_i|` for every `i`.
    pub(super) fn norms(&self) -> &[f64] {
        &self.norms
    }

    pub(super) fn largest_norm(&self) -> f64 {
        self.norms.iter().copied().fold(0.0, f64::max)
    }

    pub(super) fn smallest_norm(&self) -> f64 {
        self.norms.iter().copied().fold(f64::INFINITY, f64::min)
    }
}
