//! Single points with a name.

use crate::{Colour, Marker, Point};

/// A sign at a point, with its name beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Where it is.
    pub at: Point,
    /// The sign.
    pub marker: Marker,
    /// How large it is, in CSS pixels.
    pub size: f64,
    /// Its colour.
    pub colour: Colour,
    /// What is written beside it.
    pub label: Option<String>,
}

impl Mark {
    /// A mark without a name.
    pub fn new(at: Point, marker: Marker, size: f64, colour: Colour) -> Self {
        Mark { at, marker, size, colour, label: None }
    }

    /// The same with a name.
    pub fn named(self, label: impl Into<String>) -> Self {
        Mark { label: Some(label.into()), ..self }
    }
}
