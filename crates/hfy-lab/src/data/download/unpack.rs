//! Unpacks a file in a folder of its own, checks what came out of it, and renames that to where it belongs; a file that
//! is not packed is checked and renamed as it is.

use std::fs::{self, File};
use std::io::{BufReader, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::super::{Content, Packing, Source};
use super::{Hear, Progress, check, go_on};
use crate::error::{Error, Result};

/// No set is larger; what claims to be would fill the disk.
const MOST: u64 = 1 << 32;
const BLOCK: usize = 1 << 18;

/// Puts the contents of `archive` into `home`, all of them or none.
pub(super) fn unpack(source: &Source<'_>, archive: &Path, home: &Path, hear: &mut Hear<'_>) -> Result<()> {
    match source.packing {
        Packing::Plain => plain(source, archive, home, hear)?,
        Packing::Gzip => aside(source, archive, home, hear, |archive| archive.gzip(source))?,
        Packing::TarGzip => aside(source, archive, home, hear, |archive| archive.tar())?,
        Packing::Zip => aside(source, archive, home, hear, |archive| archive.zip())?,
    }
    sync(home)
}

fn plain(source: &Source<'_>, file: &Path, home: &Path, hear: &mut Hear<'_>) -> Result<()> {
    let [content] = source.contents else {
        return Err(Error::format(file, format!("has {} contents, expected one file", source.contents.len())));
    };
    check::content(content, file, hear)?;
    File::open(file).and_then(|file| file.sync_all()).map_err(Error::io("force to disk", file))?;
    put(file, &home.join(content.path()))
}

fn aside(
    source: &Source<'_>,
    archive: &Path,
    home: &Path,
    hear: &mut Hear<'_>,
    unpack: impl FnOnce(&mut Archive<'_, '_>) -> Result<()>,
) -> Result<()> {
    let aside = Aside::new(home.join(format!("{}.unpacking", source.file())))?;
    unpack(&mut Archive::open(archive, &aside.folder, hear)?)?;
    for content in source.contents {
        let path = aside.folder.join(content.path());
        if !path.exists() {
            return Err(Error::format(archive, format!("holds no {}", content.path())));
        }
        check::content(content, &path, hear)?;
    }
    let mut tops: Vec<&str> = source.contents.iter().filter_map(|content| content.path().split('/').next()).collect();
    tops.dedup();
    tops.into_iter().try_for_each(|top| put(&aside.folder.join(top), &home.join(top)))
}

/// A folder that is gone when it is done with.
struct Aside {
    folder: PathBuf,
}

impl Aside {
    fn new(folder: PathBuf) -> Result<Self> {
        // A process that was killed may have left one.
        clear(&folder)?;
        fs::create_dir(&folder).map_err(Error::io("create the folder", &folder))?;
        Ok(Aside { folder })
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        // What cannot be deleted now is deleted the next time.
        let _ = clear(&self.folder);
    }
}

fn clear(path: &Path) -> Result<()> {
    let gone = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match gone {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io("delete", path)(error)),
        _ => Ok(()),
    }
}

/// Renames what is whole. A file takes the place of another at once; a folder after the other has stepped aside.
fn put(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() && to.exists() {
        let mut old = to.as_os_str().to_owned();
        old.push(".old");
        let old = PathBuf::from(old);
        clear(&old)?;
        fs::rename(to, &old).map_err(Error::io("rename", to))?;
        fs::rename(from, to).map_err(Error::io("rename", from))?;
        return clear(&old);
    }
    fs::rename(from, to).map_err(Error::io("rename", from))
}

/// On other systems a folder cannot be opened, and the rename is all there is.
fn sync(folder: &Path) -> Result<()> {
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::io("force to disk", folder))?;
    }
    Ok(())
}

/// An archive that is being unpacked into a folder.
struct Archive<'a, 'h> {
    path: &'a Path,
    folder: &'a Path,
    file: File,
    size: u64,
    /// How much may still come out of it.
    left: u64,
    hear: &'a mut Hear<'h>,
}

impl<'a, 'h> Archive<'a, 'h> {
    fn open(path: &'a Path, folder: &'a Path, hear: &'a mut Hear<'h>) -> Result<Self> {
        let file = File::open(path).map_err(Error::io("read", path))?;
        let size = file.metadata().map_err(Error::io("read", path))?.len();
        Ok(Archive { path, folder, file, size, left: MOST, hear })
    }

    /// The same file; how far this one is read can be seen in the other.
    fn reader(&self) -> Result<BufReader<File>> {
        self.file.try_clone().map(BufReader::new).map_err(Error::io("read", self.path))
    }

