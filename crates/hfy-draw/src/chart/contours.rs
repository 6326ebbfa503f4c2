//! Lines of equal value, by marching squares.

use std::collections::BTreeMap;

use super::area::Area;
use super::field::check_ends;
use crate::{Colour, Error, Figure, Point, Result, Stroke};

/// Lines on which a function has given values, from its values on a grid of points.
///
/// A cell with a corner that is NaN or infinite is left out.
#[derive(Debug, Clone)]
pub struct Contours {
    /// The x of the first and of the last column of points.
    pub x: (f64, f64),
    /// The y of the first and of the last row of points.
    pub y: (f64, f64),
    /// How many rows of points there are.
    pub rows: usize,
    /// How many columns of points there are.
    pub columns: usize,
    /// The values, row after row. The first row is at the smallest y.
    pub values: Vec<f64>,
    /// The values on the lines.
    pub levels: Vec<f64>,
    /// The colour of the lines.
    pub colour: Colour,
    /// How wide they are; none are drawn for 0.
    pub width: f64,
    /// The colour of what is between two levels, by the value in the middle of them.
    pub filled: Option<fn(f64) -> Colour>,
}

/// An edge of the grid: from a point to the next column, or to the next row.
type Edge = (i64, i64, bool);

impl Contours {
    /// The values of a function, with `count` levels evenly between the least and the largest finite one.
    pub fn of(
        x: (f64, f64),
        y: (f64, f64),
        rows: usize,
        columns: usize,
        count: usize,
        mut value: impl FnMut(Point) -> f64,
    ) -> Self {
        let at =
            |(low, high): (f64, f64), k: usize, count: usize| low + (high - low) * k as f64 / (count.max(2) - 1) as f64;
        let points = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let values: Vec<f64> = points.map(|(row, column)| value((at(x, column, columns), at(y, row, rows)))).collect();
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        let level = |k: usize| low + (high - low) * (k + 1) as f64 / (count + 1) as f64;
        let levels = if low < high { (0..count).map(level).collect() } else { Vec::new() };
        Contours { x, y, rows, columns, values, levels, colour: crate::palette::FAINT, width: 0.8, filled: None }
    }

    pub(super) fn check(&self) -> Result<()> {
        if self.rows < 2 || self.columns < 2 || self.rows.checked_mul(self.columns) != Some(self.values.len()) {
            let rule = format!("contours of {} x {} points need one a point, and two a side", self.rows, self.columns);
            return Err(Error::argument("the number of values of contours", self.values.len(), rule));
        }
        check_ends("contours", self.x, self.y)
    }

    /// Draws what is between levels, from below to above: each colour over all that is higher.
    pub(super) fn fill(&self, area: &Area, figure: &mut Figure) {
        let Some(colour) = self.filled else { return };
        let finite = || self.values.iter().copied().filter(|value| value.is_finite());
        let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        let inner = self.sorted_levels().into_iter().filter(|level| *level > low && *level < high);
        let floors: Vec<f64> = std::iter::once(low).chain(inner).collect();
        for (place, floor) in floors.iter().enumerate() {
            let ceiling = floors.get(place + 1).copied().unwrap_or(high);
            let rings = self.rings(*floor);
            let on_paper = |ring: &Vec<Point>| {
                let ring: Vec<Point> = ring.iter().map(|point| area.place(*point)).collect();
                if ring.iter().all(|p| p.0.is_finite() && p.1.is_finite()) { area.surface(&ring) } else { Vec::new() }
            };
            figure.surfaces(rings.iter().map(on_paper).collect(), colour(f64::midpoint(*floor, ceiling)), 1.0);
        }
    }

    /// Draws the lines.
    pub(super) fn draw(&self, area: &Area, figure: &mut Figure) {
        for level in self.sorted_levels() {
            for line in self.lines(level) {
                for piece in area.line(&line) {
                    figure.line(piece, Stroke::new(self.width, self.colour));
                }
            }
        }
    }

    fn sorted_levels(&self) -> Vec<f64> {
        let mut levels: Vec<f64> = self.levels.iter().copied().filter(|level| level.is_finite()).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        levels
    }

