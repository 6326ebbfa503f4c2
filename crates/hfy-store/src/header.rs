//! The header of a file of patterns: which tensors there are, where they lie, and what is said about them.
//!
//! `docs/memory-format.md` is the specification.

use std::collections::BTreeMap;
use std::ops::Range;

use safetensors::tensor::{Metadata, TensorInfo};
use serde::Serialize;
use serde::ser::SerializeMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::Fault;
use crate::text::Kind;
use crate::{Dtype, Info};

/// Value of `format` in every memory file.
pub(crate) const FORMAT: &str = "hfy-memory";
/// The version of the format that this crate reads and writes.
pub(crate) const VERSION: &str = "1";
/// No header is longer. A few hundred bytes are needed; the rest is for the texts of [`Info`].
pub(crate) const MAX_HEADER: usize = 1 << 20;
/// No pattern is longer, so that sizes cannot overflow in an empty memory either.
pub(crate) const MAX_DIM: usize = 1 << 27;
/// Patterns begin at a multiple of this many bytes in files that this crate writes: a line of the cache.
const PATTERN_ALIGN: usize = 64;

pub(crate) const PATTERNS: &str = "patterns";
pub(crate) const IDS: &str = "ids";
pub(crate) const HEADER: &str = "header";

/// Where a text per pattern lies in the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextRange {
    pub(crate) offsets: Range<usize>,
    pub(crate) bytes: Range<usize>,
}

/// Where everything lies in the file, in bytes from its start.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) dtype: Dtype,
    pub(crate) rows: usize,
    pub(crate) dim: usize,
    pub(crate) patterns: Range<usize>,
    pub(crate) ids: Range<usize>,
    pub(crate) texts: [Option<TextRange>; 2],
    pub(crate) next_id: u64,
    pub(crate) info: Info,
    pub(crate) checksums: BTreeMap<String, u64>,
    pub(crate) blocks: Option<Blocks>,
}

/// Checksums of the patterns, a block of rows each.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Blocks {
    /// Rows in a block; the last block may have fewer.
    pub(crate) rows: usize,
    pub(crate) checksums: Vec<u64>,
}

/// Bytes of patterns under one checksum: what one read of a damaged file wastes, against the length of the header.
const BLOCK_BYTES: usize = 1 << 20;
/// No file has more blocks, so that their checksums take at most 256 KiB of the header.
const MAX_BLOCKS: usize = 1 << 14;
const BLOCKS: &str = "blocks";

/// Rows of a block in a file that this crate writes.
pub(crate) fn rows_per_block(rows: usize, width: usize) -> usize {
    (BLOCK_BYTES / width.max(1)).max(rows.div_ceil(MAX_BLOCKS)).max(1)
}

impl Blocks {
    /// `ROWS:` and sixteen digits a block.
    fn read(text: &str, rows: usize) -> Result<Self, Fault> {
        let wrong = |rule: &str| Fault::new(BLOCKS, format!("{text:?}"), rule);
        let (size, digits) = text.split_once(':').ok_or_else(|| wrong("must be ROWS:CHECKSUMS"))?;
        let size: usize = size.parse().map_err(|_| wrong("must begin with the number of rows in a block"))?;
        if size == 0 || digits.len() != 16 * rows.div_ceil(size) || !digits.bytes().all(is_digit) {
            return Err(wrong(&format!("must have 16 digits of 0-9a-f for each block of {rows} rows")));
        }
        let checksums = digits.as_bytes().chunks(16).map(|sum| {
            std::str::from_utf8(sum).ok().and_then(|sum| u64::from_str_radix(sum, 16).ok()).unwrap_or_default()
        });
        Ok(Blocks { rows: size, checksums: checksums.collect() })
    }
}

fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

