//! How texts of numbers are understood.

use std::str::FromStr;

/// What separates cells, what separates decimals, and whether the first line holds names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// What stands between cells; found in the first line unless it is given.
    pub delimiter: Option<u8>,
    /// What stands before decimals.
    pub decimal: Decimal,
    /// Whether the first line holds names of columns.
    pub header: Header,
}

/// What stands before decimals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Decimal {
    /// A point; between semicolons or tabs also a comma, if all numbers have it.
    #[default]
    Auto,
    /// `1.5`.
    Point,
    /// `1,5`.
    Comma,
}

/// Whether the first line holds names of columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Header {
    /// If none of its cells is empty or begins like a number, and the next line holds numbers.
    #[default]
    Auto,
    /// Yes.
    Yes,
    /// No: it holds numbers.
    No,
}

impl Options {
    /// A delimiter by its character or its name; `None` for `auto`.
    pub fn delimiter(text: &str) -> Result<Option<u8>, String> {
        match text {
            "auto" => Ok(None),
            "comma" => Ok(Some(b',')),
            "semicolon" => Ok(Some(b';')),
            "tab" | "\\t" => Ok(Some(b'\t')),
            "space" => Ok(Some(b' ')),
            _ => match *text.as_bytes() {
                [byte]
                    if byte == b'\t'
                        || (byte.is_ascii_punctuation() || byte == b' ') && !b"\"+-.#_".contains(&byte) =>
                {
                    Ok(Some(byte))
                }
                _ => Err("must be auto, comma, semicolon, tab, space, or one character that no number has".to_owned()),
            },
        }
    }
}

impl FromStr for Decimal {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Decimal::Auto),
            "." | "point" => Ok(Decimal::Point),
            "," | "comma" => Ok(Decimal::Comma),
            _ => Err("must be auto, . or ,".to_owned()),
        }
    }
}

impl Header {
    /// The names that are read.
    pub const NAMES: [&str; 3] = ["auto", "yes", "no"];
}

impl FromStr for Header {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Header::Auto),
            "yes" => Ok(Header::Yes),
            "no" => Ok(Header::No),
            _ => Err("must be auto, yes or no".to_owned()),
        }
    }
}
