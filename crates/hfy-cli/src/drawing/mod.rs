//! Figures: shapes that are put down once and written as SVG or as PNG.

mod font;
mod inline;
mod png;
mod svg;

pub(crate) use inline::{data_uri, escaped};

use std::io::Write;

use crate::error::{Error, Result};
use crate::glyphs::Point;
use crate::io::Output;

/// Red, green and blue.
pub(crate) type Colour = [u8; 3];

/// Where a text stands at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// What can be drawn. Points are to the right and down.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// A surface inside of points.
    Surface {
        points: Vec<Point>,
        colour: Colour,
    },
    /// A line through points, whole or in dashes.
    Line {
        points: Vec<Point>,
        width: f64,
        colour: Colour,
        dashed: bool,
    },
    Disc {
        centre: Point,
        radius: f64,
        colour: Colour,
    },
    /// A text whose line is at a point.
    Text {
        at: Point,
        anchor: Anchor,
        size: f64,
        colour: Colour,
        text: String,
    },
    /// Greys from -1 to 1, row after row, over a rectangle.
    Picture {
        corner: Point,
        size: Point,
        pixels: (usize, usize),
        greys: Vec<f64>,
    },
}

/// A figure on white paper.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    /// What it shows, for those who cannot see it.
    pub(crate) title: String,
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) shapes: Vec<Shape>,
}

impl Figure {
    pub(crate) fn text(&mut self, at: Point, anchor: Anchor, size: f64, colour: Colour, text: impl Into<String>) {
        self.shapes.push(Shape::Text { at, anchor, size, colour, text: text.into() });
    }

    pub(crate) fn line(&mut self, points: Vec<Point>, width: f64, colour: Colour) {
        self.shapes.push(Shape::Line { points, width, colour, dashed: false });
    }

    /// The outline of a rectangle.
    pub(crate) fn frame(&mut self, (x, y): Point, (w, h): Point, width: f64, colour: Colour, dashed: bool) {
        let points = vec![(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)];
        self.shapes.push(Shape::Line { points, width, colour, dashed });
    }

    /// A file for a figure, whose ending says the format.
    pub(crate) fn output(option: &str, path: &str, force: bool) -> Result<Output> {
        if kind(path).is_none() {
            return Err(Error::Usage(format!("{option} {path}: figures are written to svg or png")));
        }
        Output::new(path, force)
    }

    /// Writes the figure in the format of the name.
    pub(crate) fn write(&self, output: &Output) -> Result<()> {
        let path = output.path().display().to_string();
        output.write(|to| match kind(&path) {
            Some(Kind::Svg) => to.write_all(svg::of(self).as_bytes()),
            _ => png::write(self, to),
        })
    }
}

enum Kind {
    Svg,
    Png,
}

fn kind(path: &str) -> Option<Kind> {
    match std::path::Path::new(path).extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "svg" => Some(Kind::Svg),
        "png" => Some(Kind::Png),
        _ => None,
    }
}