impl Layout {
    /// Reads the header of a whole file. Touches nothing behind the header.
    pub(crate) fn read(file: &[u8]) -> Result<Self, Fault> {
        let length = file
            .first_chunk::<8>()
            .ok_or_else(|| Fault::new("length", file.len(), "a memory file has at least 8 bytes"))?;
        let length = u64::from_le_bytes(*length);
        if file.get(8).is_some_and(|&first| first != b'{') {
            return Err(Fault::new(
                "format",
                "unknown",
                "this is not a memory, whose file begins as safetensors files do",
            ));
        }
        if length > MAX_HEADER as u64 {
            return Err(Fault::new("header length", length, format!("must not exceed {MAX_HEADER}")));
        }
        let start = 8 + length as usize;
        let header = file.get(8..start).ok_or_else(|| {
            Fault::new("header length", length, format!("the file has only {} bytes, it is cut short", file.len()))
        })?;
        let text = std::str::from_utf8(header).map_err(|e| Fault::new("header", e, "must be UTF-8"))?;
        let header: Metadata =
            serde_json::from_str(text).map_err(|e| Fault::new("header", e, "must be a safetensors header"))?;
        let end = start.checked_add(header.data_len());
        if end != Some(file.len()) {
            let wanted = end.map_or("more than can be addressed".to_owned(), |end| end.to_string());
            let rule = format!("the header describes {wanted} bytes, so the file is cut short, too long or damaged");
            return Err(Fault::new("length", file.len(), rule));
        }
        let mut texts: BTreeMap<String, String> = header.metadata().clone().into_iter().flatten().collect();
        check_format(&texts)?;
        let checksums = read_checksums(&texts)?;
        if let Some(&stored) = checksums.get(HEADER) {
            let computed = header_checksum(&file[..start]);
            if computed != stored {
                let rule = format!("but the header says {stored:016x}: it has changed since it was written");
                return Err(Fault::new("checksum of the header", format!("{computed:016x}"), rule));
            }
        }
        Self::check_tensors(&header, start, checksums, &mut texts)
    }

    fn check_tensors(
        header: &Metadata,
        start: usize,
        checksums: BTreeMap<String, u64>,
        texts: &mut BTreeMap<String, String>,
    ) -> Result<Self, Fault> {
        let known = |name: &String| {
            [PATTERNS, IDS].contains(&name.as_str())
                || Kind::ALL.iter().any(|kind| [kind.offsets(), kind.bytes()].contains(&name.as_str()))
        };
        if let Some(name) = header.offset_keys().into_iter().find(|name| !known(name)) {
            return Err(Fault::new("tensor", format!("{name:?}"), "version 1 has no tensor of this name"));
        }
        let (found, patterns) = tensor(header, PATTERNS, start, None)?;
        let (rows, dim) = (patterns.shape[0], patterns.shape[1]);
        if dim == 0 || dim > MAX_DIM {
            return Err(Fault::new("shape of patterns", format!("{:?}", patterns.shape), "needs 1 to 2^27 columns"));
        }
        let dtype = Dtype::from_safetensors(patterns.dtype)
            .ok_or_else(|| Fault::new("type of patterns", patterns.dtype, "must be F32, F64, F16 or BF16"))?;
        aligned(PATTERNS, &found, dtype.size())?;

        let (ids, _) = tensor(header, IDS, start, Some((safetensors::Dtype::U64, &[rows])))?;
        aligned(IDS, &ids, 8)?;
        let mut places = [None, None];
        for (kind, place) in Kind::ALL.into_iter().zip(&mut places) {
            if header.info(kind.offsets()).is_none() && header.info(kind.bytes()).is_none() {
                continue;
            }
            // Cannot overflow: `ids` has 8 bytes a row.
            let (offsets, _) = tensor(header, kind.offsets(), start, Some((safetensors::Dtype::U64, &[rows + 1])))?;
            aligned(kind.offsets(), &offsets, 8)?;
            let (bytes, info) = tensor(header, kind.bytes(), start, None)?;
            if info.dtype != safetensors::Dtype::U8 {
                return Err(Fault::new(format!("type of {}", kind.bytes()), info.dtype, "must be U8"));
            }
            *place = Some(TextRange { offsets, bytes });
        }
        let next_id = texts.remove("next_id").unwrap_or_default();
        let next_id = next_id
            .parse()
            .map_err(|_| Fault::new("next_id", format!("{next_id:?}"), "must be a number from 0 to 2^64 - 1"))?;
        let blocks = texts.remove(BLOCKS).map(|text| Blocks::read(&text, rows)).transpose()?;
        let info = Info::read(texts);
        Ok(Layout { dtype, rows, dim, patterns: found, ids, texts: places, next_id, info, checksums, blocks })
    }
}

