//! Ctrl-C: the work is asked to stop, and is ended if it does not within a second.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::error::Error;

static STOPPED: AtomicBool = AtomicBool::new(false);
/// Files and memories that are being written under other names.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How long the work may take to stop by itself.
const PATIENCE: Duration = Duration::from_millis(700);

/// From here on the first Ctrl-C asks the work to stop. What does not stop by itself, because it waits for input or is
/// in the middle of a long computation, is ended: files appear whole or not at all either way.
pub(crate) fn handle_interrupts() {
    // Without a handler Ctrl-C ends the program at once.
    let _ = ctrlc::set_handler(|| {
        STOPPED.store(true, Ordering::Relaxed);
        std::thread::sleep(PATIENCE);
        leave();
    });
}

pub(super) fn stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

fn leave() {
    let unfinished = UNFINISHED.lock().map(|files| files.clone()).unwrap_or_default();
    unfinished.iter().for_each(|path| delete_parts(path));
    super::speech::clear_line();
    super::speech::error(&Error::Interrupted);
    std::process::exit(130);
}

/// Deletes what this process has written of a file so far: `.NAME.PROCESS-COUNT.part` beside it.
fn delete_parts(path: &Path) {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let Some(name) = target.file_name() else { return };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let prefix = format!(".{}.{}-", name.to_string_lossy(), std::process::id());
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        if found.starts_with(&prefix) && found.ends_with(".part") {
            let path = entry.path();
            let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        }
    }
}

/// A file that is being written, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    pub(crate) fn new(path: &Path) -> Self {
        if let Ok(mut files) = UNFINISHED.lock() {
            files.push(path.to_owned());
        }
        Unfinished { path: path.to_owned() }
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Ok(mut files) = UNFINISHED.lock()
            && let Some(place) = files.iter().position(|path| *path == self.path)
        {
            files.swap_remove(place);
        }
    }
}
