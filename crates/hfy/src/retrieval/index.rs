//! Coordinates along principal directions, which bound scores.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use ndarray::ArrayView2;

use super::tiles::{exact_dot, in_parts, tile_scores};
use crate::error::{Error, Result};
use crate::real::Real;

/// Patterns that the directions are found from: spread evenly, this many say as much as all.
const SAMPLE: usize = 8192;
/// Rows that are centred at a time.
const ROWS: usize = 512;

/// Coordinates of the patterns along their principal directions, with the length of what those leave over.
///
/// Weights do not change when every score moves by the same amount, so patterns may be centred at their mean `m`;
/// then `(x-m)·q = (x-m)·m + z·w + (rest of x)·(rest of q)`, where `z` and `w` are coordinates of `x-m` and `q-m`
/// along a few orthonormal directions, and the last term is at most the product of the two lengths. One product with
/// the first half of the coordinates bounds every score; the other half tightens the bound of those patterns that it
/// leaves; and patterns whose bound falls short of the map's reach are never read. Where patterns have no such
/// structure the bounds are loose, and the engine notices and computes the full product instead.
#[derive(Debug, Clone)]
pub struct Index<T> {
    pub(super) mean: Vec<T>,
    /// R × D, row-major, orthonormal rows.
    directions: Vec<T>,
    /// For each pattern: its first coordinates, the length of the rest, and `(x-m)·m`.
    coarse: Vec<T>,
    /// For each pattern: its other coordinates, and the length of what even those leave.
    fine: Vec<T>,
    rank: usize,
    /// The largest `|x-m|`.
    pub(super) radius: f64,
}

/// Queries as an [`Index`] sees them.
#[derive(Debug)]
pub(super) struct Projected<T> {
    /// For each query what multiplies the coarse row of a pattern.
    pub(super) coarse: Vec<T>,
    /// For each query what multiplies the fine row of a pattern.
    pub(super) fine: Vec<T>,
    /// `m·q` of each, by which the scores of centred patterns are less than the plain ones.
    pub(super) offsets: Vec<f64>,
}

impl<T: Real> Index<T> {
    /// An index over `rank` directions, found by subspace iteration from a fixed start on a sample of the patterns.
    ///
    /// **Cost.** About `2 rank / D` of the product of the patterns with as many queries as there are columns; memory
    /// for `rank + 3` numbers a pattern.
    pub fn build(patterns: ArrayView2<'_, T>, rank: usize) -> Result<Self> {
        Index::compute(patterns, rank)
    }

    pub(crate) fn compute(patterns: ArrayView2<'_, T>, rank: usize) -> Result<Self> {
        let (count, width) = patterns.dim();
        if rank == 0 || rank >= width {
            return Err(Error::parameter("rank", rank, "an index needs at least one direction and fewer than columns"));
        }
        let patterns = patterns.as_standard_layout();
        let data = patterns.as_slice().expect("the patterns are in standard order");
        let mean = mean(data, width);
        let directions = principal(data, &mean, rank);
        let split = Self::split_of(rank);
        let parts = in_parts(count, |part| {
            let mut coarse = Vec::with_capacity(part.len() * (split + 2));
            let mut fine = Vec::with_capacity(part.len() * (rank - split + 1));
            let mut radius: f64 = 0.0;
            let (mut centred, mut coordinates) = (Vec::new(), vec![T::zero(); ROWS * rank]);
            for rows in data[part.start * width..part.end * width].chunks(ROWS * width) {
                centre(rows, &mean, &mut centred);
                let coordinates = &mut coordinates[..rows.len() / width * rank];
                tile_scores(&directions, &centred, width, coordinates);
                for (row, z) in centred.chunks(width).zip(coordinates.chunks(rank)) {
                    let square = exact_dot(row, row);
                    radius = radius.max(square);
                    coarse.extend_from_slice(&z[..split]);
                    coarse.push(rest_length(square, &z[..split], width));
                    coarse.push(T::of(exact_dot(row, &mean)));
                    fine.extend_from_slice(&z[split..]);
                    fine.push(rest_length(square, z, width));
                }
            }
            (coarse, fine, radius.sqrt())
        });
        let mut index = Index { mean, directions, coarse: Vec::new(), fine: Vec::new(), rank, radius: 0.0 };
        index.coarse.reserve_exact(count * index.coarse_width());
        index.fine.reserve_exact(count * index.fine_width());
        for (coarse, fine, radius) in parts {
            index.coarse.extend(coarse);
            index.fine.extend(fine);
            index.radius = index.radius.max(radius);
        }
        Ok(index)
    }

    /// How many directions there are.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many patterns and of which width.
    pub(crate) fn shape(&self) -> (usize, usize) {
        (self.coarse.len() / self.coarse_width(), self.mean.len())
    }

    /// How many of the coordinates are coarse.
    fn split_of(rank: usize) -> usize {
        rank.div_ceil(2)
    }

