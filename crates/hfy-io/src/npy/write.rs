//! Writing arrays as NumPy does.

use std::io::{Seek, SeekFrom, Write};

use ndarray::ArrayView2;

use super::header::MAGIC;
use crate::Number;

/// Writes a matrix.
pub fn write<T: Number>(mut to: impl Write, matrix: ArrayView2<'_, T>) -> std::io::Result<()> {
    to.write_all(&header::<T>(matrix.dim()))?;
    write_rows(&mut to, matrix)
}

/// Writes a vector of indices.
pub fn write_indices(mut to: impl Write, indices: &[usize]) -> std::io::Result<()> {
    to.write_all(&bytes("<i8", &format!("({},)", indices.len()), 0))?;
    indices.iter().try_for_each(|&index| to.write_all(&(index as i64).to_le_bytes()))
}

/// A matrix whose rows come one after the other, without being counted first.
#[derive(Debug)]
pub struct StreamWriter {
    begin: u64,
    rows: usize,
    columns: usize,
}

impl StreamWriter {
    /// Writes a header, to be completed by [`StreamWriter::finish`].
    pub fn new<T: Number>(to: &mut (impl Write + Seek), columns: usize) -> std::io::Result<Self> {
        let begin = to.stream_position()?;
        to.write_all(&header::<T>((usize::MAX, columns)))?;
        Ok(StreamWriter { begin, rows: 0, columns })
    }

    /// Writes rows.
    pub fn rows<T: Number>(&mut self, to: &mut impl Write, matrix: ArrayView2<'_, T>) -> std::io::Result<()> {
        self.rows += matrix.nrows();
        write_rows(to, matrix)
    }

    /// Puts the number of rows into the header.
    pub fn finish<T: Number>(self, to: &mut (impl Write + Seek)) -> std::io::Result<()> {
        let end = to.stream_position()?;
        to.seek(SeekFrom::Start(self.begin))?;
        to.write_all(&header::<T>((self.rows, self.columns)))?;
        to.seek(SeekFrom::Start(end))?;
        Ok(())
    }
}

fn write_rows<T: Number>(to: &mut impl Write, matrix: ArrayView2<'_, T>) -> std::io::Result<()> {
    let mut bytes = Vec::with_capacity(matrix.ncols() * T::SIZE);
    for row in matrix.rows() {
        bytes.clear();
        row.iter().for_each(|&value| value.write_bytes(&mut bytes));
        to.write_all(&bytes)?;
    }
    Ok(())
}

/// A header that has the same length whatever the number of rows is.
fn header<T: Number>((rows, columns): (usize, usize)) -> Vec<u8> {
    let descr = format!("<f{}", T::SIZE);
    let longest = bytes(&descr, &format!("({}, {columns})", usize::MAX), 0).len();
    bytes(&descr, &format!("({rows}, {columns})"), longest)
}

/// Everything before the data, padded so that these begin at a multiple of 64 and not before `least`.
fn bytes(descr: &str, shape: &str, least: usize) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (10 + text.len() + 1).next_multiple_of(64).max(least) - 10;
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{text:<width$}\n", width = length - 1).into_bytes());
    bytes
}