fn check_format(texts: &BTreeMap<String, String>) -> Result<(), Fault> {
    let text = |key: &str| texts.get(key).map_or("", String::as_str);
    if text("format") != FORMAT {
        return Err(Fault::new("format", format!("{:?}", text("format")), format!("must be {FORMAT:?}")));
    }
    if text("version") != VERSION {
        let rule = format!("this program reads version {VERSION:?}");
        return Err(Fault::new("version", format!("{:?}", text("version")), rule));
    }
    Ok(())
}

fn read_checksums(texts: &BTreeMap<String, String>) -> Result<BTreeMap<String, u64>, Fault> {
    let stored = texts.iter().filter_map(|(key, digits)| Some((key.strip_prefix("checksum.")?, digits)));
    stored
        .map(|(part, digits)| {
            let plain = digits.len() == 16 && digits.bytes().all(is_digit);
            match u64::from_str_radix(digits, 16) {
                Ok(value) if plain => Ok((part.to_owned(), value)),
                _ => Err(Fault::new(format!("checksum.{part}"), format!("{digits:?}"), "must be 16 digits of 0-9a-f")),
            }
        })
        .collect()
}

/// A tensor's place in the file and its entry, of rank 2 (`patterns`), 1, or as `expected`.
fn tensor<'h>(
    header: &'h Metadata,
    name: &str,
    start: usize,
    expected: Option<(safetensors::Dtype, &[usize])>,
) -> Result<(Range<usize>, &'h TensorInfo), Fault> {
    let info = header.info(name).ok_or_else(|| Fault::new("tensor", format!("{name:?}"), "is missing"))?;
    let rank = if name == PATTERNS { 2 } else { 1 };
    if info.shape.len() != rank {
        let rule = format!("must have {rank} axes");
        return Err(Fault::new(format!("shape of {name}"), format!("{:?}", info.shape), rule));
    }
    if let Some((dtype, shape)) = expected {
        if info.dtype != dtype {
            return Err(Fault::new(format!("type of {name}"), info.dtype, format!("must be {dtype}")));
        }
        if info.shape != shape {
            let rule = format!("must be {shape:?}, to fit the rows of patterns");
            return Err(Fault::new(format!("shape of {name}"), format!("{:?}", info.shape), rule));
        }
    }
    // In range and without overflow: the offsets are contiguous from 0 to data_len, and start + data_len is the length.
    Ok((start + info.data_offsets.0..start + info.data_offsets.1, info))
}

fn aligned(name: &str, range: &Range<usize>, size: usize) -> Result<(), Fault> {
    if range.start.is_multiple_of(size) {
        return Ok(());
    }
    let rule = format!("must be a multiple of {size}, because the file is used in place");
    Err(Fault::new(format!("start of {name}"), range.start, rule))
}

/// A header to be written, whose checksums are filled in after the tensors.
#[derive(Debug)]
pub(crate) struct Draft {
    bytes: Vec<u8>,
    /// Where the digits of the first block stand.
    blocks: usize,
    pub(crate) data_len: usize,
}

/// A tensor to be written.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) name: &'static str,
    pub(crate) dtype: safetensors::Dtype,
    pub(crate) shape: Vec<usize>,
    pub(crate) bytes: usize,
}

struct Entries<'a>(&'a BTreeMap<String, String>, &'a [(&'static str, TensorInfo)]);

