//! Signs at points.

use std::f64::consts::{PI, TAU};

use crate::Point;

/// A sign at a point of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// Two lines across, as an x.
    Cross,
    /// Two lines across, upright.
    Plus,
    /// A star with five points.
    Star,
    /// A circle that is white inside.
    Ring,
    /// A triangle that points down.
    TriangleDown,
    /// A square that is white inside.
    OpenSquare,
}

/// How a marker is drawn around the origin.
pub(crate) enum Outline {
    /// A circle of this radius.
    Disc(f64),
    /// A circle of this radius as a line of this width, white inside.
    Ring(f64, f64),
    /// Whole inside of points.
    Filled(Vec<Point>),
    /// A closed line of this width, white inside.
    Open(Vec<Point>, f64),
    /// Lines of this width.
    Lines(Vec<[Point; 2]>, f64),
}

impl Marker {
    /// Factors make all of them look as large as a disc of the diameter `size`.
    pub(crate) fn outline(self, size: f64) -> Outline {
        let radius = size / 2.0;
        let line = (0.24 * size).max(0.9);
        match self {
            Marker::Circle => Outline::Disc(radius),
            Marker::Ring => Outline::Ring(radius - line / 2.0, line),
            Marker::Square => Outline::Filled(polygon(4, 1.27 * radius, 0.25 * PI)),
            Marker::OpenSquare => Outline::Open(polygon(4, 1.27 * radius - 0.7 * line, 0.25 * PI), line),
            Marker::Diamond => Outline::Filled(polygon(4, 1.32 * radius, 0.0)),
            Marker::Triangle => Outline::Filled(polygon(3, 1.4 * radius, 0.0)),
            Marker::TriangleDown => Outline::Filled(polygon(3, 1.4 * radius, PI)),
            Marker::Star => {
                let (outer, inner) = (polygon(5, 1.45 * radius, 0.0), polygon(5, 0.62 * radius, PI / 5.0));
                Outline::Filled(outer.into_iter().zip(inner).flat_map(|(a, b)| [a, b]).collect())
            }
            Marker::Cross => {
                let r = 0.85 * radius;
                Outline::Lines(vec![[(-r, -r), (r, r)], [(-r, r), (r, -r)]], line)
            }
            Marker::Plus => {
                let r = 1.15 * radius;
                Outline::Lines(vec![[(-r, 0.0), (r, 0.0)], [(0.0, -r), (0.0, r)]], line)
            }
        }
    }
}

/// Corners on a circle, the first at the top, all turned clockwise by an angle.
fn polygon(corners: usize, radius: f64, turned: f64) -> Vec<Point> {
    let corner = |k: usize| (TAU * k as f64 / corners as f64 + turned).sin_cos();
    (0..corners).map(corner).map(|(sin, cos)| (radius * sin, -radius * cos)).collect()
}
