//! How files of numbers and pictures are read.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use hfy_io::csv::{self, Decimal, Header};
use hfy_io::picture::{self, Filter, Integers};
use hfy_io::{Float, Options, RowRange};

use crate::error::{Error, Result};

/// What stands between cells, or that the file shall say it.
#[derive(Debug, Clone, Copy)]
struct Delimiter(Option<u8>);

/// How numbers are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct Reading {
    /// Compute in this type [default: that of the file]
    #[arg(long, value_parser = one_of::<Float>(&Float::NAMES))]
    pub(crate) dtype: Option<Float>,
    #[command(flatten)]
    pub(crate) files: Files,
}

/// How texts and pictures are understood, and which rows are read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How input is read")]
pub(crate) struct Files {
    /// Read only these rows of the input (of queries, states, scores, a cue, or patterns to store): A..B, from 0,
    /// without B
    #[arg(long, value_name = "A..B", value_parser = str::parse::<RowRange>)]
    rows: Option<RowRange>,
    /// Between cells of csv: auto, comma, semicolon, tab, space or a character; auto looks at the first line
    #[arg(long, value_name = "CHARACTER", default_value = "auto", value_parser = delimiter)]
    delimiter: Delimiter,
    /// Before decimals in csv: a point, a comma, or auto: a comma too between semicolons or tabs
    #[arg(long, value_name = "CHARACTER", default_value = "auto", value_parser = str::parse::<Decimal>)]
    decimal: Decimal,
    /// Whether the first line of csv holds names: yes, no, or auto: if no cell of it is empty or begins like a number
    #[arg(long, value_name = "YES|NO", default_value = "auto", value_parser = one_of::<Header>(&Header::NAMES))]
    header: Header,
    /// Keep the colours of picture files: three numbers a pixel
    #[arg(long, visible_alias = "color")]
    colour: bool,
    /// Resize picture files
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = picture::Options::size)]
    size: Option<(u32, u32)>,
    /// How to resize
    #[arg(long, requires = "size", default_value = "lanczos3", value_parser = one_of::<Filter>(&Filter::NAMES))]
    filter: Filter,
    /// Pictures in arrays of uint8 or uint16: scale them from -1 (black) to 1 (white) as picture files, or keep their
    /// numbers
    #[arg(long, value_name = "WHAT", default_value = "scale", value_parser = one_of::<Integers>(&["scale", "keep"]))]
    integers: Integers,
}

impl Reading {
    /// Everything that was asked for.
    pub(crate) fn options(&self) -> Options {
        self.files.options(self.dtype)
    }
}

impl Files {
    /// Refuses a choice of rows where there is no input to choose from.
    pub(crate) fn rows_need(&self, there: bool, option: &str) -> Result<()> {
        match self.rows {
            Some(rows) if !there => Err(Error::Usage(format!("--rows {rows}: chooses among the rows of {option}"))),
            _ => Ok(()),
        }
    }

    /// The same with a type that is known.
    pub(crate) fn options(&self, float: Option<Float>) -> Options {
        Options {
            float,
            csv: csv::Options { delimiter: self.delimiter.0, decimal: self.decimal, header: self.header },
            picture: picture::Options {
                colour: self.colour,
                size: self.size,
                filter: self.filter,
                integers: self.integers,
            },
            rows: self.rows,
        }
    }
}

fn delimiter(text: &str) -> std::result::Result<Delimiter, String> {
    csv::Options::delimiter(text).map(Delimiter)
}

/// One of a few names.
fn one_of<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: std::str::FromStr<Err = String> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}
