//! Element types of arrays in files, and how they become `f32` or `f64`.

use std::str::FromStr;

use half::{bf16, f16};

/// What to compute in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Float {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

impl Float {
    /// The names that are read.
    pub const NAMES: [&str; 2] = ["f32", "f64"];
}

impl FromStr for Float {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "f32" => Ok(Float::F32),
            "f64" => Ok(Float::F64),
            _ => Err("must be f32 or f64".to_owned()),
        }
    }
}

/// What an array in a file is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    Bf16,
    F32,
    F64,
}

/// Numbers as they are computed with.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// In single precision.
    F32(Vec<f32>),
    /// In double precision.
    F64(Vec<f64>),
}

/// Why elements could not be read.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The data end before this element.
    Short(usize),
    /// There are bytes after the last element.
    Long,
    /// This element is beyond the range of the type that it is read to.
    Range(usize, f64),
    /// There is not so much memory.
    Memory(usize),
    Io(std::io::Error),
}

impl Kind {
    /// Bytes of an element.
    pub fn size(self) -> usize {
        match self {
            Kind::Bool | Kind::U8 | Kind::I8 => 1,
            Kind::U16 | Kind::I16 | Kind::F16 | Kind::Bf16 => 2,
            Kind::U32 | Kind::I32 | Kind::F32 => 4,
            Kind::U64 | Kind::I64 | Kind::F64 => 8,
        }
    }

    /// The smaller of the two types that loses nothing, or as little as can be.
    pub fn float(self) -> Float {
        match self {
            Kind::U32 | Kind::I32 | Kind::U64 | Kind::I64 | Kind::F64 => Float::F64,
            _ => Float::F32,
        }
    }

    /// The largest value of an unsigned type that pictures are kept in.
    pub(crate) fn white(self) -> Option<f64> {
        match self {
            Kind::U8 => Some(255.0),
            Kind::U16 => Some(65535.0),
            _ => None,
        }
    }
}

impl Numbers {
    pub(crate) fn empty(float: Float) -> Self {
        match float {
            Float::F32 => Numbers::F32(Vec::new()),
            Float::F64 => Numbers::F64(Vec::new()),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Numbers::F32(values) => values.len(),
            Numbers::F64(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type that they are held in.
    pub fn float(&self) -> Float {
        match self {
            Numbers::F32(_) => Float::F32,
            Numbers::F64(_) => Float::F64,
        }
    }

    /// Applies a function to each.
    pub(crate) fn map(&mut self, map: impl Fn(f64) -> f64) {
        match self {
            Numbers::F32(values) => values.iter_mut().for_each(|value| *value = map((*value).into()) as f32),
            Numbers::F64(values) => values.iter_mut().for_each(|value| *value = map(*value)),
        }
    }

    /// The least and the largest.
    pub(crate) fn range(&self) -> (f64, f64) {
        let wider = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        match self {
            Numbers::F32(values) => values.iter().map(|&value| value.into()).fold(none, wider),
            Numbers::F64(values) => values.iter().copied().fold(none, wider),
        }
    }

    pub(crate) fn reserve(&mut self, count: usize) -> Result<(), Fault> {
        match self {
            Numbers::F32(values) => values.try_reserve_exact(count),
            Numbers::F64(values) => values.try_reserve_exact(count),
        }
        .map_err(|_| Fault::Memory(count))
    }

    /// Appends a number; false where it is finite and the type cannot hold it.
    pub(crate) fn push(&mut self, value: f64) -> bool {
        match self {
            Numbers::F32(to) => {
                to.push(value as f32);
                !(value as f32).is_infinite() || value.is_infinite()
            }
            Numbers::F64(to) => {
                to.push(value);
                true
            }
        }
    }

    /// Appends little-endian elements, of which the first is element `first` of the array.
    pub(crate) fn extend(&mut self, kind: Kind, bytes: &[u8], first: usize) -> Result<(), Fault> {
        match self {
            Numbers::F32(to) if kind == Kind::F64 => {
                for (at, value) in bytes.as_chunks::<8>().0.iter().map(|&chunk| f64::from_le_bytes(chunk)).enumerate() {
                    let narrow = value as f32;
                    if narrow.is_infinite() && value.is_finite() {
                        return Err(Fault::Range(first + at, value));
                    }
                    to.push(narrow);
                }
            }
            Numbers::F32(to) => widen(kind, bytes, |exact| to.push(exact as f32)),
            Numbers::F64(to) => widen(kind, bytes, |exact| to.push(exact)),
        }
        Ok(())
    }
}

/// Every element in double precision, which holds all of these types but the largest integers.
fn widen(kind: Kind, bytes: &[u8], push: impl FnMut(f64)) {
    fn each<const N: usize>(bytes: &[u8], read: impl Fn([u8; N]) -> f64, push: impl FnMut(f64)) {
        bytes.as_chunks::<N>().0.iter().map(|chunk| read(*chunk)).for_each(push);
    }
    match kind {
        Kind::Bool => each::<1>(bytes, |b| f64::from(u8::from(b != [0])), push),
        Kind::U8 => each(bytes, |b| u8::from_le_bytes(b).into(), push),
        Kind::I8 => each(bytes, |b| i8::from_le_bytes(b).into(), push),
        Kind::U16 => each(bytes, |b| u16::from_le_bytes(b).into(), push),
        Kind::I16 => each(bytes, |b| i16::from_le_bytes(b).into(), push),
        Kind::U32 => each(bytes, |b| u32::from_le_bytes(b).into(), push),
        Kind::I32 => each(bytes, |b| i32::from_le_bytes(b).into(), push),
        Kind::U64 => each(bytes, |b| u64::from_le_bytes(b) as f64, push),
        Kind::I64 => each(bytes, |b| i64::from_le_bytes(b) as f64, push),
        Kind::F16 => each(bytes, |b| f16::from_le_bytes(b).into(), push),
        Kind::Bf16 => each(bytes, |b| bf16::from_le_bytes(b).into(), push),
        Kind::F32 => each(bytes, |b| f32::from_le_bytes(b).into(), push),
        Kind::F64 => each(bytes, f64::from_le_bytes, push),
    }
}