    fn wrong(&self, what: String) -> Error {
        Error::format(self.path, what)
    }

    fn damaged(&self, error: &dyn std::fmt::Display) -> Error {
        self.wrong(format!("is not a whole archive: {error}"))
    }

    /// There is one content, and its name is not in the file.
    fn gzip(&mut self, source: &Source<'_>) -> Result<()> {
        let [Content::File { path, size, .. }] = *source.contents else {
            return Err(self.wrong(format!("has {} contents, expected one file", source.contents.len())));
        };
        let found = self.write(&mut MultiGzDecoder::new(self.reader()?), path, size)?;
        if found == size {
            return Ok(());
        }
        Err(Error::Size { file: format!("{path} in {}", source.file()), found, expected: size })
    }

    fn tar(&mut self) -> Result<()> {
        let mut archive = tar::Archive::new(MultiGzDecoder::new(self.reader()?));
        for entry in archive.entries().map_err(|error| self.damaged(&error))? {
            let mut entry = entry.map_err(|error| self.damaged(&error))?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let (kind, size) = (entry.header().entry_type(), entry.size());
            if kind.is_dir() {
                self.folder(&name)?;
            } else if kind.is_file() {
                self.entry(&mut entry, &name, size)?;
            } else if !kind.is_pax_global_extensions() {
                return Err(self.wrong(format!("holds {name:?}, which is neither a file nor a folder")));
            }
        }
        // The sum of gzip stands at its end, after what a tar archive needs.
        let rest = std::io::copy(&mut archive.into_inner().take(MOST), &mut std::io::sink());
        rest.map(drop).map_err(|error| self.damaged(&error))
    }

    fn zip(&mut self) -> Result<()> {
        let mut archive = zip::ZipArchive::new(self.reader()?).map_err(|error| self.damaged(&error))?;
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(|error| self.damaged(&error))?;
            let name = entry.name().map_err(|error| self.damaged(&error))?.into_owned();
            let size = entry.size();
            if entry.is_dir() {
                self.folder(&name)?;
            } else if entry.is_symlink() {
                return Err(self.wrong(format!("holds {name:?}, which is neither a file nor a folder")));
            } else {
                self.entry(&mut entry, &name, size)?;
            }
        }
        Ok(())
    }

    fn folder(&self, name: &str) -> Result<()> {
        let path = self.folder.join(self.inside(name)?);
        fs::create_dir_all(&path).map_err(Error::io("create the folder", &path))
    }

    /// Writes an entry, which must be as long as it says it is.
    fn entry(&mut self, from: &mut impl Read, name: &str, size: u64) -> Result<()> {
        let left = self.left.checked_sub(size);
        self.left = left.ok_or_else(|| self.wrong(format!("unpacks to more than {MOST} bytes")))?;
        let found = self.write(from, name, size)?;
        if found == size {
            return Ok(());
        }
        Err(self.wrong(format!("holds {name:?} with {found} bytes, not the {size} that it says")))
    }

    /// Writes a file of at most one byte more than it should have, and says how many it has.
    fn write(&mut self, from: &mut impl Read, name: &str, size: u64) -> Result<u64> {
        let to = self.folder.join(self.inside(name)?);
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent).map_err(Error::io("create the folder", parent))?;
        }
        let mut file = File::create(&to).map_err(Error::io("write", &to))?;
        let mut from = from.take(size.saturating_add(1));
        let mut block = vec![0; BLOCK.min(usize::try_from(size).unwrap_or(BLOCK) + 1)];
        let mut written = 0;
        loop {
            let done = self.file.stream_position().map_err(Error::io("read", self.path))?;
            go_on(self.hear, Progress::Unpacking { done, total: self.size })?;
            match from.read(&mut block) {
                Ok(0) => break,
                Ok(count) => file.write_all(&block[..count]).map_err(Error::io("write", &to))?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.damaged(&error)),
            }
            written = file.stream_position().map_err(Error::io("write", &to))?;
        }
        // To force each of a hundred thousand pictures to disk would take longer than to receive them.
        if size >= BLOCK as u64 {
            file.sync_all().map_err(Error::io("force to disk", &to))?;
        }
        Ok(written)
    }

    /// The path of an entry, which must lead into the folder that it is unpacked to.
    fn inside(&self, name: &str) -> Result<PathBuf> {
        let parts = Path::new(name).components().filter(|part| *part != Component::CurDir);
        // A backslash is a separator on some systems and a letter on others.
        if name.contains('\\') || parts.clone().any(|part| !matches!(part, Component::Normal(_))) {
            return Err(self.wrong(format!("holds {name:?}, which leads out of its folder")));
        }
        Ok(parts.collect())
    }
}
