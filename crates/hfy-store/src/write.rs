//! Writing a file of patterns.

use std::io::{Seek, SeekFrom, Write};

use xxhash_rust::xxh3::Xxh3;

use crate::header::{Draft, IDS, PATTERNS, Planned, rows_per_block};
use crate::text::Kind;
use crate::{Dtype, Error, Info, Result};

/// Everything that a file of patterns is made of.
pub(crate) struct Content<'a> {
    pub(crate) dtype: Dtype,
    pub(crate) dim: usize,
    pub(crate) info: Info,
    pub(crate) next_id: u64,
    pub(crate) ids: &'a [u64],
    /// Whole rows, as many as ids in all.
    pub(crate) patterns: Box<dyn Iterator<Item = Result<&'a [u8]>> + 'a>,
    /// Labels and metadata, one text a row; no file has tensors of texts that are all empty.
    pub(crate) texts: [Option<&'a [String]>; 2],
}

/// Bytes and the checksum of the header of a written file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Written {
    pub(crate) bytes: usize,
    pub(crate) header_checksum: u64,
}

impl Content<'_> {
    /// Writes the bytes of the file.
    pub(crate) fn write_to(self, writer: &mut (impl Write + Seek)) -> Result<Written> {
        let plan = self.plan();
        let too_long = || Error::argument("info", "its texts", "must fit in a header of 1 MiB");
        let mut draft = Draft::new(self.info.clone(), self.next_id, &plan).ok_or_else(too_long)?;
        let start = writer.stream_position().map_err(write_error)?;
        writer.write_all(draft.bytes()).map_err(write_error)?;
        let bytes = draft.bytes().len() + draft.data_len;
        let (ids, texts) = (self.ids, self.texts);
        let width = self.dim * self.dtype.size();
        let mut patterns = Some(self.patterns);
        for tensor in &plan {
            let mut sink = Sink { writer: &mut *writer, hasher: Xxh3::new() };
            match tensor.name {
                PATTERNS => {
                    let runs = patterns.take().into_iter().flatten();
                    write_patterns(runs, rows_per_block(ids.len(), width) * width, &mut sink, &mut draft)?;
                }
                IDS => sink.put(bytemuck::cast_slice(ids))?,
                name => {
                    for (kind, texts) in Kind::ALL.into_iter().zip(texts) {
                        let texts = texts.unwrap_or_default();
                        if name == kind.offsets() {
                            write_offsets(texts, &mut sink)?;
                        } else if name == kind.bytes() {
                            texts.iter().try_for_each(|text| sink.put(text.as_bytes()))?;
                        }
                    }
                }
            }
            let checksum = sink.hasher.digest();
            draft.seal(tensor.name, checksum);
        }
        let (header, header_checksum) = draft.finish();
        writer.seek(SeekFrom::Start(start)).map_err(write_error)?;
        writer.write_all(&header).map_err(write_error)?;
        writer.seek(SeekFrom::End(0)).map_err(write_error)?;
        writer.flush().map_err(write_error)?;
        Ok(Written { bytes, header_checksum })
    }

    /// The tensors in the order of the file: integers, then patterns, then bytes, so that each is aligned.
    fn plan(&self) -> Vec<Planned> {
        let rows = self.ids.len();
        let integers =
            |name, count: usize| Planned { name, dtype: safetensors::Dtype::U64, shape: vec![count], bytes: 8 * count };
        let lengths = Kind::ALL.into_iter().zip(self.texts).filter_map(|(kind, texts)| {
            let length: usize = texts?.iter().map(String::len).sum();
            (length > 0).then_some((kind, length))
        });
        let lengths: Vec<(Kind, usize)> = lengths.collect();
        let mut plan = vec![integers(IDS, rows)];
        plan.extend(lengths.iter().map(|(kind, _)| integers(kind.offsets(), rows + 1)));
        let (dtype, bytes) = (self.dtype.to_safetensors(), rows * self.dim * self.dtype.size());
        plan.push(Planned { name: PATTERNS, dtype, shape: vec![rows, self.dim], bytes });
        plan.extend(lengths.iter().map(|&(kind, length)| Planned {
            name: kind.bytes(),
            dtype: safetensors::Dtype::U8,
            shape: vec![length],
            bytes: length,
        }));
        plan
    }
}

/// Bytes of patterns that are written at a time. The system keeps a file in pages as large as the writes that made it,
/// and reads it faster through large ones: 1.2 times at 32 MiB against 1 MiB (benches/store.rs, ext4).
const WRITE: usize = 32 << 20;

/// Writes rows, and takes the checksum of each block of them on the way.
fn write_patterns<'a>(
    runs: impl Iterator<Item = Result<&'a [u8]>>,
    block: usize,
    sink: &mut Sink<'_, impl Write>,
    draft: &mut Draft,
) -> Result<()> {
    let (mut hasher, mut filled, mut number) = (Xxh3::new(), 0, 0);
    for run in runs {
        for piece in run?.chunks(WRITE) {
            let mut rest = piece;
            while !rest.is_empty() {
                let (part, more) = rest.split_at(rest.len().min(block - filled));
                hasher.update(part);
                filled += part.len();
                if filled == block {
                    draft.seal_block(number, hasher.digest());
                    (filled, number) = (0, number + 1);
                    hasher.reset();
                }
                rest = more;
            }
            sink.put(piece)?;
        }
    }
    if filled > 0 {
        draft.seal_block(number, hasher.digest());
    }
    Ok(())
}

fn write_offsets(texts: &[String], sink: &mut Sink<'_, impl Write>) -> Result<()> {
    let mut offset = 0u64;
    sink.put(&offset.to_le_bytes())?;
    for text in texts {
        offset += text.len() as u64;
        sink.put(&offset.to_le_bytes())?;
    }
    Ok(())
}

struct Sink<'a, W> {
    writer: &'a mut W,
    hasher: Xxh3,
}

impl<W: Write> Sink<'_, W> {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.hasher.update(bytes);
        self.writer.write_all(bytes).map_err(write_error)
    }
}

fn write_error(source: std::io::Error) -> Error {
    Error::io("write", "the patterns")(source)
}
