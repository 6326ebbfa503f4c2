//! Numbers as text: one row a line, cells between commas (or tabs, in a `.tsv` file).

use std::io::{Read, Write};

use ndarray::ArrayView2;

use super::array::Array;
use super::element::{Float, Kind, Numbers};
use crate::error::{Error, Result};
use crate::number::Number;

/// Reads rows of numbers.
///
/// Empty lines and lines that begin with `#` are skipped. A first line without a single number in it is taken for
/// names of the columns. Rows in errors are lines of the file.
pub(crate) fn read(from: impl Read, file: &str, delimiter: u8, float: Option<Float>) -> Result<Array> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(from);
    let mut record = csv::ByteRecord::new();
    let mut values: Vec<f64> = Vec::new();
    let mut lines: Vec<usize> = Vec::new();
    let mut width: Option<usize> = None;
    let mut first = true;
    loop {
        let more = reader.read_byte_record(&mut record);
        if !more.map_err(|error| Error::data(file, format!("cannot be read as text: {error}")))? {
            break;
        }
        let line = record.position().map_or(0, |position| position.line() as usize);
        let names = first && !record.iter().any(|cell| number(cell).is_some());
        first = false;
        if names {
            continue;
        }
        let columns = *width.get_or_insert(record.len());
        if record.len() != columns {
            let what = format!("has {} columns, but the rows before it have {columns}", record.len());
            return Err(Error::Data(format!("{file}, row {line} {what}")));
        }
        for (column, cell) in record.iter().enumerate() {
            let text = || format!("'{}' is not a number", String::from_utf8_lossy(cell));
            values.push(number(cell).ok_or_else(|| Error::at(file, line, column + 1, text()))?);
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

/// The number in a cell, which may be infinite. A mark of the byte order may stand before the first of a file.
fn number(cell: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(cell).ok()?.trim_start_matches('\u{feff}');
    text.parse().ok().filter(|number: &f64| !number.is_nan())
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
