//! The number in a cell.

use super::Decimal;

/// How the decimals of a file are written, as far as that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimals {
    option: Decimal,
    /// A comma is between cells, and so cannot be within one unless it is said to.
    comma_delimits: bool,
    /// What was found so far.
    seen: Decimal,
}

/// A cell that was read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cell {
    pub(super) value: f64,
    /// It is the first with a decimal comma, which nobody had announced.
    pub(super) first_comma: bool,
}

impl Decimals {
    pub(super) fn new(option: Decimal, delimiter: u8) -> Self {
        let comma_delimits = delimiter == b',';
        let seen = if option == Decimal::Auto && comma_delimits { Decimal::Point } else { option };
        Decimals { option, comma_delimits, seen }
    }

    /// The number in a cell, or the rule that the cell breaks.
    pub(super) fn read(&mut self, cell: &str) -> Result<Cell, String> {
        let comma = comma_to_point(cell);
        let (text, mark) = match (&comma, cell.contains('.')) {
            (Some(text), _) => (text.as_str(), Some(Decimal::Comma)),
            (None, true) => (cell, Some(Decimal::Point)),
            (None, false) => (cell, None),
        };
        let value = number(text)?;
        let Some(mark) = mark else { return Ok(Cell { value, first_comma: false }) };
        match (self.seen, mark) {
            (Decimal::Auto, _) => {
                self.seen = mark;
                Ok(Cell { value, first_comma: mark == Decimal::Comma })
            }
            (seen, mark) if seen == mark => Ok(Cell { value, first_comma: false }),
            (_, Decimal::Comma) if self.option == Decimal::Auto && !self.comma_delimits => {
                Err("has a decimal comma, but numbers before it have a point: set the option 'decimal'".to_owned())
            }
            (_, Decimal::Comma) => {
                Err("is not a number: a decimal comma is read where the option 'decimal' is ','".to_owned())
            }
            _ if self.option == Decimal::Comma => Err("has a point, where decimals follow a comma".to_owned()),
            _ => Err("has a point, but numbers before it have a decimal comma: set the option 'decimal'".to_owned()),
        }
    }
}

/// The same with a point, where the cell is a number with one comma in it.
fn comma_to_point(cell: &str) -> Option<String> {
    let (whole, decimals) = cell.split_once(',')?;
    let text = format!("{whole}.{decimals}");
    (!whole.contains('.') && text.parse::<f64>().is_ok()).then_some(text)
}

/// A number, which may be infinite if it says so.
fn number(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "is not a number".to_owned())?;
    if value.is_nan() {
        return Err("is not a number".to_owned());
    }
    if value.is_infinite() && text.bytes().any(|b| b.is_ascii_digit()) {
        return Err("is beyond the range of f64".to_owned());
    }
    Ok(value)
}

/// Whether a cell may be the name of a column: not empty, no number, and nothing that begins like one.
pub(super) fn is_name(cell: &str) -> bool {
    let rest = cell.trim_start_matches(['+', '-', '.', ',']);
    let word = rest.to_ascii_lowercase();
    !rest.is_empty()
        && !rest.starts_with(|c: char| c.is_ascii_digit())
        && !["nan", "inf", "infinity", "na", "n/a", "null", "none"].contains(&&word[..])
}
