//! Gets data sets from where they are published: whole, checked, or not at all.
//!
//! A file is received as `NAME.part`. What was received stays there when a download is cut short, and the next one goes
//! on from there, if the file at its home is still the same. It is then checked, unpacked in a folder of its own, and
//! only what is whole and right is renamed to where readers look.
//!
//! ```no_run
//! use std::ops::ControlFlow;
//! use hfy_lab::data::download::{Settings, get};
//! use hfy_lab::data::{Place, catalogue};
//!
//! let set = catalogue::set("mnist").expect("it is in the catalogue");
//! get(set, &Place::target(None)?, &Settings::default(), |_, _| ControlFlow::Continue(()))?;
//! # Ok::<(), hfy_lab::Error>(())
//! ```

mod check;
mod fetch;
mod http;
mod lock;
mod part;
mod sum;
mod unpack;

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use self::part::Part;
use super::{Set, Source};
use crate::error::{Error, Result};

/// How to get a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The folder at which the files lie elsewhere, a mirror, in the place of their usual homes.
    pub from: Option<String>,
    /// Gets also what is there already.
    pub force: bool,
    /// How many times in a row it may fail without receiving more than before; 5.
    pub attempts: u32,
    /// How long to wait before the second attempt, twice as long before each one after it; a second.
    pub pause: Duration,
    /// How long a server may be silent; 30 seconds.
    pub timeout: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        let (pause, timeout) = (Duration::from_secs(1), Duration::from_secs(30));
        Settings { from: None, force: false, attempts: 5, pause, timeout }
    }
}

/// How far it is with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// Another process is getting the same set.
    Waiting,
    /// So many bytes have come, of so many if the server says.
    Receiving {
        /// Bytes that have come, now and earlier.
        done: u64,
        /// All of them.
        total: Option<u64>,
    },
    /// It failed, and there is a pause before it is tried again.
    Retrying {
        /// Why it failed.
        why: &'a str,
    },
    /// So much of it has been compared with what was published.
    Checking {
        /// Bytes.
        done: u64,
        /// All of them.
        total: u64,
    },
    /// So much of it has been unpacked.
    Unpacking {
        /// Bytes of the archive.
        done: u64,
        /// All of them.
        total: u64,
    },
}

/// What there was to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing: everything was there and right.
    There,
    /// Something was missing or wrong, and has been got.
    Got,
}

/// Hears of the progress with a source, several times a second, and may stop it.
type Hear<'h> = dyn FnMut(Progress<'_>) -> ControlFlow<()> + 'h;

/// Gets what is missing of a set into the folder of its name in `folder`. `hear` is told how far it is with each
/// source, and may stop it; what came so far is then kept for the next time.
pub fn get(
    set: &Set<'_>,
    folder: &Path,
    settings: &Settings,
    mut hear: impl FnMut(&Source<'_>, Progress<'_>) -> ControlFlow<()>,
) -> Result<Outcome> {
    let home = folder.join(set.name);
    // Looked at first: it may be a folder where nothing can be written.
    if !settings.force && all_there(set, &home, &mut hear)? {
        return Ok(Outcome::There);
    }
    fs::create_dir_all(&home).map_err(Error::io("create the folder", &home))?;
    let first = &set.sources[..1.min(set.sources.len())];
    let _lock = lock::take(&home, &mut |progress| first.iter().try_for_each(|source| hear(source, progress)))?;
    let mut outcome = Outcome::There;
    for source in set.sources {
        let hear = &mut |progress: Progress<'_>| hear(source, progress);
        // Another process may have got it in the meantime.
        if settings.force || !check::is_there(source, &home, hear)? {
            one(source, &home, settings, hear)?;
            outcome = Outcome::Got;
        }
    }
    Ok(outcome)
}

fn all_there(
    set: &Set<'_>,
    home: &Path,
    hear: &mut impl FnMut(&Source<'_>, Progress<'_>) -> ControlFlow<()>,
) -> Result<bool> {
    for source in set.sources {
        if !check::is_there(source, home, &mut |progress| hear(source, progress))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Receives, checks, unpacks and renames one file.
fn one(source: &Source<'_>, home: &Path, settings: &Settings, hear: &mut Hear<'_>) -> Result<()> {
    let address = match &settings.from {
        Some(base) => format!("{}/{}", base.trim_end_matches('/'), source.file()),
        None => source.address.to_owned(),
    };
    let mut part = Part::open(&home.join(format!("{}.part", source.file())))?;
    let done = fetch::fetch(source, &address, &mut part, settings, hear)
        .and_then(|()| check::download(source, &address, part.path(), hear))
        .and_then(|()| unpack::unpack(source, part.path(), home, hear));
    match done {
        // It is what it is: to go on from it would lead to the same.
        Ok(()) | Err(Error::Size { .. } | Error::Checksum { .. } | Error::Format { .. }) => part.delete().and(done),
        Err(_) => done,
    }
}

fn go_on(hear: &mut Hear<'_>, progress: Progress<'_>) -> Result<()> {
    match hear(progress) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Interrupted),
    }
}
