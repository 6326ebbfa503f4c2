//! What the styles mean.

use super::panel::Panel;
use super::plot::{draw_sample, draw_swatch};
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

/// How wide a piece of a line is, and of a surface where all are surfaces.
const SAMPLE: f64 = 26.0;
const SWATCH: f64 = 13.0;
const BETWEEN_SAMPLES: f64 = 6.0;
const BEFORE_NAME: f64 = 6.0;
const BETWEEN_COLUMNS: f64 = 20.0;
const LINE: f64 = 17.0;

impl Entry {
    fn width(&self, sample: f64) -> f64 {
        let samples = self.samples.len() as f64;
        let name = font::width(&self.name, &words::tick_label());
        samples * sample + (samples - 1.0) * BETWEEN_SAMPLES + BEFORE_NAME + name
    }

    fn draw(&self, (mut x, y): Point, width: f64, figure: &mut Figure) {
        for sample in &self.samples {
            match sample {
                Sample::Curve { style, band } => draw_sample(style, *band, (x, y), width, figure),
                Sample::Bars(colour) => draw_swatch(*colour, (x, y), width, figure),
            }
            x += width + BETWEEN_SAMPLES;
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
    /// How wide each sample is.
    sample: f64,
}

impl Table {
    /// Each name of the panels once, in as many columns as fit into a width.
    pub(super) fn below(panels: &[Panel], width: f64) -> Self {
        let entries = entries(panels);
        let fits = |count: &usize| total(&columns(&entries, *count)) <= width;
        let most = (1..=entries.len()).rev().find(fits).unwrap_or(1);
        // As many columns as the rows need, so that the last row is not left with one entry.
        let count = entries.len().div_ceil(entries.len().div_ceil(most).max(1));
        Table::new(entries, count)
    }

    /// Each name of the panels once, in one column or in as many as a height needs.
    pub(super) fn right(panels: &[Panel], height: f64) -> Self {
        let entries = entries(panels);
        let count = entries.len().div_ceil(((height / LINE) as usize).max(1));
        Table::new(entries, count)
    }

    fn new(entries: Vec<Entry>, count: usize) -> Self {
        let (columns, sample) = (columns(&entries, count), sample(&entries));
        Table { rows: entries.len().div_ceil(count.max(1)), entries, columns, sample }
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
            entry.draw((left + before, top + (row as f64 + 0.5) * LINE), self.sample, figure);
        }
    }
}

/// How wide columns are if there are so many.
fn columns(entries: &[Entry], count: usize) -> Vec<f64> {
    let (mut columns, sample) = (vec![0.0f64; count], sample(entries));
    for (k, entry) in entries.iter().enumerate() {
        columns[k % count] = columns[k % count].max(entry.width(sample));
    }
    columns
}

/// Names stand under one another, so that all samples are as wide as the widest.
fn sample(entries: &[Entry]) -> f64 {
    let surface = |sample: &Sample| match sample {
        Sample::Bars(_) => true,
        Sample::Curve { style, .. } => style.width <= 0.0,
    };
    if entries.iter().flat_map(|entry| &entry.samples).all(surface) { SWATCH } else { SAMPLE }
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
