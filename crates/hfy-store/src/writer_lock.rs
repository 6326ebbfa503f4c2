//! One writer at a time: a lock of the operating system on a file that says who holds it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::{Error, Result};

const NAME: &str = "writer.lock";
/// The longest pause between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// Held while a memory is changed. The system releases it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct WriterLock {
    _file: File,
}

impl WriterLock {
    /// Waits for other writers, up to `patience`.
    pub(crate) fn take(folder: &Path, action: &'static str, patience: Duration) -> Result<Self> {
        let path = folder.join(NAME);
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(Error::io("open", &path))?;
        let (begun, mut pause) = (Instant::now(), Duration::from_micros(200));
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(source)) => return Err(Error::io("lock", &path)(source)),
                Err(TryLockError::WouldBlock) if begun.elapsed() >= patience => {
                    let mut holder = String::new();
                    let _ = file.read_to_string(&mut holder);
                    return Err(Error::Busy {
                        memory: folder.to_owned(),
                        action,
                        seconds: patience.as_secs_f64(),
                        holder: described(&holder),
                    });
                }
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(pause.min(patience.saturating_sub(begun.elapsed())));
                    pause = (pause * 2).min(PAUSE);
                }
            }
        }
        // Only for the message of others: nothing depends on it.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let _ = file.set_len(0);
        let _ = file.seek(SeekFrom::Start(0));
        let _ = writeln!(file, "{} {since} {action}", std::process::id());
        Ok(WriterLock { _file: file })
    }
}

/// `PROCESS SECONDS ACTION` in words.
fn described(line: &str) -> String {
    let mut words = line.trim().splitn(3, ' ');
    let (process, since, action) = (words.next(), words.next(), words.next());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    match (process, since.and_then(|since| since.parse::<u64>().ok()), action) {
        (Some(process), Some(since), Some(action)) => {
            format!("process {process} has wanted to {action} it for {} s", now.saturating_sub(since))
        }
        _ => "another process is writing to it".to_owned(),
    }
}
