//! The loop over rows: contiguous slices in, contiguous slices out, a chunk of rows a task.

use ndarray::{ArrayBase, ArrayViewD, ArrayViewMutD, CowArray, IxDyn, RawData};

use crate::error::Result;
use crate::real::{Element, Real, with_copy};
use hfy_kernel::MOST_WIDTH;

/// How an array falls into rows.
#[derive(Debug)]
pub(crate) struct Lanes {
    axis: usize,
    rows: usize,
    length: usize,
    serial: bool,
    hidden: Option<Vec<bool>>,
}

/// An array with its rows one after the other.
#[derive(Debug)]
pub(crate) struct Contiguous<'a, E>(CowArray<'a, E, IxDyn>);

impl<E> Contiguous<'_, E> {
    pub(crate) fn slice(&self) -> &[E] {
        self.0.as_slice().expect("the array was laid out in standard order")
    }
}

/// Moves an axis to the end, keeping the order of the others.
pub(super) fn axis_last<S: RawData>(array: &mut ArrayBase<S, IxDyn>, axis: usize) {
    for next in axis + 1..array.ndim() {
        array.swap_axes(next - 1, next);
    }
}

/// Entries of rows that are worked on together: they stay in the nearest caches.
const ENTRIES_A_SPAN: usize = 1 << 13;

impl Lanes {
    pub(crate) fn new(shape: &[usize], axis: usize, serial: bool, hidden: Option<Vec<bool>>) -> Self {
        let rows = shape.iter().enumerate().filter(|(i, _)| *i != axis).map(|(_, d)| d).product();
        Lanes { axis, rows, length: shape[axis], serial, hidden }
    }

    pub(crate) fn axis(&self) -> usize {
        self.axis
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// How many rows are worked on together: one, unless they are short.
    pub(crate) fn rows_a_span(&self) -> usize {
        if (1..=MOST_WIDTH).contains(&self.length) { ENTRIES_A_SPAN / self.length } else { 1 }
    }

    /// The rows of an array, copied only if they do not already lie one after the other.
    pub(crate) fn read<'a, E: Element>(&self, mut array: ArrayViewD<'a, E>) -> Contiguous<'a, E> {
        axis_last(&mut array, self.axis);
        if array.is_standard_layout() {
            Contiguous(CowArray::from(array))
        } else {
            Contiguous(CowArray::from(array.as_standard_layout().into_owned()))
        }
    }

    /// Lends the rows of an array for writing; `update` says whether their content matters.
    pub(crate) fn write<E: Element, R>(
        &self,
        mut array: ArrayViewMutD<'_, E>,
        update: bool,
        work: impl FnOnce(&mut [E]) -> Result<R>,
    ) -> Result<R> {
        axis_last(&mut array, self.axis);
        if let Some(rows) = array.as_slice_mut() {
            return work(rows);
        }
        let mut copy = if update {
            array.as_standard_layout().into_owned()
        } else {
            ndarray::ArrayD::from_elem(array.raw_dim(), E::default())
        };
        let result = work(copy.as_slice_mut().expect("a new array is in standard order"))?;
        array.assign(&copy);
        Ok(result)
    }

    /// Whether rows run along the last axis, so that they lie in an array as they are numbered.
    pub(crate) fn in_order(&self, dimensions: usize) -> bool {
        self.axis + 1 == dimensions
    }

    /// Whether any entry may be hidden.
    pub(crate) fn hides(&self) -> bool {
        self.hidden.is_some()
    }

    /// Runs `work` on the row, or on rows from that one on, with their hidden entries at minus infinity.
    pub(crate) fn visible<T: Real, R>(&self, row: usize, scores: &[T], work: impl FnOnce(&[T]) -> R) -> R {
        if self.hidden.is_none() {
            return work(scores);
        }
        with_copy(scores, |scores| {
            self.hide(row, scores);
            work(scores)
        })
    }

    /// Runs `work` on rows of gradients from number `first` on with their hidden entries at zero.
    pub(crate) fn with_silent<T: Real, R>(&self, first: usize, gradient: &[T], work: impl FnOnce(&[T]) -> R) -> R {
        if !self.hides() {
            return work(gradient);
        }
        with_copy(gradient, |gradient| {
            self.silence(first, gradient);
            work(gradient)
        })
    }

    /// Sets the hidden entries of a row, or of rows from that one on, to minus infinity.
    pub(crate) fn hide<T: Real>(&self, row: usize, scores: &mut [T]) {
        self.overwrite(row, scores, T::neg_infinity());
    }

    /// Sets the hidden entries of a row of gradients, or of rows from that one on, to zero.
    pub(crate) fn silence<T: Real>(&self, row: usize, gradient: &mut [T]) {
        self.overwrite(row, gradient, T::zero());
    }

    fn overwrite<T: Real>(&self, row: usize, values: &mut [T], with: T) {
        if let Some(hidden) = &self.hidden {
            let start = row * self.length;
            let hidden = &hidden[start..start + values.len()];
            values.iter_mut().zip(hidden).filter(|(_, h)| **h).for_each(|(v, _)| *v = with);
        }
    }
}

/// Entries that are taken room for and then written while they are in the outer cache.
const ENTRIES_A_GROUP: usize = 1 << 20;

