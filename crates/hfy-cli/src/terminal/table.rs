//! Columns that line up.

use hfy_io::visible;

use super::Style;

/// Where the text of a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of texts under headings.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(columns: impl Into<Vec<(&'static str, Align)>>) -> Self {
        Table { columns: columns.into(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl Into<Vec<String>>) {
        // Labels and names are texts of others.
        self.rows.push(cells.into().iter().map(|cell| visible(cell)).collect());
    }

    /// The lines of the table, two spaces between columns.
    pub(crate) fn render(&self, style: Style) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain([self.columns[column].0.chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let placed = cells.zip(&self.columns).zip(&widths).map(|((cell, (_, align)), width)| match align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            });
            placed.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let mut text = style.bold(&line(&mut self.columns.iter().map(|(name, _)| *name)));
        for row in &self.rows {
            text.push('\n');
            text += &line(&mut row.iter().map(String::as_str));
        }
        text.push('\n');
        text
    }
}

/// A number for reading: six digits, and an exponent only where it is far from one.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs().log10().floor() as i32;
    if !(-5..9).contains(&size) {
        return format!("{value:.4e}");
    }
    let text = format!("{value:.*}", (5 - size).max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