    /// The width of a coarse row.
    pub(super) fn coarse_width(&self) -> usize {
        Self::split_of(self.rank) + 2
    }

    /// The width of a fine row.
    pub(super) fn fine_width(&self) -> usize {
        self.rank - Self::split_of(self.rank) + 1
    }

    /// The coarse rows, one after the other.
    pub(super) fn coarse(&self) -> &[T] {
        &self.coarse
    }

    /// The fine rows, one after the other.
    pub(super) fn fine(&self) -> &[T] {
        &self.fine
    }

    /// The queries along the same directions.
    pub(super) fn project(&self, queries: &[T]) -> Projected<T> {
        let (width, split) = (self.mean.len(), Self::split_of(self.rank));
        let count = queries.len() / width;
        let mut centred = Vec::new();
        centre(queries, &self.mean, &mut centred);
        let mut coordinates = vec![T::zero(); count * self.rank];
        tile_scores(&self.directions, &centred, width, &mut coordinates);
        let mut projected = Projected {
            coarse: Vec::with_capacity(count * self.coarse_width()),
            fine: Vec::with_capacity(count * self.fine_width()),
            offsets: queries.chunks(width).map(|query| exact_dot(&self.mean, query)).collect(),
        };
        for (query, w) in centred.chunks(width).zip(coordinates.chunks(self.rank)) {
            let square = exact_dot(query, query);
            projected.coarse.extend_from_slice(&w[..split]);
            projected.coarse.push(rest_length(square, &w[..split], width));
            projected.coarse.push(T::one());
            projected.fine.extend_from_slice(&w[split..]);
            projected.fine.push(rest_length(square, w, width));
        }
        projected
    }
}

/// The mean of all rows.
fn mean<T: Real>(data: &[T], width: usize) -> Vec<T> {
    let count = data.len() / width;
    let sums = in_parts(count, |part| {
        let mut sum = vec![0.0; width];
        for row in data[part.start * width..part.end * width].chunks(width) {
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x.wide());
        }
        sum
    });
    (0..width).map(|j| T::of(sums.iter().map(|sum| sum[j]).sum::<f64>() / count as f64)).collect()
}

/// `out ← rows - mean`.
fn centre<T: Real>(rows: &[T], mean: &[T], out: &mut Vec<T>) {
    out.clear();
    out.extend(rows.chunks(mean.len()).flat_map(|row| row.iter().zip(mean).map(|(&x, &m)| x - m)));
}

/// The leading principal directions of a sample of the rows, one a row.
fn principal<T: Real>(data: &[T], mean: &[T], rank: usize) -> Vec<T> {
    let width = mean.len();
    let count = data.len() / width;
    let stride = count.div_ceil(SAMPLE).max(1);
    let rows: Vec<usize> = (0..count).step_by(stride).collect();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut block = Mat::<T>::from_fn(width, rank, |_, _| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        T::of((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
    });
    for _ in 0..3 {
        // One step of subspace iteration, block ← (X-m)ᵀ (X-m) block.
        let sums = in_parts(rows.len(), |part| {
            let mut sum = Mat::<T>::zeros(width, rank);
            let (mut centred, mut coordinates) = (Vec::new(), vec![T::zero(); ROWS * rank]);
            for chunk in rows[part].chunks(ROWS) {
                let sampled: Vec<T> = chunk.iter().flat_map(|&i| &data[i * width..(i + 1) * width]).copied().collect();
                centre(&sampled, mean, &mut centred);
                let matrix = MatRef::from_row_major_slice(&centred, chunk.len(), width);
                let coordinates = &mut coordinates[..chunk.len() * rank];
                let mut coordinates = MatMut::from_row_major_slice_mut(coordinates, chunk.len(), rank);
                matmul(coordinates.as_mut(), Accum::Replace, matrix, &block, T::one(), Par::Seq);
                matmul(&mut sum, Accum::Add, matrix.transpose(), coordinates.as_ref(), T::one(), Par::Seq);
            }
            sum
        });
        let mut total = Mat::<T>::zeros(width, rank);
        sums.iter().for_each(|sum| total += sum);
        block = total.qr().compute_thin_Q();
    }
    (0..rank).flat_map(|j| (0..width).map(move |i| (i, j))).map(|(i, j)| block[(i, j)]).collect()
}

/// The length of what is left of a vector of the given squared length once its coordinates are taken out, rounded up
/// by what rounding in the coordinates and in the directions may hide.
fn rest_length<T: Real>(square: f64, coordinates: &[T], width: usize) -> T {
    let explained: f64 = coordinates.iter().map(|z| z.wide() * z.wide()).sum();
    let slack = 4.0 * width as f64 * T::epsilon().wide() * square;
    T::of(((square - explained).max(0.0) + slack).sqrt() * (1.0 + 4.0 * T::epsilon().wide()))
}
