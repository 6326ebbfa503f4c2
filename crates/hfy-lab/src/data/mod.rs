//! Data sets, each read from the files in which it is published and checked while it is read.
//!
//! | set | files |
//! |---|---|
//! | [`mnist`] | IDX, plain or gzipped |
//! | [`cifar10`] | binary records |
//! | [`tiny_imagenet`] | the folder of JPEG pictures, or NumPy arrays |
//! | [`mil`] | bags: MATLAB 5, or csv, plain or gzipped |
//! | [`kmil`] | bags of MNIST digits, made from the labels |
//! | [`glove`] | vectors of words, as text, plain or gzipped |
//! | `texts` | texts with labels and with words that people marked, with the feature `learn` |
//!
//! [`catalogue`] says where each is published; `download`, a feature, gets it from there.

pub mod catalogue;
mod checksum;
pub mod cifar10;
#[cfg(feature = "download")]
pub mod download;
pub mod glove;
pub mod idx;
mod images;
pub mod kmil;
pub mod matlab;
pub mod mil;
pub mod mnist;
mod npy;
mod place;
mod source;
#[cfg(feature = "learn")]
pub mod texts;
pub mod tiny_imagenet;

pub use checksum::Checksum;
pub use images::Images;
pub use mil::BagSet;
pub use place::{Origin, Place};
pub use source::{Content, Found, Packing, Proof, Set, Source};
#[cfg(feature = "learn")]
pub use texts::{Corpus, EncodedCorpus, Marked, TextSet};

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};

/// The whole of a file, unpacked if it is gzipped; at most `most` bytes of it.
fn bytes(path: &Path, most: u64) -> Result<Vec<u8>> {
    let mut file = BufReader::new(File::open(path).map_err(Error::io("read", path))?);
    let mut start = Vec::new();
    file.by_ref().take(2).read_to_end(&mut start).map_err(Error::io("read", path))?;
    let packed = start == [0x1f, 0x8b];
    let whole = std::io::Cursor::new(start).chain(file);
    let mut bytes = Vec::new();
    let read = if packed {
        MultiGzDecoder::new(whole).take(most + 1).read_to_end(&mut bytes)
    } else {
        whole.take(most + 1).read_to_end(&mut bytes)
    };
    match read {
        Ok(_) if bytes.len() as u64 > most => Err(Error::format(path, format!("holds more than {most} bytes"))),
        Ok(_) => Ok(bytes),
        Err(error) if packed => Err(Error::format(path, format!("is not a whole gzip file: {error}"))),
        Err(error) => Err(Error::io("read", path)(error)),
    }
}
