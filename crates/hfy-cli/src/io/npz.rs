//! Several arrays in NumPy's archive: a zip file of npy files.

use std::fs::File;
use std::io::{BufReader, Seek, Write};
use std::path::Path;

use ndarray::ArrayView2;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::array::Array;
use super::element::Float;
use super::{choose, npy};
use crate::error::{Error, Result};
use crate::number::Number;

/// Reads the array called `name`, or the only one.
pub(crate) fn read(path: &Path, file: &str, name: Option<&str>, float: Option<Float>) -> Result<Array> {
    let opened = File::open(path).map_err(Error::io("open", path))?;
    let wrong = |error: zip::result::ZipError| Error::data(file, format!("is not an npz archive: {error}"));
    let mut archive = ZipArchive::new(BufReader::new(opened)).map_err(wrong)?;
    let names = archive.file_names().map(|name| Ok(name.map_err(wrong)?.trim_end_matches(".npy").to_owned()));
    let names: Vec<String> = names.collect::<Result<_>>()?;
    let name = choose(&names, name, file)?;
    let entry = if archive.index_for_name(name).is_some() { name.to_owned() } else { format!("{name}.npy") };
    let reader = archive.by_name(&entry).map_err(wrong)?;
    npy::read(BufReader::new(reader), &format!("{file}:{name}"), float)
}

/// Writes the parts of an archive, each by a function of its own.
pub(crate) struct Archive<W: Write + Seek> {
    zip: ZipWriter<W>,
}

impl<W: Write + Seek> Archive<W> {
    pub(crate) fn new(to: W) -> Self {
        Archive { zip: ZipWriter::new(to) }
    }

    /// Adds a matrix.
    pub(crate) fn matrix<T: Number>(&mut self, name: &str, matrix: ArrayView2<'_, T>) -> std::io::Result<()> {
        self.begin(name)?;
        npy::write(&mut self.zip, matrix)
    }

    /// Adds a vector of indices.
    pub(crate) fn indices(&mut self, name: &str, indices: &[usize]) -> std::io::Result<()> {
        self.begin(name)?;
        npy::write_indices(&mut self.zip, indices)
    }

    fn begin(&mut self, name: &str) -> std::io::Result<()> {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).large_file(true);
        Ok(self.zip.start_file(format!("{name}.npy"), options)?)
    }

    /// Ends the archive.
    pub(crate) fn finish(self) -> std::io::Result<()> {
        self.zip.finish()?.flush()
    }
}
