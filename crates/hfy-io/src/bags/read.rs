//! Files of bags.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::{Bags, Options, read_csv, read_npz};
use crate::format::START;
use crate::read::open;
use crate::{Error, Format, Result};

/// Reads a file of bags: a table (csv, tsv, txt), plain or gzipped, or an npz archive.
///
/// ```no_run
/// use hfy_io::bags::{Options, read};
///
/// let bags = read("elephant.csv.gz".as_ref(), &Options::default())?;
/// println!("{} bags of {} instances", bags.len(), bags.instances().nrows());
/// # Ok::<(), hfy_io::Error>(())
/// ```
pub fn read(path: &Path, options: &Options) -> Result<Bags> {
    let file = path.display().to_string();
    let mut from: BufReader<File> = BufReader::new(open(path)?.0);
    let start = from.fill_buf().map_err(Error::io("read", path))?;
    let start = start[..start.len().min(START)].to_vec();
    read_stream(from, &start, &file, options)
}

/// Reads bags from the bytes of a file, which errors call `file`; its ending may say what is between the cells of a
/// table.
pub fn read_bytes(bytes: &[u8], file: &str, options: &Options) -> Result<Bags> {
    read_stream(Cursor::new(bytes), &bytes[..bytes.len().min(START)], file, options)
}

fn read_stream(from: impl BufRead + Seek, start: &[u8], file: &str, options: &Options) -> Result<Bags> {
    let packed = start.starts_with(&[0x1f, 0x8b]);
    let name = Path::new(file);
    let name = match name.extension() {
        Some(ending) if packed && ending.eq_ignore_ascii_case("gz") => name.with_extension(""),
        _ => name.to_owned(),
    };
    let delimiter = match (Format::of_start(start), Format::of_name(&name)) {
        (Some(Format::Npz), _) | (None, Some(Format::Npz)) if !packed => return read_npz(from, file, options),
        (None, Some(Format::Csv(delimiter))) => delimiter,
        (None, None) => None,
        _ => {
            let rule = "bags are in tables (csv, tsv, txt, also gzipped) or npz archives";
            return Err(Error::data(file, format!("is no file of bags: {rule}")));
        }
    };
    let mut options = options.clone();
    options.csv.delimiter = options.csv.delimiter.or(delimiter);
    if !packed {
        return read_csv(from, file, &options);
    }
    let unpacked: Box<dyn Read + '_> = Box::new(MultiGzDecoder::new(from));
    read_csv(BufReader::new(unpacked), file, &options).map_err(|error| match error {
        Error::Io { source, .. } => Error::data(file, format!("is not a whole gzip file: {source}")),
        error => error,
    })
}
