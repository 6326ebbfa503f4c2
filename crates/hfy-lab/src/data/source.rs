use std::path::PathBuf;

use super::{Checksum, Place};
use crate::error::Result;

/// A data set: what it is, where it is published, and how to find it on this machine.
#[derive(Debug, Clone, Copy)]
pub struct Set<'a> {
    /// Its name, and that of its folder.
    pub name: &'a str,
    /// What it is, in a line.
    pub about: &'a str,
    /// Whose it is, and on what terms.
    pub terms: &'a str,
    /// The files to get, as published.
    pub sources: &'a [Source<'a>],
    /// Finds what a reader would read.
    pub find: fn(&Place) -> Result<Found>,
}

impl Set<'_> {
    /// How many bytes there are to get, as published.
    pub fn size(&self) -> u64 {
        self.sources.iter().map(|source| source.size).sum()
    }
}

/// What a reader would read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The files, or the folder that holds them.
    pub files: Vec<PathBuf>,
    /// What part of the set it is, where it is not the whole.
    pub part: Option<&'static str>,
}

impl Found {
    pub(crate) fn whole(files: Vec<PathBuf>) -> Self {
        Found { files, part: None }
    }
}

/// A file at its public home.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its address.
    pub address: &'a str,
    /// Its bytes, as published.
    pub size: u64,
    /// How its contents are packed.
    pub packing: Packing,
    /// What tells that it came as it was published.
    pub proof: Proof,
    /// What is to be there once it is unpacked, in the folder of the set.
    pub contents: &'a [Content<'a>],
}

impl<'a> Source<'a> {
    /// The last part of the address.
    pub fn file(&self) -> &'a str {
        self.address.rsplit('/').next().unwrap_or(self.address)
    }
}

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// It is its contents.
    Plain,
    /// One file in gzip.
    Gzip,
    /// A tar archive in gzip.
    TarGzip,
    /// A zip archive.
    Zip,
}

/// What is compared with what was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The file itself: its size and this sum.
    Download(Checksum),
    /// The sizes and sums of its contents; they may be packed differently elsewhere.
    Contents,
}

/// Something that a file unpacks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content<'a> {
    /// A file.
    File {
        /// Its path in the folder of the set.
        path: &'a str,
        /// Its bytes.
        size: u64,
        /// Its sum, where it is known.
        sum: Option<Checksum>,
    },
    /// A folder.
    Folder {
        /// Its path in the folder of the set.
        path: &'a str,
        /// How many entries it has.
        entries: usize,
    },
}

impl<'a> Content<'a> {
    /// Its path in the folder of the set, with `/` between its parts.
    pub fn path(&self) -> &'a str {
        match self {
            Content::File { path, .. } | Content::Folder { path, .. } => path,
        }
    }
}
