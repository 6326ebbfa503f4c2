//! What a figure is made of.

use crate::{Colour, Marker, Pixels, Point};

/// Where a text stands at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// How a line is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dash {
    /// Not at all.
    #[default]
    Solid,
    /// Long dashes.
    Dashed,
    /// Points.
    Dotted,
    /// Dashes and points in turn.
    DashDot,
}

impl Dash {
    /// Lengths of lines and gaps in turn, for a line of this width.
    pub(crate) fn lengths(self, width: f64) -> Vec<f64> {
        let lengths: &[f64] = match self {
            Dash::Solid => &[],
            Dash::Dashed => &[4.0, 2.0],
            Dash::Dotted => &[1.2, 1.6],
            Dash::DashDot => &[5.0, 1.6, 1.2, 1.6],
        };
        lengths.iter().map(|length| length * width.max(0.8)).collect()
    }
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// How wide it is.
    pub width: f64,
    /// Its colour.
    pub colour: Colour,
    /// How it is broken.
    pub dash: Dash,
    /// From 0, not to be seen, to 1.
    pub opacity: f64,
}

impl Stroke {
    /// A whole line.
    pub fn new(width: f64, colour: Colour) -> Self {
        Stroke { width, colour, dash: Dash::Solid, opacity: 1.0 }
    }

    /// The same, broken.
    pub fn dashed(self, dash: Dash) -> Self {
        Stroke { dash, ..self }
    }

    /// The same, with what is below shining through.
    pub fn faded(self, opacity: f64) -> Self {
        Stroke { opacity, ..self }
    }
}

/// How heavy letters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weight {
    /// As texts are.
    #[default]
    Regular,
    /// As headings are.
    Bold,
}

/// How a text is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextStyle {
    /// The size of the font.
    pub size: f64,
    /// The colour of the letters.
    pub colour: Colour,
    /// Bold or not.
    pub weight: Weight,
    /// Whether letters lean.
    pub italic: bool,
    /// Whether it is turned by 90 degrees, to be read upwards.
    pub turned: bool,
    /// The colour of a seam around the letters, for a text on top of a plot.
    pub halo: Option<Colour>,
}

impl TextStyle {
    /// Upright letters.
    pub fn new(size: f64, colour: Colour) -> Self {
        TextStyle { size, colour, weight: Weight::Regular, italic: false, turned: false, halo: None }
    }

    /// The same in bold.
    pub fn bold(self) -> Self {
        TextStyle { weight: Weight::Bold, ..self }
    }

    /// The same, leaning.
    pub fn italic(self) -> Self {
        TextStyle { italic: true, ..self }
    }

    /// The same, read upwards.
    pub fn turned(self) -> Self {
        TextStyle { turned: true, ..self }
    }

    /// The same with a seam of this colour.
    pub fn halo(self, colour: Colour) -> Self {
        TextStyle { halo: Some(colour), ..self }
    }

    /// How wide a text is in this style, without its seam.
    pub fn width(&self, text: &str) -> f64 {
        crate::font::width(text, self)
    }

    /// The width of the seam.
    pub(crate) fn seam(&self) -> f64 {
        0.22 * self.size
    }
}

impl Default for TextStyle {
    fn default() -> Self {
        TextStyle::new(12.0, crate::palette::INK)
    }
}

/// What can be drawn.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// A line through points.
    Line { points: Vec<Point>, closed: bool, stroke: Stroke },
    /// What is inside of an odd number of rings.
    Surface { rings: Vec<Vec<Point>>, colour: Colour, opacity: f64 },
    /// A sign at a point.
    Marker { at: Point, marker: Marker, size: f64, colour: Colour },
    /// A text whose line is at a point.
    Text { at: Point, anchor: Anchor, style: TextStyle, text: String },
    /// Pixels over a rectangle.
    Picture { corner: Point, size: Point, pixels: Pixels, smooth: bool },
}

impl Shape {
    /// The same at another place.
    pub(crate) fn moved(&self, (dx, dy): Point) -> Self {
        let mut shape = self.clone();
        let shift = |point: &mut Point| *point = (point.0 + dx, point.1 + dy);
        match &mut shape {
            Shape::Line { points, .. } => points.iter_mut().for_each(shift),
            Shape::Surface { rings, .. } => rings.iter_mut().flatten().for_each(shift),
            Shape::Marker { at, .. } | Shape::Text { at, .. } => shift(at),
            Shape::Picture { corner, .. } => shift(corner),
        }
        shape
    }
}
