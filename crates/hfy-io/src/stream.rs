//! Rows of one source, a block of them at a time.

use std::io::{BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::array::rows_of;
use crate::read::{STDIN, csv_options, open, place_of, read_file, read_rows, stdin};
use crate::{Array, Error, Format, Options, Result, RowRange, Rows, Source, csv, expand, npy};

/// Reads rows in blocks. Of csv, and of npy in C order, only a block is in memory; other sources are read whole.
pub struct RowStream {
    inner: Inner,
    file: String,
    /// Rows that were read, among all that there are.
    at: usize,
    /// Rows that are wanted.
    range: RowRange,
    /// Bytes of the file, where that is known.
    length: Option<u64>,
    /// Bytes that were read.
    position: Arc<AtomicU64>,
    /// Notes on rows that are not wanted, and on what follows the last row.
    notes: Vec<String>,
}

/// Counts what is read.
struct Counted<R> {
    from: R,
    position: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let got = self.from.read(to)?;
        self.position.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}

enum Inner {
    Csv(Box<csv::Reader<BufReader<Box<dyn Read>>>>),
    Npy { reader: npy::Reader<BufReader<Box<dyn Read>>>, columns: usize },
    Whole(Option<Rows>),
}

impl std::fmt::Debug for RowStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RowStream").field("file", &self.file).field("at", &self.at).finish_non_exhaustive()
    }
}

impl RowStream {
    /// Opens one source.
    pub fn open(source: &str, options: &Options) -> Result<Self> {
        let stream = RowStream::begin(source, options)?;
        // Where the number of rows is known, rows that are not there are an error before the first block.
        if let Some(there) = stream.all_rows() {
            stream.check(there)?;
        }
        Ok(stream)
    }

    fn begin(source: &str, options: &Options) -> Result<Self> {
        let range = options.rows.unwrap_or(RowRange { first: 0, end: None });
        let whole = |rows: Rows| Inner::Whole(Some(rows));
        let all = Options { rows: None, ..options.clone() };
        let position = Arc::new(AtomicU64::new(0));
        let stream = |inner, file: &str, length| {
            let position = Arc::clone(&position);
            RowStream { inner, file: file.to_owned(), at: 0, range, length, position, notes: Vec::new() }
        };
        let one = match &expand(&[source.to_owned()])?[..] {
            [Source::Stdin] => {
                let (format, from) = stdin()?;
                let from: Box<dyn Read> = Box::new(Counted { from, position: Arc::clone(&position) });
                return match format {
                    Format::Csv(_) | Format::Npy => {
                        Ok(stream(Inner::new(from, format, STDIN, &all, None)?, STDIN, None))
                    }
                    _ => {
                        let mut bytes = Vec::new();
                        BufReader::new(from).read_to_end(&mut bytes).map_err(Error::io("read", STDIN))?;
                        Ok(stream(whole(crate::read_bytes(&bytes, format, STDIN, &all)?), STDIN, None))
                    }
                };
            }
            [Source::File(file)] => file.clone(),
            _ => return Ok(stream(whole(read_rows(source, &all)?), source, None)),
        };
        let (place, format) = place_of(&one)?;
        match format {
            Format::Csv(_) | Format::Npy => {
                let (file, length) = open(&place.path)?;
                let from = Counted { from: file, position: Arc::clone(&position) };
                let inner = Inner::new(Box::new(from), format, &one, &all, Some(length))?;
                // A Fortran array has to be turned, and so read whole.
                match inner {
                    Inner::Npy { reader, .. } if !reader.has_rows() => {
                        Ok(stream(whole(read_file(&one, &all)?), &one, Some(length)))
                    }
                    inner => Ok(stream(inner, &one, Some(length))),
                }
            }
            _ => Ok(stream(whole(read_file(&one, &all)?), &one, None)),
        }
    }

    /// How errors name the source.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// How many rows there will be, where the file says so.
    pub fn rows(&self) -> Option<usize> {
        let all = self.all_rows()?;
        Some(self.range.end.unwrap_or(all).min(all).saturating_sub(self.range.first))
    }

