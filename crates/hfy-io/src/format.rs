//! What a file holds, by its name and by its first bytes.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::elements::read_up_to;
use crate::{Error, Result, picture, safetensors};

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One array of NumPy.
    Npy,
    /// Several arrays of NumPy in a zip archive.
    Npz,
    /// Numbers as text, with what the name says of the delimiter.
    Csv(Option<u8>),
    /// Several arrays under a header of JSON.
    Safetensors,
    /// PNG, JPEG, BMP, WebP or TIFF.
    Picture,
    /// A memory of `hfy`, which this crate does not read.
    Memory,
}

/// Bytes that tell formats apart.
pub(crate) const START: usize = 12;

impl Format {
    /// By the ending of the name.
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match &ending[..] {
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "csv" | "txt" => Format::Csv(None),
            "tsv" => Format::Csv(Some(b'\t')),
            "safetensors" => Format::Safetensors,
            "png" | "jpg" | "jpeg" | "bmp" | "webp" | "tif" | "tiff" => Format::Picture,
            "hfy" => Format::Memory,
            _ => return None,
        })
    }

    /// Whether a folder is a memory of `hfy`: it has a catalogue.
    pub(crate) fn is_memory_folder(path: &Path) -> bool {
        path.join("catalogue.sqlite").is_file()
    }

    /// By the first bytes; `None` for what may be a text.
    pub fn of_start(start: &[u8]) -> Option<Self> {
        match *start {
            [0x93, b'N', b'U', b'M', ..] => Some(Format::Npy),
            [b'P', b'K', 3, 4, ..] => Some(Format::Npz),
            [_, _, _, _, _, _, 0, 0, b'{', ..] => Some(Format::Safetensors),
            _ => picture::kind_of_bytes(start).map(|_| Format::Picture),
        }
    }

    /// By the ending of the name; failing that, by the first bytes.
    pub fn of_file(path: &Path) -> Result<Self> {
        let by_name = Format::of_name(path);
        if matches!(by_name, None | Some(Format::Safetensors)) && safetensors::is_memory(path) {
            return Ok(Format::Memory);
        }
        if let Some(format) = by_name {
            return Ok(format);
        }
        let file = File::open(path).map_err(Error::io("open", path))?;
        let mut start = [0; START];
        let got = read_up_to(&mut file.take(START as u64), &mut start).map_err(Error::io("read", path))?;
        Format::of_start(&start[..got]).ok_or_else(|| {
            Error::data(
                &path.display().to_string(),
                "its kind is not known: names end in npy, npz, csv, tsv, txt, safetensors, png, jpg, jpeg, bmp, webp, \
                 tif, tiff or hfy",
            )
        })
    }
}

/// A file, and the array in it where it may hold several: `FILE` or `FILE:ARRAY`.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The array.
    pub array: Option<String>,
}

impl Place {
    /// What a path of the command line means. A file of exactly that name comes first.
    pub fn parse(text: &str) -> Self {
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
pub(crate) fn choose<'n>(names: &'n [String], wanted: Option<&str>, file: &str) -> Result<&'n str> {
    const SHOWN: usize = 10;
    let listed = || {
        let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("'{name}'")).collect();
        shown.join(", ") + if names.len() > SHOWN { ", ..." } else { "" }
    };
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
