//! The stored patterns of a command: a memory, or rows of any other source.

use clap::Args;
use hfy_store::{AnyPatterns, Dtype, Filter, Info, Memory, Snapshot};
use ndarray::{CowArray, Ix2};

use crate::error::{Error, Result};
use crate::io::{self, Float, Form, Format, Options, Place, Rows};
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
    #[arg(id = "where", long = "where", value_name = "FILTER")]
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
    /// How rows that are compared with the patterns are read.
    options: Options,
}

/// What the pictures in a memory are.
pub(crate) fn picture_of(info: &Info) -> Option<Form> {
    Form::from_notes(&info.extra)
}

/// Notes what the pictures in a memory are: their size, channels and scale.
pub(crate) fn note_picture(info: &mut Info, form: &Form) {
    info.extra.extend(form.notes());
}

/// Rows that are to be compared with patterns, or added to them: pictures have to be of the same form, and get the
/// scale of the patterns.
pub(crate) fn match_pictures(rows: &mut Rows, stored: Option<Form>, file: &str) -> Result<()> {
    let (Some(form), Some(stored)) = (rows.picture, stored) else { return Ok(()) };
    if !form.fits(&stored) {
        let what = format!("is {form}, but the pictures in {file} are {stored}: --size resizes picture files");
        return Err(Error::data(rows.file(), what));
    }
    if let Some(scale) = stored.scale {
        rows.rescale(scale);
    }
    Ok(())
}

impl Patterns {
    /// Opens a memory, or reads the rows of another source.
    pub(crate) fn open(source: &str, options: impl Into<Options>, chosen: &Chosen) -> Result<Self> {
        let options = options.into();
        let float = options.float;
        let file = source.to_owned();
        let path = Place::parse(source).path;
        let names_memory = Format::of_name(&path) == Some(Format::Memory);
        let is_file = !path.is_dir() && (path.exists() || names_memory) && Format::of_file(&path)? == Format::Memory;
        if is_file || Memory::is_memory(&path) {
            let snapshot = chosen.snapshot(&Memory::open(&path)?)?;
            if snapshot.is_empty() {
                return Err(match &chosen.filter {
                    Some(filter) => Error::data(source, format!("has no pattern where {filter}")),
                    None => Error::data(source, "is an empty memory"),
                });
            }
            let own = if snapshot.dtype() == Dtype::F64 { Float::F64 } else { Float::F32 };
            let held = Held::Memory(Box::new(snapshot.clone()), snapshot.ids()?);
            return Ok(Patterns { file, held, float: float.unwrap_or(own), options });
        }
        if chosen.filter.is_some() {
            return Err(Error::Usage(format!("--where: {source} is no memory, and has no labels or metadata")));
        }
        // Rows are chosen among those that are compared with the patterns.
        let rows = io::read_patterns(std::slice::from_ref(&file), Options { rows: None, ..options.clone() })?;
        Ok(Patterns { file, float: rows.float(), held: Held::Rows(rows), options })
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

    /// What patterns are as pictures.
    pub(crate) fn picture(&self) -> Option<Form> {
        match &self.held {
            Held::Memory(memory, _) => picture_of(memory.info()).filter(|form| form.numbers() == Some(memory.dim())),
            Held::Rows(rows) => rows.picture,
        }
    }

    /// Reads rows that are to be compared with the patterns, and checks that they can be.
    pub(crate) fn read_like(&self, sources: &[String]) -> Result<Rows> {
        let options = Options { float: Some(self.float), ..self.options.clone() };
        let mut rows = io::read_all(sources, options)?;
        match_pictures(&mut rows, self.picture(), &self.file)?;
        let width = match &self.held {
            Held::Memory(memory, _) => memory.dim(),
            Held::Rows(patterns) => patterns.dim.1,
        };
        if rows.dim.1 != width {
            let what = format!("has {} columns, but the patterns in {} have {width}", rows.dim.1, self.file);
            return Err(Error::data(rows.file(), what));
        }
        Ok(rows)
    }
}
