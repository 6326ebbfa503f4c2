//! Scores of a tile of patterns against a batch of queries, and dot products one by one.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::real::{Real, vectorised};

/// Patterns in a tile: with a thousand queries its scores stay in the outer cache.
pub(crate) const TILE: usize = 1024;

/// `out[q][p] ← rows[p] · queries[q]`, for row-major `rows` and `queries` of width `width`.
pub(crate) fn tile_scores<T: Real>(rows: &[T], queries: &[T], width: usize, out: &mut [T]) {
    let (tile, count) = (rows.len() / width, queries.len() / width);
    let out = MatMut::from_column_major_slice_mut(out, tile, count);
    let rows = MatRef::from_row_major_slice(rows, tile, width);
    let queries = MatRef::from_column_major_slice(queries, width, count);
    matmul(out, Accum::Replace, rows, queries, T::one(), Par::Seq);
}

/// Calls `visit` with each tile of the rows in `range`: the number of its first row, and the scores, query by query.
pub(crate) fn for_tiles<T: Real>(
    matrix: &[T],
    width: usize,
    range: Range<usize>,
    queries: &[T],
    mut visit: impl FnMut(usize, usize, &[T]),
) {
    let count = queries.len() / width;
    let mut scores = vec![T::zero(); TILE.min(range.len()) * count];
    let mut first = range.start;
    while first < range.end {
        let tile = TILE.min(range.end - first);
        let scores = &mut scores[..tile * count];
        tile_scores(&matrix[first * width..(first + tile) * width], queries, width, scores);
        visit(first, tile, scores);
        first += tile;
    }
}

/// How many threads there are.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Splits `0..count` into as many ranges as there are threads.
pub(crate) fn parts(count: usize) -> Vec<Range<usize>> {
    let size = count.div_ceil(threads()).max(1);
    (0..count).step_by(size).map(|start| start..start.saturating_add(size).min(count)).collect()
}

/// Runs `work` on each part, in parallel where threads are to be had, and returns the results in order.
pub(crate) fn in_parts<R: Send>(count: usize, work: impl Fn(Range<usize>) -> R + Sync + Send) -> Vec<R> {
    let parts = parts(count);
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        parts.into_par_iter().map(work).collect()
    }
    #[cfg(not(feature = "rayon"))]
    parts.into_iter().map(work).collect()
}

/// `a · b` accumulated in double precision and rounded once: the score that every path agrees on.
pub(crate) fn exact_dot<T: Real>(a: &[T], b: &[T]) -> f64 {
    vectorised(
        #[inline(always)]
        || wide_dot(a, b),
    )
}

/// The order of the sum is fixed, whatever vectors the machine has.
#[inline(always)]
fn wide_dot<T: Real>(a: &[T], b: &[T]) -> f64 {
    const WIDTH: usize = 32;
    let mut sums = [0.0; WIDTH];
    let (a_parts, a_rest) = a.as_chunks::<WIDTH>();
    let (b_parts, b_rest) = b.as_chunks::<WIDTH>();
    for (a, b) in a_parts.iter().zip(b_parts) {
        for i in 0..WIDTH {
            sums[i] += a[i].wide() * b[i].wide();
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a.wide() * b.wide()).sum();
    let mut half = WIDTH / 2;
    while half > 0 {
        for i in 0..half {
            sums[i] += sums[i + half];
        }
        half /= 2;
    }
    sums[0] + rest
}
