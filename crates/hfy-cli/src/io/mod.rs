//! Reading for commands, whose notes people see, and writing.

pub(crate) mod distinct;
pub(crate) mod figure;
pub(crate) mod output;

pub(crate) use hfy_io::{Float, Form, Format, Kind, Options, Place, Rows, npz};
pub(crate) use output::Output;

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};
use crate::number::with_float;
use crate::terminal::{self, Watch};

/// Reads the rows of several sources, one after the other.
pub(crate) fn read_all(sources: &[String], options: impl Into<Options>) -> Result<Rows> {
    static STDIN_IS_TAKEN: AtomicBool = AtomicBool::new(false);
    let takes_stdin = sources.iter().any(|source| source == "-" || source == "@-");
    if takes_stdin && STDIN_IS_TAKEN.swap(true, Ordering::Relaxed) {
        return Err(Error::Usage("the standard input can be read only once".to_owned()));
    }
    let watch = Watch::new("reading", false).of("files");
    let mut rows = hfy_io::read_all_with(sources, &options.into(), |done, total| {
        // One file is no row of them, and Ctrl-C ends a program that only reads.
        if total > 1 {
            let _ = watch.hear(done, total);
        }
    })?;
    drop(watch);
    note_all(&mut rows);
    Ok(rows)
}

/// Reads patterns, of which pictures have a scale: where the files say none, the numbers do.
pub(crate) fn read_patterns(sources: &[String], options: impl Into<Options>) -> Result<Rows> {
    let mut rows = read_all(sources, options)?;
    rows.settle_scale();
    note_all(&mut rows);
    Ok(rows)
}

/// Says what a reader left out or interpreted.
pub(crate) fn note_all(rows: &mut Rows) {
    rows.notes.drain(..).for_each(|note| terminal::note(&note));
}

/// Names the first entry that is no finite number, which every entry of `what` has to be.
pub(crate) fn check_finite(rows: &Rows, what: &str) -> Result<()> {
    with_float!(rows.float(), T => {
        let matrix = rows.matrix::<T>();
        match matrix.indexed_iter().find(|(_, value)| !value.is_finite()) {
            None => Ok(()),
            Some(((row, column), value)) => {
                Err(rows.wrong_at(row, column, format!("{value}: {what} must be finite")).into())
            }
        }
    })
}

/// Errors of the library, said of files.
pub(crate) trait Blame {
    /// An error of the library about these rows, with the file, the row and the column.
    fn wrong(&self, error: hfy::Error) -> Error;

    /// The same for queries, where an entry of the scores is a pattern and no column.
    fn wrong_query(&self, error: hfy::Error) -> Error;
}

impl Blame for Rows {
    fn wrong(&self, error: hfy::Error) -> Error {
        match error {
            hfy::Error::Entry { row: Some(row), index, value, rule, .. } => {
                self.wrong_at(row, index, format!("{value}: {rule}")).into()
            }
            hfy::Error::Interrupted { .. } => Error::Library(error),
            other => Error::data(self.file(), other),
        }
    }

    fn wrong_query(&self, error: hfy::Error) -> Error {
        match error {
            hfy::Error::Entry { argument: "scores", .. } => Error::data(self.file(), error),
            error => self.wrong(error),
        }
    }
}
