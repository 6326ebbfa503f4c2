use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Where data sets lie, each in a folder of its own.
///
/// A folder that is named comes first, then the one that the environment variable `HFY_DATA_DIR` names, then `hfy` in
/// the user's cache folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    folders: Vec<PathBuf>,
    origins: Vec<Origin>,
}

/// Why a folder is looked in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was named.
    Named,
    /// The environment variable `HFY_DATA_DIR` names it.
    Variable,
    /// It is `hfy` in the user's cache folder.
    Cache,
}

impl Place {
    /// The folders to look in, `named` first. A named folder that is not there is an error; the others may be missing.
    pub fn find(named: Option<&Path>) -> Result<Self> {
        if let Some(folder) = named
            && !folder.is_dir()
        {
            return Err(Error::format(folder, "is not a folder"));
        }
        let (folders, origins) = candidates(named).unzip();
        Ok(Place { folders, origins })
    }

    /// The folder to put data into: the first that would be looked in, whether it is there or not.
    pub fn target(named: Option<&Path>) -> Result<PathBuf> {
        candidates(named).next().map(|(folder, _)| folder).ok_or(Error::NoFolder)
    }

    /// `hfy` in the user's cache folder, where there is one.
    pub fn cache() -> Option<PathBuf> {
        let base = if cfg!(windows) {
            variable("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            variable("HOME").map(|home| home.join("Library/Caches"))
        } else {
            variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")))
        };
        base.map(|base| base.join("hfy"))
    }

    /// The folders, in the order in which they are looked at.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Why each of the folders is looked in.
    pub fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// The first of these files that is there, in the folder of the set or beside it.
    pub(crate) fn file(&self, set: &'static str, names: &[&str]) -> Result<PathBuf> {
        for folder in &self.folders {
            for name in names {
                let found = [folder.join(set).join(name), folder.join(name)].into_iter().find(|path| path.exists());
                if let Some(path) = found {
                    return Ok(path);
                }
            }
        }
        let files = names.iter().map(|name| format!("{set}/{name}")).collect();
        Err(Error::Missing { name: set, files, folders: self.folders.clone() })
    }
}

fn candidates(named: Option<&Path>) -> impl Iterator<Item = (PathBuf, Origin)> {
    let named = named.map(|folder| (folder.to_owned(), Origin::Named));
    let set = variable("HFY_DATA_DIR").map(|folder| (folder, Origin::Variable));
    let cache = Place::cache().map(|folder| (folder, Origin::Cache));
    named.into_iter().chain(set).chain(cache)
}

/// The path in an environment variable, if it has one.
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
