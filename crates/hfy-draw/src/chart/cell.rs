//! A panel in its place in a grid: its words, and the margins that they need.

use super::area::Area;
use super::panel::Panel;
use super::span::Span;
use super::{Axis, place, plot, ticks, words};
use crate::clip::Window;
use crate::font::{self, CAP_HEIGHT};
use crate::{Anchor, Figure, Point};

/// From the frame to the numbers at its ticks.
const TO_NUMBERS: f64 = 6.0;
/// From the numbers to the name of the axis.
const TO_NAME: f64 = 3.0;
/// From the frame to the title.
const TO_TITLE: f64 = 4.0;

/// A panel with all that its margins depend on.
pub(super) struct Cell<'a> {
    pub(super) panel: &'a Panel,
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) x: Span,
    pub(super) y: Span,
    pub(super) x_ticks: Vec<(f64, String)>,
    pub(super) y_ticks: Vec<(f64, String)>,
    /// Whether numbers stand at the ticks of each axis.
    pub(super) numbers: (bool, bool),
    pub(super) title: Vec<String>,
    pub(super) x_name: Vec<String>,
    pub(super) y_name: Vec<String>,
    /// The plotting area in the place that every panel has.
    pub(super) window: Window,
    /// The size of that place.
    pub(super) size: Point,
}

