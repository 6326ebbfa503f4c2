//! Words inside of a plot, where they cover the least.

use super::area::Area;
use super::panel::Panel;
use super::words;
use crate::clip::Window;
use crate::font::{self, CAP_HEIGHT, DESCENT};
use crate::palette::{ALERT, INK, PAPER};
use crate::{Anchor, Figure, Point, TextStyle};

/// Draws the names of the marks, then the note, or what is wrong with the panel instead.
pub(super) fn draw(panel: &Panel, area: &Area, figure: &mut Figure) {
    let mut taken = names(panel, area, figure);
    taken.extend(panel.marks.iter().map(|mark| around(area.place(mark.at), mark.size)));
    let (text, colour) = match (panel.check(), &panel.note) {
        (Err(error), _) => (error.to_string(), ALERT),
        (Ok(()), Some(note)) => (note.clone(), words::note().colour),
        (Ok(()), None) => return,
    };
    let style = TextStyle { colour, ..words::note() };
    let lines = words::lines(&text, &style, 0.7 * area.size().0);
    let size = (words::width(&lines, &style), words::height(&lines, &style));
    let (corner, anchor) = free_corner(panel, area, size, &taken);
    figure.rectangle((corner.0 - 3.0, corner.1 - 1.0), (size.0 + 6.0, size.1 + 2.0), PAPER, 0.75);
    let x = if anchor == Anchor::End { corner.0 + size.0 } else { corner.0 };
    words::write(&lines, style, anchor, (x, corner.1), figure);
}

fn around((x, y): Point, size: f64) -> Window {
    Window::new((x - size / 2.0, y - size / 2.0), (size, size))
}

/// Writes each name beside its mark, on the first side where it is inside and on nothing else, and says what it covers.
fn names(panel: &Panel, area: &Area, figure: &mut Figure) -> Vec<Window> {
    let style = TextStyle::new(11.0, INK).halo(PAPER);
    let mut taken: Vec<Window> = Vec::new();
    for mark in &panel.marks {
        let (x, y) = area.place(mark.at);
        let Some(label) = mark.label.as_ref().filter(|_| area.window.contains((x, y))) else { continue };
        let (width, away) = (font::width(label, &style), mark.size / 2.0 + 4.0);
        let (high, low) = (CAP_HEIGHT * style.size, DESCENT * style.size);
        let diagonal = 0.6 * away;
        // The beginning of its line, on all sides.
        let places = [
            (x + away, y + high / 2.0),
            (x - away - width, y + high / 2.0),
            (x - width / 2.0, y - away),
            (x - width / 2.0, y + away + high),
            (x + diagonal, y - diagonal),
            (x - diagonal - width, y - diagonal),
            (x + diagonal, y + diagonal + high),
            (x - diagonal - width, y + diagonal + high),
        ];
        let cover = |at: Point| Window::new((at.0 - 1.0, at.1 - high - 1.0), (width + 2.0, high + low + 2.0));
        let free = |at: &Point| {
            let cover = cover(*at);
            let others = panel.marks.iter().filter(|other| !std::ptr::eq(*other, mark));
            area.window.contains(cover.low)
                && area.window.contains(cover.high)
                && !taken.iter().any(|window| window.overlaps(&cover))
                && !others.map(|other| around(area.place(other.at), other.size)).any(|w| w.overlaps(&cover))
        };
        let at = places.into_iter().find(free).unwrap_or(places[0]);
        figure.text(at, Anchor::Start, style, label.clone());
        taken.push(cover(at));
    }
    taken
}

/// The corner in which a text of a size covers the least of curves, bars and other words.
fn free_corner(panel: &Panel, area: &Area, (width, height): Point, taken: &[Window]) -> (Point, Anchor) {
    const MARGIN: f64 = 6.0;
    const STEP: f64 = 3.0;
    let Window { low, high } = area.window;
    let (left, right) = (low.0 + MARGIN, high.0 - MARGIN - width);
    let (top, bottom) = (low.1 + MARGIN - 2.0, high.1 - MARGIN + 2.0 - height);
    let corners = [
        ((right, top), Anchor::End),
        ((left, top), Anchor::Start),
        ((right, bottom), Anchor::End),
        ((left, bottom), Anchor::Start),
    ];
    let mut inked: Vec<Point> = Vec::new();
    for curve in &panel.curves {
        let points: Vec<Point> = curve.points.iter().map(|point| area.place(*point)).collect();
        for piece in area.window.line(&points) {
            for pair in piece.windows(2) {
                let length = (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
                let count = (length / STEP).ceil().max(1.0);
                let at = |k: usize| {
                    let share = k as f64 / count;
                    (pair[0].0 + share * (pair[1].0 - pair[0].0), pair[0].1 + share * (pair[1].1 - pair[0].1))
                };
                inked.extend((0..=count as usize).map(at));
            }
        }
    }
    for bars in &panel.bars {
        for bar in &bars.bars {
            let ((x, top), bottom) = (area.place((bar.x, bar.high)), area.place((bar.x, bar.low)).1);
            let bottom = if bottom.is_finite() { bottom.min(high.1) } else { high.1 };
            let count = ((bottom - top.max(low.1)) / STEP).max(0.0) as usize;
            inked.extend((0..=count).map(|k| (x, top.max(low.1) + k as f64 * STEP)));
        }
    }
    let cost = |corner: Point| {
        let window = Window::new((corner.0 - 4.0, corner.1 - 4.0), (width + 8.0, height + 8.0));
        let words = taken.iter().filter(|other| other.overlaps(&window)).count();
        inked.iter().filter(|point| window.contains(**point)).count() + 1000 * words
    };
    corners.into_iter().min_by_key(|(corner, _)| cost(*corner)).unwrap_or(corners[0])
}
