//! The rows that a computation works on, with where each came from.

use ndarray::{Array2, CowArray, Ix2};

use crate::array::rows_of;
use crate::picture::{Integers, Options as PictureOptions, Picture};
use crate::{Array, Error, Float, Form, Kind, Number, Numbers, Result, RowRange, Scale};

/// Rows of one source.
#[derive(Debug, Clone)]
struct Part {
    file: String,
    /// The number of its first row in that source.
    first: usize,
    rows: usize,
    /// The line of each row, where rows are lines.
    lines: Option<Vec<usize>>,
}

/// One item a row, with where it came from.
#[derive(Debug, Clone)]
pub struct Rows {
    parts: Vec<Part>,
    /// The element type in the files.
    pub kind: Kind,
    /// The numbers, row after row.
    pub numbers: Numbers,
    /// How many rows, how many columns.
    pub dim: (usize, usize),
    /// The number of the first row among all that there were, from 0.
    pub first: usize,
    /// What a row is as a picture.
    pub picture: Option<Form>,
    /// A name for each row, where the source has names.
    pub names: Option<Vec<String>>,
    /// What was left out or interpreted, for people to read.
    pub notes: Vec<String>,
}

impl Rows {
    /// The rows of an array: the first axis counts them, and whatever follows is flattened. Axes for height and width
    /// (and three channels) make a row a picture.
    pub fn from_array(array: Array, file: &str, options: &PictureOptions) -> Result<Self> {
        if array.shape.is_empty() {
            return Err(Error::data(file, "holds a single number, not rows of numbers"));
        }
        let dim = rows_of(&array.shape);
        if dim.0 == 0 || dim.1 == 0 {
            return Err(Error::data(file, format!("holds nothing: its shape is {:?}", array.shape)));
        }
        let picture = match array.shape[..] {
            [_, height, width] => Some(Form { height, width, channels: 1, scale: None }),
            [_, height, width, 3] => Some(Form { height, width, channels: 3, scale: None }),
            _ => None,
        };
        let parts = vec![Part { file: file.to_owned(), first: 0, rows: dim.0, lines: array.lines }];
        let Array { kind, numbers, notes, .. } = array;
        let mut rows = Rows { parts, kind, numbers, dim, first: 0, picture, names: None, notes };
        rows.scale_integers(options);
        Ok(rows)
    }

    /// Gives pictures in unsigned integers the scale of picture files, or notes their own.
    fn scale_integers(&mut self, options: &PictureOptions) {
        let (Some(form), Some(white)) = (&mut self.picture, self.kind.white()) else { return };
        let own = Scale { black: 0.0, white };
        if options.integers == Integers::Keep {
            form.scale = Some(own);
            return;
        }
        form.scale = Some(Scale::SIGNED);
        let note = format!("{}: pictures of {form}: 0 to {white} was read as {}", self.parts[0].file, Scale::SIGNED);
        self.notes.push(note);
        // The same operations as for picture files, so that the numbers are the same to the last bit.
        match &mut self.numbers {
            Numbers::F32(values) => values.iter_mut().for_each(|value| *value = 2.0 * (*value / white as f32) - 1.0),
            Numbers::F64(values) => values.iter_mut().for_each(|value| {
                *value = (2.0 * (*value as f32 / white as f32) - 1.0).into();
            }),
        }
    }

    /// A picture is one row.
    pub fn from_picture(picture: Picture, name: String, file: &str, float: Option<Float>) -> Self {
        let dim = (1, picture.values.len());
        let numbers = match float.unwrap_or(Float::F32) {
            Float::F32 => Numbers::F32(picture.values),
            Float::F64 => Numbers::F64(picture.values.into_iter().map(f64::from).collect()),
        };
        Rows {
            parts: vec![Part { file: file.to_owned(), first: 0, rows: 1, lines: None }],
            kind: Kind::F32,
            numbers,
            dim,
            first: 0,
            picture: Some(picture.form),
            names: Some(vec![name]),
            notes: Vec::new(),
        }
    }

    /// A block of rows of one source, the first of which is row `first`.
    pub(crate) fn block(array: Array, file: &str, first: usize) -> Self {
        let dim = (array.shape[0], array.shape[1]);
        let parts = vec![Part { file: file.to_owned(), first, rows: dim.0, lines: array.lines }];
        let Array { kind, numbers, notes, .. } = array;
        Rows { parts, kind, numbers, dim, first, picture: None, names: None, notes }
    }