    /// The lines at a level, as long as they go.
    fn lines(&self, level: f64) -> Vec<Vec<Point>> {
        let whole = |row: i64, column: i64| {
            [(0, 0), (0, 1), (1, 0), (1, 1)].iter().all(|(r, c)| self.value(row + r, column + c).is_some())
        };
        let next = self.steps(level, (0, 0), whole);
        self.joined(next, level)
    }

    /// The borders of what is at least as high as a level. Beyond the grid all is lower, so that all of them close.
    fn rings(&self, level: f64) -> Vec<Vec<Point>> {
        let next = self.steps(level, (-1, -1), |_, _| true);
        self.joined(next, level)
    }

    /// From edge to edge through each cell, with what is high on the left.
    fn steps(&self, level: f64, from: (i64, i64), with: impl Fn(i64, i64) -> bool) -> BTreeMap<Edge, Edge> {
        let high = |row: i64, column: i64| self.value(row, column).is_some_and(|value| value >= level);
        let (rows, columns) = (self.rows as i64, self.columns as i64);
        let (last_row, last_column) = (rows - 2 - from.0, columns - 2 - from.1);
        let mut next = BTreeMap::new();
        for (row, column) in (from.0..=last_row).flat_map(|row| (from.1..=last_column).map(move |column| (row, column)))
        {
            if !with(row, column) {
                continue;
            }
            let corners = [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)];
            let is_high = corners.map(|(row, column)| high(row, column));
            let edges = [(row, column, true), (row, column + 1, false), (row + 1, column, true), (row, column, false)];
            // Around the cell, edge k lies between the corners k and k + 1. A border leaves the high ground where the
            // corners go from high to low and enters it where they go from low to high.
            let up: Vec<usize> = (0..4).filter(|&k| !is_high[k] && is_high[(k + 1) % 4]).collect();
            let down: Vec<usize> = (0..4).filter(|&k| is_high[k] && !is_high[(k + 1) % 4]).collect();
            match (up.as_slice(), down.as_slice()) {
                ([up], [down]) => {
                    next.insert(edges[*down], edges[*up]);
                }
                ([first, second], [..]) => {
                    // A saddle: the mean says whether the high corners are joined.
                    let values: Vec<f64> = corners.iter().filter_map(|c| self.value(c.0, c.1)).collect();
                    let joined = values.len() == 4 && values.iter().sum::<f64>() / 4.0 >= level;
                    for k in [*first, *second] {
                        // Corner k + 1 is high; its edges are k, up, and k + 1, down.
                        let down = if joined { (k + 3) % 4 } else { (k + 1) % 4 };
                        next.insert(edges[down], edges[k]);
                    }
                }
                _ => {}
            }
        }
        next
    }

    /// Steps one after another: first the lines with a beginning, then the closed ones.
    fn joined(&self, mut next: BTreeMap<Edge, Edge>, level: f64) -> Vec<Vec<Point>> {
        let ends: std::collections::BTreeSet<Edge> = next.values().copied().collect();
        let beginnings: Vec<Edge> = next.keys().copied().filter(|edge| !ends.contains(edge)).collect();
        let mut beginnings = beginnings.into_iter();
        let mut lines = Vec::new();
        while let Some(start) = beginnings.next().or_else(|| next.keys().next().copied()) {
            let mut line = vec![self.crossing(start, level)];
            let mut at = start;
            while let Some(edge) = next.remove(&at) {
                let point = self.crossing(edge, level);
                if line.last() != Some(&point) {
                    line.push(point);
                }
                at = edge;
            }
            lines.push(line);
        }
        lines
    }

    /// Where the level is on an edge: between its ends, or at the one that is there.
    fn crossing(&self, (row, column, along): Edge, level: f64) -> Point {
        let other = if along { (row, column + 1) } else { (row + 1, column) };
        let share = match (self.value(row, column), self.value(other.0, other.1)) {
            (Some(a), Some(b)) => ((level - a) / (b - a)).clamp(0.0, 1.0),
            (None, Some(_)) => 1.0,
            _ => 0.0,
        };
        let (row, column) =
            (row as f64 + if along { 0.0 } else { share }, column as f64 + if along { share } else { 0.0 });
        let at = |(low, high): (f64, f64), place: f64, count: usize| low + (high - low) * place / (count - 1) as f64;
        (at(self.x, column, self.columns), at(self.y, row, self.rows))
    }

    /// A value of the grid, if it is there and finite.
    fn value(&self, row: i64, column: i64) -> Option<f64> {
        let inside = (0..self.rows as i64).contains(&row) && (0..self.columns as i64).contains(&column);
        let value = inside.then(|| self.values[row as usize * self.columns + column as usize])?;
        value.is_finite().then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(side: usize) -> Contours {
        let value = |(x, y): Point| x * x + y * y;
        Contours { levels: vec![1.0], ..Contours::of((-2.0, 2.0), (-2.0, 2.0), side, side, 1, value) }
    }

    /// Twice the area inside of a ring is positive where it goes to the left.
    fn area(ring: &[Point]) -> f64 {
        ring.windows(2).map(|pair| pair[0].0 * pair[1].1 - pair[1].0 * pair[0].1).sum::<f64>() / 2.0
    }

    #[test]
    fn the_contour_of_a_circle_is_one_round_line() {
        let lines = circle(61).lines(1.0);
        assert_eq!(lines.len(), 1);
        let line = &lines[0];
        assert_eq!(line.first(), line.last());
        // Linear interpolation in cells of 1/15 is off by at most h²/4.
        assert!(line.iter().all(|(x, y)| (x.hypot(*y) - 1.0).abs() < 0.0012));
        assert!((area(line).abs() - std::f64::consts::PI).abs() < 0.01);
        // What is high is outside, and on the left: the line goes clockwise.
        assert!(area(line) < 0.0);
    }

    #[test]
    fn rings_close_at_the_border_and_around_holes() {
        let rings = circle(61).rings(1.0);
        let mut areas: Vec<f64> = rings.iter().map(|ring| area(ring)).collect();
        areas.sort_by(f64::total_cmp);
        assert!(rings.iter().all(|ring| ring.first() == ring.last()) && areas.len() == 2);
        assert!((areas[0] + std::f64::consts::PI).abs() < 0.01 && (areas[1] - 16.0).abs() < 1e-9, "{areas:?}");
        assert_eq!(circle(9).rings(100.0).len(), 0);
    }

    #[test]
    fn cells_that_are_not_there_are_left_out() {
        let mut contours = circle(61);
        contours.values.iter_mut().skip(30 * 61).take(61).for_each(|value| *value = f64::NAN);
        contours.values[0] = f64::INFINITY;
        let lines = contours.lines(1.0);
        assert_eq!(lines.len(), 2);
        // The row at y = 0 is gone, and the cells on both sides of it.
        assert!(lines.iter().flatten().all(|(x, y)| y.abs() > 0.06 && (x.hypot(*y) - 1.0).abs() < 0.0012));
        contours.values.fill(f64::NAN);
        assert!(contours.lines(1.0).is_empty() && contours.rings(1.0).is_empty());
    }

    #[test]
    fn saddles_are_joined_by_their_mean() {
        let saddle = |values: [f64; 4]| Contours {
            values: values.to_vec(),
            levels: vec![0.5],
            ..Contours::of((0.0, 1.0), (0.0, 1.0), 2, 2, 1, |_| 0.0)
        };
        // Corners 0 and 3 are high. Joined, the lines cut off the low corners.
        let near =
            |line: &[Point], corner: Point| line.iter().all(|p| (p.0 - corner.0).abs() + (p.1 - corner.1).abs() < 0.9);
        let joined = saddle([1.0, 0.2, 0.2, 1.0]).lines(0.5);
        assert!(joined.len() == 2 && joined.iter().any(|line| near(line, (1.0, 0.0))), "{joined:?}");
        let apart = saddle([0.8, 0.0, 0.0, 0.8]).lines(0.5);
        assert!(apart.len() == 2 && apart.iter().any(|line| near(line, (0.0, 0.0))), "{apart:?}");
    }
}
