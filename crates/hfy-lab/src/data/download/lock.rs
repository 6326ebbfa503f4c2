use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use super::{Hear, Progress, go_on};
use crate::error::{Error, Result};

const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Waits until no other process is getting what belongs into this folder; until the file that is returned is closed,
/// none will.
///
/// The file stays. If it were deleted, a process that has it open and one that makes it anew would both hold a lock.
pub(super) fn take(home: &Path, hear: &mut Hear<'_>) -> Result<File> {
    let path = home.join(".lock");
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(Error::io("write", &path))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => go_on(hear, Progress::Waiting)?,
            Err(TryLockError::Error(source)) => return Err(Error::io("lock", &path)(source)),
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}
