//! What the styles mean.

use super::panel::{Panel, draw_sample};
use super::style::Style;
use super::words;
use crate::font::{self, CAP_HEIGHT};
use crate::{Anchor, Colour, Figure, Point};

/// Where the legend stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Legend {
    /// Below all panels.
    #[default]
    Below,
    /// To the right of all panels.
    Right,
    /// Nowhere.
    None,
}

/// A sample of a style.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sample {
    Curve { style: Style, band: bool },
    Bars(Colour),
}

/// A name with all the styles in which it is drawn.
#[derive(Debug, Clone)]
struct Entry {
    name: String,
    samples: Vec<Sample>,
}

const SAMPLE: f64 = 26.0;
const BETWEEN_SAMPLES: f64 = 6.0;
const BEFORE_NAME: f64 = 6.0;
const BETWEEN_COLUMNS: f64 = 20.0;
const LINE: f64 = 17.0;

impl Entry {
    fn width(&self) -> f64 {
        let samples = self.samples.len() as f64;
        let name = font::width(&self.name, &words::tick_label());
        samples * SAMPLE + (samples - 1.0) * BETWEEN_SAMPLES + BEFORE_NAME + name
    }

    fn draw(&self, (mut x, y): Point, figure: &mut Figure) {
        for sample in &self.samples {
            match sample {
                Sample::Curve { style, band } => draw_sample(style, *band, (x, y), SAMPLE, figure),
                Sample::Bars(colour) => figure.rectangle((x + SAMPLE / 2.0 - 6.0, y - 5.0), (12.0, 10.0), *colour, 1.0),
            }
            x += SAMPLE + BETWEEN_SAMPLES;
        }
        let style = words::tick_label();
        let at = (x - BETWEEN_SAMPLES + BEFORE_NAME, y + CAP_HEIGHT * style.size / 2.0);
        figure.text(at, Anchor::Start, style, self.name.clone());
    }
}

/// Entries in rows and columns.
#[derive(Debug)]
pub(super) struct Table {
    entries: Vec<Entry>,
    /// How wide each column is.
    columns: Vec<f64>,
    rows: usize,
}

impl Table {
    /// Each name of the panels once, in as many columns as fit into a width.
    pub(super) fn below(panels: &[Panel], width: f64) -> Self {
        let entries = entries(panels);
        let widths = |count: usize| {
            let mut columns = vec![0.0f64; count];
            entries.iter().enumerate().for_each(|(k, e)| columns[k % count] = columns[k % count].max(e.width()));
            columns
        };
        let fits = |count: &usize| total(&widths(*count)) <= width;
        let most = (1..=entries.len()).rev().find(fits).unwrap_or(1);
        let rows = entries.len().div_ceil(most);
        // As many columns as the rows need, so that the last row is not left with one entry.
        let columns = if rows > 0 { widths(entries.len().div_ceil(rows)) } else { Vec::new() };
        Table { entries, columns, rows }
    }

    /// Each name of the panels once, in one column or in as many as a height needs.
    pub(super) fn right(panels: &[Panel], height: f64) -> Self {
        let entries = entries(panels);
        let count = entries.len().div_ceil(((height / LINE) as usize).max(1)).max(1);
        let mut columns = vec![0.0f64; count.min(entries.len())];
        entries.iter().enumerate().for_each(|(k, e)| columns[k % count] = columns[k % count].max(e.width()));
        let rows = entries.len().div_ceil(count);
        Table { entries, columns, rows }
    }

    pub(super) fn size(&self) -> Point {
        (total(&self.columns), self.rows as f64 * LINE)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn draw(&self, (left, top): Point, figure: &mut Figure) {
        for (k, entry) in self.entries.iter().enumerate() {
            let (row, column) = (k / self.columns.len(), k % self.columns.len());
            let before: f64 = self.columns[..column].iter().map(|width| width + BETWEEN_COLUMNS).sum();
            entry.draw((left + before, top + (row as f64 + 0.5) * LINE), figure);
        }
    }
}

fn total(columns: &[f64]) -> f64 {
    columns.iter().sum::<f64>() + BETWEEN_COLUMNS * columns.len().saturating_sub(1) as f64
}

fn entries(panels: &[Panel]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut add = |name: &str, sample: Sample| {
        if name.trim().is_empty() {
            return;
        }
        match entries.iter_mut().find(|entry| entry.name == name) {
            Some(entry) if entry.samples.contains(&sample) => {}
            Some(entry) => entry.samples.push(sample),
            None => entries.push(Entry { name: name.to_owned(), samples: vec![sample] }),
        }
    };
    let banded = |name: &str| panels.iter().flat_map(|p| &p.curves).any(|c| c.name == name && c.band.is_some());
    for panel in panels {
        for bars in &panel.bars {
            add(&bars.name, Sample::Bars(bars.colour));
        }
        for curve in &panel.curves {
            add(&curve.name, Sample::Curve { style: curve.style, band: banded(&curve.name) });
        }
    }
    entries
}
