//! Where results go: the standard output, or a file that appears whole or not at all.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};

use ndarray::ArrayView2;

use super::{Format, csv, npy, npz, picture, safetensors};
use crate::error::{Error, Result};
use crate::number::Number;

/// A file to be written, or `-` for the standard output.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Output {
    path: PathBuf,
    force: bool,
}

impl Output {
    /// Refuses a file that exists, unless it may be replaced. Asked before any work is done.
    pub(crate) fn new(path: impl Into<PathBuf>, force: bool) -> Result<Self> {
        let output = Output { path: path.into(), force };
        if !force && !output.is_stdout() && output.path.exists() {
            let what = "exists already: name another file, or replace it with --force";
            return Err(Error::data(&output.path.display().to_string(), what));
        }
        Ok(output)
    }

    /// A file for a matrix, whose ending says the format.
    pub(crate) fn for_matrix(path: impl Into<PathBuf>, force: bool) -> Result<Self> {
        let output = Output::new(path, force)?;
        match output.format() {
            Some(Format::Npy | Format::Npz | Format::Csv(_) | Format::Safetensors) => Ok(output),
            _ => {
                let what = "cannot be written: names end in npy, npz, csv, tsv, txt or safetensors, or are -";
                Err(Error::data(&output.path.display().to_string(), what))
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_stdout(&self) -> bool {
        self.path == Path::new("-")
    }

    /// What the name asks for; csv on the standard output.
    pub(crate) fn format(&self) -> Option<Format> {
        if self.is_stdout() { Some(Format::Csv(b',')) } else { Format::of_name(&self.path) }
    }

    /// Writes the whole file, under another name until it is whole.
    pub(crate) fn write(&self, write: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>) -> Result<()> {
        // Someone else may have written it since it was looked for.
        Output::new(&self.path, self.force)?;
        hfy_store::replace_file(&self.path, |file| {
            let mut to = BufWriter::new(file);
            write(&mut to).and_then(|()| to.flush()).map_err(Error::io("write", &self.path))
        })
    }

    /// Writes a matrix in the format of the name; `array` is what it is called where arrays have names.
    pub(crate) fn write_matrix<T: Number>(&self, array: &str, matrix: ArrayView2<'_, T>) -> Result<()> {
        if self.is_stdout() {
            let mut text = Vec::new();
            csv::write(&mut text, matrix, ',').map_err(Error::io("write", &self.path))?;
            return print_bytes(&text);
        }
        self.write(|to| match self.format() {
            Some(Format::Npz) => write_npz(to, array, matrix),
            Some(Format::Csv(delimiter)) => csv::write(to, matrix, char::from(delimiter)),
            Some(Format::Safetensors) => safetensors::write(to, array, matrix),
            _ => npy::write(to, matrix),
        })
    }

    /// Writes greys as a picture: JPEG where the name ends so, else PNG.
    pub(crate) fn write_picture(&self, size: (usize, usize), greys: &[f64]) -> Result<()> {
        let jpeg = self.path.extension().is_some_and(|ending| ending == "jpg" || ending == "jpeg");
        self.write(|to| match jpeg {
            true => picture::write_jpeg(to, size, greys),
            false => picture::write_png(to, size, greys),
        })
    }
}

fn write_npz<T: Number>(to: impl Write + Seek, array: &str, matrix: ArrayView2<'_, T>) -> std::io::Result<()> {
    let mut archive = npz::Archive::new(to);
    archive.matrix(array, matrix)?;
    archive.finish()
}

/// Writes to the standard output. A reader that stops early is no failure.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|source| match source.kind() {
        ErrorKind::BrokenPipe => Error::Closed,
        _ => Error::Io { action: "write", path: "standard output".into(), source },
    })
}

/// Prints one JSON document.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|error| Error::Data(error.to_string()))?;
    text.push(b'\n');
    print_bytes(&text)
}
