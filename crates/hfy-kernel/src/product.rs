//! Inner products of the rows of two matrices.

use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};

/// `to ← a bᵀ`.
pub(super) fn products<T: ComplexField>(a: &[T], b: &[T], width: usize, to: &mut [T]) {
    let (rows, columns) = (a.len() / width, b.len() / width);
    let a = MatRef::from_row_major_slice(a, rows, width);
    let b = MatRef::from_row_major_slice(b, columns, width);
    let to = MatMut::from_row_major_slice_mut(to, rows, columns);
    matmul(to, Accum::Replace, a, b.transpose(), T::one_impl(), Par::Seq);
}
