//! Writing a memory to its file.

use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

use crate::base::BLOCK;
use crate::header::{Draft, IDS, PATTERNS, Planned};
use crate::replace::{Stamp, replace_file};
use crate::text::Kind;
use crate::{Error, Memory, Result};

impl Memory {
    /// Saves to the file that the memory was opened from or last saved to, which is then open in its place.
    ///
    /// The old file stays whole until the new one is on disk and takes its name at once. Of two processes that open the
    /// same file and change it, the second to save gets [`Error::Replaced`]. Without a change, nothing is written.
    pub fn save(&mut self) -> Result<()> {
        let Some(path) = self.path.clone() else { return Err(Error::NoFile) };
        if !self.changed {
            return Ok(());
        }
        match std::fs::metadata(&path) {
            Ok(now) if self.stamp.is_some_and(|then| then != Stamp::of(&now)) => Err(Error::Replaced { path }),
            _ => self.save_as(path),
        }
    }

    /// Saves to a file, whatever was there before, and opens it in the place of what was open.
    ///
    /// What is copied from the file that was open is checked against its checksums: damage is an error, not copied.
    pub fn save_as(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        replace_file(path, |file| self.write_to(BufWriter::with_capacity(BLOCK, file)).map_err(|e| at(e, path)))?;
        *self = Memory::open(path)?;
        Ok(())
    }

    /// Writes the bytes of the file, without any of the care of [`Memory::save`].
    ///
    /// ```
    /// use hfy_store::{Dtype, Memory};
    ///
    /// let memory = Memory::new(Dtype::F16, 100)?;
    /// let mut file = std::io::Cursor::new(Vec::new());
    /// memory.write_to(&mut file)?;
    /// assert_eq!(Memory::from_bytes(file.get_ref())?.dim(), 100);
    /// # Ok::<(), hfy_store::Error>(())
    /// ```
    pub fn write_to(&self, mut writer: impl Write + Seek) -> Result<()> {
        let plan = self.plan()?;
        let too_long = || Error::argument("info", "its texts", "must fit in a header of 1 MiB");
        let mut draft = Draft::new(self.info.clone(), self.next_id, &plan).ok_or_else(too_long)?;
        let start = writer.stream_position().map_err(write_error)?;
        writer.write_all(draft.bytes()).map_err(write_error)?;
        let mut written = 0;
        for tensor in &plan {
            let mut sink = Sink { writer: &mut writer, hasher: Xxh3::new(), length: 0 };
            match tensor.name {
                PATTERNS => self.write_patterns(&mut sink)?,
                IDS => self.ids().try_for_each(|id| sink.put(&id.to_le_bytes()))?,
                name => {
                    for kind in Kind::ALL {
                        match name {
                            _ if name == kind.offsets() => self.write_offsets(kind, &mut sink)?,
                            _ if name == kind.bytes() => self.write_texts(kind, &mut sink)?,
                            _ => {}
                        }
                    }
                }
            }
            written += sink.length;
            let checksum = sink.hasher.digest();
            draft.seal(tensor.name, checksum);
        }
        debug_assert_eq!(written, draft.data_len);
        writer.seek(SeekFrom::Start(start)).map_err(write_error)?;
        writer.write_all(&draft.finish()).map_err(write_error)?;
        writer.seek(SeekFrom::End(0)).map_err(write_error)?;
        writer.flush().map_err(write_error)
    }

    /// The tensors in the order of the file: integers, then patterns, then bytes, so that each is aligned.
    fn plan(&self) -> Result<Vec<Planned>> {
        let rows = self.len();
        let integers =
            |name, count: usize| Planned { name, dtype: safetensors::Dtype::U64, shape: vec![count], bytes: 8 * count };
        let mut lengths = Vec::new();
        for kind in Kind::ALL {
            let length = self.text_length(kind)?;
            lengths.extend((length > 0).then_some((kind, length)));
        }
        let mut plan = vec![integers(IDS, rows)];
        plan.extend(lengths.iter().map(|(kind, _)| integers(kind.offsets(), rows + 1)));
        let dtype = self.dtype.to_safetensors();
        plan.push(Planned { name: PATTERNS, dtype, shape: vec![rows, self.dim], bytes: rows * self.width() });
        plan.extend(lengths.iter().map(|&(kind, length)| Planned {
            name: kind.bytes(),
            dtype: safetensors::Dtype::U8,
            shape: vec![length],
            bytes: length,
        }));
        Ok(plan)
    }

    fn text_length(&self, kind: Kind) -> Result<usize> {
        let in_file = self.base.as_ref().is_some_and(|base| base.layout.texts[kind as usize].is_some());
        if !in_file && self.texts[kind as usize].is_empty() {
            return Ok(0);
        }
        self.iter().try_fold(0, |sum, record| Ok(sum + record.raw(kind)?.len()))
    }

    fn write_offsets(&self, kind: Kind, sink: &mut Sink<impl Write>) -> Result<()> {
        let mut offset = 0u64;
        sink.put(&offset.to_le_bytes())?;
        for record in self.iter() {
            offset += record.raw(kind)?.len() as u64;
            sink.put(&offset.to_le_bytes())?;
        }
        Ok(())
    }

    fn write_texts(&self, kind: Kind, sink: &mut Sink<impl Write>) -> Result<()> {
        if let Some(base) = &self.base {
            base.check_text_bytes(kind)?;
        }
        self.iter().try_for_each(|record| sink.put(record.raw(kind)?))
    }

    /// Copies the patterns, and takes the checksum of all that the old file holds on the way.
    fn write_patterns(&self, sink: &mut Sink<impl Write>) -> Result<()> {
        let width = self.width();
        let old = self.base.as_ref().map_or(&[][..], |base| base.patterns());
        let mut hasher = Xxh3::new();
        let mut hashed = 0;
        for run in self.runs() {
            // In blocks, so that what was read for the checksum is still in the cache when it is copied.
            for (block, bytes) in run.bytes.chunks(BLOCK).enumerate() {
                let end = (run.places.start * width + block * BLOCK + bytes.len()).min(old.len());
                if hashed < end {
                    hasher.update(&old[hashed..end]);
                    hashed = end;
                }
                sink.put(bytes)?;
            }
        }
        hasher.update(&old[hashed..]);
        match &self.base {
            Some(base) => base.check_sum(PATTERNS, hasher.digest()),
            None => Ok(()),
        }
    }
}

struct Sink<'a, W> {
    writer: &'a mut W,
    hasher: Xxh3,
    length: usize,
}

impl<W: Write> Sink<'_, W> {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.hasher.update(bytes);
        self.length += bytes.len();
        self.writer.write_all(bytes).map_err(write_error)
    }
}

fn write_error(source: std::io::Error) -> Error {
    Error::io("write", "the memory")(source)
}

/// Names the file in an error of writing.
fn at(error: Error, file: &Path) -> Error {
    match error {
        Error::Io { action: "write", source, .. } => Error::io("write", file)(source),
        other => other,
    }
}
