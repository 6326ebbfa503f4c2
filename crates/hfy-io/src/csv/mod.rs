//! Numbers as text: one row a line, cells between commas, semicolons or tabs.

mod cell;
mod options;
mod reader;

use std::io::{BufRead, Write};

use ndarray::ArrayView2;

pub use options::{Decimal, Header, Options};
pub use reader::Reader;

use crate::{Array, Float, Number, Result};

/// Reads rows of numbers, all that there are.
///
/// Empty lines and lines that begin with `#` are skipped. Rows in errors are lines of the file.
pub fn read(from: impl BufRead, file: &str, options: &Options, float: Option<Float>) -> Result<Array> {
    let mut reader = Reader::new(from, file, options, float);
    let mut array = reader.block(usize::MAX)?;
    if array.shape[0] == 0 {
        return Err(crate::Error::data(file, "holds no rows of numbers"));
    }
    array.notes = reader.notes();
    Ok(array)
}

/// Writes a matrix, every number so that it is read back the same.
pub fn write<T: Number>(mut to: impl Write, matrix: ArrayView2<'_, T>, delimiter: char) -> std::io::Result<()> {
    let mut line = String::new();
    for row in matrix.rows() {
        line.clear();
        for (column, value) in row.iter().enumerate() {
            if column > 0 {
                line.push(delimiter);
            }
            line += &value.to_string();
        }
        line.push('\n');
        to.write_all(line.as_bytes())?;
    }
    Ok(())
}
