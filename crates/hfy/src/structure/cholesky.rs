//! The Cholesky factor of a Gram matrix whose rows come and go.

use faer::linalg::cholesky::llt::update::rank_r_update_clobber;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatMut, Par};

/// A pivot below this share of its diagonal entry counts as zero.
const DEPENDENT: f64 = 1e-11;

/// `L` with `G = L Lᵀ`. An entry is appended by a triangular solve and removed by a rank-one update: no change costs
/// more than the square of the size.
#[derive(Debug, Clone)]
pub(super) struct Cholesky {
    lower: Mat<f64>,
    size: usize,
}

impl Default for Cholesky {
    fn default() -> Self {
        Cholesky { lower: Mat::zeros(8, 8), size: 0 }
    }
}

impl Cholesky {
    pub(super) fn clear(&mut self) {
        self.size = 0;
    }

    /// Appends the row `(column, diagonal)` of the Gram matrix. Where it depends on the others nothing changes, and the
    /// answer is false.
    pub(super) fn append(&mut self, column: &mut [f64], diagonal: f64) -> bool {
        let size = self.size;
        if size == self.lower.nrows() {
            let old = &self.lower;
            self.lower = Mat::from_fn(2 * size, 2 * size, |i, j| if i < size && j < size { old[(i, j)] } else { 0.0 });
        }
        let lower = self.lower.as_ref().submatrix(0, 0, size, size);
        solve_lower_triangular_in_place(lower, MatMut::from_column_major_slice_mut(column, size, 1), Par::Seq);
        let pivot = diagonal - column.iter().map(|l| l * l).sum::<f64>();
        if !(pivot > DEPENDENT * diagonal) {
            return false;
        }
        for (j, &l) in column.iter().enumerate() {
            self.lower[(size, j)] = l;
        }
        self.lower[(size, size)] = pivot.sqrt();
        self.size += 1;
        true
    }

    /// Removes entry `at`: what follows it takes up the column that it leaves.
    pub(super) fn remove(&mut self, at: usize) {
        let rest = self.size - at - 1;
        let mut column = Mat::from_fn(rest, 1, |i, _| self.lower[(at + 1 + i, at)]);
        for i in at..self.size - 1 {
            for j in 0..at {
                self.lower[(i, j)] = self.lower[(i + 1, j)];
            }
            for j in at..=i {
                self.lower[(i, j)] = self.lower[(i + 1, j + 1)];
            }
        }
        self.size -= 1;
        if rest > 0 {
            let trailing = self.lower.as_mut().submatrix_mut(at, at, rest, rest);
            let mut one = faer::Col::from_fn(1, |_| 1.0);
            rank_r_update_clobber(trailing, column.as_mut(), one.as_mut().as_diagonal_mut())
                .expect("a square that is added keeps the matrix positive");
        }
    }

    /// Solves `G x = b` in place, for one right-hand side after the other.
    pub(super) fn solve(&self, sides: &mut [f64]) {
        if self.size == 0 {
            return;
        }
        let count = sides.len() / self.size;
        let lower = self.lower.as_ref().submatrix(0, 0, self.size, self.size);
        let mut sides = MatMut::from_column_major_slice_mut(sides, self.size, count);
        solve_lower_triangular_in_place(lower, sides.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(lower.transpose(), sides, Par::Seq);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_come_and_go_leave_the_factor_of_what_remains() {
        let gram = |i: usize, j: usize| if i == j { 3.0 + i as f64 } else { ((i * 7 + j * 7) % 5) as f64 / 4.0 };
        let mut kept: Vec<usize> = Vec::new();
        let mut factor = Cholesky::default();
        for step in 0..40usize {
            if step % 3 == 2 {
                let at = (step * 5) % kept.len();
                kept.remove(at);
                factor.remove(at);
            } else {
                let mut column: Vec<f64> = kept.iter().map(|&i| gram(i, step)).collect();
                assert!(factor.append(&mut column, gram(step, step)));
                kept.push(step);
            }
            let mut x: Vec<f64> = kept.iter().map(|&i| (i as f64).sin()).collect();
            factor.solve(&mut x);
            for &i in &kept {
                let product: f64 = kept.iter().zip(&x).map(|(&j, x)| gram(i, j) * x).sum();
                assert!((product - (i as f64).sin()).abs() < 1e-12, "{product}");
            }
        }
    }

    #[test]
    fn a_dependent_row_is_refused() {
        let mut factor = Cholesky::default();
        assert!(factor.append(&mut [], 2.0));
        assert!(!factor.append(&mut [2.0], 2.0));
        assert!(factor.append(&mut [1.0], 2.0));
    }
}
