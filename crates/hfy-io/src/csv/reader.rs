//! Rows of numbers, a block of them at a time.

use std::io::BufRead;

use csv_core::{ReadRecordResult, ReaderBuilder, Terminator};

use super::cell::{Decimals, is_name};
use super::{Decimal, Header, Options};
use crate::text::visible;
use crate::{Array, Error, Float, Kind, Numbers, Result};

/// Reads lines as records of csv. Each record is one line: numbers have no line breaks, and so a quote that is still
/// open at the end of a line is an error there, and not at the end of the file.
#[derive(Debug)]
pub struct Reader<R> {
    from: R,
    file: String,
    options: Options,
    float: Float,
    /// How records are taken apart, known from the first line on.
    grammar: Option<(csv_core::Reader, Decimals)>,
    /// The line that was read last.
    line: usize,
    bytes: Vec<u8>,
    cells: Vec<String>,
    columns: Option<usize>,
    /// The line of the header, and how many cells it has.
    header: Option<(usize, usize)>,
    rows: usize,
    comments: usize,
    /// Empty lines between rows, and since the last row.
    empty: (usize, usize),
    notes: Vec<String>,
}

impl<R: BufRead> Reader<R> {
    /// A reader of this stream, which errors call `file`.
    pub fn new(from: R, file: &str, options: &Options, float: Option<Float>) -> Self {
        Reader {
            from,
            file: file.to_owned(),
            options: *options,
            float: float.unwrap_or(Float::F64),
            grammar: None,
            line: 0,
            bytes: Vec::new(),
            cells: Vec::new(),
            columns: None,
            header: None,
            rows: 0,
            comments: 0,
            empty: (0, 0),
            notes: Vec::new(),
        }
    }

    /// What was left out or interpreted so far.
    pub fn notes(&mut self) -> Vec<String> {
        let count = |n: usize, one: &str, more: &str| match n {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {more}")),
        };
        let remarks = count(self.comments, "line that begins with #", "lines that begin with #");
        let empty = count(self.empty.0, "empty line between rows", "empty lines between rows");
        let skipped: Vec<String> = [remarks, empty].into_iter().flatten().collect();
        if !skipped.is_empty() {
            self.notes.push(format!("{}: skipped {}", self.file, skipped.join(" and ")));
            (self.comments, self.empty.0) = (0, 0);
        }
        std::mem::take(&mut self.notes)
    }

    /// Numbers in a row, once one was read.
    pub fn columns(&self) -> Option<usize> {
        self.columns
    }

    /// The next rows, at most so many; none at the end of the file.
    pub fn block(&mut self, rows: usize) -> Result<Array> {
        let mut numbers = Numbers::empty(self.float);
        let mut lines = Vec::new();
        while lines.len() < rows && self.record()? {
            if self.rows == 0 && self.header.is_none() && self.takes_header() {
                self.take_header();
                continue;
            }
            self.begin_row()?;
            for column in 0..self.cells.len() {
                if !numbers.push(self.number(column)?) {
                    let what = format!("'{}' is beyond the range of f32: use f64", visible(&self.cells[column]));
                    return Err(Error::at(&self.file, self.line, column + 1, what));
                }
            }
            lines.push(self.line);
        }
        let shape = vec![lines.len(), self.columns.unwrap_or(0)];
        Ok(Array { shape, kind: Kind::F64, numbers, lines: Some(lines), notes: Vec::new() })
    }

    /// Takes the line that was read last as the names of columns.
    pub(crate) fn take_header(&mut self) {
        self.header = Some((self.line, self.cells.len()));
        let names: Vec<String> = self.cells.iter().take(8).map(|cell| format!("'{}'", visible(cell))).collect();
        let more = if self.cells.len() > 8 { ", ..." } else { "" };
        let names = names.join(", ") + more;
        self.notes.push(format!("{}: line {} was taken as a header: {names}", self.file, self.line));
    }

    /// The line that was read last, counted from 1, and its cells without the white space around them.
    pub(crate) fn cells(&self) -> (usize, &[String]) {
        (self.line, &self.cells)
    }

