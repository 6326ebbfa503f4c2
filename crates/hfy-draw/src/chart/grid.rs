//! Panels side by side.

use super::cell::{Cell, across, upwards};
use super::legend::{Legend, Table};
use super::panel::Panel;
use super::span::Span;
use super::words;
use crate::clip::Window;
use crate::{Anchor, Figure, Point};

/// Around the whole figure.
const PAPER_MARGIN: f64 = 10.0;
/// Between panels, beside their own words.
const BETWEEN: f64 = 16.0;
/// From one word to another.
const GAP: f64 = 5.0;

/// Panels in rows and columns, with one legend.
#[derive(Debug, Clone)]
pub struct Grid {
    /// What stands above all of it.
    pub title: String,
    /// How many panels stand side by side.
    pub columns: usize,
    /// The panels, row after row.
    pub panels: Vec<Panel>,
    /// The size of the plotting area of each panel.
    pub panel_size: Point,
    /// What stands at the left of each row, turned.
    pub row_labels: Vec<String>,
    /// Whether the panels of a column have one x axis, with numbers below the last of them alone.
    pub shared_x: bool,
    /// Whether the panels of a row have one y axis, with numbers at the left of the first of them alone.
    pub shared_y: bool,
    /// Where the legend stands.
    pub legend: Legend,
}

impl Grid {
    /// Panels with plotting areas of 260 x 190 and the legend below.
    pub fn new(title: impl Into<String>, columns: usize, panels: Vec<Panel>) -> Self {
        Grid {
            title: title.into(),
            columns,
            panels,
            panel_size: (260.0, 190.0),
            row_labels: Vec::new(),
            shared_x: false,
            shared_y: false,
            legend: Legend::Below,
        }
    }

    /// The figure.
    ///
    /// A panel that [`Panel::check`] does not pass is drawn without what is wrong, which is written into it instead.
    pub fn figure(&self) -> Figure {
        let cells = self.cells();
        let (columns, rows) = (self.column_count(), self.panels.len().div_ceil(self.column_count()));
        let most = |count: usize, of: &dyn Fn(&Cell<'_>) -> (usize, f64)| {
            let mut most = vec![0.0f64; count];
            cells.iter().map(of).for_each(|(place, length)| most[place] = most[place].max(length));
            most
        };
        let left = most(columns, &|cell| (cell.column, cell.left()));
        let right = most(columns, &|cell| (cell.column, cell.right()));
        let above = most(rows, &|cell| (cell.row, cell.above()));
        let below = most(rows, &|cell| (cell.row, cell.below()));

        let row_style = words::panel_title().turned();
        let row_labels: Vec<Vec<String>> =
            self.row_labels.iter().take(rows).map(|label| words::lines(label, &row_style, self.size().1)).collect();
        let labels = row_labels.iter().map(|label| words::height(label, &row_style)).fold(0.0, f64::max);
        let labels = if labels > 0.0 { labels + 2.0 * GAP } else { 0.0 };
        let start = PAPER_MARGIN + labels;
        let lefts = places(start, &left, &right, self.size().0);
        let grid_right = lefts.last().map_or(start, |x| x + self.size().0) + right.last().copied().unwrap_or(0.0);

        let heading = words::lines(&self.title, &words::heading(), (grid_right - PAPER_MARGIN).max(200.0));
        let heading_height = if heading.is_empty() { 0.0 } else { words::height(&heading, &words::heading()) + GAP };
        let tops = places(PAPER_MARGIN + heading_height, &above, &below, self.size().1);
        let grid_bottom = tops.last().map_or(PAPER_MARGIN + heading_height, |y| y + self.size().1)
            + below.last().copied().unwrap_or(0.0);

        let table = match self.legend {
            Legend::None => None,
            Legend::Below => Some(Table::below(&self.panels, grid_right - PAPER_MARGIN)),
            Legend::Right => Some(Table::right(&self.panels, grid_bottom - PAPER_MARGIN - heading_height)),
        };
        let table = table.filter(|table| !table.is_empty());
        let table_size = table.as_ref().map_or((0.0, 0.0), Table::size);
        let heading_width = words::width(&heading, &words::heading());
        let (mut width, mut height) = (grid_right.max(PAPER_MARGIN + heading_width), grid_bottom);
        let table_corner = if self.legend == Legend::Right {
            width = width.max(grid_right + BETWEEN + table_size.0);
            (grid_right + BETWEEN, tops.first().copied().unwrap_or(PAPER_MARGIN))
        } else {
            width = width.max(PAPER_MARGIN + table_size.0);
            height += if table.is_some() { 2.0 * GAP + table_size.1 } else { 0.0 };
            // Below the plots, not below the numbers beside them, where there is room.
            let middle = f64::midpoint(lefts.first().copied().unwrap_or(start), grid_right);
            let corner = (middle - table_size.0 / 2.0).min(width - table_size.0).max(PAPER_MARGIN);
            (corner, grid_bottom + 2.0 * GAP)
        };
        height = height.max(table_corner.1 + table_size.1);
        let mut figure = Figure::new(self.description(), width + PAPER_MARGIN, height + PAPER_MARGIN);
        let middle = (width + PAPER_MARGIN) / 2.0;
        words::write(&heading, words::heading(), Anchor::Middle, (middle, PAPER_MARGIN), &mut figure);
        for (label, top) in row_labels.iter().zip(&tops) {
            words::write(label, row_style, Anchor::Middle, (PAPER_MARGIN, top + self.size().1 / 2.0), &mut figure);
        }
        for cell in &cells {
            cell.draw((lefts[cell.column], tops[cell.row]), &mut figure);
        }
        if let Some(table) = table {
            table.draw(table_corner, &mut figure);
        }
        figure
    }

