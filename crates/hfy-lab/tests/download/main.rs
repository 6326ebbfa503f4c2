//! Downloads from a server on this machine: whole and right, or not at all.

#[path = "../server/mod.rs"]
mod server;

mod archives;
mod failures;
mod resuming;
mod together;

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hfy_lab::data::download::{Outcome, Progress, Settings, get};
use hfy_lab::data::{Checksum, Content, Found, Packing, Proof, Set, Source};
use hfy_lab::{Error, Result};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// Some bytes without a pattern, more than fit into one read.
pub(crate) fn noise(length: usize, seed: u32) -> Vec<u8> {
    let mut state = seed;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect()
}

pub(crate) fn sha256(bytes: &[u8]) -> Checksum {
    Checksum::Sha256(Sha256::digest(bytes).into())
}

/// A set of one file, `file.bin`, and a folder to get it into.
pub(crate) struct Case {
    folder: TempDir,
    pub(crate) address: String,
    pub(crate) size: u64,
    pub(crate) packing: Packing,
    pub(crate) proof: Proof,
    pub(crate) contents: Vec<Content<'static>>,
    pub(crate) settings: Settings,
    /// What was said of the progress.
    pub(crate) said: RefCell<Vec<String>>,
}

impl Case {
    /// Expects `bytes` as they are.
    pub(crate) fn plain(address: String, bytes: &[u8]) -> Self {
        let size = bytes.len() as u64;
        let contents = vec![Content::File { path: "file.bin", size, sum: Some(sha256(bytes)) }];
        Case::new(address, bytes, Packing::Plain, Proof::Contents, contents)
    }

    pub(crate) fn new(
        address: String,
        bytes: &[u8],
        packing: Packing,
        proof: Proof,
        contents: Vec<Content<'static>>,
    ) -> Self {
        let settings = Settings {
            attempts: 3,
            pause: Duration::from_millis(5),
            timeout: Duration::from_secs(10),
            ..Settings::default()
        };
        let folder = tempfile::tempdir().expect("a folder");
        let size = bytes.len() as u64;
        Case { folder, address, size, packing, proof, contents, settings, said: RefCell::default() }
    }

    /// A path in the folder of the set.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("things").join(name)
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// What is in the folder of the set, without the lock.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path("")).expect("the folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
        names.sort();
        names
    }

    pub(crate) fn get(&self) -> Result<Outcome> {
        self.get_until(|_| false)
    }

    /// Gets it, until it is told to stop.
    pub(crate) fn get_until(&self, stop: impl Fn(Progress<'_>) -> bool) -> Result<Outcome> {
        let sources = [Source {
            address: &self.address,
            size: self.size,
            packing: self.packing,
            proof: self.proof,
            contents: &self.contents,
        }];
        let find = |_: &_| Ok(Found { files: Vec::new(), part: None });
        let set = Set { name: "things", about: "", terms: "", sources: &sources, find };
        let finals: Vec<PathBuf> = self.contents.iter().map(|content| self.path(content.path())).collect();
        let before: Vec<Option<Vec<u8>>> = finals.iter().map(|path| std::fs::read(path).ok()).collect();
        get(&set, self.folder.path(), &self.settings, |_, progress| {
            // Nothing may appear under a final name while there is still something to be done.
            let now: Vec<Option<Vec<u8>>> = finals.iter().map(|path| std::fs::read(path).ok()).collect();
            assert!(now == before, "{progress:?}: something appeared early");
            self.said.borrow_mut().push(format!("{progress:?}"));
            if stop(progress) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }

    pub(crate) fn said(&self, what: &str) -> bool {
        self.said.borrow().iter().any(|said| said.contains(what))
    }
}

#[track_caller]
pub(crate) fn fails(result: Result<Outcome>, what: &str) -> Error {
    let error = result.expect_err(what);
    assert!(error.to_string().contains(what), "{error}");
    error
}

/// Where the data lie, if they do.
pub(crate) fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("HFY_DATA_DIR").map(PathBuf::from).or(Some(beside)).filter(|folder| folder.is_dir())
}
