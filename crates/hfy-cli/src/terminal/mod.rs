//! What is shown to a person: colours, tables, pictures, progress.

mod picture;
mod progress;
mod style;
mod table;

pub(crate) use picture::{Thumb, side_by_side};
pub(crate) use progress::Watch;
pub(crate) use style::Style;
pub(crate) use table::{Align, Table, number};