    /// Whether the line that was read last holds the names of columns, as far as it tells by itself.
    pub(crate) fn takes_header(&self) -> bool {
        match self.options.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => self.cells.iter().all(|cell| is_name(cell)),
        }
    }

    /// Reads the next line that is neither empty nor a remark into `cells`; false at the end.
    pub(crate) fn record(&mut self) -> Result<bool> {
        loop {
            self.bytes.clear();
            let got = self.from.read_until(b'\n', &mut self.bytes).map_err(Error::io("read", &self.file))?;
            if got == 0 {
                return Ok(false);
            }
            self.line += 1;
            if self.line == 1 {
                if self.bytes.starts_with(b"\xff\xfe") || self.bytes.starts_with(b"\xfe\xff") {
                    return Err(Error::data(&self.file, "is UTF-16 text: save it as UTF-8"));
                }
                // A mark of the byte order may stand before everything else.
                if self.bytes.starts_with(b"\xef\xbb\xbf") {
                    self.bytes.drain(..3);
                }
            }
            while matches!(self.bytes.last(), Some(b'\n' | b'\r')) {
                self.bytes.pop();
            }
            if self.bytes.first() == Some(&b'#') {
                self.comments += 1;
            } else if self.bytes.iter().all(u8::is_ascii_whitespace) {
                self.empty.1 += usize::from(self.rows > 0);
            } else {
                self.empty.0 += std::mem::take(&mut self.empty.1);
                self.split()?;
                return Ok(true);
            }
        }
    }

    /// Takes the line apart.
    fn split(&mut self) -> Result<()> {
        if self.grammar.is_none() {
            let delimiter = match self.options.delimiter {
                Some(delimiter) => delimiter,
                None => guess(&self.bytes, self.options.decimal)
                    .map_err(|what| Error::in_row(&self.file, self.line, what))?,
            };
            let mut builder = ReaderBuilder::new();
            let reader = builder.delimiter(delimiter).terminator(Terminator::Any(b'\n')).build();
            self.grammar = Some((reader, Decimals::new(self.options.decimal, delimiter)));
        }
        let Some((reader, _)) = &mut self.grammar else { return Ok(()) };
        // One byte more than can be written: csv-core stops where there is no room, also where none is needed.
        let mut text = vec![0; self.bytes.len() + 1];
        let mut ends = vec![0; self.bytes.len() + 2];
        let (_, _, written, ended) = reader.read_record(&self.bytes, &mut text, &mut ends);
        let (result, _, _, last) = reader.read_record(b"\n", &mut text[written..], &mut ends[ended..]);
        if !matches!(result, ReadRecordResult::Record) {
            return Err(Error::in_row(&self.file, self.line, "a quote is opened and not closed"));
        }
        let mut begin = 0;
        self.cells.clear();
        for &end in &ends[..ended + last] {
            self.cells.push(String::from_utf8_lossy(&text[begin..end]).trim().to_owned());
            begin = end;
        }
        Ok(())
    }

    /// Counts the line that was read last as a row, which must have as many cells as the others.
    pub(crate) fn begin_row(&mut self) -> Result<()> {
        let columns = self.cells.len();
        match (self.columns, self.header) {
            (Some(expected), _) if expected != columns => {
                let what = format!("has {columns} cells, but the rows before it have {expected}");
                return Err(Error::in_row(&self.file, self.line, what));
            }
            (None, Some((line, names))) if names != columns => {
                let what = format!("has {columns} cells, but line {line}, taken as a header, has {names}");
                return Err(Error::in_row(&self.file, self.line, what));
            }
            _ => self.columns = Some(columns),
        }
        self.rows += 1;
        Ok(())
    }

    /// The number in a cell of the line that was read last; columns are counted from 0.
    pub(crate) fn number(&mut self, column: usize) -> Result<f64> {
        let Some((_, decimals)) = &mut self.grammar else {
            return Err(Error::data(&self.file, "no line was read yet"));
        };
        let cell = &self.cells[column];
        let found = decimals
            .read(cell)
            .map_err(|rule| Error::at(&self.file, self.line, column + 1, format!("'{}' {rule}", visible(cell))))?;
        if found.first_comma && self.options.decimal == Decimal::Auto {
            let value = found.value;
            self.notes.push(format!("{}: numbers have a decimal comma: '{cell}' was read as {value}", self.file));
        }
        Ok(found.value)
    }
}

/// What stands between the cells of a line: a tab or a semicolon if there is one outside quotes, else a comma.
fn guess(line: &[u8], decimal: Decimal) -> std::result::Result<u8, &'static str> {
    let (mut quoted, mut quotes, mut comma) = (false, false, false);
    let mut found = None;
    for &byte in line {
        match byte {
            b'"' => (quoted, quotes) = (!quoted, true),
            b'\t' if !quoted => return Ok(b'\t'),
            b';' if !quoted => found = Some(b';'),
            b',' if !quoted => comma = true,
            _ => {}
        }
    }
    match found {
        Some(delimiter) => Ok(delimiter),
        None if comma && !quotes && decimal == Decimal::Comma => {
            Err("a comma may be between cells or before decimals: set the option 'delimiter'")
        }
        None => Ok(b','),
    }
}
