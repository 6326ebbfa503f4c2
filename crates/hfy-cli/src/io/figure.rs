//! Figures in files: SVG or PNG, by the ending of the name.

use std::io::Write;
use std::path::Path;

use hfy_draw::Figure;

use super::Output;
use crate::error::{Error, Result};

enum Kind {
    Svg,
    Png,
}

fn kind(path: &Path) -> Option<Kind> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "svg" => Some(Kind::Svg),
        "png" => Some(Kind::Png),
        _ => None,
    }
}

/// A file for a figure, whose ending says the format.
pub(crate) fn output(option: &str, path: &str, force: bool) -> Result<Output> {
    if kind(Path::new(path)).is_none() {
        return Err(Error::Usage(format!("{option} {path}: figures are written to svg or png")));
    }
    Output::new(path, force)
}

/// Writes a figure in the format of the name.
pub(crate) fn write(figure: &Figure, to: &Output) -> Result<()> {
    let bytes = match kind(to.path()) {
        Some(Kind::Svg) => figure.svg().into_bytes(),
        _ => figure.png(),
    };
    to.write(|file| file.write_all(&bytes))
}