impl Serialize for Entries<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("__metadata__", self.0)?;
        for (name, info) in self.1 {
            map.serialize_entry(name, info)?;
        }
        map.end()
    }
}

impl Draft {
    /// `None` if the texts of `info` make it longer than [`MAX_HEADER`].
    pub(crate) fn new(info: Info, next_id: u64, tensors: &[Planned]) -> Option<Self> {
        let mut texts = BTreeMap::new();
        let own = [("format", FORMAT), ("version", VERSION), ("next_id", &next_id.to_string())];
        texts.extend(own.map(|(key, value)| (key.to_owned(), value.to_owned())));
        let parts = tensors.iter().map(|t| t.name).chain([HEADER]);
        texts.extend(parts.map(|part| (format!("checksum.{part}"), "0".repeat(16))));
        info.write(&mut texts);
        let patterns = tensors.iter().find(|tensor| tensor.name == PATTERNS)?;
        let rows = patterns.shape[0];
        let block_rows = rows_per_block(rows, patterns.bytes / rows.max(1));
        texts.insert(BLOCKS.to_owned(), format!("{block_rows}:{}", "0".repeat(16 * rows.div_ceil(block_rows))));

        let (mut entries, mut end, mut before_patterns) = (Vec::new(), 0usize, 0);
        for tensor in tensors {
            if tensor.name == PATTERNS {
                before_patterns = end;
            }
            let data_offsets = (end, end.checked_add(tensor.bytes)?);
            end = data_offsets.1;
            entries.push((tensor.name, TensorInfo { dtype: tensor.dtype, shape: tensor.shape.clone(), data_offsets }));
        }
        let text = serde_json::to_string(&Entries(&texts, &entries)).ok()?;
        // All that comes before the patterns is a multiple of 8, so this keeps integers aligned too.
        let start = (8 + text.len() + before_patterns).next_multiple_of(PATTERN_ALIGN) - before_patterns;
        let mut bytes = ((start - 8) as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(text.as_bytes());
        bytes.resize(start, b' ');
        let blocks = after(&bytes, &format!("\"{BLOCKS}\":\"{block_rows}:"))?;
        (start - 8 <= MAX_HEADER).then_some(Draft { bytes, blocks, data_len: end })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Records the checksum of a tensor.
    pub(crate) fn seal(&mut self, part: &str, checksum: u64) {
        if let Some(digits) = digits(&self.bytes, part) {
            self.bytes[digits].copy_from_slice(format!("{checksum:016x}").as_bytes());
        }
    }

    /// Records the checksum of a block of patterns.
    pub(crate) fn seal_block(&mut self, block: usize, checksum: u64) {
        let at = self.blocks + 16 * block;
        self.bytes[at..at + 16].copy_from_slice(format!("{checksum:016x}").as_bytes());
    }

    /// Records the checksum of the header itself, last.
    pub(crate) fn finish(mut self) -> (Vec<u8>, u64) {
        let checksum = header_checksum(&self.bytes);
        self.seal(HEADER, checksum);
        (self.bytes, checksum)
    }
}

/// Where the sixteen digits of a checksum stand. Quotes inside a JSON string are escaped, so no text can imitate it.
fn digits(header: &[u8], part: &str) -> Option<Range<usize>> {
    let at = after(header, &format!("\"checksum.{part}\":\""))?;
    (at + 16 <= header.len()).then_some(at..at + 16)
}

/// Where the bytes after a text begin.
fn after(header: &[u8], text: &str) -> Option<usize> {
    Some(header.windows(text.len()).position(|window| window == text.as_bytes())? + text.len())
}

/// Of the length and the header, with zeros for the digits of this checksum.
fn header_checksum(bytes: &[u8]) -> u64 {
    let mut bytes = bytes.to_vec();
    if let Some(digits) = digits(&bytes, HEADER) {
        bytes[digits].fill(b'0');
    }
    xxh3_64(&bytes)
}
