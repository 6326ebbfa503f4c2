//! Whole files as rows.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;

use crate::elements::read_up_to;
use crate::format::START;
use crate::{Error, Format, Options, Place, Result, Rows, Source, csv, expand, npy, npz, picture, safetensors};

/// What the standard input is called.
pub(crate) const STDIN: &str = "standard input";

/// Reads the rows of one source: a file, a folder of pictures, `@LIST` of files, a pattern of names, or `-`.
pub fn read_rows(source: &str, options: &Options) -> Result<Rows> {
    read_all(&[source.to_owned()], options)
}

/// Reads the rows of several sources, one after the other.
pub fn read_all(sources: &[String], options: &Options) -> Result<Rows> {
    read_all_with(sources, options, |_, _| {})
}

/// The same, and says before each file how many of how many were read.
pub fn read_all_with(sources: &[String], options: &Options, progress: impl Fn(usize, usize)) -> Result<Rows> {
    let mut all: Option<Rows> = None;
    let sources = expand(sources)?;
    let count = sources.len();
    for (done, source) in sources.into_iter().enumerate() {
        progress(done, count);
        let rows = match source {
            Source::Stdin => read_stdin(options)?,
            Source::File(name) => read_file(&name, options)?,
        };
        match &mut all {
            None => all = Some(rows),
            Some(all) => all.append(rows)?,
        }
    }
    let rows = all.ok_or_else(|| Error::Usage("no files are named".to_owned()))?;
    match options.rows {
        Some(range) => rows.select(range),
        None => Ok(rows),
    }
}

/// Reads rows from the bytes of a file of this format.
pub fn read_bytes(bytes: &[u8], format: Format, file: &str, options: &Options) -> Result<Rows> {
    read_named(bytes, format, file, None, options)
}

fn read_named(bytes: &[u8], format: Format, file: &str, array: Option<&str>, options: &Options) -> Result<Rows> {
    let float = options.float;
    let array = match format {
        Format::Npy => npy::read(bytes, file, float, Some(bytes.len() as u64))?,
        Format::Npz => npz::read(Cursor::new(bytes), file, array, float)?,
        Format::Csv(delimiter) => csv::read(bytes, file, &csv_options(options, delimiter), float)?,
        Format::Safetensors => safetensors::read(bytes, file, array, float)?,
        Format::Picture => {
            let name = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let picture = picture::read(bytes, file, &options.picture)?;
            return Ok(Rows::from_picture(picture, name, file, float));
        }
        Format::Memory => return Err(Error::data(file, "is a memory, where rows of numbers are expected")),
    };
    from_array(array, file, options)
}

/// The rows of an array, which cannot be resized.
fn from_array(array: crate::Array, file: &str, options: &Options) -> Result<Rows> {
    if options.picture.size.is_some() || options.picture.colour {
        let what = "holds numbers: sizes and colours can be chosen for picture files only";
        return Err(Error::data(file, what));
    }
    Rows::from_array(array, file, &options.picture)
}

/// The options of a text whose name may say the delimiter.
pub(crate) fn csv_options(options: &Options, by_name: Option<u8>) -> csv::Options {
    csv::Options { delimiter: options.csv.delimiter.or(by_name), ..options.csv }
}

/// The format of a file and its array, which only some formats have.
pub(crate) fn place_of(source: &str) -> Result<(Place, Format)> {
    let place = Place::parse(source);
    let format = Format::of_file(&place.path)?;
    if place.array.is_some() && !matches!(format, Format::Npz | Format::Safetensors) {
        let what = format!("holds one array only, so '{source}' names none in it");
        return Err(Error::data(&place.path.display().to_string(), what));
    }
    Ok((place, format))
}

/// Opens a file, which has to be one.
pub(crate) fn open(path: &Path) -> Result<(File, u64)> {
    let file = File::open(path).map_err(Error::io("open", path))?;
    let data = file.metadata().map_err(Error::io("open", path))?;
    if data.is_dir() {
        return Err(Error::data(&path.display().to_string(), "is a folder, where a file is expected"));
    }
    Ok((file, data.len()))
}

/// Reads a file as rows.
pub(crate) fn read_file(source: &str, options: &Options) -> Result<Rows> {
    let (place, format) = place_of(source)?;
    let (path, file) = (&place.path, place.path.display().to_string());
    let array = match format {
        Format::Npy => {
            let (opened, length) = open(path)?;
            npy::read(BufReader::new(opened), &file, options.float, Some(length))?
        }
        Format::Npz => npz::read(BufReader::new(open(path)?.0), &file, place.array.as_deref(), options.float)?,
        Format::Csv(delimiter) => {
            let options = (csv_options(options, delimiter), options.float);
            csv::read(BufReader::new(open(path)?.0), &file, &options.0, options.1)?
        }
        Format::Safetensors | Format::Picture | Format::Memory => {
            let mut bytes = Vec::new();
            let (mut opened, _) = open(path)?;
            if format != Format::Memory {
                opened.read_to_end(&mut bytes).map_err(Error::io("read", path))?;
            }
            return read_named(&bytes, format, &file, place.array.as_deref(), options);
        }
    };
    from_array(array, source, options)
}

/// The standard input: npy and text as they come, everything else read whole first. What it is, its first bytes say.
pub(crate) fn stdin() -> Result<(Format, impl Read)> {
    let mut stdin = std::io::stdin();
    let mut start = vec![0; START];
    let got = read_up_to(&mut stdin, &mut start).map_err(Error::io("read", STDIN))?;
    start.truncate(got);
    let format = Format::of_start(&start).unwrap_or(Format::Csv(None));
    Ok((format, Cursor::new(start).chain(stdin)))
}

fn read_stdin(options: &Options) -> Result<Rows> {
    let (format, mut from) = stdin()?;
    let array = match format {
        Format::Npy => npy::read(BufReader::new(from), STDIN, options.float, None)?,
        Format::Csv(delimiter) => {
            csv::read(BufReader::new(from), STDIN, &csv_options(options, delimiter), options.float)?
        }
        _ => {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes).map_err(Error::io("read", STDIN))?;
            return read_bytes(&bytes, format, STDIN, options);
        }
    };
    from_array(array, STDIN, options)
}
