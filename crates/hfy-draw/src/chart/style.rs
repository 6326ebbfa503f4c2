//! How a series of numbers is drawn.

use crate::palette::SERIES;
use crate::{Colour, Dash, Marker, Stroke};

/// The line and the markers of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// The colour of all of it.
    pub colour: Colour,
    /// How the line is broken.
    pub dash: Dash,
    /// What stands at the points.
    pub marker: Option<Marker>,
    /// How wide the line is. A line of no width is left out, so that markers stand alone.
    pub width: f64,
}

impl Style {
    /// A whole line without markers.
    pub fn line(colour: Colour, width: f64) -> Self {
        Style { colour, dash: Dash::Solid, marker: None, width }
    }

    /// The k-th style of a cycle in which neighbours differ in colour, dash and marker, and all of the first 40 in the
    /// colour or the marker.
    pub fn series(k: usize) -> Self {
        const DASHES: [Dash; 4] = [Dash::Solid, Dash::Dashed, Dash::DashDot, Dash::Dotted];
        const MARKERS: [Marker; 10] = [
            Marker::Circle,
            Marker::Square,
            Marker::Triangle,
            Marker::Diamond,
            Marker::TriangleDown,
            Marker::Ring,
            Marker::Star,
            Marker::OpenSquare,
            Marker::Cross,
            Marker::Plus,
        ];
        let round = k / SERIES.len();
        Style {
            colour: SERIES[k % SERIES.len()],
            dash: DASHES[(k + round) % DASHES.len()],
            marker: Some(MARKERS[k % MARKERS.len()]),
            width: 1.6,
        }
    }

    /// The same without markers.
    pub fn bare(self) -> Self {
        Style { marker: None, ..self }
    }

    pub(super) fn stroke(&self) -> Stroke {
        Stroke::new(self.width, self.colour).dashed(self.dash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_of_a_cycle_differ() {
        for k in 0..80 {
            let (a, b) = (Style::series(k), Style::series(k + 1));
            assert!(a.colour != b.colour && a.dash != b.dash && a.marker != b.marker, "{k}");
        }
        for k in 0..40 {
            for other in 0..k {
                let (a, b) = (Style::series(k), Style::series(other));
                assert!(a.colour != b.colour || a.marker != b.marker, "{k} {other}");
            }
        }
    }
}