/// A new array of rows that `work` writes, given the number of the first row of a few and those rows. Room is cleared
/// just before, by all threads, so that all of them wait for its pages.
pub(crate) fn grow<E: Element, R>(
    lanes: &Lanes,
    work: impl Fn(usize, &mut [E]) -> Result<Vec<R>>,
) -> Result<(Vec<E>, Vec<R>)> {
    let (n, entries) = (lanes.length, lanes.rows * lanes.length);
    let mut rows: Vec<E> = Vec::with_capacity(entries);
    if n == 0 {
        let results = work(0, &mut rows)?;
        return Ok((rows, results));
    }
    let mut results = Vec::with_capacity(lanes.rows);
    let group = (ENTRIES_A_GROUP / n).max(1) * n;
    while rows.len() < entries {
        let start = rows.len();
        append(lanes, &mut rows, group.min(entries - start));
        results.extend(work(start / n, &mut rows[start..])?);
    }
    Ok((rows, results))
}

fn append<E: Element>(lanes: &Lanes, rows: &mut Vec<E>, entries: usize) {
    #[cfg(feature = "rayon")]
    if !lanes.serial && entries > ENTRIES_A_TASK {
        use rayon::prelude::*;
        rows.par_extend(rayon::iter::repeat_n(E::default(), entries).with_min_len(ENTRIES_A_TASK));
        return;
    }
    let _ = lanes.serial;
    rows.resize(rows.len() + entries, E::default());
}

/// A task has at least this many entries, so that handing it out costs little.
const ENTRIES_A_TASK: usize = 1 << 15;

/// Runs `work` on every row: the same row of each input, and the row of the output that it updates. Half types are
/// widened into buffers that each task owns. The error of the first row at fault is returned, with its number.
pub(crate) fn drive<E: Element, const K: usize, R: Send>(
    lanes: &Lanes,
    inputs: [&[E]; K],
    out: &mut [E],
    work: impl Fn(usize, [&[E::Compute]; K], &mut [E::Compute]) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    drive_from(lanes, 0, inputs, out, work)
}

/// The same for the rows from number `first` on, as many as `out` has; inputs are whole.
pub(crate) fn drive_from<E: Element, const K: usize, R: Send>(
    lanes: &Lanes,
    first: usize,
    inputs: [&[E]; K],
    out: &mut [E],
    work: impl Fn(usize, [&[E::Compute]; K], &mut [E::Compute]) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    drive_spans(lanes, first, 1, inputs, out, |row, rows, out, results| {
        results.push(work(row, rows, out)?);
        Ok(())
    })
}

/// Runs `work` on the same `span` rows of each input and of the output. It adds a result for each row, those before a
/// row at fault too.
pub(crate) fn drive_spans<E: Element, const K: usize, R: Send>(
    lanes: &Lanes,
    first: usize,
    span: usize,
    inputs: [&[E]; K],
    out: &mut [E],
    work: impl Fn(usize, [&[E::Compute]; K], &mut [E::Compute], &mut Vec<R>) -> Result<()> + Sync,
) -> Result<Vec<R>> {
    let n = lanes.length;
    if n == 0 {
        let mut results = Vec::with_capacity(lanes.rows);
        for row in 0..lanes.rows {
            work(row, [&[]; K], &mut [], &mut results).map_err(|e| e.in_row(row))?;
        }
        return Ok(results);
    }
    let rows_a_task = (ENTRIES_A_TASK / n).max(1).next_multiple_of(span);
    let task = |(number, out): (usize, &mut [E])| -> Result<Vec<R>> {
        let mut buffers: [Vec<E::Compute>; K] = std::array::from_fn(|_| Vec::new());
        let mut target = Vec::new();
        let mut results = Vec::with_capacity(out.len() / n);
        for out in out.chunks_mut(span * n) {
            let row = first + number * rows_a_task + results.len();
            let rows: [&[E]; K] = inputs.map(|input| &input[row * n..row * n + out.len()]);
            for (buffer, row) in buffers.iter_mut().zip(rows) {
                if E::as_compute(row).is_none() {
                    buffer.clear();
                    buffer.extend(row.iter().map(|v| v.load()));
                }
            }
            let wide: [&[E::Compute]; K] =
                std::array::from_fn(|k| E::as_compute(rows[k]).unwrap_or(buffers[k].as_slice()));
            let before = results.len();
            let result = if let Some(out) = E::as_compute_mut(out) {
                work(row, wide, out, &mut results)
            } else {
                target.clear();
                target.extend(out.iter().map(|v| v.load()));
                let result = work(row, wide, &mut target, &mut results);
                out.iter_mut().zip(&target).for_each(|(o, &v)| *o = E::store(v));
                result
            };
            result.map_err(|e| e.in_row(row + results.len() - before))?;
        }
        Ok(results)
    };
    let parts: Vec<Result<Vec<R>>> = run(lanes, out, rows_a_task * n, task);
    let mut results = Vec::with_capacity(out.len() / n);
    for part in parts {
        results.extend(part?);
    }
    Ok(results)
}

fn run<E: Element, R: Send>(
    lanes: &Lanes,
    out: &mut [E],
    chunk: usize,
    task: impl Fn((usize, &mut [E])) -> R + Sync + Send,
) -> Vec<R> {
    #[cfg(feature = "rayon")]
    if !lanes.serial && out.len() > chunk {
        use rayon::prelude::*;
        return out.par_chunks_mut(chunk).enumerate().map(task).collect();
    }
    let _ = lanes.serial;
    out.chunks_mut(chunk).enumerate().map(task).collect()
}
