//! Numbers as text: one row a line, cells between commas (or tabs, in a `.tsv` file).

use std::io::{BufRead, Write};

use ndarray::ArrayView2;

use super::array::Array;
use super::element::{Float, Kind, Numbers};
use crate::error::{Error, Result};
use crate::number::Number;

/// Reads rows of numbers.
///
/// Empty lines and lines that begin with `#` are skipped. A first line without a single number in it is taken for
/// names of the columns. Cells may stand in quotes. Rows in errors are lines of the file.
pub(crate) fn read(mut from: impl BufRead, file: &str, delimiter: u8, float: Option<Float>) -> Result<Array> {
    let mut values: Vec<f64> = Vec::new();
    let mut lines: Vec<usize> = Vec::new();
    let mut width: Option<usize> = None;
    let (mut bytes, mut line, mut first) = (Vec::new(), 0, true);
    loop {
        bytes.clear();
        if from.read_until(b'\n', &mut bytes).map_err(Error::io("read", file))? == 0 {
            break;
        }
        line += 1;
        // A mark of the byte order may stand before everything else.
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").filter(|_| line == 1).unwrap_or(&bytes);
        let text = String::from_utf8_lossy(text);
        let text = text.trim_end_matches(['\n', '\r']);
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = text.split(char::from(delimiter)).map(|cell| cell.trim().trim_matches('"')).collect();
        let names = first && cells.iter().all(|cell| number(cell).is_none());
        first = false;
        if names {
            continue;
        }
        let columns = *width.get_or_insert(cells.len());
        if cells.len() != columns {
            let what = format!("has {} columns, but the rows before it have {columns}", cells.len());
            return Err(Error::Data(format!("{file}, row {line} {what}")));
        }
        for (column, cell) in cells.iter().enumerate() {
            let wrong = || Error::at(file, line, column + 1, format!("'{cell}' is not a number"));
            values.push(number(cell).ok_or_else(wrong)?);
        }
        lines.push(line);
    }
    let columns = width.ok_or_else(|| Error::data(file, "holds no rows of numbers"))?;
    let numbers = match float.unwrap_or(Float::F64) {
        Float::F32 => Numbers::F32(values.into_iter().map(|value| value as f32).collect()),
        Float::F64 => Numbers::F64(values),
    };
    Ok(Array { shape: vec![lines.len(), columns], kind: Kind::F64, numbers, lines: Some(lines) })
}

/// The number in a cell, which may be infinite.
fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|number: &f64| !number.is_nan())
}

/// Writes a matrix, every number so that it is read back the same.
pub(crate) fn write<T: Number>(mut to: impl Write, matrix: ArrayView2<'_, T>, delimiter: char) -> std::io::Result<()> {
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
