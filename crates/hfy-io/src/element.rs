//! Element types of arrays in files, and how they become `f32` or `f64`.

use std::io::{ErrorKind, Read};
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

/// Bytes read at a time. Memory grows with what is really there, whatever a header says.
const BLOCK: usize = 1 << 16;

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

/// Elements that follow one another in a stream.
#[derive(Debug)]
pub(crate) struct Elements<R> {
    from: R,
    kind: Kind,
    big_endian: bool,
    float: Float,
    count: usize,
    done: usize,
    /// Whether `count` elements are known to be there, so that room for them may be reserved.
    whole: bool,
    /// The first integer that no `f64` is.
    rounded: Option<(usize, i128)>,
}

impl<R: Read> Elements<R> {
    /// `count` elements, which must be all that there is. `length` is how many bytes there are, where that is known.
    pub(crate) fn new(
        from: R,
        (kind, big_endian): (Kind, bool),
        float: Float,
        count: usize,
        length: Option<u64>,
    ) -> Result<Self, Fault> {
        if let Some(length) = length {
            let wanted = (count as u128) * kind.size() as u128;
            match u128::from(length) {
                there if there < wanted => return Err(Fault::Short((length / kind.size() as u64) as usize)),
                there if there > wanted => return Err(Fault::Long),
                _ => {}
            }
        }
        Ok(Elements { from, kind, big_endian, float, count, done: 0, whole: length.is_some(), rounded: None })
    }

    /// How many are left.
    pub(crate) fn left(&self) -> usize {
        self.count - self.done
    }

    /// The next `count` elements.
    pub(crate) fn take(&mut self, count: usize) -> Result<Numbers, Fault> {
        let mut numbers = Numbers::empty(self.float);
        if self.whole {
            numbers.reserve(count)?;
        }
        let size = self.kind.size();
        let mut block = vec![0; BLOCK.min(count.saturating_mul(size))];
        let end = self.done + count.min(self.left());
        while self.done < end {
            let bytes = &mut block[..(end - self.done).min(BLOCK / size) * size];
            let got = read_up_to(&mut self.from, bytes).map_err(Fault::Io)?;
            let whole = got / size;
            if self.big_endian {
                bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
            }
            let bytes_read = &bytes[..whole * size];
            if self.rounded.is_none() {
                self.rounded = first_rounded(self.kind, bytes_read).map(|(at, value)| (self.done + at, value));
            }
            numbers.extend(self.kind, bytes_read, self.done)?;
            self.done += whole;
            if got < bytes.len() {
                return Err(Fault::Short(self.done));
            }
        }
        Ok(numbers)
    }

    /// The first integer so far that was rounded, said once.
    pub(crate) fn take_rounded(&mut self) -> Option<(usize, i128)> {
        let found = self.rounded?;
        // Later ones are not looked for: a place that is never reached says that.
        self.rounded = Some((usize::MAX, 0));
        (found.0 != usize::MAX).then_some(found)
    }

    /// Looks for what follows the last element.
    pub(crate) fn finish(&mut self) -> Result<(), Fault> {
        match read_up_to(&mut self.from, &mut [0]).map_err(Fault::Io)? {
            0 => Ok(()),
            _ => Err(Fault::Long),
        }
    }

    /// All of them, and the first integer that was rounded.
    pub(crate) fn all(mut self) -> Result<(Numbers, Option<(usize, i128)>), Fault> {
        let numbers = self.take(self.count)?;
        self.finish()?;
        Ok((numbers, self.take_rounded()))
    }
}

/// Fills the buffer as far as there is something to read.
pub(crate) fn read_up_to(from: &mut impl Read, to: &mut [u8]) -> std::io::Result<usize> {
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

    fn reserve(&mut self, count: usize) -> Result<(), Fault> {
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
    fn extend(&mut self, kind: Kind, bytes: &[u8], first: usize) -> Result<(), Fault> {
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

/// The first integer of 64 bits that no `f64` is.
fn first_rounded(kind: Kind, bytes: &[u8]) -> Option<(usize, i128)> {
    let exact = |value: i128| value as f64 as i128 == value;
    let chunks = bytes.as_chunks::<8>().0.iter();
    match kind {
        Kind::U64 => chunks.map(|&b| i128::from(u64::from_le_bytes(b))).enumerate().find(|(_, value)| !exact(*value)),
        Kind::I64 => chunks.map(|&b| i128::from(i64::from_le_bytes(b))).enumerate().find(|(_, value)| !exact(*value)),
        _ => None,
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
