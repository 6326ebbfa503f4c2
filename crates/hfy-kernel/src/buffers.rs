//! Buffers that a thread keeps from row to row.

use std::cell::Cell;

/// Working memory of one row; its vectors keep their capacity between rows.
#[derive(Debug, Default)]
pub struct Buffers<T> {
    /// The maximum of each block of a row.
    pub blocks: Vec<T>,
    /// Candidates for the support.
    pub kept: Vec<T>,
    /// A second list of candidates.
    pub bounds: Vec<T>,
    /// Points where a piecewise function bends.
    pub bends: Vec<T>,
    /// Upper bounds of candidates.
    pub caps: Vec<T>,
    /// Positions of a support.
    pub indices: Vec<usize>,
    /// Its weights.
    pub weights: Vec<T>,
    /// Room for copies of a row.
    rows: Vec<Vec<T>>,
}

/// Runs `work` on a copy of `values`, in room that this thread keeps.
pub fn with_copy<T: Lend, R>(values: &[T], work: impl FnOnce(&mut [T]) -> R) -> R {
    with_room(|room| {
        room.extend_from_slice(values);
        work(room)
    })
}

/// Runs `work` on as many zeros as `count` says, in room that this thread keeps.
pub fn with_zeros<T: Lend, R>(count: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
    with_room(|room| {
        room.resize(count, T::default());
        work(room)
    })
}

/// Runs `work` on a copy of a row, in room that this thread keeps, and on the row itself, to be written from the copy.
pub fn from_copy<T: Lend, R>(row: &mut [T], work: impl FnOnce(&mut [T], &mut [T]) -> R) -> R {
    with_room(|room| {
        room.extend_from_slice(row);
        work(room, row)
    })
}

fn with_room<T: Lend, R>(work: impl FnOnce(&mut Vec<T>) -> R) -> R {
    let mut room = T::with_buffers(|buffers| buffers.rows.pop()).unwrap_or_default();
    room.clear();
    let result = work(&mut room);
    T::with_buffers(|buffers| buffers.rows.push(room));
    result
}

/// A type that every thread keeps buffers for.
pub trait Lend: Copy + Default {
    /// Lends this thread's buffers, so that no row allocates.
    fn with_buffers<R>(work: impl FnOnce(&mut Buffers<Self>) -> R) -> R;
}

macro_rules! lend {
    ($t:ident, $cell:ident) => {
        thread_local! {
            static $cell: Cell<Option<Box<Buffers<$t>>>> = const { Cell::new(None) };
        }

        impl Lend for $t {
            fn with_buffers<R>(work: impl FnOnce(&mut Buffers<$t>) -> R) -> R {
                // Taken out while in use: a map that calls another map gets fresh buffers instead of a panic. In a box,
                // of which only the address moves.
                let mut buffers = $cell.take().unwrap_or_default();
                let result = work(&mut buffers);
                $cell.set(Some(buffers));
                result
            }
        }
    };
}

lend!(f32, BUFFERS_F32);
lend!(f64, BUFFERS_F64);
