//! Sequences of different lengths in the order in which a recurrence reads them.

use std::ops::Range;

use crate::operators::layout::Rows;

/// From which end sequences are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// Step after step, in each step the sequences that are not at their end, the longest first. So the sequences of a step
/// are the first ones of the step before.
#[derive(Debug)]
pub(super) struct Packed {
    /// The row that is read at each place.
    order: Vec<usize>,
    /// Where each step begins, and the end.
    starts: Vec<usize>,
}

/// The places of a step, and those of the same sequences one step before.
pub(super) struct Step {
    pub(super) rows: Range<usize>,
    pub(super) before: Option<Range<usize>>,
}

impl Packed {
    pub(super) fn new(sequences: &Rows, direction: Direction) -> Self {
        let mut ranges: Vec<Range<usize>> = (0..sequences.count().unwrap_or(1)).map(|at| sequences.of(at)).collect();
        ranges.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
        let longest = ranges.first().map_or(0, Range::len);
        let (mut order, mut starts) = (Vec::with_capacity(sequences.total()), vec![0]);
        for step in 0..longest {
            let active = ranges.iter().take_while(|rows| rows.len() > step);
            order.extend(active.map(|rows| match direction {
                Direction::Forward => rows.start + step,
                Direction::Backward => rows.end - 1 - step,
            }));
            starts.push(order.len());
        }
        Packed { order, starts }
    }

    pub(super) fn rows(&self) -> usize {
        self.order.len()
    }

    pub(super) fn steps(&self) -> impl DoubleEndedIterator<Item = Step> + '_ {
        (0..self.starts.len() - 1).map(|step| {
            let rows = self.starts[step]..self.starts[step + 1];
            let before = (step > 0).then(|| self.starts[step - 1]..self.starts[step - 1] + rows.len());
            Step { rows, before }
        })
    }

    /// Rows in packed order.
    pub(super) fn gather(&self, rows: &[f32], depth: usize) -> Vec<f32> {
        let mut packed = Vec::with_capacity(self.rows() * depth);
        self.order.iter().for_each(|row| packed.extend_from_slice(&rows[row * depth..][..depth]));
        packed
    }

    /// The inverse of [`gather`](Self::gather).
    pub(super) fn scatter(&self, packed: &[f32], depth: usize) -> Vec<f32> {
        let mut rows = vec![0.0; self.rows() * depth];
        for (row, values) in self.order.iter().zip(packed.chunks_exact(depth.max(1))) {
            rows[row * depth..][..depth].copy_from_slice(values);
        }
        rows
    }

    /// Writes packed states into the columns of a direction.
    pub(super) fn write_columns(&self, packed: &[f32], out: &mut [f32], hidden: usize, direction: usize) {
        for (row, values) in self.order.iter().zip(packed.chunks_exact(hidden)) {
            out[(2 * row + direction) * hidden..][..hidden].copy_from_slice(values);
        }
    }

    /// The inverse of [`write_columns`](Self::write_columns).
    pub(super) fn read_columns(&self, rows: &[f32], hidden: usize, direction: usize) -> Vec<f32> {
        let mut packed = Vec::with_capacity(self.rows() * hidden);
        let parts = self.order.iter().map(|row| &rows[(2 * row + direction) * hidden..][..hidden]);
        parts.for_each(|part| packed.extend_from_slice(part));
        packed
    }

    /// For each place the state of its sequence one step before, zero at the first step.
    pub(super) fn states_before(&self, packed: &[f32], hidden: usize) -> Vec<f32> {
        let mut before = Vec::with_capacity(packed.len());
        for step in self.steps() {
            match step.before {
                Some(rows) => before.extend_from_slice(&packed[rows.start * hidden..rows.end * hidden]),
                None => before.resize(step.rows.len() * hidden, 0.0),
            }
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_sequences_come_first_and_rows_in_the_order_of_reading() {
        // Sequences of 2, 0, 3 and 1 rows.
        let sequences = Rows::bags(&[0, 2, 2, 5, 6]).unwrap();
        let forward = Packed::new(&sequences, Direction::Forward);
        assert_eq!(forward.order, [2, 0, 5, 3, 1, 4]);
        let backward = Packed::new(&sequences, Direction::Backward);
        assert_eq!(backward.order, [4, 1, 5, 3, 0, 2]);
        let steps: Vec<_> = forward.steps().map(|step| (step.rows, step.before)).collect();
        assert_eq!(steps, [(0..3, None), (3..5, Some(0..2)), (5..6, Some(3..4))]);
        let rows: Vec<f32> = (0..12).map(|v| v as f32).collect();
        assert_eq!(backward.scatter(&backward.gather(&rows, 2), 2), rows);
        let packed = forward.gather(&rows, 2);
        assert_eq!(forward.states_before(&packed, 2)[6..], [packed[0..4].to_vec(), packed[6..8].to_vec()].concat());
    }

    #[test]
    fn no_sequence_has_no_step() {
        for offsets in [&[0][..], &[0, 0, 0]] {
            let packed = Packed::new(&Rows::bags(offsets).unwrap(), Direction::Forward);
            assert_eq!((packed.rows(), packed.steps().count()), (0, 0));
        }
    }
}
