//! Where weights go, a block of rows at a time.

use std::io::{BufWriter, Write};

use hfy::Support;
use hfy_io::npy::StreamWriter;
use hfy_io::{csv, npz, owned, safetensors};
use ndarray::Array2;

use super::Entry;
use crate::error::{Error, Result};
use crate::io::{Format, Output};
use crate::number::Number;

/// Weights of some rows, or those that are not zero, with the number of the first row.
pub(super) enum Block<T> {
    Weights(Array2<T>),
    Supports(usize, Vec<Support<T>>),
}

/// How blocks are written.
pub(super) enum Sink<T> {
    /// As text, with what stands between cells; `begun` once the names of the columns are written.
    Text { delimiter: char, support: bool, begun: bool },
    /// As an array whose rows are counted at the end.
    Npy(Option<StreamWriter>),
    /// Kept until the end.
    Kept(Vec<Block<T>>),
}

impl<T: Number> Sink<T> {
    pub(super) fn kept() -> Self {
        Sink::Kept(Vec::new())
    }

    pub(super) fn text(delimiter: char, support: bool) -> Self {
        Sink::Text { delimiter, support, begun: false }
    }

    pub(super) fn of_file(output: &Output, support: bool) -> Self {
        match (output.format(), output.delimiter()) {
            (_, Some(delimiter)) => Sink::text(delimiter, support),
            (Some(Format::Npy), _) => Sink::Npy(None),
            _ => Sink::kept(),
        }
    }

    pub(super) fn keep(&mut self, block: Block<T>) {
        if let Sink::Kept(blocks) = self {
            blocks.push(block);
        }
    }

    /// Writes a block, or keeps it.
    pub(super) fn put(&mut self, to: &mut BufWriter<&std::fs::File>, block: Block<T>, output: &Output) -> Result<()> {
        match (&mut *self, block) {
            (Sink::Text { .. }, block) => self.put_text(to, &block),
            (Sink::Npy(writer), Block::Weights(weights)) => {
                let writer = match writer {
                    Some(writer) => Ok(writer),
                    None => StreamWriter::new::<T>(to, weights.ncols()).map(|new| writer.insert(new)),
                };
                writer.and_then(|writer| writer.rows(to, weights.view()))
            }
            (_, block) => {
                self.keep(block);
                Ok(())
            }
        }
        .map_err(Error::io("write", output.path()))
    }

    /// Writes a block as text.
    pub(super) fn put_text(&mut self, mut to: impl Write, block: &Block<T>) -> std::io::Result<()> {
        let Sink::Text { delimiter, support, begun } = self else { return Ok(()) };
        let d = *delimiter;
        if *support && !std::mem::replace(begun, true) {
            writeln!(to, "row{d}column{d}weight")?;
        }
        match block {
            Block::Weights(weights) => csv::write(to, weights.view(), d),
            Block::Supports(first, supports) => {
                for (row, support) in supports.iter().enumerate() {
                    for (column, weight) in support.iter() {
                        writeln!(to, "{}{d}{column}{d}{weight}", first + row)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Writes what is left to be written.
    pub(super) fn finish(self, to: &mut BufWriter<&std::fs::File>, output: &Output) -> Result<()> {
        match self {
            Sink::Text { .. } | Sink::Npy(None) => Ok(()),
            Sink::Npy(Some(writer)) => writer.finish::<T>(to),
            Sink::Kept(blocks) => write_kept(to, blocks, output),
        }
        .map_err(Error::io("write", output.path()))
    }

    /// Weights and supports as lists, for JSON.
    pub(super) fn into_rows(self) -> (Vec<Vec<T>>, Vec<Vec<Entry<T>>>) {
        let (mut weights, mut supports) = (Vec::new(), Vec::new());
        let Sink::Kept(blocks) = self else { return (weights, supports) };
        for block in blocks {
            match block {
                Block::Weights(matrix) => weights.extend(matrix.rows().into_iter().map(|row| row.to_vec())),
                Block::Supports(_, found) => supports.extend(found.iter().map(entries)),
            }
        }
        (weights, supports)
    }
}

fn entries<T: Number>(support: &Support<T>) -> Vec<Entry<T>> {
    support.iter().map(|(column, weight)| Entry { column, weight }).collect()
}

/// Everything at once, in the formats that need to know the number of rows first.
fn write_kept<T: Number>(
    to: &mut BufWriter<&std::fs::File>,
    blocks: Vec<Block<T>>,
    output: &Output,
) -> std::io::Result<()> {
    let (mut width, mut weights, mut rows, mut columns, mut support) = (0, Vec::new(), Vec::new(), Vec::new(), false);
    for block in blocks {
        match block {
            Block::Weights(matrix) => {
                width = matrix.ncols();
                weights.extend(matrix);
            }
            Block::Supports(first, supports) => {
                support = true;
                for (row, found) in supports.iter().enumerate() {
                    rows.extend(vec![first + row; found.len()]);
                    columns.extend(found.indices());
                    weights.extend(found.weights());
                }
            }
        }
    }
    if support {
        let mut archive = npz::Archive::new(to);
        archive.indices("row", &rows)?;
        archive.indices("column", &columns)?;
        let count = weights.len();
        archive.matrix("weight", owned(weights, (1, count)).view())?;
        return archive.finish();
    }
    let rows = weights.len() / width.max(1);
    let matrix = owned(weights, (rows, width));
    match output.format() {
        Some(Format::Npz) => {
            let mut archive = npz::Archive::new(to);
            archive.matrix("weights", matrix.view())?;
            archive.finish()
        }
        _ => safetensors::write(to, "weights", matrix.view()),
    }
}