    /// For those who cannot see it.
    fn description(&self) -> String {
        let titles = self.panels.iter().map(|panel| panel.title.as_str());
        let titles: Vec<&str> = titles.filter(|title| !title.is_empty()).collect();
        match (self.title.is_empty(), titles.is_empty()) {
            (true, _) => titles.join("; "),
            (false, true) => self.title.clone(),
            (false, false) => format!("{}: {}", self.title, titles.join("; ")),
        }
    }

    fn column_count(&self) -> usize {
        self.columns.clamp(1, self.panels.len().max(1))
    }

    /// The size of the plotting area, at least large enough for a frame.
    fn size(&self) -> Point {
        let side = |side: f64| if side.is_finite() { side.max(20.0) } else { 20.0 };
        (side(self.panel_size.0), side(self.panel_size.1))
    }

    fn cells(&self) -> Vec<Cell<'_>> {
        let columns = self.column_count();
        let place = |k: usize| (k / columns, k % columns);
        let spans: Vec<(Span, Span)> = self.panels.iter().map(spans).collect();
        let all = 0..self.panels.len();
        let cell = |k: usize| {
            let (panel, (row, column)) = (&self.panels[k], place(k));
            let column_mates: Vec<usize> = all.clone().filter(|other| place(*other).1 == column).collect();
            let row_mates: Vec<usize> = all.clone().filter(|other| place(*other).0 == row).collect();
            let x = if self.shared_x { shared(&column_mates, |other| spans[other].0) } else { None };
            let y = if self.shared_y { shared(&row_mates, |other| spans[other].1) } else { None };
            // Numbers and names that the panel at the edge has are not said again.
            let (last, first) = (column_mates.last().copied().unwrap_or(k), row_mates.first().copied().unwrap_or(k));
            let numbers = (x.is_none() || k == last, y.is_none() || k == first);
            let name_x = numbers.0 || panel.x.label != self.panels[last].x.label;
            let name_y = numbers.1 || panel.y.label != self.panels[first].y.label;
            let axis_x = if x.is_some() { &self.panels[last].x } else { &panel.x };
            let axis_y = if y.is_some() { &self.panels[first].y } else { &panel.y };
            let (x, y) = (x.unwrap_or(spans[k].0), y.unwrap_or(spans[k].1));
            let window = self.window(panel.equal, &x, &y);
            let size = (window.high.0 - window.low.0, window.high.1 - window.low.1);
            let text = |text: &str, style, width, shown: bool| {
                if shown { words::lines(text, &style, width) } else { Vec::new() }
            };
            Cell {
                panel,
                row,
                column,
                x,
                y,
                x_ticks: across(axis_x, &x, size.0),
                y_ticks: upwards(axis_y, &y, size.1),
                numbers,
                title: text(&panel.title, words::panel_title(), self.size().0, true),
                x_name: text(&panel.x.label, words::axis_label(), self.size().0, name_x),
                y_name: text(&panel.y.label, words::axis_label(), self.size().1, name_y),
                window,
                size: self.size(),
            }
        };
        all.clone().map(cell).collect()
    }

    /// The plotting area inside of the place of a panel: all of it, or the largest in which both units are the same.
    fn window(&self, equal: bool, x: &Span, y: &Span) -> Window {
        let (width, height) = self.size();
        let ratio = (y.length() / x.length()) / (height / width);
        if !equal || !ratio.is_finite() || ratio <= 0.0 {
            return Window::new((0.0, 0.0), (width, height));
        }
        // No side becomes so short that it cannot be read.
        let size = if ratio > 1.0 { ((width / ratio).max(20.0), height) } else { (width, (height * ratio).max(20.0)) };
        Window::new(((width - size.0) / 2.0, (height - size.1) / 2.0), size)
    }
}

/// Where plotting areas begin that have room before and after them.
fn places(start: f64, before: &[f64], after: &[f64], length: f64) -> Vec<f64> {
    let mut at = start;
    let next = |(before, after): (&f64, &f64)| {
        let place = at + before;
        at = place + length + after + BETWEEN;
        place
    };
    before.iter().zip(after).map(next).collect()
}

fn spans(panel: &Panel) -> (Span, Span) {
    let (x, y) = panel.values();
    (Span::of(&panel.x, &x, panel.is_tight()), Span::of(&panel.y, &y, panel.is_tight()))
}

/// The span that holds all of some panels, if they have one scale.
fn shared(panels: &[usize], span: impl Fn(usize) -> Span) -> Option<Span> {
    let mut spans = panels.iter().map(|panel| span(*panel));
    let first = spans.next()?;
    spans.try_fold(first, |all, span| (span.scale == all.scale).then(|| all.with(span)))
}
