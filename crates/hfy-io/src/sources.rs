//! What a source of the command line stands for: a file, a folder of pictures, `@LIST`, a pattern of names, or `-`.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::{Error, Format, Result};

/// One thing to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The standard input.
    Stdin,
    /// A file, perhaps with the name of an array in it.
    File(String),
}

/// How deep lists may name lists.
const DEEPEST: usize = 16;
/// Bytes of a list. A gigabyte of something else is no list.
const LONGEST_LIST: u64 = 1 << 26;

/// Everything that the sources stand for, in their order.
///
/// ```no_run
/// let files = hfy_io::expand(&["@list.txt".to_owned(), "pictures/*.png".to_owned()])?;
/// # Ok::<(), hfy_io::Error>(())
/// ```
pub fn expand(sources: &[String]) -> Result<Vec<Source>> {
    let mut expansion = Expansion::default();
    for source in sources {
        expansion.add(source, Path::new(""))?;
    }
    if expansion.found.is_empty() {
        return Err(Error::Usage("no files are named".to_owned()));
    }
    Ok(expansion.found)
}

#[derive(Default)]
struct Expansion {
    found: Vec<Source>,
    /// The lists that are being read, one within the other.
    open: Vec<PathBuf>,
    stdin_is_taken: bool,
}

impl Expansion {
    /// Adds a source; the paths of a list are relative to its folder.
    fn add(&mut self, source: &str, folder: &Path) -> Result<()> {
        if source == "-" {
            self.take_stdin()?;
            self.found.push(Source::Stdin);
            return Ok(());
        }
        if let Some(list) = source.strip_prefix('@') {
            return match list {
                "-" => {
                    self.take_stdin()?;
                    self.list(std::io::stdin().lock(), Path::new("standard input"), Path::new(""))
                }
                "" => Err(Error::Usage("@ names no list: @FILE does".to_owned())),
                list => self.list_file(&folder.join(list)),
            };
        }
        let path = folder.join(source);
        if Format::is_memory_folder(&path) {
            return Err(Error::data(&path.display().to_string(), "is a memory, where rows of numbers are expected"));
        }
        if path.is_dir() {
            self.found.extend(pictures_in(&path)?.into_iter().map(Source::File));
        } else if is_pattern(source) && !path.exists() {
            self.found.extend(matches(&path)?.into_iter().map(Source::File));
        } else {
            self.found.push(Source::File(path.display().to_string()));
        }
        Ok(())
    }

    fn take_stdin(&mut self) -> Result<()> {
        match std::mem::replace(&mut self.stdin_is_taken, true) {
            true => Err(Error::Usage("the standard input can be read only once".to_owned())),
            false => Ok(()),
        }
    }

    fn list_file(&mut self, list: &Path) -> Result<()> {
        let opened = std::fs::File::open(list).map_err(Error::io("read the list", list))?;
        let known = std::fs::canonicalize(list).map_err(Error::io("read the list", list))?;
        if self.open.contains(&known) {
            return Err(Error::data(&list.display().to_string(), "lists itself, directly or through other lists"));
        }
        if self.open.len() == DEEPEST {
            let what = format!("is the {}th list in lists: at most {DEEPEST} are read", DEEPEST + 1);
            return Err(Error::data(&list.display().to_string(), what));
        }
        self.open.push(known);
        self.list(opened, list, list.parent().unwrap_or(Path::new("")))?;
        self.open.pop();
        Ok(())
    }

    /// Adds what the lines of a list name.
    fn list(&mut self, from: impl Read, list: &Path, folder: &Path) -> Result<()> {
        let mut text = String::new();
        from.take(LONGEST_LIST).read_to_string(&mut text).map_err(Error::io("read the list", list))?;
        let name = list.display().to_string();
        if text.len() as u64 == LONGEST_LIST {
            return Err(Error::data(&name, format!("is no list: it is longer than {LONGEST_LIST} bytes")));
        }
        let before = self.found.len();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            self.add(line, folder)?;
        }
        if self.found.len() == before {
            return Err(Error::data(&name, "lists no files"));
        }
        Ok(())
    }
}

/// Whether a source is a pattern of names, and not a name with a bracket in it.
fn is_pattern(source: &str) -> bool {
    source.contains(['*', '?', '[']) && glob::Pattern::new(source).is_ok()
}

/// The pictures in a folder, in the order of their names.
fn pictures_in(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io("read the folder", folder))? {
        let path = entry.map_err(Error::io("read the folder", folder))?.path();
        if Format::of_name(&path) == Some(Format::Picture) && !path.is_dir() {
            found.push(path.display().to_string());
        }
    }
    if found.is_empty() {
        return Err(Error::data(
            &folder.display().to_string(),
            "holds no pictures (png, jpg, jpeg, bmp, webp, tif, tiff)",
        ));
    }
    found.sort();
    Ok(found)
}

/// The files whose names match a pattern, in the order of their names.
fn matches(pattern: &Path) -> Result<Vec<String>> {
    let text = pattern.display().to_string();
    let paths = glob::glob(&text).map_err(|error| Error::data(&text, format!("is no pattern of names: {error}")))?;
    let mut found = Vec::new();
    for path in paths {
        let path = path.map_err(|error| {
            let folder = error.path().to_owned();
            Error::io("read the folder", folder)(error.into())
        })?;
        if path.is_file() {
            found.push(path.display().to_string());
        }
    }
    if found.is_empty() {
        return Err(Error::data(&text, "no file has a name like this"));
    }
    found.sort();
    Ok(found)
}
