//! Vectors of words: GloVe (Pennington, Socher, Manning, "GloVe: Global vectors for word representation", EMNLP 2014).

use std::path::PathBuf;

use hfy_io::{WordVectors, vectors};

use super::{Found, Place};
use crate::error::{Error, Result};

/// Files that would do: the subset that experiments were run with, then whole sets.
const FILES: [&str; 6] = [
    "glove.6B.100d.subset.txt.gz",
    "glove-wiki-gigaword-100.gz",
    "glove.6B.100d.txt.gz",
    "glove.6B.100d.txt",
    "glove.6B.300d.txt",
    "glove.840B.300d.txt",
];

/// The file of vectors.
pub fn file(place: &Place) -> Result<PathBuf> {
    place.file("glove", &FILES)
}

/// Reads the vectors.
pub fn load(place: &Place) -> Result<WordVectors> {
    vectors::read(&file(place)?, None).map_err(|error| Error::Data(error.to_string()))
}

pub(super) fn find(place: &Place) -> Result<Found> {
    Ok(Found::whole(vec![file(place)?]))
}
