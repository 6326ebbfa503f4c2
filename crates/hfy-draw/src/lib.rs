//! Figures that are put down once and written twice: as SVG with real text, and as PNG that looks the same.
//!
//! [`Figure`] takes lines, surfaces, markers, texts and pictures. [`chart`] makes figures of numbers: panels with axes,
//! curves, bands, fields and contours, in a grid with a legend. Letters are DejaVu Sans; the font is compiled in, so
//! that texts can be measured ([`text_width`]) and nothing overlaps.
//!
//! ```
//! use hfy_draw::chart::{Axis, Curve, Grid, Panel, Style};
//!
//! let mut panel = Panel::new("Overlap", Axis::log2("patterns"), Axis::linear("overlap").within(0.0, 1.0));
//! let points = vec![(2.0, 1.0), (8.0, 0.9), (32.0, 0.2)];
//! panel.curves.push(Curve::new("sparsemax", Style::series(0), points));
//! let figure = Grid::new("Capacity", 1, vec![panel]).figure();
//! assert!(figure.svg().contains(">sparsemax</text>"));
//! assert_eq!(&figure.png()[1..4], b"PNG");
//! ```

pub mod chart;
mod clip;
mod error;
mod figure;
mod font;
pub mod html;
mod marker;
pub mod palette;
mod pixels;
mod png;
mod resample;
mod shape;
mod svg;
mod thin;

pub use error::{Error, Result};
pub use figure::Figure;
pub use font::text_width;
pub use marker::Marker;
pub use pixels::Pixels;
pub use shape::{Anchor, Dash, Stroke, TextStyle, Weight};

/// To the right and down, in CSS pixels. In a chart: along the x axis and along the y axis.
pub type Point = (f64, f64);

/// Red, green and blue.
pub type Colour = [u8; 3];
