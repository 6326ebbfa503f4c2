//! The plotting area of a panel: where values are on paper.

use super::axis::Scale;
use super::span::Span;
use crate::Point;
use crate::clip::Window;
use crate::thin::thinned;

/// How far lines may be off, which no eye can see.
const TOLERANCE: f64 = 0.03;

/// A rectangle of the figure with the spans of its axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Area {
    pub(super) window: Window,
    pub(super) x: Span,
    pub(super) y: Span,
}

impl Area {
    /// Where a point of the data is on paper; NaN where it has no place.
    pub(super) fn place(&self, (x, y): Point) -> Point {
        let (width, height) = self.size();
        (self.window.low.0 + self.x.share(x) * width, self.window.high.1 - self.y.share(y) * height)
    }

    /// What of a line through points of the data is inside, on paper.
    pub(super) fn line(&self, points: &[Point]) -> Vec<Vec<Point>> {
        let points: Vec<Point> = points.iter().map(|point| self.place(*point)).collect();
        self.window.line(&points).iter().map(|piece| thinned(piece, TOLERANCE)).collect()
    }

    /// What of a surface between points on paper is inside.
    pub(super) fn surface(&self, ring: &[Point]) -> Vec<Point> {
        thinned(&self.window.surface(ring), TOLERANCE)
    }

    pub(super) fn size(&self) -> Point {
        (self.window.high.0 - self.window.low.0, self.window.high.1 - self.window.low.1)
    }

    pub(super) fn is_linear(&self) -> bool {
        self.x.scale == Scale::Linear && self.y.scale == Scale::Linear
    }
}
