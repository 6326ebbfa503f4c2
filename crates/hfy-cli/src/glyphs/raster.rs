//! Ink on paper, with smooth edges.

use super::path::Point;

/// What a path is drawn with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Tool {
    /// A round pen of this width.
    Pen(f64),
    /// Ink inside of the path.
    Fill,
    /// A round eraser of this width.
    Eraser(f64),
    /// Paper inside of the path.
    Cut,
}

/// How much of each pixel is ink.
#[derive(Debug)]
pub(super) struct Canvas {
    side: usize,
    cover: Vec<f64>,
}

impl Canvas {
    pub(super) fn new(side: usize) -> Self {
        Canvas { side, cover: vec![0.0; side * side] }
    }

    /// Draws over what is there. A pixel is covered by as much as its centre is inside, over the width of a pixel.
    pub(super) fn draw(&mut self, tool: Tool, lines: &[Vec<Point>]) {
        for (place, cover) in self.cover.iter_mut().enumerate() {
            let centre = ((place % self.side) as f64 + 0.5, (place / self.side) as f64 + 0.5);
            let share = cover_of(tool, lines, centre);
            *cover = match tool {
                Tool::Pen(_) | Tool::Fill => cover.max(share),
                Tool::Eraser(_) | Tool::Cut => cover.min(1.0 - share),
            };
        }
    }

    /// From -1 for paper to 1 for ink.
    pub(super) fn greys(&self) -> Vec<f64> {
        self.cover.iter().map(|cover| 2.0 * cover - 1.0).collect()
    }
}

/// How much of the pixel around `centre` a tool reaches.
fn cover_of(tool: Tool, lines: &[Vec<Point>], centre: Point) -> f64 {
    let edge = lines.iter().map(|line| distance(centre, line)).fold(f64::INFINITY, f64::min);
    let inside = match tool {
        Tool::Pen(width) | Tool::Eraser(width) => width / 2.0 - edge,
        Tool::Fill | Tool::Cut if encloses(lines, centre) => edge,
        Tool::Fill | Tool::Cut => -edge,
    };
    (inside + 0.5).clamp(0.0, 1.0)
}

/// How far a point is from a line through points.
fn distance(from: Point, line: &[Point]) -> f64 {
    let to_point = |p: &Point| (from.0 - p.0).hypot(from.1 - p.1);
    let to_piece = |pair: &[Point]| {
        let (a, b) = (pair[0], pair[1]);
        let (along, off) = ((b.0 - a.0, b.1 - a.1), (from.0 - a.0, from.1 - a.1));
        let length = along.0 * along.0 + along.1 * along.1;
        let share = if length > 0.0 { ((off.0 * along.0 + off.1 * along.1) / length).clamp(0.0, 1.0) } else { 0.0 };
        to_point(&(a.0 + share * along.0, a.1 + share * along.1))
    };
    line.windows(2).map(to_piece).chain(line.first().map(to_point)).fold(f64::INFINITY, f64::min)
}

/// Whether a point is inside of closed lines: a ray to the right crosses them an odd number of times.
fn encloses(lines: &[Vec<Point>], point: Point) -> bool {
    let crossed = |pair: &&[Point]| {
        let (a, b) = (pair[0], pair[1]);
        (a.1 > point.1) != (b.1 > point.1) && point.0 < a.0 + (point.1 - a.1) / (b.1 - a.1) * (b.0 - a.0)
    };
    lines.iter().flat_map(|line| line.windows(2)).filter(crossed).count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ink_and_eraser() {
        let mut canvas = Canvas::new(8);
        canvas.draw(Tool::Fill, &[vec![(2.0, 2.0), (6.0, 2.0), (6.0, 6.0), (2.0, 6.0), (2.0, 2.0)]]);
        let greys = canvas.greys();
        assert_eq!((greys[0], greys[3 * 8 + 3], greys[3 * 8 + 6]), (-1.0, 1.0, -1.0));
        canvas.draw(Tool::Eraser(2.0), &[vec![(3.5, 3.5)]]);
        assert_eq!(canvas.greys()[3 * 8 + 3], -1.0);
    }
}
