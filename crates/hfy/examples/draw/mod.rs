//! Bars, rules and curves for a terminal of 100 columns.

use std::fmt::Write;

/// What is printed, gathered first.
pub(crate) struct Page {
    text: String,
    colour: bool,
}

impl Page {
    pub(crate) fn new(colour: bool) -> Self {
        Page { text: String::new(), colour }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn line(&mut self, text: &str) {
        writeln!(self.text, "{}", text.trim_end()).expect("a string can be written to");
    }

    pub(crate) fn title(&mut self, text: &str) {
        let rule = "─".repeat(94 - text.chars().count());
        self.line("");
        self.line(&format!("{} {}", self.bold(&format!("── {text}")), self.dim(&rule)));
        self.line("");
    }

    fn escape(&self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        self.escape("1", text)
    }

    pub(crate) fn dim(&self, text: &str) -> String {
        self.escape("2", text)
    }

    pub(crate) fn ink(&self, colour: u8, text: &str) -> String {
        self.escape(&format!("38;5;{colour}"), text)
    }

    /// A weight as a bar of eighths and a number, 15 columns in all.
    pub(crate) fn cell(&self, y: f64, full: f64, colour: u8) -> String {
        if y == 0.0 {
            return self.dim(&format!("{:<15}", "·"));
        }
        let bar = bar(y.abs() / full, 6);
        let bar = if y < 0.0 { bar.replace(|c: char| c != ' ', "░") } else { bar };
        let number = format!("{y:.3}");
        let used = number.chars().count() + 1;
        format!(
            "{} {number}{}",
            self.ink(colour, bar.trim_end()),
            " ".repeat(15 - used - bar.trim_end().chars().count())
        )
    }

    /// A named row of weights, full bars at `full`, one colour an entry.
    pub(crate) fn weights(&mut self, name: &str, colours: &[u8], y: &[f64], full: f64, note: &str) {
        let cells: String = y.iter().zip(colours).map(|(&y, &colour)| self.cell(y, full, colour)).collect();
        self.line(&format!("  {name:<13}{cells}  {note}"));
    }
}

/// A bar of `width` columns, full at one, in eighths of a column.
pub(crate) fn bar(share: f64, width: usize) -> String {
    let eighths = (share * 8.0 * width as f64).round().max(1.0) as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    let bar = "█".repeat(eighths / 8) + rest;
    format!("{bar:<width$}")
}

/// Curves in braille: two by four dots a character, each character in the colour of its latest dot.
pub(crate) struct Plot {
    width: usize,
    height: usize,
    cells: Vec<(u8, u8)>,
    /// Where each curve stands.
    rows: Vec<Option<usize>>,
}

impl Plot {
    pub(crate) fn new(curves: usize, width: usize, height: usize) -> Self {
        Plot { width, height, cells: vec![(0, 0); width * height], rows: vec![None; curves] }
    }

    /// How many dots lie side by side.
    pub(crate) fn columns(&self) -> usize {
        2 * self.width
    }

    /// Draws a curve on to a height between 0 and 1, in the next column of dots.
    pub(crate) fn extend(&mut self, curve: usize, column: usize, y: f64, colour: u8) {
        let row = ((1.0 - y) * (4 * self.height - 1) as f64).round() as usize;
        let from = self.rows[curve].replace(row).unwrap_or(row);
        // The vertical part of a step starts beside the dot before it.
        let (top, bottom) = if from < row { ((from + 1).min(row), row) } else { (row, (from.max(1) - 1).max(row)) };
        for row in top..=bottom {
            let bit = [[0, 3], [1, 4], [2, 5], [6, 7]][row % 4][column % 2];
            let cell = &mut self.cells[row / 4 * self.width + column / 2];
            *cell = (cell.0 | 1 << bit, colour);
        }
    }

    pub(crate) fn lines(&self, page: &Page) -> Vec<String> {
        let character = |&(dots, colour): &(u8, u8)| match dots {
            0 => " ".to_owned(),
            _ => page.ink(colour, &char::from_u32(0x2800 + u32::from(dots)).expect("a braille pattern").to_string()),
        };
        self.cells.chunks(self.width).map(|row| row.iter().map(character).collect()).collect()
    }
}
