use crate::error::{Result, check_len};

/// The map of every row, or one for each.
#[derive(Debug)]
pub(crate) enum Maps<'a, F: ?Sized> {
    One(&'a F),
    Each(&'a [&'a F]),
}

impl<F: ?Sized> Clone for Maps<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: ?Sized> Copy for Maps<'_, F> {}

impl<'a, F: ?Sized> Maps<'a, F> {
    /// The map of a row.
    pub(crate) fn of(&self, row: usize) -> &'a F {
        match self {
            Maps::One(map) => map,
            Maps::Each(maps) => maps[row],
        }
    }

    /// Fails unless there is a map for each of `rows` rows.
    pub(crate) fn check(&self, rows: usize) -> Result<()> {
        match self {
            Maps::One(_) => Ok(()),
            Maps::Each(maps) => check_len("maps", maps.len(), rows),
        }
    }
}
