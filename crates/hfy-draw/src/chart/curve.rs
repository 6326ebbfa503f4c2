//! Points in their order.

use super::Style;
use crate::{Error, Point, Result};

/// A line through points, with a band around it where one is known.
///
/// A point that is NaN breaks the line. A curve without points stands in the legend alone, which explains the colours
/// of a field, for one.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What it is called in the legend, where it has a name.
    pub name: String,
    /// How it is drawn.
    pub style: Style,
    /// The points.
    pub points: Vec<Point>,
    /// The low and the high end of a band at each point.
    pub band: Option<Vec<(f64, f64)>>,
    /// The first point that has a marker, and how many further the next one is; every point otherwise.
    pub marked: Option<(usize, usize)>,
}

impl Curve {
    /// A curve without a band.
    pub fn new(name: impl Into<String>, style: Style, points: Vec<Point>) -> Self {
        Curve { name: name.into(), style, points, band: None, marked: None }
    }

    /// The same with a band.
    pub fn banded(self, band: Vec<(f64, f64)>) -> Self {
        Curve { band: Some(band), ..self }
    }

    /// The same with markers at every `step`-th point alone, from the point `first` on. Curves that coincide show whose
    /// they are if each has its markers at points of its own.
    pub fn marked_every(self, first: usize, step: usize) -> Self {
        Curve { marked: Some((first, step.max(1))), ..self }
    }

    /// Whether the point of this number may have a marker.
    pub(super) fn is_marked(&self, number: usize) -> bool {
        self.marked.is_none_or(|(first, step)| number >= first && (number - first).is_multiple_of(step.max(1)))
    }

    pub(super) fn check(&self) -> Result<()> {
        let ends = self.band.as_ref().map_or(self.points.len(), Vec::len);
        if ends == self.points.len() {
            return Ok(());
        }
        let rule = format!("the curve \"{}\" has {} points, and each needs two ends", self.name, self.points.len());
        Err(Error::argument("the length of a band", ends, rule))
    }

    pub(super) fn x_values(&self) -> impl Iterator<Item = f64> {
        self.points.iter().map(|point| point.0)
    }

    pub(super) fn y_values(&self) -> impl Iterator<Item = f64> {
        let band = self.band.iter().flatten().flat_map(|ends| [ends.0, ends.1]);
        self.points.iter().map(|point| point.1).chain(band)
    }
}
