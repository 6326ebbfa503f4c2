//! Tables with an instance a line.

use std::io::BufRead;

use super::columns::{Columns, names_bags};
use super::labels::Names;
use super::table::{Labels, Table, is_missing};
use super::{Bags, Options};
use crate::csv::{Header, Reader};
use crate::text::visible;
use crate::{Error, Result};

/// Reads a table of comma-, semicolon- or tab-separated values from a stream, which errors call `file`.
///
/// The first line holds names of columns if none of its cells begins like a number, or if one of them is the name of
/// the column of bags; [`csv::Options::header`](crate::csv::Options) settles it. A first column without a name, the
/// index that pandas writes, is left out.
pub fn read_csv(from: impl BufRead, file: &str, options: &Options) -> Result<Bags> {
    let mut reader = Reader::new(from, file, &options.csv, None);
    if !reader.record()? {
        return Err(Error::data(file, "holds no instances"));
    }
    let first = reader.cells().1.to_vec();
    let has_header = match options.csv.header {
        Header::Auto => reader.takes_header() || names_bags(&first, options),
        Header::Yes => true,
        Header::No => false,
    };
    let columns = Columns::find(file, has_header.then_some(&first), first.len(), options)?;
    let mut table = Table {
        file: file.to_owned(),
        values: Vec::new(),
        features: columns.features.iter().map(|&column| columns.names[column].clone()).collect(),
        columns: columns.features.iter().map(|column| column + 1).collect(),
        lines: Vec::new(),
        bags: Vec::new(),
        names: Names::default(),
        labels: Labels::in_column(columns.label.map(|column| column + 1)),
        notes: Vec::new(),
    };
    let mut there = !has_header;
    if has_header {
        reader.take_header();
    }
    while there || reader.record()? {
        there = false;
        reader.begin_row()?;
        columns.row(&mut reader, &mut table)?;
    }
    table.notes = reader.notes();
    table.notes.extend(columns.notes(file));
    table.gather(options)
}

impl Columns {
    /// Reads the line that was read last.
    fn row(&self, reader: &mut Reader<impl BufRead>, table: &mut Table) -> Result<()> {
        let (line, cells) = reader.cells();
        let bag = &cells[self.bag];
        if bag.is_empty() {
            let what = "the name of the bag is missing: every instance needs it";
            return Err(Error::at(&table.file, line, self.bag + 1, what));
        }
        table.bags.push(table.names.number(bag));
        table.lines.push(line);
        if let Some(label) = self.label {
            table.labels.push(&cells[label]);
        }
        for &column in &self.features {
            if is_missing(&reader.cells().1[column]) {
                table.values.push(f32::NAN);
                continue;
            }
            let value = reader.number(column).map_err(|error| self.explain(error, column))?;
            if !(value as f32).is_finite() {
                let cell = visible(&reader.cells().1[column]);
                let rule = if value.is_finite() { "is beyond the range of f32" } else { "is not finite" };
                let what = format!("'{cell}' {rule}, in the feature '{}'", visible(&self.names[column]));
                return Err(Error::at(&table.file, line, column + 1, what));
            }
            table.values.push(value as f32);
        }
        Ok(())
    }

    /// Says what a cell should have been a number for.
    fn explain(&self, error: Error, column: usize) -> Error {
        match error {
            Error::Data { file, row, column: place, what } => {
                let name = visible(&self.names[column]);
                let what = format!("{what}; '{name}' was taken as a feature: the option ignore leaves columns out");
                Error::Data { file, row, column: place, what }
            }
            error => error,
        }
    }
}
