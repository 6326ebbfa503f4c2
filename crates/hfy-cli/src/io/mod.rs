//! Reading and writing: npy, npz, csv, safetensors, PNG and JPEG, one format a file.

pub(crate) mod array;
pub(crate) mod csv;
mod element;
pub(crate) mod figure;
pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod output;
pub(crate) mod picture;
pub(crate) mod safetensors;

pub(crate) use array::Rows;
pub(crate) use element::{Float, Kind, Numbers};
pub(crate) use output::Output;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Npy,
    Npz,
    /// With what stands between the cells.
    Csv(u8),
    Safetensors,
    Picture,
    Memory,
}

impl Format {
    /// By the ending of the name.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match &ending[..] {
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "csv" | "txt" => Format::Csv(b','),
            "tsv" => Format::Csv(b'\t'),
            "safetensors" => Format::Safetensors,
            "png" | "jpg" | "jpeg" => Format::Picture,
            "hfy" => Format::Memory,
            _ => return None,
        })
    }

    /// By the ending of the name; failing that, by the first bytes.
    pub(crate) fn of_file(path: &Path) -> Result<Self> {
        let by_name = Format::of_name(path);
        if matches!(by_name, None | Some(Format::Safetensors)) && safetensors::is_memory(path) {
            return Ok(Format::Memory);
        }
        if let Some(format) = by_name {
            return Ok(format);
        }
        let mut start = Vec::new();
        let opened = File::open(path).map_err(Error::io("open", path))?;
        opened.take(9).read_to_end(&mut start).map_err(Error::io("read", path))?;
        match start[..] {
            [0x93, b'N', b'U', b'M', ..] => Ok(Format::Npy),
            [b'P', b'K', 3, 4, ..] => Ok(Format::Npz),
            [0x89, b'P', b'N', b'G', ..] | [0xff, 0xd8, 0xff, ..] => Ok(Format::Picture),
            [_, _, _, _, _, _, _, _, b'{'] => Ok(Format::Safetensors),
            _ => Err(Error::data(
                &path.display().to_string(),
                "its kind is not known: names end in npy, npz, csv, tsv, txt, safetensors, png, jpg, jpeg or hfy",
            )),
        }
    }
}

/// A file, and the array in it where it may hold several: `FILE` or `FILE:ARRAY`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) array: Option<String>,
}

impl Place {
    /// What a path of the command line means. A file of exactly that name comes first.
    pub(crate) fn parse(text: &str) -> Self {
        let whole = Place { path: text.into(), array: None };
        if whole.path.exists() {
            return whole;
        }
        match text.rsplit_once(':') {
            Some((path, array)) if Path::new(path).is_file() && !array.is_empty() => {
                Place { path: path.into(), array: Some(array.to_owned()) }
            }
            _ => whole,
        }
    }
}

/// The array that is asked for among those that there are.
fn choose<'n>(names: &'n [String], wanted: Option<&str>, file: &str) -> Result<&'n str> {
    let listed = || names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    match (wanted, names) {
        (_, []) => Err(Error::data(file, "holds no arrays")),
        (None, [only]) => Ok(only),
        (None, _) => {
            let what = format!("holds several arrays, {}: say which, as in {file}:{}", listed(), names[0]);
            Err(Error::data(file, what))
        }
        (Some(wanted), _) => match names.iter().find(|name| *name == wanted) {
            Some(name) => Ok(name),
            None => Err(Error::data(file, format!("holds no array '{wanted}', but {}", listed()))),
        },
    }
}

/// Reads the rows of one source: a file, a folder of pictures, `@LIST` of files, or `-` for csv from the standard input.
pub(crate) fn read_rows(source: &str, float: Option<Float>) -> Result<Rows> {
    if source == "-" {
        let stdin = std::io::stdin().lock();
        return Rows::from_array(csv::read(stdin, "standard input", b',', float)?, "standard input");
    }
    if let Some(list) = source.strip_prefix('@') {
        return read_all(&listed(Path::new(list))?, float);
    }
    let place = Place::parse(source);
    let path = &place.path;
    if hfy_store::Memory::is_memory(path) {
        return Err(Error::data(source, "is a memory, where rows of numbers are expected"));
    }
    if path.is_dir() {
        return read_all(&pictures_in(path)?, float);
    }
    let file = path.display().to_string();
    let format = Format::of_file(path)?;
    if place.array.is_some() && !matches!(format, Format::Npz | Format::Safetensors) {
        return Err(Error::data(&file, format!("holds one array only, so '{source}' names none in it")));
    }
    let open = || Ok::<_, Error>(BufReader::new(File::open(path).map_err(Error::io("open", path))?));
    let array = match format {
        Format::Npy => npy::read(open()?, &file, float)?,
        Format::Npz => npz::read(path, &file, place.array.as_deref(), float)?,
        Format::Csv(delimiter) => csv::read(open()?, &file, delimiter, float)?,
        Format::Safetensors => safetensors::read(path, &file, place.array.as_deref(), float)?,
        Format::Picture => {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            return Ok(Rows::from_picture(picture::read(path, &file)?, name, &file, float));
        }
        Format::Memory => return Err(Error::data(&file, "is a memory, where rows of numbers are expected")),
    };
    Rows::from_array(array, source)
}

/// Reads the rows of several sources, one after the other.
pub(crate) fn read_all(sources: &[String], float: Option<Float>) -> Result<Rows> {
    let mut all: Option<Rows> = None;
    for source in sources {
        let rows = read_rows(source, float)?;
        match &mut all {
            None => all = Some(rows),
            Some(all) => all.append(rows)?,
        }
    }
    all.ok_or_else(|| Error::Usage("no files are named".to_owned()))
}

/// The pictures in a folder, in the order of their names.
fn pictures_in(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io("read the folder", folder))? {
        let path = entry.map_err(Error::io("read the folder", folder))?.path();
        if Format::of_name(&path) == Some(Format::Picture) {
            found.push(path.display().to_string());
        }
    }
    if found.is_empty() {
        return Err(Error::data(&folder.display().to_string(), "holds no PNG or JPEG pictures"));
    }
    found.sort();
    Ok(found)
}

/// The lines of a list of files, which are relative to the folder of the list.
fn listed(list: &Path) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(list).map_err(Error::io("read the list", list))?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let files: Vec<String> = lines.map(|line| folder.join(line).display().to_string()).collect();
    if files.is_empty() {
        return Err(Error::data(&list.display().to_string(), "lists no files"));
    }
    Ok(files)
}
