//! A new file in the place of an old one: whole, or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::disk::{Disk, SystemDisk};
use crate::{Error, Result};

/// Writes a file so that its name always leads to a whole one: the old until the end, then the new.
///
/// `write` gets a new file in the same folder. When it succeeds, the bytes are forced to disk, the new file takes the
/// name, and the folder is forced to disk. When anything fails, the new file is deleted and the old one is as it was.
/// When the process or the machine dies in the middle, the old one is as it was and an unfinished file named
/// `.NAME.*.part` may be left; the next call for the same name deletes it. Permissions of the old file are kept, a
/// link is followed.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("report.txt");
/// use std::io::Write;
///
/// hfy_store::replace_file(&path, |mut file| {
///     file.write_all(b"all of it").map_err(|source| hfy_store::Error::Io { action: "write", path: path.clone(), source })
/// })?;
/// assert_eq!(std::fs::read(&path)?, b"all of it");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn replace_file<E: From<Error>>(
    path: impl AsRef<Path>,
    write: impl FnOnce(&File) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let path = path.as_ref();
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let Some(name) = target.file_name() else {
        return Err(Error::argument("path", path.display(), "must name a file").into());
    };
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    delete_abandoned(folder, name);
    let (file, part) = create_part(folder, name)?;
    let written = write(&file).and_then(|()| Ok(finish(&file, &part, &target)?));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&part);
        return written;
    }
    Ok(SystemDisk.sync_folder(folder).map_err(Error::io("force to disk", folder))?)
}

fn finish(file: &File, part: &Path, target: &Path) -> Result<()> {
    if let Ok(old) = fs::metadata(target) {
        file.set_permissions(old.permissions()).map_err(Error::io("set the permissions of", part))?;
    }
    file.sync_all().map_err(Error::io("force to disk", part))?;
    fs::rename(part, target).map_err(Error::io("replace", target))
}

pub(crate) fn prefix(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    prefix
}

/// A name beside the final one that nobody else in this process has.
pub(crate) fn part_name(name: &OsStr) -> OsString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut part = prefix(name);
    part.push(format!("{}-{}.part", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    part
}

/// A new file, locked for as long as it is open: that is how others know that its writer lives.
fn create_part(folder: &Path, name: &OsStr) -> Result<(File, PathBuf)> {
    loop {
        let part = folder.join(part_name(name));
        let file = match OpenOptions::new().read(true).write(true).create_new(true).open(&part) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
            opened => opened.map_err(Error::io("create", &part))?,
        };
        // Before the lock is held another process may take the file for abandoned and delete it: then try again. A
        // file system without locks is used without them.
        match file.try_lock() {
            Err(fs::TryLockError::WouldBlock) => continue,
            _ if part.exists() => return Ok((file, part)),
            _ => continue,
        }
    }
}

/// Deletes unfinished files whose writer is gone. It does not matter if that fails.
fn delete_abandoned(folder: &Path, name: &OsStr) {
    let prefix = prefix(name);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let ours = found.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes());
        if !ours.is_some_and(is_part) || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// `PROCESS-COUNT.part`, as [`part_name`] makes it.
pub(crate) fn is_part(rest: &[u8]) -> bool {
    let number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let numbers = rest.strip_suffix(b".part").map(|numbers| numbers.split(|&b| b == b'-').collect::<Vec<_>>());
    matches!(numbers.as_deref(), Some([process, count]) if number(process) && number(count))
}
