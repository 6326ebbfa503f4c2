use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// What has been received of a file, and beside it, in `NAME.part.from`, of which file that is.
#[derive(Debug)]
pub(super) struct Part {
    path: PathBuf,
    file: File,
    length: u64,
    origin: Option<Origin>,
}

/// One version of a file at one address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) address: String,
    /// What the server calls this version: an entity tag, or the date of its last change.
    pub(super) version: String,
    /// All its bytes.
    pub(super) total: u64,
}

impl Part {
    /// Opens what was left earlier, or begins.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::options().create(true).truncate(false).write(true).read(true).open(path);
        let mut file = file.map_err(Error::io("write", path))?;
        let length = file.seek(SeekFrom::End(0)).map_err(Error::io("read", path))?;
        let origin = fs::read_to_string(note(path)).ok().and_then(|text| Origin::parse(&text));
        Ok(Part { path: path.to_owned(), file, length, origin: origin.filter(|origin| length <= origin.total) })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The version that this is the beginning of, if it can be gone on with.
    pub(super) fn begun(&self, address: &str) -> Option<&Origin> {
        self.origin.as_ref().filter(|origin| self.length > 0 && origin.address == address)
    }

    /// Begins again with another version; with none, it cannot be gone on with later.
    pub(super) fn restart(&mut self, origin: Option<Origin>) -> Result<()> {
        // In this order, the note never speaks of bytes of another version.
        let note = note(&self.path);
        match fs::remove_file(&note) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io("delete", &note)(error));
            }
            _ => {}
        }
        self.origin = None;
        let emptied = self.file.set_len(0).and_then(|()| self.file.rewind());
        emptied.map_err(Error::io("write", &self.path))?;
        self.length = 0;
        if let Some(origin) = origin {
            fs::write(&note, origin.text()).map_err(Error::io("write", &note))?;
            self.origin = Some(origin);
        }
        Ok(())
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.file.write_all(bytes);
        if written.is_err() {
            // Some of it may have been written.
            self.length = self.file.stream_position().unwrap_or(self.length);
        } else {
            self.length += bytes.len() as u64;
        }
        written.map_err(Error::io("write", &self.path))
    }

    /// Deletes both files.
    pub(super) fn delete(self) -> Result<()> {
        drop(self.file);
        let note = note(&self.path);
        for path in [&note, &self.path] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("delete", path)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Origin {
    fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.address, self.version, self.total)
    }

    /// Three whole lines; a note that was cut short is none.
    fn parse(text: &str) -> Option<Self> {
        let lines: Vec<&str> = text.strip_suffix('\n')?.split('\n').collect();
        let [address, version, total] = lines[..] else { return None };
        Some(Origin { address: address.to_owned(), version: version.to_owned(), total: total.parse().ok()? })
    }
}

fn note(part: &Path) -> PathBuf {
    let mut name = part.as_os_str().to_owned();
    name.push(".from");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::{Origin, Part};

    #[test]
    fn goes_on_only_with_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.part");
        let origin = Origin { address: "http://a/b".to_owned(), version: "\"1\"".to_owned(), total: 4 };
        let mut part = Part::open(&path).unwrap();
        part.restart(Some(origin.clone())).unwrap();
        assert_eq!(part.begun("http://a/b"), None);
        part.append(b"abc").unwrap();
        drop(part);
        let mut part = Part::open(&path).unwrap();
        assert_eq!((part.begun("http://a/b"), part.begun("http://a/c"), part.length()), (Some(&origin), None, 3));
        part.append(b"de").unwrap();
        // Longer than the file: not a part of it.
        assert_eq!(Part::open(&path).unwrap().begun("http://a/b"), None);
        part.restart(None).unwrap();
        part.append(b"x").unwrap();
        let part = Part::open(&path).unwrap();
        assert_eq!((part.begun("http://a/b"), std::fs::read(&path).unwrap()), (None, b"x".to_vec()));
        part.delete().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_note_that_was_cut_is_none() {
        let text = Origin { address: "a".to_owned(), version: "b".to_owned(), total: 123 }.text();
        assert!(Origin::parse(&text).is_some());
        assert!((0..text.len()).all(|end| Origin::parse(&text[..end]).is_none()));
    }
}
