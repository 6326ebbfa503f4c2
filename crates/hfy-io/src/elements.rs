//! Elements of an array in a stream, a block of bytes at a time.

use std::io::{ErrorKind, Read};

use crate::element::Fault;
use crate::{Float, Kind, Numbers};

/// Bytes read at a time. Memory grows with what is really there, whatever a header says.
const BLOCK: usize = 1 << 16;

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
