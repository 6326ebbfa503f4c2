//! One plot.

use super::{Axis, Bars, Contours, Curve, Field, Mark};
use crate::Result;

/// One plot: axes, and what is drawn between them.
///
/// From below to above: the field, contours, bars, bands, curves and marks. What is outside of the axes is cut off.
#[derive(Debug, Clone)]
pub struct Panel {
    /// What stands above it.
    pub title: String,
    /// The axis from left to right.
    pub x: Axis,
    /// The axis from below to above.
    pub y: Axis,
    /// Whether both axes have the same unit, so that a circle is round.
    pub equal: bool,
    /// Coloured cells.
    pub field: Option<Field>,
    /// Lines of equal value.
    pub contours: Option<Contours>,
    /// Bars.
    pub bars: Vec<Bars>,
    /// Curves.
    pub curves: Vec<Curve>,
    /// Points with names.
    pub marks: Vec<Mark>,
    /// A few words in the corner with the most room.
    pub note: Option<String>,
}

impl Panel {
    /// Axes without anything between them.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Panel {
            title: title.into(),
            x,
            y,
            equal: false,
            field: None,
            contours: None,
            bars: Vec::new(),
            curves: Vec::new(),
            marks: Vec::new(),
            note: None,
        }
    }

    /// Whether lengths agree and ranges can be drawn. What does not pass is left out of the figure, which says so.
    pub fn check(&self) -> Result<()> {
        self.x.check()?;
        self.y.check()?;
        self.field.as_ref().map_or(Ok(()), Field::check)?;
        self.contours.as_ref().map_or(Ok(()), Contours::check)?;
        self.curves.iter().try_for_each(Curve::check)
    }

    /// All numbers along both axes.
    pub(super) fn values(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for ((from_x, to_x), (from_y, to_y)) in self.rectangles() {
            x.extend([from_x, to_x]);
            y.extend([from_y, to_y]);
        }
        for curve in &self.curves {
            x.extend(curve.x_values());
            y.extend(curve.y_values());
        }
        for bars in &self.bars {
            x.extend(bars.x_values());
            y.extend(bars.y_values());
        }
        x.extend(self.marks.iter().map(|mark| mark.at.0));
        y.extend(self.marks.iter().map(|mark| mark.at.1));
        (x, y)
    }

    /// What fills a rectangle.
    fn rectangles(&self) -> impl Iterator<Item = ((f64, f64), (f64, f64))> {
        let field = self.field.iter().map(|field| (field.x, field.y));
        field.chain(self.contours.iter().map(|contours| (contours.x, contours.y)))
    }

    /// Whether a rectangle ends the axes.
    pub(super) fn is_tight(&self) -> bool {
        self.rectangles().next().is_some()
    }
}