    fn all_rows(&self) -> Option<usize> {
        match &self.inner {
            Inner::Csv(_) => None,
            Inner::Npy { reader, .. } => Some(rows_of(reader.shape()).0),
            Inner::Whole(rows) => rows.as_ref().map(|rows| rows.dim.0),
        }
    }

    /// The next rows, at least one and about so many numbers; `None` at the end.
    pub fn next_block(&mut self, numbers: usize) -> Result<Option<Rows>> {
        loop {
            let Some(mut rows) = self.read_block(numbers)? else {
                return self.check(self.at).map(|()| None);
            };
            self.notes.append(&mut rows.notes);
            let (first, count) = (self.at, rows.dim.0);
            self.at += count;
            let from = self.range.first.clamp(first, first + count) - first;
            let to = self.range.end.unwrap_or(usize::MAX).clamp(first, first + count) - first;
            if from < to {
                let mut rows = rows.select(RowRange { first: from, end: Some(to) })?;
                rows.notes = self.take_notes();
                return Ok(Some(rows));
            }
            if self.range.end.is_some_and(|end| first >= end) {
                return Ok(None);
            }
        }
    }

    /// What was left out or interpreted and came with no block: to be asked for at the end.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn read_block(&mut self, numbers: usize) -> Result<Option<Rows>> {
        let first = self.at;
        if self.range.end.is_some_and(|end| first >= end) {
            return Ok(None);
        }
        match &mut self.inner {
            Inner::Csv(reader) => {
                let columns = reader.columns().unwrap_or(1).max(1);
                // The width is known from the first row on.
                let wanted = if first == 0 { 64 } else { (numbers / columns).max(1) };
                let mut array = reader.block(wanted)?;
                array.notes = reader.notes();
                if array.shape[0] == 0 {
                    self.notes.append(&mut array.notes);
                    return Ok(None);
                }
                Ok(Some(Rows::block(array, &self.file, first)))
            }
            Inner::Npy { reader, columns } => {
                let rows = (numbers / (*columns).max(1)).max(1);
                let numbers = reader.take(rows * *columns)?;
                if numbers.is_empty() {
                    return Ok(None);
                }
                let shape = vec![numbers.len() / (*columns).max(1), *columns];
                let array = Array { shape, kind: reader.kind(), numbers, lines: None, notes: reader.notes() };
                Ok(Some(Rows::block(array, &self.file, first)))
            }
            Inner::Whole(rows) => Ok(rows.take()),
        }
    }

    /// Whether there are as many rows as are asked for.
    fn check(&self, there: usize) -> Result<()> {
        if there == 0 {
            return Err(Error::data(&self.file, "holds no rows of numbers"));
        }
        let range = self.range;
        if there <= range.first || range.end.is_some_and(|end| there < end) {
            return Err(Error::data(&self.file, format!("rows {range} are asked for, but there are {there}")));
        }
        Ok(())
    }

    /// Bytes that were read so far.
    pub fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    /// Bytes of the file, where it is read in blocks and has a size.
    pub fn length(&self) -> Option<u64> {
        self.length
    }
}

impl Inner {
    fn new(from: Box<dyn Read>, format: Format, file: &str, options: &Options, length: Option<u64>) -> Result<Self> {
        if options.picture.size.is_some() || options.picture.colour {
            let what = "holds numbers: sizes and colours can be chosen for picture files only";
            return Err(Error::data(file, what));
        }
        let from = BufReader::with_capacity(1 << 16, from);
        match format {
            Format::Csv(by_name) => {
                let reader = csv::Reader::new(from, file, &csv_options(options, by_name), options.float);
                Ok(Inner::Csv(Box::new(reader)))
            }
            _ => {
                let reader = npy::Reader::new(from, file, options.float, length)?;
                let columns = match reader.shape() {
                    [] => return Err(Error::data(file, "holds a single number, not rows of numbers")),
                    shape if shape.contains(&0) => {
                        return Err(Error::data(file, format!("holds nothing: its shape is {shape:?}")));
                    }
                    shape => rows_of(shape).1,
                };
                Ok(Inner::Npy { reader, columns })
            }
        }
    }
}
