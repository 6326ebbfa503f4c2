//! Where results go: the standard output, or a file that appears whole or not at all.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};

use hfy_io::picture::{self, Kind};
use hfy_io::{csv, npy, safetensors};
use ndarray::ArrayView2;

use super::{Form, Format, npz};
use crate::error::{Error, Result};
use crate::number::Number;
use crate::terminal;

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
        if !output.is_stdout() && output.path.is_dir() {
            return Err(Error::data(&output.name(), "is a folder, where a file is to be written"));
        }
        output.checked()
    }

    /// The same, for a memory: a folder that is there has to be one.
    pub(crate) fn memory(path: impl Into<PathBuf>, force: bool) -> Result<Self> {
        let output = Output { path: path.into(), force };
        if output.is_stdout() {
            return Err(Error::Usage("-: a memory cannot be written to the standard output".to_owned()));
        }
        if output.path.is_dir() && !hfy_store::Memory::is_memory(&output.path) {
            return Err(Error::data(&output.name(), "is a folder, but no memory: it is not replaced"));
        }
        output.checked()
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn checked(self) -> Result<Self> {
        let output = self;
        if output.is_stdout() {
            return Ok(output);
        }
        let (name, force) = (output.name(), output.force);
        if let Some(folder) = output.path.parent()
            && !folder.as_os_str().is_empty()
            && !folder.is_dir()
        {
            return Err(Error::data(&name, format!("there is no folder {}", folder.display())));
        }
        if !force && output.path.exists() {
            let what = "exists already: name another file, or replace it with --force";
            return Err(Error::data(&name, what));
        }
        Ok(output)
    }

    /// The same, for what cannot go to the standard output.
    pub(crate) fn file(what: &str, path: impl Into<PathBuf>, force: bool) -> Result<Self> {
        let output = Output::new(path, force)?;
        match output.is_stdout() {
            true => Err(Error::Usage(format!("-: {what} cannot be written to the standard output"))),
            false => Ok(output),
        }
    }

    /// A file for a matrix, whose ending says the format.
    pub(crate) fn for_matrix(path: impl Into<PathBuf>, force: bool) -> Result<Self> {
        let output = Output::new(path, force)?;
        match output.format() {
            Some(Format::Npy | Format::Npz | Format::Csv(_) | Format::Safetensors) => Ok(output),
            _ => {
                let what = "cannot be written: names end in npy, npz, csv, tsv, txt or safetensors, or are -";
                Err(Error::Usage(format!("{}: {what}", output.path.display())))
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
        if self.is_stdout() { Some(Format::Csv(None)) } else { Format::of_name(&self.path) }
    }

    /// What stands between cells, where this is a text.
    pub(crate) fn delimiter(&self) -> Option<char> {
        match self.format()? {
            Format::Csv(delimiter) => Some(char::from(delimiter.unwrap_or(b','))),
            _ => None,
        }
    }

    /// Writes the whole file, under another name until it is whole.
    pub(crate) fn write(&self, write: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>) -> Result<()> {
        self.write_with(|to| write(to).map_err(Error::io("write", &self.path)))
    }

    /// The same, by what may fail for other reasons.
    pub(crate) fn write_with(&self, write: impl FnOnce(&mut BufWriter<&File>) -> Result<()>) -> Result<()> {
        // Someone else may have written it since it was looked for.
        Output::new(&self.path, self.force)?;
        let _unfinished = terminal::Unfinished::new(&self.path);
        hfy_store::replace_file(&self.path, |file| {
            let mut to = BufWriter::new(file);
            write(&mut to)?;
            to.flush().map_err(Error::io("write", &self.path))
        })
    }

    /// Writes a matrix in the format of the name; `array` is what it is called where arrays have names.
    pub(crate) fn write_matrix<T: Number>(&self, array: &str, matrix: ArrayView2<'_, T>) -> Result<()> {
        if self.is_stdout() {
            let mut text = Vec::new();
            csv::write(&mut text, matrix, ',').map_err(Error::io("write", &self.path))?;
            return print_bytes(&text);
        }
        self.write(|to| match (self.format(), self.delimiter()) {
            (Some(Format::Npz), _) => write_npz(to, array, matrix),
            (_, Some(delimiter)) => csv::write(to, matrix, delimiter),
            (Some(Format::Safetensors), _) => safetensors::write(to, array, matrix),
            _ => npy::write(to, matrix),
        })
    }

    /// Writes numbers as a picture in the format of the name, else as PNG.
    pub(crate) fn write_picture(&self, form: &Form, values: &[f64]) -> Result<()> {
        let kind = Kind::of_name(&self.path).unwrap_or(Kind::Png);
        self.write(|to| picture::write(to, kind, form, values))
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
