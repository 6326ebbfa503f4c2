//! Products of one vector with the patterns.

use faer::linalg::matmul::matmul;
use faer::{Accum, ColMut, ColRef, MatRef, Par};
use ndarray::{ArrayView2, ArrayViewMut2};

use crate::real::{Real, vectorised};

fn matrix<'a, T: Real>(rows: &'a ArrayView2<'_, T>) -> MatRef<'a, T> {
    let (count, width) = rows.dim();
    let slice = rows.as_slice().expect("patterns are kept with their rows one after the other");
    MatRef::from_row_major_slice(slice, count, width)
}

/// `out ← A x`.
pub(crate) fn times<T: Real>(a: ArrayView2<'_, T>, x: &[T], out: &mut [T]) {
    let (x, out) = (ColRef::from_slice(x), ColMut::from_slice_mut(out));
    matmul(out.as_mat_mut(), Accum::Replace, matrix(&a), x.as_mat(), T::one(), Par::Seq);
}

/// Whether every weight is exactly 0 or 1: the rows that have one are then summed in their order, whatever the number
/// of weights or threads, so that an association that is retrieved exactly has one state.
pub(crate) fn all_or_nothing<T: Real>(y: &[T]) -> bool {
    y.iter().all(|w| *w == T::zero() || *w == T::one())
}

/// `out ← Aᵀ y`. Where few weights are not zero, or all of these are one, only their rows are read, in their order.
pub(crate) fn transposed_times<T: Real>(a: ArrayView2<'_, T>, y: &[T], out: &mut [T]) {
    let nonzero = y.iter().filter(|w| **w != T::zero()).count();
    if nonzero * 4 > y.len() && !all_or_nothing(y) {
        let (y, out) = (ColRef::from_slice(y), ColMut::from_slice_mut(out));
        return matmul(out.as_mat_mut(), Accum::Replace, matrix(&a).transpose(), y.as_mat(), T::one(), Par::Seq);
    }
    out.fill(T::zero());
    for (&weight, row) in y.iter().zip(a.rows()).filter(|(w, _)| **w != T::zero()) {
        add(weight, row.to_slice().expect("a row of patterns lies in one piece"), out);
    }
}

/// `A ← A + y xᵀ`.
pub(super) fn add_outer<T: Real>(mut a: ArrayViewMut2<'_, T>, y: &[T], x: &[T]) {
    for (&weight, mut row) in y.iter().zip(a.rows_mut()).filter(|(w, _)| **w != T::zero()) {
        add(weight, x, row.as_slice_mut().expect("a new array has its rows in one piece"));
    }
}

/// `out ← out + weight x`.
pub(crate) fn add<T: Real>(weight: T, x: &[T], out: &mut [T]) {
    vectorised(
        #[inline(always)]
        || out.iter_mut().zip(x).for_each(|(out, &x)| *out += weight * x),
    );
}

/// `a · b`.
pub(super) fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).map(|(&a, &b)| a * b).sum()
}
