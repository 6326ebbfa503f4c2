//! Compares files with what was published.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::super::{Checksum, Content, Packing, Proof, Source};
use super::{Hear, Progress, go_on, sum};
use crate::error::{Error, Result};

/// Whether all contents of a source are there and right: where unpacking puts them, or without the archive's own
/// folder, or still in gzip; wherever readers look for them.
pub(super) fn is_there(source: &Source<'_>, home: &Path, hear: &mut Hear<'_>) -> Result<bool> {
    for content in source.contents {
        if !one_is_there(source, content, home, hear)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn one_is_there(source: &Source<'_>, content: &Content<'_>, home: &Path, hear: &mut Hear<'_>) -> Result<bool> {
    let path = content.path();
    let mut candidates = vec![home.join(path)];
    candidates.extend(path.split_once('/').map(|(_, inner)| home.join(inner)));
    if source.packing == Packing::Gzip {
        candidates.push(home.join(format!("{path}.gz")));
    }
    for candidate in candidates.iter().filter(|path| path.exists()) {
        match self::content(content, candidate, hear) {
            Ok(()) => return Ok(true),
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            Err(_) => {} // something is there, but not this
        }
    }
    Ok(false)
}

/// Compares one of the contents of a source with a file or a folder.
pub(super) fn content(content: &Content<'_>, path: &Path, hear: &mut Hear<'_>) -> Result<()> {
    match *content {
        Content::File { size, sum, .. } => {
            let packed = path.extension().is_some_and(|ending| ending == "gz");
            let file = File::open(path).map_err(Error::io("read", path))?;
            let name = path.display().to_string();
            let held = file.metadata().map_err(Error::io("read", path))?.len();
            if packed {
                same(MultiGzDecoder::new(file), &name, path, (size, sum), hear)
            } else if held != size || sum.is_none() {
                same_size(name, held, size)
            } else {
                same(file, &name, path, (size, sum), hear)
            }
        }
        Content::Folder { entries, .. } => {
            let found = fs::read_dir(path).map_err(Error::io("read", path))?.count();
            if found == entries {
                return Ok(());
            }
            Err(Error::format(path, format!("has {found} entries, expected {entries}")))
        }
    }
}

/// Compares a file with the sum of the download, where that is the proof.
pub(super) fn download(source: &Source<'_>, address: &str, path: &Path, hear: &mut Hear<'_>) -> Result<()> {
    match source.proof {
        Proof::Contents => Ok(()),
        Proof::Download(sum) => {
            let file = File::open(path).map_err(Error::io("read", path))?;
            same(file, address, path, (source.size, Some(sum)), hear)
        }
    }
}

/// Reads everything, and compares size and sum. `name` is what an error calls it.
fn same(
    from: impl std::io::Read,
    name: &str,
    path: &Path,
    (size, expected): (u64, Option<Checksum>),
    hear: &mut Hear<'_>,
) -> Result<()> {
    let each = |done: u64| {
        // A small file may unpack to a large one; there is no need to see the end of it.
        same_size(name.to_owned(), done.max(size), size).map_err(Fault)?;
        go_on(hear, Progress::Checking { done, total: size }).map_err(Fault)
    };
    let (found_size, found) = sum::of(from, expected, each).map_err(|fault| fault.at(path))?;
    same_size(name.to_owned(), found_size, size)?;
    match (found, expected) {
        (Some(found), Some(expected)) if found != expected => {
            Err(Error::Checksum { file: name.to_owned(), found, expected })
        }
        _ => Ok(()),
    }
}

fn same_size(file: String, found: u64, expected: u64) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Size { file, found, expected }) }
}

/// What ends the reading: an error of its own, or of the file.
struct Fault(Error);

impl Fault {
    fn at(self, path: &Path) -> Error {
        match self.0 {
            Error::Io { action, source, .. } => Error::Io { action, path: path.to_owned(), source },
            other => other,
        }
    }
}

impl From<std::io::Error> for Fault {
    fn from(source: std::io::Error) -> Self {
        Fault(Error::Io { action: "read", path: PathBuf::new(), source })
    }
}