impl Cell<'_> {
    /// What it needs at the left of its place.
    pub(super) fn left(&self) -> f64 {
        let beside = self.numbers_width() + self.name_room(&self.y_name) - self.window.low.0;
        let numbers = self.x_numbers().map(|(at, width)| width / 2.0 - at);
        numbers.fold(beside, f64::max).max(self.overhang())
    }

    /// What it needs at the right.
    pub(super) fn right(&self) -> f64 {
        let numbers = self.x_numbers().map(|(at, width)| at + width / 2.0 - self.size.0);
        numbers.fold(0.0, f64::max).max(self.overhang())
    }

    /// What it needs above.
    pub(super) fn above(&self) -> f64 {
        let title = words::height(&self.title, &words::panel_title());
        let words = if title > 0.0 { title + TO_TITLE } else { CAP_HEIGHT * words::tick_label().size / 2.0 };
        (words - self.window.low.1).max(self.y_overhang())
    }

    /// What it needs below.
    pub(super) fn below(&self) -> f64 {
        let numbers = self.numbers_height().max(CAP_HEIGHT * words::tick_label().size / 2.0);
        (numbers + self.name_room(&self.x_name) - (self.size.1 - self.window.high.1)).max(self.y_overhang())
    }

    /// By how much a word of the title or of the name of the x axis is wider than the place, on each side.
    fn overhang(&self) -> f64 {
        let title = words::width(&self.title, &words::panel_title());
        let name = words::width(&self.x_name, &words::axis_label());
        ((title.max(name) - self.size.0) / 2.0).max(0.0)
    }

    fn y_overhang(&self) -> f64 {
        ((words::width(&self.y_name, &words::axis_label()) - self.size.1) / 2.0).max(0.0)
    }

    /// Where the numbers below are and how wide they are.
    fn x_numbers(&self) -> impl Iterator<Item = (f64, f64)> {
        let shown = self.x_ticks.iter().filter(|_| self.numbers.0);
        let across = self.window.high.0 - self.window.low.0;
        let at = move |value: f64| self.window.low.0 + self.x.share(value) * across;
        let inside = shown.filter(|tick| (0.0..=1.0).contains(&self.x.share(tick.0)));
        inside.map(move |(value, text)| (at(*value), font::width(text, &words::tick_label())))
    }

    /// The room of the numbers at the left.
    fn numbers_width(&self) -> f64 {
        let widths = self.y_ticks.iter().map(|tick| font::width(&tick.1, &words::tick_label()));
        if self.numbers.1 { widths.fold(0.0, f64::max) + TO_NUMBERS } else { TO_NUMBERS }
    }

    /// The room of the numbers below.
    fn numbers_height(&self) -> f64 {
        if self.numbers.0 { words::LEADING * words::tick_label().size + TO_NUMBERS - 1.0 } else { 0.0 }
    }

    /// The room of the name of an axis.
    fn name_room(&self, name: &[String]) -> f64 {
        if name.is_empty() { 0.0 } else { words::height(name, &words::axis_label()) + TO_NAME }
    }

    /// Draws the panel with the corner of its place here.
    pub(super) fn draw(&self, (x, y): Point, figure: &mut Figure) {
        let Window { low, high } = self.window;
        let window = Window::new((x + low.0, y + low.1), (high.0 - low.0, high.1 - low.1));
        let area = Area { window, x: self.x, y: self.y };
        plot::draw(self.panel, &area, &self.x_ticks, &self.y_ticks, figure);
        place::draw(self.panel, &area, figure);
        self.draw_numbers(&area, figure);
        let Window { low, high } = window;
        let middle = (f64::midpoint(low.0, high.0), f64::midpoint(low.1, high.1));
        let title = low.1 - TO_TITLE - words::height(&self.title, &words::panel_title());
        words::write(&self.title, words::panel_title(), Anchor::Middle, (middle.0, title), figure);
        let name = high.1 + self.numbers_height() + TO_NAME;
        words::write(&self.x_name, words::axis_label(), Anchor::Middle, (middle.0, name), figure);
        let name = low.0 - self.numbers_width() - self.name_room(&self.y_name);
        words::write(&self.y_name, words::axis_label().turned(), Anchor::Middle, (name, middle.1), figure);
    }

    /// The numbers at ticks. One that would touch the one before is left out.
    fn draw_numbers(&self, area: &Area, figure: &mut Figure) {
        let style = words::tick_label();
        let Window { low, high } = area.window;
        let half = CAP_HEIGHT * style.size / 2.0;
        let mut free = f64::NEG_INFINITY;
        for (value, text) in self.x_ticks.iter().filter(|_| self.numbers.0) {
            let (x, width) = (area.place((*value, self.y.low)).0, font::width(text, &style));
            if area.window.contains((x, high.1)) && x - width / 2.0 >= free {
                let y = high.1 + TO_NUMBERS - 1.0 + words::LEADING * style.size / 2.0 + half;
                figure.text((x, y), Anchor::Middle, style, text.clone());
                free = x + width / 2.0 + 4.0;
            }
        }
        let mut free = f64::INFINITY;
        for (value, text) in self.y_ticks.iter().filter(|_| self.numbers.1) {
            let y = area.place((self.x.low, *value)).1;
            if area.window.contains((low.0, y)) && y <= free {
                figure.text((low.0 - TO_NUMBERS, y + half), Anchor::End, style, text.clone());
                free = y - style.size;
            }
        }
    }
}

/// The ticks of an x axis: as many as have room for their numbers.
pub(super) fn across(axis: &Axis, span: &Span, width: f64) -> Vec<(f64, String)> {
    let fits = |ticks: &[(f64, String)]| {
        ticks.windows(2).all(|pair| {
            let apart = (span.share(pair[1].0) - span.share(pair[0].0)) * width;
            let label = |text: &str| font::width(text, &words::tick_label());
            apart >= f64::midpoint(label(&pair[0].1), label(&pair[1].1)) + 10.0
        })
    };
    if let Some(ticks) = &axis.ticks {
        return sorted(ticks);
    }
    let found = (2..=8).rev().map(|most| ticks::ticks(span, most)).find(|ticks| fits(ticks));
    found.unwrap_or_default()
}

/// The ticks of a y axis: one for every few lines of text.
pub(super) fn upwards(axis: &Axis, span: &Span, height: f64) -> Vec<(f64, String)> {
    const APART: f64 = 31.0;
    axis.ticks.as_deref().map_or_else(|| ticks::ticks(span, ((height / APART) as usize).min(7)), sorted)
}

fn sorted(ticks: &[(f64, String)]) -> Vec<(f64, String)> {
    let mut ticks = ticks.to_vec();
    ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
    ticks
}
