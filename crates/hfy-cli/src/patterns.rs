//! The stored patterns of a command: a memory, or rows of any other source.

use clap::Args;
use hfy_store::{AnyPatterns, Dtype, Filter, Info, Memory, Snapshot};
use ndarray::{CowArray, Ix2};

use crate::error::{Error, Result};
use crate::io::{self, Float, Format, Place, Rows};
use crate::number::Number;

/// Where patterns are held.
#[derive(Debug)]
enum Held {
    /// With its ids, row after row.
    Memory(Box<Snapshot>, Vec<u64>),
    Rows(Rows),
}

/// Which patterns of a memory take part.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Chosen {
    /// Only patterns of the memory whose label and metadata fit, as in: lang = "de" and year > 2020
    #[arg(long = "where", value_name = "FILTER")]
    pub(crate) filter: Option<Filter>,
}

impl Chosen {
    /// The memory now, without the patterns that the filter keeps out.
    pub(crate) fn snapshot(&self, memory: &Memory) -> Result<Snapshot> {
        let all = memory.snapshot()?;
        Ok(match &self.filter {
            Some(filter) => all.filtered(filter)?,
            None => all,
        })
    }
}

/// Patterns, one a row, with what is known of them.
#[derive(Debug)]
pub(crate) struct Patterns {
    pub(crate) file: String,
    held: Held,
    float: Float,
}

/// Where a memory keeps the size of its pictures.
const HEIGHT: &str = "picture.height";
const WIDTH: &str = "picture.width";

/// The size of the pictures in a memory.
pub(crate) fn picture_of(info: &Info) -> Option<(usize, usize)> {
    let side = |name: &str| info.extra.get(name)?.parse().ok();
    Some((side(HEIGHT)?, side(WIDTH)?))
}

/// Notes the size of the pictures in a memory.
pub(crate) fn note_picture(info: &mut Info, (height, width): (usize, usize)) {
    info.extra.extend([(HEIGHT.to_owned(), height.to_string()), (WIDTH.to_owned(), width.to_string())]);
}

impl Patterns {
    /// Opens a memory, or reads the rows of another source.
    pub(crate) fn open(source: &str, float: Option<Float>, chosen: &Chosen) -> Result<Self> {
        let file = source.to_owned();
        let path = Place::parse(source).path;
        let read = source == "-" || source.starts_with('@');
        if !read && (Memory::is_memory(&path) || !path.is_dir() && Format::of_file(&path)? == Format::Memory) {
            let snapshot = chosen.snapshot(&Memory::open(&path)?)?;
            if snapshot.is_empty() {
                return Err(match &chosen.filter {
                    Some(filter) => Error::data(source, format!("has no pattern where {filter}")),
                    None => Error::data(source, "is an empty memory"),
                });
            }
            let own = if snapshot.dtype() == Dtype::F64 { Float::F64 } else { Float::F32 };
            let ids = snapshot.ids()?;
            return Ok(Patterns { file, held: Held::Memory(Box::new(snapshot), ids), float: float.unwrap_or(own) });
        }
        if chosen.filter.is_some() {
            return Err(Error::Usage(format!("--where: {source} is no memory, and has no labels or metadata")));
        }
        let rows = io::read_rows(source, float)?;
        Ok(Patterns { file, float: rows.float(), held: Held::Rows(rows) })
    }

    /// What to compute in.
    pub(crate) fn float(&self) -> Float {
        self.float
    }

    pub(crate) fn info(&self) -> Option<&Info> {
        match &self.held {
            Held::Memory(memory, _) => Some(memory.info()),
            Held::Rows(_) => None,
        }
    }

    /// The patterns as a matrix; without a copy where they are stored in this type.
    pub(crate) fn matrix<T: Number>(&self) -> Result<CowArray<'_, T, Ix2>> {
        let memory = match &self.held {
            Held::Rows(rows) => return Ok(rows.matrix()),
            Held::Memory(memory, _) => memory,
        };
        if memory.dtype() == T::DTYPE {
            return Ok(memory.patterns::<T>()?);
        }
        Ok(match memory.any_patterns()? {
            AnyPatterns::F32(stored) => stored.mapv(|value| T::of(value.into())),
            AnyPatterns::F64(stored) => stored.mapv(T::of),
            AnyPatterns::F16(stored) => stored.mapv(|value| T::of(value.into())),
            AnyPatterns::Bf16(stored) => stored.mapv(|value| T::of(value.into())),
        }
        .into())
    }

    /// The stable id of a row; its number where patterns have none.
    pub(crate) fn id(&self, row: usize) -> u64 {
        match &self.held {
            Held::Memory(_, ids) => ids[row],
            Held::Rows(_) => row as u64,
        }
    }

    /// The row of an id.
    pub(crate) fn row(&self, id: u64) -> Result<usize> {
        let row = match &self.held {
            Held::Memory(memory, _) => memory.row_of(id)?,
            Held::Rows(rows) => usize::try_from(id).ok().filter(|&row| row < rows.dim.0),
        };
        row.ok_or_else(|| Error::data(&self.file, format!("no pattern has the id {id}")))
    }

    /// What a row is called.
    pub(crate) fn label(&self, row: usize) -> Result<Option<String>> {
        match &self.held {
            Held::Memory(memory, _) => Ok(memory.label_of(row)?),
            Held::Rows(rows) => Ok(rows.names.as_ref().and_then(|names| names.get(row).cloned())),
        }
    }

    /// Height and width, where patterns are pictures.
    pub(crate) fn picture(&self) -> Option<(usize, usize)> {
        match &self.held {
            Held::Memory(memory, _) => {
                picture_of(memory.info()).filter(|(height, width)| height.checked_mul(*width) == Some(memory.dim()))
            }
            Held::Rows(rows) => rows.picture,
        }
    }

    /// Reads rows that are to be compared with the patterns, and checks that they can be.
    pub(crate) fn read_like(&self, sources: &[String]) -> Result<Rows> {
        let rows = io::read_all(sources, Some(self.float))?;
        if let (Some((height, width)), Some(stored)) = (rows.picture, self.picture())
            && (height, width) != stored
        {
            let what =
                format!("{width} x {height} pixels, but the pictures in {} are {} x {}", self.file, stored.1, stored.0);
            return Err(Error::Data(format!("{} is {what}", rows.file())));
        }
        let width = match &self.held {
            Held::Memory(memory, _) => memory.dim(),
            Held::Rows(patterns) => patterns.dim.1,
        };
        if rows.dim.1 != width {
            let what = format!("has {} columns, but the patterns in {} have {width}", rows.dim.1, self.file);
            return Err(Error::Data(format!("{} {what}", rows.file())));
        }
        Ok(rows)
    }
}
