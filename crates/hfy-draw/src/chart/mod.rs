//! Figures of numbers: panels with axes, in a grid with a legend.
//!
//! A [`Panel`] holds what is plotted, in the units of its axes: curves with bands, bars, a coloured field, contours and
//! marks. A [`Grid`] puts panels side by side and makes the [`Figure`](crate::Figure). Margins come from measured
//! texts.

mod area;
mod axis;
mod bars;
mod cell;
mod contours;
mod curve;
mod field;
mod grid;
mod legend;
mod mark;
mod panel;
mod place;
mod plot;
mod span;
mod style;
mod ticks;
mod words;

pub use axis::{Axis, Scale};
pub use bars::{Bar, Bars};
pub use contours::Contours;
pub use curve::Curve;
pub use field::Field;
pub use grid::Grid;
pub use legend::Legend;
pub use mark::Mark;
pub use panel::Panel;
pub use style::Style;
