//! One array in NumPy's format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

mod header;
mod write;

use std::io::Read;

pub use write::{StreamWriter, write, write_indices};

use crate::array::{count, element_fault, rounding_note};
use crate::element::Fault;
use crate::elements::Elements;
use crate::{Array, Error, Float, Numbers, Result};
use header::Header;

/// An array whose rows are read one after the other.
#[derive(Debug)]
pub struct Reader<R> {
    file: String,
    header: Header,
    elements: Elements<R>,
}

impl<R: Read> Reader<R> {
    /// Reads the header. `length` is the size of the whole file, where it is known: it has to be what the header
    /// promises, and room for the numbers is reserved only then.
    pub fn new(mut from: R, file: &str, float: Option<Float>, length: Option<u64>) -> Result<Self> {
        let (header, begin) = Header::read(&mut from, file)?;
        let count = count(&header.shape)
            .ok_or_else(|| Error::data(file, format!("its shape {:?} is larger than any memory", header.shape)))?;
        let float = float.unwrap_or(header.kind.float());
        let length = length.map(|length| length.saturating_sub(begin));
        let elements = Elements::new(from, (header.kind, header.big_endian), float, count, length);
        let elements = elements.map_err(|fault| element_fault(file, &header.shape, fault))?;
        Ok(Reader { file: file.to_owned(), header, elements })
    }

    /// Lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// Whether rows lie one after the other, so that they can be read so.
    pub fn has_rows(&self) -> bool {
        !self.header.fortran || self.header.shape.len() < 2
    }

    /// The next elements, at most so many; none at the end.
    pub fn take(&mut self, count: usize) -> Result<Numbers> {
        let wrong = |fault: Fault| element_fault(&self.file, &self.header.shape, fault);
        let count = count.min(self.elements.left());
        let numbers = self.elements.take(count).map_err(wrong)?;
        if self.elements.left() == 0 {
            self.elements.finish().map_err(wrong)?;
        }
        Ok(numbers)
    }

    /// The whole array.
    pub fn all(self) -> Result<Array> {
        let Header { kind, fortran, shape, .. } = self.header;
        let (numbers, rounded) = self.elements.all().map_err(|fault| element_fault(&self.file, &shape, fault))?;
        let notes = rounded.map(|(at, value)| {
            let at = if fortran { turned_place(at, &shape) } else { at };
            rounding_note(&self.file, &shape, (at, value))
        });
        let notes = notes.into_iter().collect();
        let numbers = if fortran { last_axis_fastest(numbers, &shape) } else { numbers };
        Ok(Array { shape, kind, numbers, lines: None, notes })
    }

    /// What was interpreted so far.
    pub(crate) fn notes(&mut self) -> Vec<String> {
        let rounded = self.elements.take_rounded();
        rounded.map(|rounded| rounding_note(&self.file, &self.header.shape, rounded)).into_iter().collect()
    }

    /// The element type.
    pub(crate) fn kind(&self) -> crate::Kind {
        self.header.kind
    }
}

/// Reads an array; `float` is what to read it to, unless the file decides, and `length` the size of the file, if it is
/// known.
pub fn read(from: impl Read, file: &str, float: Option<Float>, length: Option<u64>) -> Result<Array> {
    Reader::new(from, file, float, length)?.all()
}

/// Where an element with the first axis fastest is with the last axis fastest.
fn turned_place(mut at: usize, shape: &[usize]) -> usize {
    let (mut turned, mut stride) = (0, shape.iter().product::<usize>());
    for &length in shape {
        stride /= length.max(1);
        turned += at % length.max(1) * stride;
        at /= length.max(1);
    }
    turned
}

/// From first axis fastest to last axis fastest.
fn last_axis_fastest(numbers: Numbers, shape: &[usize]) -> Numbers {
    fn turn<T: Copy>(values: &[T], shape: &[usize]) -> Vec<T> {
        let mut strides = vec![1; shape.len()];
        for axis in 1..shape.len() {
            strides[axis] = strides[axis - 1] * shape[axis - 1];
        }
        let mut place = vec![0; shape.len()];
        let mut turned = Vec::with_capacity(values.len());
        for _ in 0..values.len() {
            turned.push(values[place.iter().zip(&strides).map(|(p, s)| p * s).sum::<usize>()]);
            for axis in (0..shape.len()).rev() {
                place[axis] += 1;
                if place[axis] < shape[axis] {
                    break;
                }
                place[axis] = 0;
            }
        }
        turned
    }
    match numbers {
        Numbers::F32(values) => Numbers::F32(turn(&values, shape)),
        Numbers::F64(values) => Numbers::F64(turn(&values, shape)),
    }
}
