use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Where data sets lie, each in a folder of its own.
///
/// A folder that is named comes first, then the one that the environment variable `HFY_DATA_DIR` names, then `hfy` in the user's cache
/// folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    folders: Vec<PathBuf>,
}

impl Place {
    /// The folders to look in, `named` first. A named folder that is not there is an error; the others may be missing.
    pub fn find(named: Option<&Path>) -> Result<Self> {
        if let Some(folder) = named
            && !folder.is_dir()
        {
            return Err(Error::format(folder, "is not a folder"));
        }
        let variable = std::env::var_os("HFY_DATA_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
        let folders = named.map(Path::to_owned).into_iter().chain(variable).chain(Self::cache()).collect();
        Ok(Place { folders })
    }

    /// `hfy` in the user's cache folder, where there is one.
    pub fn cache() -> Option<PathBuf> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let base = if cfg!(windows) {
            set("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            set("HOME").map(|home| home.join("Library/Caches"))
        } else {
            set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))
        };
        base.map(|base| base.join("hfy"))
    }

    /// The folders, in the order in which they are looked at.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
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
