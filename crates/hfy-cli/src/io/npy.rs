//! One array in NumPy's format: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.

use std::io::{Read, Write};

use ndarray::ArrayView2;

use super::array::{Array, count, element_fault};
use super::element::{Float, Kind, Numbers};
use crate::error::{Error, Result};
use crate::number::Number;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Headers are a hundred bytes; a limit means that a damaged length cannot make a reader allocate at will.
const LONGEST_HEADER: usize = 1 << 16;

/// What the header says.
#[derive(Debug, PartialEq)]
struct Header {
    kind: Kind,
    big_endian: bool,
    fortran: bool,
    shape: Vec<usize>,
}

/// Reads an array; `float` is what to read it to, unless the file decides.
pub(crate) fn read(mut from: impl Read, file: &str, float: Option<Float>) -> Result<Array> {
    let header = read_header(&mut from, file)?;
    let count = count(&header.shape)
        .ok_or_else(|| Error::data(file, format!("its shape {:?} is larger than any memory", header.shape)))?;
    let float = float.unwrap_or(header.kind.float());
    let numbers = header
        .kind
        .read(from, count, header.big_endian, float)
        .map_err(|fault| element_fault(file, &header.shape, fault))?;
    let numbers = if header.fortran { last_axis_fastest(numbers, &header.shape) } else { numbers };
    Ok(Array { shape: header.shape, kind: header.kind, numbers, lines: None })
}

fn read_header(from: &mut impl Read, file: &str) -> Result<Header> {
    let short = |_| Error::data(file, "ends inside the header of an npy array");
    let mut start = [0; 8];
    from.read_exact(&mut start).map_err(short)?;
    if &start[..6] != MAGIC {
        return Err(Error::data(file, "is not an npy array: it does not begin with \\x93NUMPY"));
    }
    let length = match start[6] {
        1 => {
            let mut bytes = [0; 2];
            from.read_exact(&mut bytes).map_err(short)?;
            u16::from_le_bytes(bytes).into()
        }
        2 | 3 => {
            let mut bytes = [0; 4];
            from.read_exact(&mut bytes).map_err(short)?;
            u32::from_le_bytes(bytes) as usize
        }
        version => return Err(Error::data(file, format!("npy version {version} is unknown: 1, 2 and 3 are read"))),
    };
    if length > LONGEST_HEADER {
        return Err(Error::data(
            file,
            format!("its npy header is {length} bytes long: at most {LONGEST_HEADER} are read"),
        ));
    }
    let mut text = vec![0; length];
    from.read_exact(&mut text).map_err(short)?;
    let text = String::from_utf8_lossy(&text);
    parse_header(&text).map_err(|what| Error::data(file, format!("{what}, in the npy header {:?}", text.trim_end())))
}

/// Parses `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
fn parse_header(text: &str) -> std::result::Result<Header, String> {
    let value = |key: &str| {
        let at = text.find(&format!("'{key}'")).or_else(|| text.find(&format!("\"{key}\"")));
        let rest = at.and_then(|at| text[at + key.len() + 2..].trim_start().strip_prefix(':'));
        rest.map(str::trim_start).ok_or_else(|| format!("there is no {key}"))
    };
    let descr = value("descr")?;
    let quote = descr.chars().next().filter(|c| matches!(c, '\'' | '"')).ok_or("only plain element types are read")?;
    let descr = descr[1..].split(quote).next().unwrap_or_default();
    let (order, code) = descr.split_at_checked(1).unwrap_or_default();
    let kind = match code {
        "b1" => Kind::Bool,
        "u1" => Kind::U8,
        "i1" => Kind::I8,
        "u2" => Kind::U16,
        "i2" => Kind::I16,
        "u4" => Kind::U32,
        "i4" => Kind::I32,
        "u8" => Kind::U64,
        "i8" => Kind::I64,
        "f2" => Kind::F16,
        "f4" => Kind::F32,
        "f8" => Kind::F64,
        _ => return Err(format!("the element type '{descr}' is not read: real numbers and integers are")),
    };
    let big_endian = match order {
        "<" | "=" | "|" => false,
        ">" => true,
        _ => return Err(format!("the byte order of '{descr}' is unknown")),
    };
    let fortran = match value("fortran_order")? {
        order if order.starts_with("True") => true,
        order if order.starts_with("False") => false,
        _ => return Err("fortran_order is neither True nor False".to_owned()),
    };
    let shape = value("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
    let lengths = shape.ok_or("shape is no tuple")?.split(',').map(str::trim).filter(|length| !length.is_empty());
    let shape = lengths.map(|length| length.parse().map_err(|_| format!("'{length}' in shape is no length")));
    Ok(Header { kind, big_endian, fortran, shape: shape.collect::<std::result::Result<_, String>>()? })
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

/// Writes a matrix.
pub(crate) fn write<T: Number>(mut to: impl Write, matrix: ArrayView2<'_, T>) -> std::io::Result<()> {
    let (rows, columns) = matrix.dim();
    to.write_all(&header(&format!("<f{}", T::SIZE), &format!("({rows}, {columns})")))?;
    let mut bytes = Vec::with_capacity(columns * T::SIZE);
    for row in matrix.rows() {
        bytes.clear();
        row.iter().for_each(|&value| value.write_bytes(&mut bytes));
        to.write_all(&bytes)?;
    }
    Ok(())
}

/// Writes a vector of indices.
pub(crate) fn write_indices(mut to: impl Write, indices: &[usize]) -> std::io::Result<()> {
    to.write_all(&header("<i8", &format!("({},)", indices.len())))?;
    indices.iter().try_for_each(|&index| to.write_all(&(index as i64).to_le_bytes()))
}

/// Everything before the data, padded so that these begin at a multiple of 64.
fn header(descr: &str, shape: &str) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{text:<width$}\n", width = length - 1).into_bytes());
    bytes
}
