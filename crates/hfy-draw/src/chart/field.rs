//! Coloured cells under everything.

use super::area::Area;
use crate::{Colour, Error, Figure, Pixels, Point, Result};

/// Cells that fill a rectangle of the panel, each with a colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// From the left edge of the first column to the right edge of the last.
    pub x: (f64, f64),
    /// From the lower edge of the first row to the upper edge of the last.
    pub y: (f64, f64),
    /// How many rows there are.
    pub rows: usize,
    /// How many columns there are.
    pub columns: usize,
    /// The colours, row after row. The first row is at the smallest y.
    pub colours: Vec<Colour>,
}

impl Field {
    /// The colours of a function at the middles of cells.
    pub fn of(
        x: (f64, f64),
        y: (f64, f64),
        rows: usize,
        columns: usize,
        mut colour: impl FnMut(Point) -> Colour,
    ) -> Self {
        let middle =
            |(low, high): (f64, f64), k: usize, count: usize| low + (high - low) * (k as f64 + 0.5) / count as f64;
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let colours = cells.map(|(row, column)| colour((middle(x, column, columns), middle(y, row, rows)))).collect();
        Field { x, y, rows, columns, colours }
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.rows.checked_mul(self.columns) != Some(self.colours.len()) || self.colours.is_empty() {
            let rule = format!("a field of {} x {} cells needs one a cell, and at least one", self.rows, self.columns);
            return Err(Error::argument("the number of colours of a field", self.colours.len(), rule));
        }
        check_ends("a field", self.x, self.y)
    }

    /// Draws what is inside of the plotting area.
    pub(super) fn draw(&self, area: &Area, figure: &mut Figure) {
        let ((left, bottom), (right, top)) = (area.place((self.x.0, self.y.0)), area.place((self.x.1, self.y.1)));
        let whole = area.window.contains((left, top)) && area.window.contains((right, bottom)) && area.is_linear();
        if whole {
            let rows = self.colours.chunks(self.columns).rev();
            let colours: Vec<Colour> = rows.flatten().copied().collect();
            if let Ok(pixels) = Pixels::colours(self.rows, self.columns, &colours) {
                figure.picture((left, top), (right - left, bottom - top), pixels, false);
            }
            return;
        }
        // Cells that are cut or uneven are looked up at every pixel of the area.
        const PIXELS_A_UNIT: f64 = 2.0;
        let size = area.size();
        let count = |side: f64| (side * PIXELS_A_UNIT).round().max(1.0) as usize;
        let (rows, columns) = (count(size.1), count(size.0));
        let cell = |value: f64, (low, high): (f64, f64), count: usize| {
            let share = (value - low) / (high - low);
            (0.0..1.0).contains(&share).then_some((share * count as f64) as usize)
        };
        let colour = |row: usize, column: usize| {
            let x = area.x.value((column as f64 + 0.5) / columns as f64);
            let y = area.y.value(1.0 - (row as f64 + 0.5) / rows as f64);
            let (column, row) = (cell(x, self.x, self.columns)?, cell(y, self.y, self.rows)?);
            self.colours.get(row * self.columns + column).copied()
        };
        let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let colours: Vec<Colour> =
            places.map(|(row, column)| colour(row, column).unwrap_or(crate::palette::PAPER)).collect();
        if let Ok(pixels) = Pixels::colours(rows, columns, &colours) {
            figure.picture(area.window.low, size, pixels, false);
        }
    }
}

/// The rectangle of a field or of contours: finite, and not empty.
pub(super) fn check_ends(of: &str, x: (f64, f64), y: (f64, f64)) -> Result<()> {
    for (argument, (low, high)) in [("x", x), ("y", y)] {
        if !(low.is_finite() && high.is_finite() && low < high) {
            let rule = format!("the ends of {of} must be finite, the lower one first");
            return Err(Error::argument(argument, format!("{low} to {high}"), rule));
        }
    }
    Ok(())
}
