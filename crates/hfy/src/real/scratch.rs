//! Buffers that a thread keeps from row to row.

use std::cell::Cell;

use super::Real;
use crate::separation::{Blend, Support};

/// Working memory of one row; its vectors keep their capacity between rows.
#[derive(Debug, Default)]
pub struct Scratch<T> {
    /// The maximum of each block of a row.
    pub(crate) blocks: Vec<T>,
    /// Candidates for the support.
    pub(crate) kept: Vec<T>,
    /// A second list of candidates.
    pub(crate) bounds: Vec<T>,
    /// Points where a piecewise function bends.
    pub(crate) bends: Vec<T>,
    /// Upper bounds of candidates.
    pub(crate) caps: Vec<T>,
    /// Powers of the exponent of the last row from whole ones.
    pub(crate) blend: Blend,
    /// Room for copies of a row.
    rows: Vec<Vec<T>>,
    /// The support of a row, for what is summed over it.
    pub(crate) support: Support<T>,
}

/// Runs `work` on a copy of `values`, in room that this thread keeps.
pub(crate) fn with_copy<T: Real, R>(values: &[T], work: impl FnOnce(&mut [T]) -> R) -> R {
    with_room(|room| {
        room.extend_from_slice(values);
        work(room)
    })
}

/// Runs `work` on so many zeros, in such room.
pub(crate) fn with_zeros<T: Real, R>(count: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
    with_room(|room| {
        room.resize(count, T::zero());
        work(room)
    })
}

/// Runs `work` on such a copy of a row, and on the row, to be written from it.
pub(crate) fn from_copy<T: Real, R>(row: &mut [T], work: impl FnOnce(&mut [T], &mut [T]) -> R) -> R {
    with_room(|room| {
        room.extend_from_slice(row);
        work(room, row)
    })
}

fn with_room<T: Real, R>(work: impl FnOnce(&mut Vec<T>) -> R) -> R {
    let mut room = T::with_scratch(|scratch| scratch.rows.pop()).unwrap_or_default();
    room.clear();
    let result = work(&mut room);
    T::with_scratch(|scratch| scratch.rows.push(room));
    result
}

macro_rules! thread_scratch {
    ($t:ident, $cell:ident) => {
        thread_local! {
            static $cell: Cell<Option<Box<Scratch<$t>>>> = const { Cell::new(None) };
        }

        impl super::scratch::Lend for $t {
            fn lend<R>(work: impl FnOnce(&mut Scratch<$t>) -> R) -> R {
                // Taken out while in use: a map that calls another map gets fresh buffers instead of a panic. In a box, of which only the
                // address moves.
                let mut scratch = $cell.take().unwrap_or_default();
                let result = work(&mut scratch);
                $cell.set(Some(scratch));
                result
            }
        }
    };
}

/// The per-type storage behind [`Real::with_scratch`].
pub(crate) trait Lend: Sized {
    fn lend<R>(work: impl FnOnce(&mut Scratch<Self>) -> R) -> R;
}

thread_scratch!(f32, SCRATCH_F32);
thread_scratch!(f64, SCRATCH_F64);