    /// How errors about all rows name the source.
    pub fn file(&self) -> &str {
        &self.parts[0].file
    }

    /// Something is wrong with an entry, counted from 0; the error names its file, and counts from 1.
    pub fn wrong_at(&self, mut row: usize, column: usize, what: impl std::fmt::Display) -> Error {
        let mut parts = self.parts.iter().peekable();
        while let Some(part) = parts.next_if(|part| row >= part.rows) {
            row -= part.rows;
        }
        match parts.next() {
            Some(part) => {
                let line = part.lines.as_ref().and_then(|lines| lines.get(row).copied());
                Error::at(&part.file, line.unwrap_or(part.first + row + 1), column + 1, what)
            }
            None => Error::data(self.file(), what),
        }
    }

    /// The type that these numbers were read to.
    pub fn float(&self) -> Float {
        self.numbers.float()
    }

    /// The rows as a matrix of either type; without a copy if they were read to it.
    pub fn matrix<T: Number>(&self) -> CowArray<'_, T, Ix2> {
        T::matrix(&self.numbers, self.dim)
    }

    /// What black and white are: as known, or guessed from the numbers, which is noted.
    pub fn settle_scale(&mut self) {
        let Some(form) = &mut self.picture else { return };
        if form.scale.is_none() {
            let scale = Scale::of_range(self.numbers.range());
            form.scale = Some(scale);
            self.notes.push(format!("{}: taken for pictures of {form}, from {scale}", self.parts[0].file));
        }
    }

    /// Gives pictures of a known scale another one.
    pub fn rescale(&mut self, to: Scale) {
        if let Some(form) = &mut self.picture
            && let Some(from) = form.scale.replace(to)
            && from != to
        {
            self.numbers.map(|value| to.convert(value, from));
        }
    }

    /// Appends rows of the same width, and pictures of the same size.
    pub fn append(&mut self, mut more: Rows) -> Result<()> {
        if let (Some(form), Some(first)) = (&more.picture, &self.picture)
            && !form.fits(first)
        {
            let what = format!("is {form}, but {} is {first}", self.file());
            return Err(Error::data(more.file(), what));
        }
        if more.dim.1 != self.dim.1 {
            let what = format!("has {} columns, but {} has {}", more.dim.1, self.file(), self.dim.1);
            return Err(Error::data(more.file(), what));
        }
        match (&mut self.picture, &more.picture) {
            (Some(own), Some(other)) => match (own.scale, other.scale) {
                (Some(scale), _) => more.rescale(scale),
                (None, scale) => own.scale = scale,
            },
            (own, _) => *own = None,
        }
        self.parts.extend(more.parts);
        self.notes.extend(more.notes);
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

    /// Keeps some rows only.
    pub fn select(mut self, range: RowRange) -> Result<Self> {
        let (count, columns) = self.dim;
        let end = range.end.unwrap_or(count);
        if end > count || range.first >= end {
            let what = format!("rows {range} are asked for, but there are {count}");
            return Err(Error::data(self.file(), what));
        }
        let kept = range.first * columns..end * columns;
        match &mut self.numbers {
            Numbers::F32(values) => *values = values[kept].to_vec(),
            Numbers::F64(values) => *values = values[kept].to_vec(),
        }
        self.names = self.names.map(|names| names[range.first..end].to_vec());
        let mut begin = 0;
        let mut parts = Vec::new();
        for part in self.parts {
            let from = range.first.clamp(begin, begin + part.rows) - begin;
            let to = end.clamp(begin, begin + part.rows) - begin;
            begin += part.rows;
            if from < to {
                let lines = part.lines.map(|lines| lines[from..to].to_vec());
                parts.push(Part { file: part.file, first: part.first + from, rows: to - from, lines });
            }
        }
        self.parts = parts;
        self.first += range.first;
        self.dim.0 = end - range.first;
        Ok(self)
    }
}

/// A matrix over a vector of its entries.
pub fn owned<T: Clone>(values: Vec<T>, dim: (usize, usize)) -> Array2<T> {
    Array2::from_shape_vec(dim, values).expect("rows hold as many numbers as their dimensions say")
}
