//! What is shown to a person: colours, tables, pictures, progress.

mod interrupt;
mod picture;
mod progress;
mod speech;
mod style;
mod table;

pub(crate) use interrupt::{Unfinished, handle_interrupts};
pub(crate) use picture::{Thumb, side_by_side};
pub(crate) use progress::{Watch, stop_here};
pub(crate) use speech::{error, misuse, note, set_speech};
pub(crate) use style::Style;
pub(crate) use table::{Align, Table, number};
