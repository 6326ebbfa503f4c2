//! A table of pictures: stored patterns above, and for each map its weights as bars below them and what it retrieves.

use hfy_draw::{Anchor, Colour, Figure, Pixels, Stroke, TextStyle, palette, text_width};

use crate::error::{Error, Result};

/// What a map made of a query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) name: &'a str,
    /// What it is for, in a few words.
    pub(super) role: &'a str,
    /// Weights of the stored patterns after one update.
    pub(super) first: &'a [f64],
    /// Weights in the end.
    pub(super) last: &'a [f64],
    /// The last state.
    pub(super) picture: &'a [f64],
}

const MARGIN: f64 = 12.0;
/// From the left edge to the first stored pattern.
const NAMES: f64 = 205.0;
/// From one stored pattern to the next, and the side of a picture.
const COLUMN: f64 = 52.0;
const PICTURE: f64 = 44.0;
/// From row to row, and how high a weight of 1 is.
const ROW: f64 = 66.0;
const BAR: f64 = 44.0;
const LIGHT: Colour = [150, 196, 226];
const DARK: Colour = [0, 84, 140];

/// The figure for square pictures of greys from -1 to 1, which are shown with their ground in white.
pub(super) fn figure(stored: &[Vec<f64>], query: &[f64], rows: &[Row<'_>]) -> Result<Figure> {
    let right = NAMES + stored.len() as f64 * COLUMN;
    let width = right + 24.0 + PICTURE + 2.0 * MARGIN + 20.0;
    let head = 92.0;
    let height = head + rows.len() as f64 * ROW + 34.0;
    let mut figure = Figure::new("What each map retrieves for a query, with its weights", width, height);
    let (bold, plain, small) = (
        TextStyle::new(12.0, palette::INK).bold(),
        TextStyle::new(11.0, palette::INK),
        TextStyle::new(10.5, palette::FAINT),
    );

    let top = 30.0;
    let query_left = MARGIN + 64.0;
    figure.text((query_left + PICTURE / 2.0, top - 10.0), Anchor::Middle, bold, "query");
    picture(&mut figure, (query_left, top), query, 2.0)?;
    figure.text((f64::midpoint(NAMES, right), top - 10.0), Anchor::Middle, bold, "stored patterns, in order");
    for (k, pattern) in stored.iter().enumerate() {
        picture(&mut figure, (NAMES + k as f64 * COLUMN + (COLUMN - PICTURE) / 2.0, top), pattern, 0.8)?;
    }
    let state = right + 24.0 + PICTURE / 2.0;
    figure.text((state, top + PICTURE / 2.0 - 3.0), Anchor::Middle, bold, "what is");
    figure.text((state, top + PICTURE / 2.0 + 12.0), Anchor::Middle, bold, "retrieved");

    for (place, row) in rows.iter().enumerate() {
        let base = head + place as f64 * ROW + BAR + 8.0;
        if place > 0 {
            let y = base - BAR - 13.0;
            figure.line(vec![(MARGIN, y), (width - MARGIN, y)], Stroke::new(0.7, palette::GRID));
        }
        figure.text((MARGIN, base - BAR / 2.0 - 1.0), Anchor::Start, bold, row.name);
        figure.text((MARGIN, base - BAR / 2.0 + 15.0), Anchor::Start, small, row.role);
        for (level, label) in [(0.0, "0"), (1.0, "1")] {
            let y = base - level * BAR;
            figure.line(vec![(NAMES, y), (right, y)], Stroke::new(0.7, palette::GRID));
            figure.text((NAMES - 4.0, y + 3.5), Anchor::End, TextStyle::new(9.5, palette::FAINT), label);
        }
        for (weights, colour, shift) in [(row.first, LIGHT, -8.0), (row.last, DARK, 8.0)] {
            for (k, weight) in weights.iter().enumerate() {
                let middle = NAMES + (k as f64 + 0.5) * COLUMN + shift;
                figure.rectangle((middle - 7.0, base - weight * BAR), (14.0, weight * BAR), colour, 1.0);
            }
        }
        figure.line(vec![(NAMES, base), (right, base)], Stroke::new(0.8, palette::AXIS));
        let mass: f64 = row.last.iter().sum();
        // Of k patterns the mean is shown, or it would be out of range.
        let mean: Vec<f64> = row.picture.iter().map(|v| v / mass).collect();
        picture(&mut figure, (right + 24.0, base - BAR), &mean, 0.8)?;
    }

    let y = height - 16.0;
    let mut x = NAMES;
    for (colour, text) in [(LIGHT, "weight after one update"), (DARK, "weight when the state rests")] {
        figure.rectangle((x, y - 9.0), (12.0, 10.0), colour, 1.0);
        figure.text((x + 18.0, y), Anchor::Start, plain, text);
        x += 18.0 + text_width(text, plain.size) + 28.0;
    }
    Ok(figure)
}

/// A square picture with a frame.
fn picture(figure: &mut Figure, corner: (f64, f64), values: &[f64], frame: f64) -> Result<()> {
    let side = (values.len() as f64).sqrt().round() as usize;
    // Ink on white paper: -1 is white.
    let pixels = Pixels::greys(side, side, values, 1.0, -1.0).map_err(|error| Error::Cell(error.to_string()))?;
    figure.picture(corner, (PICTURE, PICTURE), pixels, false);
    figure.frame(corner, (PICTURE, PICTURE), Stroke::new(frame, palette::AXIS));
    Ok(())
}
