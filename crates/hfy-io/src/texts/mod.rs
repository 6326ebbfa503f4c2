//! Texts with labels: the data of classification, regression and rationales.
//!
//! A table (csv, tsv or txt, perhaps gzipped) holds a text a record, with columns for the text, its label, and perhaps
//! the passages that people marked. A jsonl file (also gzipped) holds an object a line. [`Options`] say which columns
//! or keys these are.
//!
//! ```
//! use hfy_io::texts;
//!
//! let table = b"label,text\ngood,\"Fine, cool\nale\"\nbad,Flat\n";
//! let texts = texts::read_bytes(table, "beer.csv", &texts::Options::default())?;
//! assert_eq!((texts.len(), texts.text(0), texts.labels().unwrap()[1].as_str()), (2, "Fine, cool\nale", "bad"));
//!
//! let lines = br#"{"tokens": ["fine", "ale"], "rationale": [1, 0]}"#;
//! let texts = texts::read_bytes(lines, "beer.jsonl", &texts::Options { unlabelled: true, ..Default::default() })?;
//! assert_eq!(texts.text(0), "fine ale");
//! assert_eq!(texts.words(0), Some(&[0..4, 5..8][..]));
//! assert_eq!(texts.marked().unwrap()[0], [0..4]);
//! # Ok::<(), hfy_io::Error>(())
//! ```

mod marks;
mod objects;
mod table;

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::read::open;
use crate::{Error, Result};

/// Which columns or keys say what.
///
/// A column is named by its name, or, where no name is the same, by its number from 1. Where a number is given, a table
/// has no names of columns in its first record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The column with the text; `text`, `review`, `sentence`, `tokens` or `words` unless it is given.
    pub text: Option<String>,
    /// The column with the label; `label`, `class`, `target`, `sentiment`, `score` or `rating` unless it is given.
    pub label: Option<String>,
    /// The column with what people marked; `rationale`, `rationales` or `evidence` unless it is given.
    ///
    /// It is a list in the form of JSON: of `[start, end)` pairs that count characters of a text or words of a list of
    /// words, or of one 0 or 1 for each word of a list.
    pub rationale: Option<String>,
    /// Whether a file may be without labels, as files for prediction are.
    pub unlabelled: bool,
}

/// Texts, with labels and marks where they are known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Texts {
    texts: Vec<String>,
    words: Vec<Option<Vec<Range<usize>>>>,
    labels: Option<Vec<String>>,
    marked: Option<Vec<Vec<Range<usize>>>>,
    lines: Vec<usize>,
}

impl Texts {
    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// A text. A list of words is joined by spaces.
    pub fn text(&self, text: usize) -> &str {
        &self.texts[text]
    }

    /// Where the words of a text are, in bytes, if it was given as a list of words.
    pub fn words(&self, text: usize) -> Option<&[Range<usize>]> {
        self.words[text].as_deref()
    }

    /// The labels, where the file has any.
    pub fn labels(&self) -> Option<&[String]> {
        self.labels.as_deref()
    }

    /// Where the passages are that people marked, in bytes of each text, where the file has any.
    pub fn marked(&self) -> Option<&[Vec<Range<usize>>]> {
        self.marked.as_deref()
    }

    /// Whether people marked a part of a place of a text, which is in bytes.
    pub fn is_marked(&self, text: usize, place: &Range<usize>) -> bool {
        let passages = self.marked.as_ref().map_or(&[][..], |marked| &marked[text]);
        passages.iter().any(|passage| passage.start < place.end && place.start < passage.end)
    }

    /// The line of the file in which a text begins, from 1.
    pub fn line(&self, text: usize) -> usize {
        self.lines[text]
    }
}

/// Reads a table, or lines of JSON where the name ends in `.jsonl`, `.ndjson` or these and `.gz`.
pub fn read(path: &Path, options: &Options) -> Result<Texts> {
    let (mut file, _) = open(path)?;
    let mut bytes = Vec::new();
    let name = path.display().to_string();
    file.read_to_end(&mut bytes).map_err(Error::io("read", &name))?;
    read_bytes(&bytes, &name, options)
}

/// The same from bytes, which errors call `file`. Its name says what form they have.
pub fn read_bytes(bytes: &[u8], file: &str, options: &Options) -> Result<Texts> {
    let mut unpacked = Vec::new();
    let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
        let packed = |error| Error::data(file, format!("is not a whole gzip file: {error}"));
        MultiGzDecoder::new(bytes).read_to_end(&mut unpacked).map_err(packed)?;
        &unpacked
    } else {
        bytes
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        Error::in_row(file, line, "is not UTF-8 text; convert the file first, as with iconv -f latin1 -t utf-8")
    })?;
    let name = file.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let texts = match name.rsplit('.').next() {
        Some("jsonl" | "ndjson") => objects::read(text, file, options)?,
        Some("tsv") => table::read(text, file, b'\t', options)?,
        _ => table::read(text, file, b',', options)?,
    };
    match texts.is_empty() {
        true => Err(Error::data(file, "holds no texts")),
        false => Ok(texts),
    }
}

/// Names of columns and keys, the likeliest first.
const TEXT: [&str; 5] = ["text", "review", "sentence", "tokens", "words"];
const LABEL: [&str; 6] = ["label", "class", "target", "sentiment", "score", "rating"];
const RATIONALE: [&str; 3] = ["rationale", "rationales", "evidence"];
