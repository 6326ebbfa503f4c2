//! An array as a file holds it.

use crate::element::Fault;
use crate::{Error, Kind, Numbers};

/// Shape, element type and numbers of an array in a file, last axis fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// The element type in the file.
    pub kind: Kind,
    /// The elements.
    pub numbers: Numbers,
    /// The line of each row, where rows are lines of a text.
    pub lines: Option<Vec<usize>>,
    /// What was left out or interpreted.
    pub notes: Vec<String>,
}

/// The number of entries, where it and that of every part of the axes can be counted.
pub(crate) fn count(shape: &[usize]) -> Option<usize> {
    shape.iter().try_fold(1, |product: usize, &length| product.checked_mul(length.max(1)))?;
    Some(shape.iter().product())
}

/// The first axis counts rows and the others are one row; a single axis is a single row.
pub(crate) fn rows_of(shape: &[usize]) -> (usize, usize) {
    match shape {
        [] => (1, 1),
        [columns] => (1, *columns),
        [rows, rest @ ..] => (*rows, rest.iter().product()),
    }
}

/// An integer that was rounded, as a note for people.
pub(crate) fn rounding_note(file: &str, shape: &[usize], (at, value): (usize, i128)) -> String {
    let width = rows_of(shape).1.max(1);
    let (row, column) = (at / width + 1, at % width + 1);
    format!("{file}, row {row}, column {column}: {value} was rounded, perhaps like others: no f64 is this integer")
}

/// A fault among the elements of an array of this shape, with its row and column.
pub(crate) fn element_fault(file: &str, shape: &[usize], fault: Fault) -> Error {
    let width = rows_of(shape).1.max(1);
    let place = |at: usize| (at / width + 1, at % width + 1);
    match fault {
        Fault::Short(at) => {
            let (row, column) = place(at);
            Error::at(file, row, column, format!("the data end here, but the header promises shape {shape:?}"))
        }
        Fault::Long => Error::data(file, format!("there are data after the last entry of shape {shape:?}")),
        Fault::Range(at, value) => {
            let (row, column) = place(at);
            Error::at(file, row, column, format!("{value:e} is beyond the range of f32: use f64"))
        }
        Fault::Memory(count) => Error::data(file, format!("there is no memory for its {count} entries")),
        Fault::Io(source) => Error::Io { action: "read", path: file.into(), source },
    }
}
