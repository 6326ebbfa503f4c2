//! An array as a file holds it, and the rows that a command works on.

use ndarray::{Array2, CowArray, Ix2};

use super::element::{Fault, Float, Kind, Numbers};
use super::picture::Picture;
use crate::error::{Error, Result};
use crate::number::Number;

/// Shape, element type and numbers of an array in a file, last axis fastest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) kind: Kind,
    pub(crate) numbers: Numbers,
    /// The line of each row, where rows are lines of a text.
    pub(crate) lines: Option<Vec<usize>>,
}

/// Rows of one source.
#[derive(Debug, Clone)]
struct Part {
    file: String,
    rows: usize,
    /// The line of each row, where rows are lines.
    lines: Option<Vec<usize>>,
}

/// One item a row, with where it came from.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    parts: Vec<Part>,
    pub(crate) kind: Kind,
    pub(crate) numbers: Numbers,
    /// How many rows, how many columns.
    pub(crate) dim: (usize, usize),
    /// Height and width, where a row is a picture.
    pub(crate) picture: Option<(usize, usize)>,
    /// A name for each row, where the source has names.
    pub(crate) names: Option<Vec<String>>,
}

/// The number of entries, where it and that of every part of the axes can be counted.
pub(crate) fn count(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1, |product: usize, &length| product.checked_mul(length.max(1)))?;
    Some(shape.iter().product())
}

/// A fault among the elements of an array of this shape, with its row and column.
pub(crate) fn element_fault(file: &str, shape: &[usize], fault: Fault) -> Error {
    match fault {
        Fault::Short(at) => {
            let (_, width) = rows_of(shape);
            let (row, column) = (at / width.max(1) + 1, at % width.max(1) + 1);
            Error::at(file, row, column, format!("the data end here, but the header promises shape {shape:?}"))
        }
        Fault::Long => Error::data(file, format!("there are data after the last entry of shape {shape:?}")),
        Fault::Io(source) => Error::Io { action: "read", path: file.into(), source },
    }
}

/// The first axis counts rows and the others are one row; a single axis is a single row.
fn rows_of(shape: &[usize]) -> (usize, usize) {
    match shape {
        [] => (1, 1),
        [columns] => (1, *columns),
        [rows, rest @ ..] => (*rows, rest.iter().product()),
    }
}

impl Rows {
    /// The rows of an array: the first axis counts them, and whatever follows is flattened.
    pub(crate) fn from_array(array: Array, file: &str) -> Result<Self> {
        if array.shape.is_empty() {
            return Err(Error::data(file, "holds a single number, not rows of numbers"));
        }
        let dim = rows_of(&array.shape);
        if dim.0 == 0 || dim.1 == 0 {
            return Err(Error::data(file, format!("holds nothing: its shape is {:?}", array.shape)));
        }
        let picture = match array.shape[..] {
            [_, height, width] => Some((height, width)),
            _ => None,
        };
        let parts = vec![Part { file: file.to_owned(), rows: dim.0, lines: array.lines }];
        Ok(Rows { parts, kind: array.kind, numbers: array.numbers, dim, picture, names: None })
    }

    /// A picture is one row.
    pub(crate) fn from_picture(picture: Picture, name: String, file: &str, float: Option<Float>) -> Self {
        let dim = (1, picture.greys.len());
        let numbers = match float.unwrap_or(Float::F32) {
            Float::F32 => Numbers::F32(picture.greys),
            Float::F64 => Numbers::F64(picture.greys.into_iter().map(f64::from).collect()),
        };
        let parts = vec![Part { file: file.to_owned(), rows: 1, lines: None }];
        let shape = Some((picture.height, picture.width));
        Rows { parts, kind: Kind::F32, numbers, dim, picture: shape, names: Some(vec![name]) }
    }

    /// How errors about all rows name the source.
    pub(crate) fn file(&self) -> &str {
        &self.parts[0].file
    }

    /// Something is wrong with an entry, counted from 0; the error names its file, and counts from 1.
    pub(crate) fn wrong_at(&self, mut row: usize, column: usize, what: impl std::fmt::Display) -> Error {
        let mut parts = self.parts.iter().peekable();
        while let Some(part) = parts.next_if(|part| row >= part.rows) {
            row -= part.rows;
        }
        match parts.next() {
            Some(part) => {
                let line = part.lines.as_ref().and_then(|lines| lines.get(row).copied());
                Error::at(&part.file, line.unwrap_or(row + 1), column + 1, what)
            }
            None => Error::data(self.file(), what),
        }
    }

    /// An error of the library about these rows, with the file, the row and the column.
    pub(crate) fn wrong(&self, error: hfy::Error) -> Error {
        match error {
            hfy::Error::Entry { row: Some(row), index, value, rule, .. } => {
                self.wrong_at(row, index, format!("{value}: {rule}"))
            }
            hfy::Error::Interrupted { .. } => Error::Library(error),
            other => Error::data(self.file(), other),
        }
    }

    /// The type that these numbers were read to.
    pub(crate) fn float(&self) -> Float {
        match self.numbers {
            Numbers::F32(_) => Float::F32,
            Numbers::F64(_) => Float::F64,
        }
    }

    /// The rows as a matrix of either type; without a copy if they were read to it.
    pub(crate) fn matrix<T: Number>(&self) -> CowArray<'_, T, Ix2> {
        T::matrix(&self.numbers, self.dim)
    }

    /// Appends rows of the same width, and pictures of the same size.
    pub(crate) fn append(&mut self, more: Rows) -> Result<()> {
        if let (Some((height, width)), Some(first)) = (more.picture, self.picture)
            && more.picture != self.picture
        {
            let what = format!("{width} x {height} pixels, but {} is {} x {}", self.file(), first.1, first.0);
            return Err(Error::Data(format!("{} is {what}", more.file())));
        }
        if more.dim.1 != self.dim.1 {
            let what = format!("has {} columns, but {} has {}", more.dim.1, self.file(), self.dim.1);
            return Err(Error::Data(format!("{} {what}", more.file())));
        }
        if more.picture != self.picture {
            self.picture = None;
        }
        self.parts.extend(more.parts);
        let rows = (self.dim.0, more.dim.0);
        let names = |names: Option<Vec<String>>, rows: usize| names.unwrap_or_else(|| vec![String::new(); rows]);
        if self.names.is_some() || more.names.is_some() {
            let mut all = names(self.names.take(), rows.0);
            all.extend(names(more.names, rows.1));
            self.names = Some(all);
        }
        match (&mut self.numbers, more.numbers) {
            (Numbers::F32(to), Numbers::F32(from)) => to.extend(from),
            (Numbers::F64(to), Numbers::F64(from)) => to.extend(from),
            (Numbers::F64(to), Numbers::F32(from)) => to.extend(from.into_iter().map(f64::from)),
            (Numbers::F32(to), Numbers::F64(mut from)) => {
                let mut wide: Vec<f64> = to.iter().copied().map(f64::from).collect();
                wide.append(&mut from);
                self.numbers = Numbers::F64(wide);
            }
        }
        if self.kind != more.kind {
            self.kind = if self.float() == Float::F64 { Kind::F64 } else { Kind::F32 };
        }
        self.dim.0 += more.dim.0;
        Ok(())
    }
}

/// A matrix over a vector of its entries.
pub(crate) fn owned<T: Clone>(values: Vec<T>, dim: (usize, usize)) -> Array2<T> {
    Array2::from_shape_vec(dim, values).expect("rows hold as many numbers as their dimensions say")
}
