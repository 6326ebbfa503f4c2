//! Digits in the order of a recall, drawn.

use std::collections::BTreeSet;

use hfy_draw::palette::{ALERT, FAINT, GRID, INK};
use hfy_draw::{Anchor, Figure, Pixels, Point, Stroke, TextStyle};

use super::digits::Digits;
use crate::error::{Error, Result};

/// A digit has so many pixels on a side.
const PIXELS: usize = 28;
/// Digits in a row.
const COLUMNS: usize = 32;
/// The side of a digit on paper.
const SIDE: f64 = PIXELS as f64;
/// From digit to digit.
const PITCH: Point = (33.0, 46.0);
const MARGIN: f64 = 12.0;
/// Left of the rows, for the cue.
const FOR_CUE: f64 = 46.0;
/// Above the rows of a strip, for its name.
const FOR_NAME: f64 = 24.0;
/// Below the rows of a strip.
const FOR_REST: f64 = 10.0;

/// One recall, to be drawn.
#[derive(Debug, Clone)]
pub(crate) struct Strip<'a> {
    /// What it is.
    pub(crate) name: String,
    /// How it went, in a few words.
    pub(crate) words: String,
    /// The memories in the order of recall.
    pub(crate) recalled: Vec<usize>,
    /// Those that are to be marked.
    pub(crate) marked: Vec<bool>,
    /// The memories themselves.
    pub(crate) digits: &'a Digits,
}

impl Strip<'_> {
    fn height(&self) -> f64 {
        FOR_NAME + self.recalled.len().div_ceil(COLUMNS) as f64 * PITCH.1 + FOR_REST
    }
}

/// Strips below each other, each after its cue, the first digit. `mark` says what the marks mean.
pub(crate) fn drawn(title: &str, strips: &[Strip<'_>], mark: &str) -> Result<Figure> {
    const FOR_LEGEND: f64 = 20.0;
    let width = 2.0 * MARGIN + FOR_CUE + (COLUMNS - 1) as f64 * PITCH.0 + SIDE;
    let height = 2.0 * MARGIN + strips.iter().map(|strip| strip.height()).sum::<f64>() + FOR_LEGEND;
    let mut figure = Figure::new(title, width, height);
    let mut top = MARGIN;
    for strip in strips {
        draw_strip(strip, top, &mut figure)?;
        top += strip.height();
    }
    let at = (MARGIN + FOR_CUE, top + 2.0);
    draw_mark(at, 16.0, &mut figure);
    figure.text((at.0 + 28.0, at.1 + 12.0), Anchor::Start, TextStyle::new(11.0, INK), mark);
    Ok(figure)
}

fn draw_strip(strip: &Strip<'_>, top: f64, figure: &mut Figure) -> Result<()> {
    let left = MARGIN + FOR_CUE;
    figure.text((left, top + 13.0), Anchor::Start, TextStyle::new(12.0, INK).bold(), strip.name.clone());
    let right = left + (COLUMNS - 1) as f64 * PITCH.0 + SIDE;
    figure.text((right, top + 13.0), Anchor::End, TextStyle::new(11.0, FAINT), strip.words.clone());
    let small = TextStyle::new(8.5, INK);
    let rows = top + FOR_NAME;
    draw_digit((MARGIN, rows), 0, strip.digits, figure)?;
    figure.text((MARGIN + SIDE / 2.0, rows + SIDE + 11.0), Anchor::Middle, small.italic(), "cue 0");
    for (round, (&memory, &marked)) in strip.recalled.iter().zip(&strip.marked).enumerate() {
        let corner = (left + (round % COLUMNS) as f64 * PITCH.0, rows + (round / COLUMNS) as f64 * PITCH.1);
        draw_digit(corner, memory, strip.digits, figure)?;
        let style = if marked { TextStyle::new(8.5, ALERT).bold() } else { small };
        if marked {
            draw_mark(corner, SIDE, figure);
        }
        figure.text((corner.0 + SIDE / 2.0, corner.1 + SIDE + 11.0), Anchor::Middle, style, memory.to_string());
    }
    Ok(())
}

fn draw_digit(corner: Point, memory: usize, digits: &Digits, figure: &mut Figure) -> Result<()> {
    let bytes = digits.get(memory).cloned().unwrap_or_default();
    let pixels = Pixels::grey(PIXELS, PIXELS, bytes).map_err(|error| Error::Cell(error.to_string()))?;
    figure.picture(corner, (SIDE, SIDE), pixels, false);
    figure.frame(corner, (SIDE, SIDE), Stroke::new(0.8, GRID));
    Ok(())
}

/// A heavy frame with a full corner, which are seen in grey as well.
fn draw_mark((x, y): Point, side: f64, figure: &mut Figure) {
    const WIDTH: f64 = 2.4;
    let corner = 0.3 * side;
    figure.frame((x, y), (side, side), Stroke::new(WIDTH, ALERT));
    figure.surface(vec![(x + side - corner, y), (x + side, y), (x + side, y + corner)], ALERT, 1.0);
}

/// Which rounds brought a memory that an earlier one had brought.
pub(crate) fn repeats(recalled: &[usize]) -> Vec<bool> {
    let mut seen = BTreeSet::new();
    recalled.iter().map(|memory| !seen.insert(*memory)).collect()
}

/// Which rounds brought a memory that is neither the one before (at first the cue, memory 0) nor next to it.
pub(crate) fn jumps(recalled: &[usize]) -> Vec<bool> {
    let before = std::iter::once(&0).chain(recalled);
    recalled.iter().zip(before).map(|(now, before)| now.abs_diff(*before) > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_marked() {
        assert_eq!(repeats(&[0, 2, 0, 2, 1]), [false, false, true, true, false]);
        assert_eq!(jumps(&[1, 2, 2, 6, 5, 0]), [false, false, false, true, false, true]);
    }

    #[test]
    fn a_strip_shows_every_digit_and_marks() {
        let digits = vec![vec![200; PIXELS * PIXELS]; 20];
        let strip = Strip {
            name: "a name".into(),
            words: "words".into(),
            recalled: (0..20).rev().collect(),
            marked: (0..20).map(|round| round == 3).collect(),
            digits: &digits,
        };
        let missing = Strip { recalled: vec![20], ..strip.clone() };
        let svg = drawn("title", &[strip.clone(), strip], "meaning").unwrap().svg();
        assert_eq!(svg.matches("<image").count(), 2 * 21, "each after a cue");
        assert!(svg.contains(">19</text>") && svg.contains(">meaning</text>"));
        assert!(drawn("", &[missing], "").is_err(), "there is no digit 20");
    }
}
