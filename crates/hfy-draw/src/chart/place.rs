//! Words inside of a plot, where they cover the least.

use super::area::Area;
use super::mark::Mark;
use super::panel::Panel;
use super::words;
use crate::clip::Window;
use crate::font::{self, CAP_HEIGHT, DESCENT};
use crate::palette::{ALERT, INK, PAPER};
use crate::{Anchor, Figure, Point, TextStyle};

/// Draws the names of the marks, then the note, or what is wrong with the panel instead.
pub(super) fn draw(panel: &Panel, area: &Area, figure: &mut Figure) {
    let mut plot = Plot::new(panel, area);
    let style = TextStyle::new(11.0, INK).halo(PAPER);
    for mark in &panel.marks {
        let at = area.place(mark.at);
        if let Some(label) = mark.label.as_ref().filter(|_| area.window.contains(at)) {
            let (begin, window) = plot.beside(at, mark, label, &style);
            figure.text(begin, Anchor::Start, style, label.clone());
            plot.taken.push(window);
        }
    }
    let (text, colour) = match (panel.check(), &panel.note) {
        (Err(error), _) => (error.to_string(), ALERT),
        (Ok(()), Some(note)) => (note.clone(), words::note().colour),
        (Ok(()), None) => return,
    };
    let style = TextStyle { colour, ..words::note() };
    let lines = words::lines(&text, &style, 0.7 * area.size().0);
    let size = (words::width(&lines, &style), words::height(&lines, &style));
    let (corner, anchor) = plot.corner(size);
    figure.rectangle((corner.0 - 3.0, corner.1 - 1.0), (size.0 + 6.0, size.1 + 2.0), PAPER, 0.75);
    let x = if anchor == Anchor::End { corner.0 + size.0 } else { corner.0 };
    words::write(&lines, style, anchor, (x, corner.1), figure);
}

/// What is there already.
struct Plot {
    window: Window,
    /// Points on curves and bars, a few pixels apart.
    inked: Vec<Point>,
    /// Marks and words.
    taken: Vec<Window>,
}

impl Plot {
    fn new(panel: &Panel, area: &Area) -> Self {
        let mut inked = Vec::new();
        for curve in &panel.curves {
            let points: Vec<Point> = curve.points.iter().map(|point| area.place(*point)).collect();
            for piece in area.window.line(&points) {
                piece.windows(2).for_each(|ends| dot(ends[0], ends[1], &mut inked));
            }
            inked.extend(points.iter().filter(|point| area.window.contains(**point)));
        }
        for bars in &panel.bars {
            for bar in &bars.bars {
                for x in [bar.x - bars.width / 2.0, bar.x, bar.x + bars.width / 2.0] {
                    let ends = [area.place((x, bar.low.max(area.y.low))), area.place((x, bar.high))];
                    area.window.line(&ends).iter().for_each(|piece| dot(piece[0], piece[1], &mut inked));
                }
            }
        }
        let marks = panel.marks.iter().map(|mark| (area.place(mark.at), mark.size));
        let taken = marks.map(|((x, y), size)| Window::new((x - size / 2.0, y - size / 2.0), (size, size))).collect();
        Plot { window: area.window, inked, taken }
    }

    /// What would be covered: words and marks count for more than any curve.
    fn cost(&self, window: &Window) -> usize {
        let outside = !(self.window.contains(window.low) && self.window.contains(window.high));
        let words = self.taken.iter().filter(|other| other.overlaps(window)).count();
        let inked = self.inked.iter().filter(|point| window.contains(**point)).count();
        inked + 10_000 * words + 1_000_000 * usize::from(outside)
    }

    /// Where the name of a mark begins, and what it covers: on the side where that is the least.
    fn beside(&self, (x, y): Point, mark: &Mark, label: &str, style: &TextStyle) -> (Point, Window) {
        let (width, away) = (font::width(label, style), mark.size / 2.0 + 4.0);
        let (high, low) = (CAP_HEIGHT * style.size, DESCENT * style.size);
        let near = 0.6 * away;
        let (right, left, middle) = (x + away, x - away - width, x - width / 2.0);
        let places = [
            (right, y + high / 2.0),
            (left, y + high / 2.0),
            (middle, y - away),
            (middle, y + away + high),
            (x + near, y - near),
            (x - near - width, y - near),
            (x + near, y + near + high),
            (x - near - width, y + near + high),
        ];
        let cover = |at: Point| (at, Window::new((at.0 - 1.0, at.1 - high - 1.0), (width + 2.0, high + low + 1.0)));
        let [first, ..] = places;
        places.into_iter().map(cover).min_by_key(|(_, window)| self.cost(window)).unwrap_or(cover(first))
    }

    /// The corner in which a text of a size covers the least, and on which side its lines are even.
    fn corner(&self, (width, height): Point) -> (Point, Anchor) {
        const MARGIN: f64 = 6.0;
        let Window { low, high } = self.window;
        let (left, right) = (low.0 + MARGIN, high.0 - MARGIN - width);
        let (top, bottom) = (low.1 + MARGIN - 2.0, high.1 - MARGIN + 2.0 - height);
        let corners = [
            ((right, top), Anchor::End),
            ((left, top), Anchor::Start),
            ((right, bottom), Anchor::End),
            ((left, bottom), Anchor::Start),
        ];
        let cover = |(x, y): Point| Window::new((x - 4.0, y - 4.0), (width + 8.0, height + 8.0));
        corners.into_iter().min_by_key(|(corner, _)| self.cost(&cover(*corner))).unwrap_or(corners[0])
    }
}

/// Points along a line.
fn dot(a: Point, b: Point, dots: &mut Vec<Point>) {
    const STEP: f64 = 3.0;
    let count = ((b.0 - a.0).hypot(b.1 - a.1) / STEP).ceil().max(1.0);
    let at = |k: usize| (a.0 + (b.0 - a.0) * k as f64 / count, a.1 + (b.1 - a.1) * k as f64 / count);
    dots.extend((0..=count as usize).map(at));
}
