//! Outputs that would overwrite one another, or an input.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Refuses two outputs that are one file, and an output that is an input. Paths are compared as the file system sees
/// them: through links, and from wherever they begin. `outputs` are options with their paths.
pub(crate) fn check(outputs: &[(&str, Option<&Path>)], inputs: &[&[String]]) -> Result<()> {
    let files = outputs.iter().filter_map(|(option, path)| Some((*option, (*path)?)));
    let files: Vec<_> = files.filter(|(_, path)| *path != Path::new("-")).collect();
    let read: Vec<PathBuf> =
        inputs.iter().flat_map(|sources| sources.iter()).flat_map(|source| named(source)).collect();
    for (place, (option, path)) in files.iter().enumerate() {
        let own = identity(path);
        if let Some((other, _)) = files[..place].iter().find(|(_, other)| identity(other) == own) {
            let what = format!("{other} and {option} {}: both would be written to the same file", path.display());
            return Err(Error::Usage(what));
        }
        if let Some(input) = read.iter().find(|input| path.exists() && identity(input) == own) {
            let what = format!("{option} {}: would replace what is read, {}", path.display(), input.display());
            return Err(Error::Usage(what));
        }
    }
    Ok(())
}

/// The files that a source names. What is wrong with it shows when it is read.
fn named(source: &str) -> Vec<PathBuf> {
    match source {
        "-" | "@-" => Vec::new(),
        list if list.starts_with('@') => vec![PathBuf::from(&list[1..])],
        memory if hfy_store::Memory::is_memory(Path::new(memory)) => vec![PathBuf::from(memory)],
        source => {
            let found = hfy_io::expand(&[source.to_owned()]).unwrap_or_default().into_iter();
            let path = |source| match source {
                hfy_io::Source::File(name) => Some(hfy_io::Place::parse(&name).path),
                hfy_io::Source::Stdin => None,
            };
            found.filter_map(path).collect()
        }
    }
}

/// A file as the file system knows it; for one that is not there yet, its folder and its name.
fn identity(path: &Path) -> PathBuf {
    if let Ok(known) = std::fs::canonicalize(path) {
        return known;
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match (std::fs::canonicalize(folder), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
