//! A figure on white paper.

use crate::shape::Shape;
use crate::{Anchor, Colour, Marker, Pixels, Point, Stroke, TextStyle, png, svg};

/// A figure on white paper. What is put down later lies on top.
///
/// What has no place (a coordinate that is NaN or infinite) is left out; a line is broken there.
///
/// ```
/// use hfy_draw::{Anchor, Figure, Stroke, TextStyle, palette};
///
/// let mut figure = Figure::new("A rising line", 120.0, 80.0);
/// figure.line(vec![(10.0, 70.0), (110.0, 10.0)], Stroke::new(1.5, palette::INK));
/// figure.text((60.0, 75.0), Anchor::Middle, TextStyle::new(12.0, palette::INK), "β = ½");
/// assert!(figure.svg().starts_with("<svg"));
/// ```
#[derive(Debug, Clone)]
pub struct Figure {
    pub(crate) title: String,
    width: f64,
    height: f64,
    pub(crate) shapes: Vec<Shape>,
}

impl Figure {
    /// Empty paper. `title` says what the figure shows, for those who cannot see it. Sides are at least 1.
    pub fn new(title: impl Into<String>, width: f64, height: f64) -> Self {
        let side = |side: f64| if side.is_finite() { side.max(1.0) } else { 1.0 };
        Figure { title: title.into(), width: side(width), height: side(height), shapes: Vec::new() }
    }

    /// How wide the paper is.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// How high the paper is.
    pub fn height(&self) -> f64 {
        self.height
    }

    /// A line through points.
    pub fn line(&mut self, points: Vec<Point>, stroke: Stroke) {
        if points.iter().all(placed) {
            self.push_line(points, false, stroke);
        } else {
            points.split(|point| !placed(point)).for_each(|piece| self.push_line(piece.to_vec(), false, stroke));
        }
    }

    /// What is inside of points.
    pub fn surface(&mut self, points: Vec<Point>, colour: Colour, opacity: f64) {
        self.surfaces(vec![points], colour, opacity);
    }

    /// What is inside of an odd number of rings of points: surfaces with holes.
    pub fn surfaces(&mut self, rings: Vec<Vec<Point>>, colour: Colour, opacity: f64) {
        let whole = |ring: &Vec<Point>| ring.len() > 2 && ring.iter().all(placed);
        let rings: Vec<Vec<Point>> = rings.into_iter().filter(whole).collect();
        if !rings.is_empty() && opacity > 0.0 {
            self.shapes.push(Shape::Surface { rings, colour, opacity });
        }
    }

    /// The outline of a rectangle.
    pub fn frame(&mut self, corner: Point, size: Point, stroke: Stroke) {
        let points = rectangle(corner, size);
        if points.iter().all(placed) {
            self.push_line(points, true, stroke);
        }
    }

    /// A whole rectangle.
    pub fn rectangle(&mut self, corner: Point, size: Point, colour: Colour, opacity: f64) {
        self.surface(rectangle(corner, size), colour, opacity);
    }

    /// A sign around a point. `size` is the diameter of a circle; other signs look as large.
    pub fn marker(&mut self, at: Point, marker: Marker, size: f64, colour: Colour) {
        if placed(&at) && size > 0.0 {
            self.shapes.push(Shape::Marker { at, marker, size, colour });
        }
    }

    /// A text whose line is at a point. It is one line: a line break in it is a space.
    pub fn text(&mut self, at: Point, anchor: Anchor, style: TextStyle, text: impl Into<String>) {
        let text = text.into().replace(char::is_control, " ");
        if placed(&at) && style.size > 0.0 && !text.trim().is_empty() {
            self.shapes.push(Shape::Text { at, anchor, style, text });
        }
    }

    /// A picture over a rectangle. Enlarged, its pixels are squares unless it is to be `smooth`.
    pub fn picture(&mut self, corner: Point, size: Point, pixels: Pixels, smooth: bool) {
        if placed(&corner) && placed(&size) && size.0 > 0.0 && size.1 > 0.0 {
            self.shapes.push(Shape::Picture { corner, size, pixels, smooth });
        }
    }

    /// Another figure inside of this one, without its paper.
    pub fn place(&mut self, other: &Figure, corner: Point) {
        if placed(&corner) {
            self.shapes.extend(other.shapes.iter().map(|shape| shape.moved(corner)));
        }
    }

    /// The figure as SVG.
    pub fn svg(&self) -> String {
        svg::of(self)
    }

    /// The figure as PNG, with two pixels a unit; with one, or less, where that would be more than 64 million pixels.
    pub fn png(&self) -> Vec<u8> {
        png::of(self)
    }

    fn push_line(&mut self, points: Vec<Point>, closed: bool, stroke: Stroke) {
        if points.len() > 1 && stroke.width > 0.0 && stroke.opacity > 0.0 {
            self.shapes.push(Shape::Line { points, closed, stroke });
        }
    }
}

fn placed(point: &Point) -> bool {
    point.0.is_finite() && point.1.is_finite()
}

/// The corners of a rectangle.
pub(crate) fn rectangle((x, y): Point, (width, height): Point) -> Vec<Point> {
    vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
}
