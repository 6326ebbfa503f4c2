//! What of lines and surfaces is inside of a rectangle.

use crate::Point;

/// A rectangle, by its smallest and largest coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Window {
    pub(crate) low: Point,
    pub(crate) high: Point,
}

impl Window {
    pub(crate) fn new(corner: Point, size: Point) -> Self {
        Window { low: corner, high: (corner.0 + size.0, corner.1 + size.1) }
    }

    /// Whether a point is inside, or less than a hundredth beside.
    pub(crate) fn contains(&self, (x, y): Point) -> bool {
        const SLACK: f64 = 0.01;
        (self.low.0 - SLACK..=self.high.0 + SLACK).contains(&x)
            && (self.low.1 - SLACK..=self.high.1 + SLACK).contains(&y)
    }

    /// Whether two rectangles share more than an edge.
    pub(crate) fn overlaps(&self, other: &Window) -> bool {
        self.low.0 < other.high.0 && other.low.0 < self.high.0 && self.low.1 < other.high.1 && other.low.1 < self.high.1
    }

    /// The pieces of a line that are inside. A point without a place breaks the line.
    pub(crate) fn line(&self, points: &[Point]) -> Vec<Vec<Point>> {
        let mut pieces: Vec<Vec<Point>> = Vec::new();
        let mut open = false;
        for pair in points.windows(2) {
            let Some((from, to)) = self.part(pair[0], pair[1]) else {
                open = false;
                continue;
            };
            match pieces.last_mut().filter(|_| open) {
                Some(piece) => piece.push(to),
                None => pieces.push(vec![from, to]),
            }
            open = to == pair[1];
        }
        pieces
    }

    /// The part of a line between two points, by Liang and Barsky.
    fn part(&self, a: Point, b: Point) -> Option<(Point, Point)> {
        if ![a.0, a.1, b.0, b.1].iter().all(|value| value.is_finite()) {
            return None;
        }
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let (mut enter, mut leave) = (0.0f64, 1.0f64);
        let sides =
            [(-dx, a.0 - self.low.0), (dx, self.high.0 - a.0), (-dy, a.1 - self.low.1), (dy, self.high.1 - a.1)];
        for (outwards, room) in sides {
            if outwards == 0.0 {
                if room < 0.0 {
                    return None;
                }
            } else if outwards < 0.0 {
                enter = enter.max(room / outwards);
            } else {
                leave = leave.min(room / outwards);
            }
        }
        let at = |share: f64| (a.0 + share * dx, a.1 + share * dy);
        // A line that only touches a corner is not inside. The ends stay what they are.
        (enter < leave || (enter == leave && a == b))
            .then(|| (if enter > 0.0 { at(enter) } else { a }, if leave < 1.0 { at(leave) } else { b }))
    }

    /// The part of a surface that is inside, by Sutherland and Hodgman.
    pub(crate) fn surface(&self, ring: &[Point]) -> Vec<Point> {
        let sides: [(bool, f64, f64); 4] =
            [(true, self.low.0, 1.0), (true, self.high.0, -1.0), (false, self.low.1, 1.0), (false, self.high.1, -1.0)];
        let mut ring = ring.to_vec();
        for (across, edge, sign) in sides {
            let depth = |p: &Point| sign * (if across { p.0 } else { p.1 } - edge);
            let mut kept = Vec::with_capacity(ring.len() + 4);
            for (place, b) in ring.iter().enumerate() {
                let a = &ring[(place + ring.len() - 1) % ring.len()];
                let (from, to) = (depth(a), depth(b));
                if (from >= 0.0) != (to >= 0.0) {
                    let share = from / (from - to);
                    kept.push((a.0 + share * (b.0 - a.0), a.1 + share * (b.1 - a.1)));
                }
                if to >= 0.0 {
                    kept.push(*b);
                }
            }
            ring = kept;
        }
        ring
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Window = Window { low: (0.0, 0.0), high: (1.0, 1.0) };

    #[test]
    fn lines_leave_and_come_back() {
        let pieces = UNIT.line(&[(-1.0, 0.5), (0.5, 0.5), (0.5, 2.0), (0.75, 2.0), (0.75, 0.0)]);
        assert_eq!(pieces, [vec![(0.0, 0.5), (0.5, 0.5), (0.5, 1.0)], vec![(0.75, 1.0), (0.75, 0.0)]]);
        assert!(UNIT.line(&[(-1.0, 0.5), (0.5, 3.0)]).is_empty());
        let broken = UNIT.line(&[(0.0, 0.0), (0.5, 0.5), (f64::NAN, 0.5), (0.5, 0.5), (1.0, 1.0)]);
        assert_eq!(broken.len(), 2);
        assert!(UNIT.line(&[(0.5, 0.5), (f64::INFINITY, 0.5)]).is_empty());
    }

    #[test]
    fn surfaces_are_cut() {
        let area = |ring: &[Point]| {
            let twice = |k: usize| {
                let (a, b) = (ring[k], ring[(k + 1) % ring.len()]);
                a.0 * b.1 - b.0 * a.1
            };
            ((0..ring.len()).map(twice).sum::<f64>() / 2.0).abs()
        };
        assert_eq!(area(&UNIT.surface(&[(-1.0, -1.0), (3.0, -1.0), (3.0, 3.0), (-1.0, 3.0)])), 1.0);
        assert_eq!(area(&UNIT.surface(&[(0.5, 0.5), (1.5, 0.5), (1.5, 1.5), (0.5, 1.5)])), 0.25);
        assert!(UNIT.surface(&[(2.0, 2.0), (3.0, 2.0), (3.0, 3.0)]).is_empty());
    }
}
