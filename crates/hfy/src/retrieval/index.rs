//! Bounds that spare most of the product.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef};
use ndarray::ArrayView2;

use super::tiles::exact_dot;
use crate::error::{Error, Result};
use crate::real::Real;

/// Coordinates of the patterns along their principal directions, with the length of what those leave over.
///
/// Weights do not change when every score moves by the same amount, so patterns may be centred; then
/// `x·q = z·w + (rest of x)·(rest of q)`, where `z` and `w` are coordinates along a few orthonormal directions, and
/// the second term is at most the product of the two lengths. One product with the few coordinates bounds every
/// score, and patterns whose bound falls short of the map's reach are never read. Where patterns have no such
/// structure the bounds are loose, and the engine notices and computes the full product instead.
#[derive(Debug, Clone)]
pub struct Index<T> {
    mean: Vec<T>,
    /// D × r, column-major, orthonormal columns.
    directions: Vec<T>,
    /// N × (r + 1), row-major: coordinates, then the length of the rest.
    coordinates: Vec<T>,
    rank: usize,
}

impl<T: Real> Index<T> {
    /// An index over `rank` directions, found by subspace iteration from a fixed start. About six products of
    /// the patterns with `rank` vectors.
    pub fn build(patterns: ArrayView2<'_, T>, rank: usize) -> Result<Self> {
        let (count, width) = patterns.dim();
        if rank == 0 || rank >= width {
            return Err(Error::parameter("rank", rank, "an index needs at least one direction and fewer than columns"));
        }
        let patterns = patterns.as_standard_layout();
        let data = patterns.as_slice().expect("the patterns are in standard order");
        let mean: Vec<T> = (0..width)
            .map(|j| T::of(data.iter().skip(j).step_by(width).map(|v| v.wide()).sum::<f64>() / count as f64))
            .collect();
        let centred: Vec<T> = data.chunks(width).flat_map(|row| row.iter().zip(&mean).map(|(&x, &m)| x - m)).collect();
        let matrix = MatRef::from_row_major_slice(&centred, count, width);
        let par = faer::get_global_parallelism();

        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut block = Mat::<T>::from_fn(width, rank, |_, _| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            T::of((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
        });
        let mut coordinates = Mat::<T>::zeros(count, rank);
        for _ in 0..3 {
            matmul(&mut coordinates, Accum::Replace, matrix, &block, T::one(), par);
            matmul(&mut block, Accum::Replace, matrix.transpose(), &coordinates, T::one(), par);
            block = block.qr().compute_thin_Q();
        }
        matmul(&mut coordinates, Accum::Replace, matrix, &block, T::one(), par);

        let mut rows = Vec::with_capacity(count * (rank + 1));
        for (i, row) in centred.chunks(width).enumerate() {
            let start = rows.len();
            rows.extend((0..rank).map(|j| coordinates[(i, j)]));
            let rest = rest_length(exact_dot(row, row), &rows[start..], width);
            rows.push(rest);
        }
        let directions = (0..rank).flat_map(|j| (0..width).map(move |i| (i, j))).map(|(i, j)| block[(i, j)]).collect();
        Ok(Index { mean, directions, coordinates: rows, rank })
    }

    /// How many directions there are.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many patterns and of which width.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.coordinates.len() / (self.rank + 1), self.mean.len())
    }

    /// Coordinates and rest of each pattern, row by row.
    pub(crate) fn rows(&self) -> &[T] {
        &self.coordinates
    }

    /// Coordinates and rest of each query, whose product with [`rows`](Self::rows) bounds the centred scores from above,
    /// and the score of the mean, by which those are less than the plain scores.
    pub(crate) fn project(&self, queries: &[T]) -> (Vec<T>, Vec<f64>) {
        let width = self.mean.len();
        let mut rows = Vec::with_capacity(queries.len() / width * (self.rank + 1));
        let mut offsets = Vec::with_capacity(queries.len() / width);
        for query in queries.chunks(width) {
            let start = rows.len();
            rows.extend(self.directions.chunks(width).map(|v| T::of(exact_dot(v, query))));
            let rest = rest_length(exact_dot(query, query), &rows[start..], width);
            rows.push(rest);
            offsets.push(exact_dot(&self.mean, query));
        }
        (rows, offsets)
    }
}

/// The length of what is left of a vector of the given squared length once its coordinates are taken out, rounded up
/// by what rounding in the coordinates and in the directions may hide.
fn rest_length<T: Real>(square: f64, coordinates: &[T], width: usize) -> T {
    let explained: f64 = coordinates.iter().map(|z| z.wide() * z.wide()).sum();
    let slack = 4.0 * width as f64 * T::epsilon().wide() * square;
    T::of(((square - explained).max(0.0) + slack).sqrt() * (1.0 + 4.0 * T::epsilon().wide()))
}
