//! Matrix products of row-major slices.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// A matrix in a slice: rows lie `stride` apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matrix<'a>(MatRef<'a, f32>);

impl<'a> Matrix<'a> {
    /// Rows one after the other.
    pub(crate) fn new(data: &'a [f32], rows: usize, columns: usize) -> Self {
        Matrix(MatRef::from_row_major_slice(data, rows, columns))
    }

    /// Rows that lie `stride` apart in a slice that may end with the last entry of the last row.
    pub(crate) fn strided(data: &'a [f32], rows: usize, columns: usize, stride: usize) -> Self {
        if rows <= 1 || stride == columns {
            return Self::new(&data[..rows * columns], rows, columns);
        }
        Matrix(MatRef::from_row_major_slice_with_stride(data, rows, columns, stride))
    }

    pub(crate) fn transposed(self) -> Self {
        Matrix(self.0.transpose())
    }
}

/// `out ← a b`, or `out ← out + a b`.
pub(crate) fn multiply(out: &mut [f32], add: bool, a: Matrix<'_>, b: Matrix<'_>) {
    let (rows, columns) = (a.0.nrows(), b.0.ncols());
    multiply_strided(out, columns, rows, columns, add, a, b);
}

/// The same into rows that lie `stride` apart.
pub(crate) fn multiply_strided(
    out: &mut [f32],
    stride: usize,
    rows: usize,
    columns: usize,
    add: bool,
    a: Matrix<'_>,
    b: Matrix<'_>,
) {
    let accum = if add { Accum::Add } else { Accum::Replace };
    let out = if rows <= 1 || stride == columns {
        MatMut::from_row_major_slice_mut(&mut out[..rows * columns], rows, columns)
    } else {
        // faer 0.24.4 confuses the strides in `from_row_major_slice_with_stride_mut`.
        MatMut::from_column_major_slice_with_stride_mut(out, columns, rows, stride).transpose_mut()
    };
    // One thread: bags are small, and the many runs of an experiment have a core each.
    matmul(out, accum, a.0, b.0, 1.0, Par::Seq);
}

/// The transpose, row by row.
pub(crate) fn transpose(data: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    // In blocks that a cache holds whole.
    const BLOCK: usize = 32;
    let mut out = vec![0.0; rows * columns];
    for top in (0..rows).step_by(BLOCK) {
        for left in (0..columns).step_by(BLOCK) {
            for row in top..rows.min(top + BLOCK) {
                for column in left..columns.min(left + BLOCK) {
                    out[column * rows + row] = data[row * columns + column];
                }
            }
        }
    }
    out
}

/// Columns added up.
pub(crate) fn column_sums(data: &[f32], columns: usize) -> Vec<f32> {
    let mut sums = vec![0.0; columns];
    for row in data.chunks_exact(columns.max(1)) {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u64) -> Vec<f32> {
        let mut random = crate::random::Random::new(seed, 0);
        (0..count).map(|_| random.normal() as f32).collect()
    }

    /// A part of a wider matrix: `count` rows of `depth` entries, `stride` apart.
    fn part(data: &[f32], count: usize, depth: usize, stride: usize) -> Vec<Vec<f32>> {
        (0..count).map(|row| data[row * stride..][..depth].to_vec()).collect()
    }

    #[test]
    fn products_agree_with_the_sums_and_write_nothing_else() {
        for rows in [1, 2, 7, 12, 17] {
            for inner in [1, 2, 7, 16, 33, 64] {
                for columns in [1, 3, 16, 32, 65] {
                    for transposed in [[false; 2], [true, false], [false, true], [true; 2]] {
                        check(rows, inner, columns, transposed);
                    }
                }
            }
        }
    }

    #[test]
    fn a_transpose_has_rows_for_columns() {
        let data = numbers(45 * 70, 3);
        let turned = transpose(&data, 45, 70);
        assert!((0..45).all(|row| (0..70).all(|column| turned[column * 45 + row] == data[row * 70 + column])));
    }

    fn check(rows: usize, inner: usize, columns: usize, transposed: [bool; 2]) {
        let (pad, guard) = (5, 40);
        let shapes = [(rows, inner), (inner, columns)];
        let stored = [0, 1].map(|at| {
            let (r, c) = if transposed[at] { (shapes[at].1, shapes[at].0) } else { shapes[at] };
            let stride = c + pad;
            (numbers((r - 1) * stride + c, at as u64), r, c, stride)
        });
        let [a, b] = [0, 1].map(|at| {
            let (data, r, c, stride) = &stored[at];
            let plain = part(data, *r, *c, *stride);
            if !transposed[at] {
                return plain;
            }
            (0..*c).map(|column| plain.iter().map(|row| row[column]).collect()).collect()
        });
        let matrix = |at: usize| {
            let (data, r, c, stride) = &stored[at];
            let matrix = Matrix::strided(data, *r, *c, *stride);
            if transposed[at] { matrix.transposed() } else { matrix }
        };
        for add in [false, true] {
            let stride = columns + pad;
            let before = numbers(guard + rows * stride + guard, 9);
            let mut out = before.clone();
            let end = guard + (rows - 1) * stride + columns;
            multiply_strided(&mut out[guard..end], stride, rows, columns, add, matrix(0), matrix(1));
            for (at, (after, before)) in out.iter().zip(&before).enumerate() {
                let place = at.checked_sub(guard).map(|at| (at / stride, at % stride));
                let Some((row, column)) = place.filter(|(row, column)| *row < rows && *column < columns) else {
                    assert_eq!(after, before, "{at} lies outside");
                    continue;
                };
                let sum: f32 = (0..inner).map(|k| a[row][k] * b[k][column]).sum();
                let expected = if add { before + sum } else { sum };
                assert!((after - expected).abs() < 1e-4, "{rows} {inner} {columns} {transposed:?}: {after} {expected}");
            }
        }
    }
}
