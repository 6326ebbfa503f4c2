//! Word vectors, as GloVe, word2vec and fastText publish them: a word and its numbers a line, with spaces between them.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use ndarray::{Array2, ArrayView2};

use crate::read::open;
use crate::text::visible;
use crate::{Error, Result};

/// Words, each with a vector, in the order of the file: the frequent ones first, as a rule.
#[derive(Debug, Clone, PartialEq)]
pub struct WordVectors {
    words: Vec<String>,
    vectors: Array2<f32>,
    notes: Vec<String>,
}

impl WordVectors {
    /// The words.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// A vector for each word, one a row.
    pub fn vectors(&self) -> ArrayView2<'_, f32> {
        self.vectors.view()
    }

    /// The words and their vectors.
    pub fn into_parts(self) -> (Vec<String>, Array2<f32>) {
        (self.words, self.vectors)
    }

    /// What was left out, for people to read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Reads a file of word vectors, plain or gzipped; at most `most` words of it.
///
/// ```no_run
/// let vectors = hfy_io::vectors::read("glove.6B.100d.txt.gz".as_ref(), None)?;
/// println!("{} words of {} numbers", vectors.words().len(), vectors.vectors().ncols());
/// # Ok::<(), hfy_io::Error>(())
/// ```
pub fn read(path: &Path, most: Option<usize>) -> Result<WordVectors> {
    let file = path.display().to_string();
    read_stream(BufReader::new(open(path)?.0), &file, most)
}

/// Reads word vectors from a stream, plain or gzipped, which errors call `file`.
///
/// A first line of two whole numbers, as word2vec writes it, is left out. Numbers are counted from the right, since a
/// word of GloVe may hold spaces. Of a word that is there twice the first vector counts.
///
/// ```
/// let vectors = hfy_io::vectors::read_stream(&b"the 0.5 1\nale -1 2\n"[..], "small.txt", None)?;
/// assert_eq!(vectors.words(), ["the", "ale"]);
/// assert_eq!(vectors.vectors(), ndarray::array![[0.5, 1.0], [-1.0, 2.0]]);
/// # Ok::<(), hfy_io::Error>(())
/// ```
pub fn read_stream(mut from: impl BufRead, file: &str, most: Option<usize>) -> Result<WordVectors> {
    let start = from.fill_buf().map_err(Error::io("read", file))?;
    if !start.starts_with(&[0x1f, 0x8b]) {
        return read_lines(from, file, most);
    }
    let unpacked: Box<dyn Read + '_> = Box::new(MultiGzDecoder::new(from));
    read_lines(BufReader::new(unpacked), file, most).map_err(|error| match error {
        Error::Io { source, .. } => Error::data(file, format!("is not a whole gzip file: {source}")),
        error => error,
    })
}

fn read_lines(mut from: impl BufRead, file: &str, most: Option<usize>) -> Result<WordVectors> {
    let (mut words, mut values): (Vec<String>, Vec<f32>) = (Vec::new(), Vec::new());
    let (mut known, mut twice, mut width) = (HashSet::new(), 0, None);
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        if from.read_until(b'\n', &mut bytes).map_err(Error::io("read", file))? == 0 {
            break;
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| Error::in_row(file, line, "is not UTF-8 text"))?;
        let text = text.trim_end_matches(['\n', '\r', ' ']);
        if text.is_empty() || line == 1 && is_count(text) {
            continue;
        }
        let width = *width.get_or_insert_with(|| text.split(' ').count() - 1);
        let mut parts = text.rsplitn(width + 1, ' ');
        let first = values.len();
        for _ in 0..width {
            let part = parts.next().unwrap_or_default();
            let number = part.parse::<f32>().ok().filter(|number| number.is_finite());
            values.push(number.ok_or_else(|| {
                let rule = format!("a word and {width} finite numbers are expected, as in the first line");
                Error::in_row(file, line, format!("'{}' is no number: {rule}", visible(part)))
            })?);
        }
        let word = parts.next().filter(|word| !word.is_empty() && width > 0).ok_or_else(|| {
            let rule = if width > 0 { format!("and {width} numbers") } else { "and its numbers".to_owned() };
            Error::in_row(file, line, format!("'{}': a word {rule} are expected", visible(text)))
        })?;
        values[first..].reverse();
        if !known.insert(word.to_owned()) {
            values.truncate(first);
            twice += 1;
            continue;
        }
        words.push(word.to_owned());
        if Some(words.len()) == most {
            break;
        }
    }
    if words.is_empty() {
        return Err(Error::data(file, "holds no word vectors"));
    }
    let vectors = Array2::from_shape_vec((words.len(), values.len() / words.len()), values);
    let vectors = vectors.map_err(|error| Error::data(file, error))?;
    let notes = if twice == 0 { Vec::new() } else { vec![format!("{file}: words that came again: {twice}")] };
    Ok(WordVectors { words, vectors, notes })
}

/// Whether a line says how many words and numbers there are.
fn is_count(line: &str) -> bool {
    let mut parts = line.split(' ');
    let numbers = parts.by_ref().take(2).filter(|part| part.parse::<u64>().is_ok()).count();
    numbers == 2 && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn of(text: &str) -> Result<WordVectors> {
        read_stream(text.as_bytes(), "v.txt", None)
    }

    #[test]
    fn words_with_spaces_counts_and_repeated_words() {
        let found = of("4 2\nthe 1 2\n. . . 3 4e-1\n\nthe 5 6\nö 7 -8 \r\n").unwrap();
        assert_eq!(found.words(), ["the", ". . .", "ö"]);
        assert_eq!(found.vectors(), ndarray::array![[1.0, 2.0], [3.0, 0.4], [7.0, -8.0]]);
        assert_eq!(found.notes(), ["v.txt: words that came again: 1"]);
        assert_eq!(read_stream(&b"a 1\nb 2\nc x\n"[..], "v.txt", Some(2)).unwrap().words(), ["a", "b"]);
    }

    #[test]
    fn gzipped_or_not() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(b"the 1 2\n").unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(read_stream(&packed[..], "v.txt", None).unwrap(), of("the 1 2\n").unwrap());
        let error = read_stream(&packed[..packed.len() - 4], "v.txt", None).unwrap_err().to_string();
        assert!(error.contains("not a whole gzip file"), "{error}");
    }

    #[test]
    fn other_lines_are_refused() {
        for (text, said) in [
            ("", "holds no word vectors"),
            ("the\n", "row 1: 'the': a word and its numbers"),
            ("the 1 2\nale 1\n", "row 2: 'ale' is no number"),
            ("the 1 2\nale 1 x\n", "row 2: 'x' is no number"),
            ("the 1 NaN\n", "'NaN' is no number"),
            ("the 1 inf\n", "'inf' is no number"),
            ("the 1 2\n 1 2\n", "row 2: ' 1 2': a word and 2 numbers"),
        ] {
            let error = of(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text:?}: {error}");
        }
        let error = read_stream(&b"\xff 1\n"[..], "v.txt", None).unwrap_err().to_string();
        assert_eq!(error, "v.txt, row 1: is not UTF-8 text");
    }
}
