//! The header of an npy file.

use std::io::Read;

use crate::{Error, Kind, Result};

pub(super) const MAGIC: &[u8] = b"\x93NUMPY";
/// Headers are a hundred bytes; a limit means that a damaged length cannot make a reader allocate at will.
const LONGEST: usize = 1 << 16;

/// What the header says.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) big_endian: bool,
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
}

impl Header {
    /// Reads a header, and says where the data begin.
    pub(super) fn read(from: &mut impl Read, file: &str) -> Result<(Self, u64)> {
        let mut fill = |bytes: &mut [u8]| {
            from.read_exact(bytes).map_err(|error| match error.kind() {
                std::io::ErrorKind::UnexpectedEof => Error::data(file, "ends inside the header of an npy array"),
                _ => Error::io("read", file)(error),
            })
        };
        let mut start = [0; 8];
        fill(&mut start)?;
        if &start[..6] != MAGIC {
            return Err(Error::data(file, "is not an npy array: it does not begin with \\x93NUMPY"));
        }
        let (length, begin) = match start[6] {
            1 => {
                let mut bytes = [0; 2];
                fill(&mut bytes)?;
                (u16::from_le_bytes(bytes).into(), 10)
            }
            2 | 3 => {
                let mut bytes = [0; 4];
                fill(&mut bytes)?;
                (u32::from_le_bytes(bytes) as usize, 12)
            }
            version => return Err(Error::data(file, format!("npy version {version} is unknown: 1, 2 and 3 are read"))),
        };
        if length > LONGEST {
            let what = format!("its npy header is {length} bytes long: at most {LONGEST} are read");
            return Err(Error::data(file, what));
        }
        let mut text = vec![0; length];
        fill(&mut text)?;
        let text = String::from_utf8_lossy(&text);
        let header = parse(&text).map_err(|what| {
            let shown: String = text.trim_end().chars().take(200).collect();
            Error::data(file, format!("{what}, in the npy header {shown:?}"))
        })?;
        Ok((header, begin + length as u64))
    }
}

/// Parses `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
fn parse(text: &str) -> std::result::Result<Header, String> {
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
        "b1" | "?" => Kind::Bool,
        "u1" | "B" => Kind::U8,
        "i1" | "b" => Kind::I8,
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
    let shape: Vec<usize> = shape.collect::<std::result::Result<_, String>>()?;
    // NumPy itself has 64 axes at most.
    if shape.len() > 64 {
        return Err(format!("shape has {} axes", shape.len()));
    }
    Ok(Header { kind, big_endian, fortran, shape })
}
