//! Element types of arrays in files, and how they become `f32` or `f64`.

use std::io::{ErrorKind, Read};

use half::{bf16, f16};

/// What to compute in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Float {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

/// What an array in a file is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
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
pub(crate) enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Why elements could not be read.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The data end before this element.
    Short(usize),
    /// There are bytes after the last element.
    Long,
    Io(std::io::Error),
}

/// Bytes read at a time. Memory grows with what is really there, whatever a header says.
const BLOCK: usize = 1 << 16;

impl Kind {
    /// Bytes of an element.
    pub(crate) fn size(self) -> usize {
        match self {
            Kind::Bool | Kind::U8 | Kind::I8 => 1,
            Kind::U16 | Kind::I16 | Kind::F16 | Kind::Bf16 => 2,
            Kind::U32 | Kind::I32 | Kind::F32 => 4,
            Kind::U64 | Kind::I64 | Kind::F64 => 8,
        }
    }

    /// The smaller of the two types that loses nothing, or as little as can be.
    pub(crate) fn float(self) -> Float {
        match self {
            Kind::U32 | Kind::I32 | Kind::U64 | Kind::I64 | Kind::F64 => Float::F64,
            _ => Float::F32,
        }
    }

    /// Reads `count` elements, which must be all that there is.
    pub(crate) fn read(
        self,
        mut from: impl Read,
        count: usize,
        big_endian: bool,
        float: Float,
    ) -> Result<Numbers, Fault> {
        let mut numbers = match float {
            Float::F32 => Numbers::F32(Vec::new()),
            Float::F64 => Numbers::F64(Vec::new()),
        };
        let mut block = vec![0; BLOCK];
        let mut done = 0;
        while done < count {
            let bytes = &mut block[..(count - done).min(BLOCK / self.size()) * self.size()];
            let got = read_up_to(&mut from, bytes).map_err(Fault::Io)?;
            let whole = got / self.size();
            if big_endian {
                bytes.chunks_exact_mut(self.size()).for_each(<[u8]>::reverse);
            }
            numbers.extend(self, &bytes[..whole * self.size()]);
            done += whole;
            if got < bytes.len() {
                return Err(Fault::Short(done));
            }
        }
        match read_up_to(&mut from, &mut [0]).map_err(Fault::Io)? {
            0 => Ok(numbers),
            _ => Err(Fault::Long),
        }
    }
}

/// Fills the buffer as far as there is something to read.
fn read_up_to(from: &mut impl Read, to: &mut [u8]) -> std::io::Result<usize> {
    let mut done = 0;
    while done < to.len() {
        match from.read(&mut to[done..]) {
            Ok(0) => break,
            Ok(got) => done += got,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

impl Numbers {
    /// Appends little-endian elements.
    fn extend(&mut self, kind: Kind, bytes: &[u8]) {
        match self {
            Numbers::F32(to) => widen(kind, bytes, |exact| to.push(exact as f32)),
            Numbers::F64(to) => widen(kind, bytes, |exact| to.push(exact)),
        }
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
