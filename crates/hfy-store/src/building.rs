//! A folder that is filled under another name until it is whole.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::disk::{Disk, SystemDisk};
use crate::replace::{is_part, part_name, prefix};
use crate::{Error, Result};

/// Locked while the folder is filled: that is how others know that its builder lives.
const LOCK: &str = "building.lock";

/// The unfinished folder, which is deleted unless it is put in place.
#[derive(Debug)]
pub(crate) struct Building {
    part: PathBuf,
    /// `None` after it was put in place.
    lock: Option<File>,
}

impl Building {
    /// A new folder `.NAME.PROCESS-COUNT.part` beside `path`. Those of builders that died are deleted.
    pub(crate) fn begin(path: &Path) -> Result<Self> {
        let name = path.file_name().ok_or_else(|| Error::argument("path", path.display(), "must name a memory"))?;
        let parent = parent_of(path);
        delete_abandoned(parent, name);
        loop {
            let part = parent.join(part_name(name));
            match fs::create_dir(&part) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                made => made.map_err(Error::io("create", path))?,
            }
            let lock = File::create(part.join(LOCK)).map_err(Error::io("create", path))?;
            // A file system without locks is used without them.
            let _ = lock.try_lock();
            return Ok(Building { part, lock: Some(lock) });
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.part
    }

    /// Gives the folder its name. With `replace`, what has the name makes place.
    pub(crate) fn finish(mut self, path: &Path, replace: bool) -> Result<()> {
        fs::remove_file(self.part.join(LOCK)).map_err(Error::io("delete", self.part.join(LOCK)))?;
        let old = (replace && fs::symlink_metadata(path).is_ok()).then(|| {
            let mut name = self.part.as_os_str().to_owned();
            name.push(".old");
            PathBuf::from(name)
        });
        if let Some(old) = &old {
            fs::rename(path, old).map_err(Error::io("replace", path))?;
        }
        match fs::rename(&self.part, path) {
            Ok(()) => self.lock = None,
            Err(_) if !replace && path.exists() => return Err(Error::Exists { path: path.to_owned() }),
            Err(source) => {
                if let Some(old) = &old {
                    // The first error is the one to report.
                    let _ = fs::rename(old, path);
                }
                return Err(Error::io("create", path)(source));
            }
        }
        let parent = parent_of(path);
        SystemDisk.sync_folder(parent).map_err(Error::io("force to disk", parent))?;
        if let Some(old) = old {
            let gone = if old.is_dir() { fs::remove_dir_all(&old) } else { fs::remove_file(&old) };
            gone.map_err(Error::io("delete", old))?;
        }
        Ok(())
    }
}

impl Drop for Building {
    fn drop(&mut self) {
        if self.lock.take().is_some() {
            let _ = fs::remove_dir_all(&self.part);
        }
    }
}

fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Deletes unfinished folders whose builder is gone. It does not matter if that fails.
fn delete_abandoned(parent: &Path, name: &OsStr) {
    let prefix = prefix(name);
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let ours = found.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        if ours.is_some_and(is_part)
            && let Ok(lock) = File::open(entry.path().join(LOCK))
            && lock.try_lock().is_ok()
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
