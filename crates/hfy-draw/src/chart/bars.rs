//! Bars.

use crate::Colour;

/// One bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Where its middle is.
    pub x: f64,
    /// Where it begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

/// Bars of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// What they are called in the legend, where they have a name.
    pub name: String,
    /// Their colour.
    pub colour: Colour,
    /// How wide each of them is, in units of the x axis.
    pub width: f64,
    /// The bars.
    pub bars: Vec<Bar>,
}

impl Bars {
    /// Bars from 0 to their heights.
    pub fn new(name: impl Into<String>, colour: Colour, width: f64, heights: &[(f64, f64)]) -> Self {
        let bars = heights.iter().map(|&(x, high)| Bar { x, low: 0.0, high }).collect();
        Bars { name: name.into(), colour, width, bars }
    }

    pub(super) fn x_values(&self) -> impl Iterator<Item = f64> {
        self.bars.iter().flat_map(|bar| [bar.x - self.width / 2.0, bar.x + self.width / 2.0])
    }

    pub(super) fn y_values(&self) -> impl Iterator<Item = f64> {
        self.bars.iter().flat_map(|bar| [bar.low, bar.high])
    }
}
