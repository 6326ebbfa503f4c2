//! Several arrays in NumPy's archive: a zip file of npy files.

use std::io::{BufReader, Read, Seek, Write};

use ndarray::ArrayView2;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::format::choose;
use crate::{Array, Error, Float, Number, Result, npy};

/// Reads the array called `name`, or the only one.
pub fn read(from: impl Read + Seek, file: &str, name: Option<&str>, float: Option<Float>) -> Result<Array> {
    let wrong = |error: zip::result::ZipError| no_archive(file, &error);
    let mut archive = ZipArchive::new(from).map_err(wrong)?;
    let names = names_in(&archive, file)?;
    let name = choose(&names, name, file)?;
    let entry = if archive.index_for_name(name).is_some() { name.to_owned() } else { format!("{name}.npy") };
    let reader = archive.by_name(&entry).map_err(wrong)?;
    // The size that the archive gives is only a promise: memory grows with what is really unpacked.
    npy::read(BufReader::new(reader), &format!("{file}:{name}"), float, None).map_err(|error| match error {
        Error::Io { source, .. } => Error::data(&format!("{file}:{name}"), format!("cannot be unpacked: {source}")),
        error => error,
    })
}

/// The names of the arrays of an archive.
pub(crate) fn names(from: impl Read + Seek, file: &str) -> Result<Vec<String>> {
    names_in(&ZipArchive::new(from).map_err(|error| no_archive(file, &error))?, file)
}

fn names_in(archive: &ZipArchive<impl Read + Seek>, file: &str) -> Result<Vec<String>> {
    let names = archive.file_names().map(|name| match name {
        Ok(name) => Ok(name.trim_end_matches(".npy").to_owned()),
        Err(error) => Err(no_archive(file, &error)),
    });
    names.collect()
}

fn no_archive(file: &str, error: &zip::result::ZipError) -> Error {
    Error::data(file, format!("is not an npz archive: {error}"))
}

/// Writes the parts of an archive, each by a function of its own.
#[derive(Debug)]
pub struct Archive<W: Write + Seek> {
    zip: ZipWriter<W>,
}

impl<W: Write + Seek> Archive<W> {
    /// An empty archive.
    pub fn new(to: W) -> Self {
        Archive { zip: ZipWriter::new(to) }
    }

    /// Adds a matrix.
    pub fn matrix<T: Number>(&mut self, name: &str, matrix: ArrayView2<'_, T>) -> std::io::Result<()> {
        self.begin(name)?;
        npy::write(&mut self.zip, matrix)
    }

    /// Adds a vector of indices.
    pub fn indices(&mut self, name: &str, indices: &[usize]) -> std::io::Result<()> {
        self.begin(name)?;
        npy::write_indices(&mut self.zip, indices)
    }

    fn begin(&mut self, name: &str) -> std::io::Result<()> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).large_file(true);
        Ok(self.zip.start_file(format!("{name}.npy"), options)?)
    }

    /// Ends the archive.
    pub fn finish(self) -> std::io::Result<()> {
        self.zip.finish()?.flush()
    }
}
