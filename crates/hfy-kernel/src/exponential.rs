//! Exponentials of a row, and their sum.

use crate::{InOut, Number, vectorised};

/// `y ← exp(rate (x - shift))`, and the sum; `rate (x - shift)` must stay below 50.
pub(crate) fn exponentials<T: Number>(mut row: InOut<'_, T>, shift: T, rate: T) -> f64 {
    vectorised(
        #[inline(always)]
        || {
            row.reborrow().each(
                #[inline(always)]
                |x| (rate * (x - shift)).exp_branchless(),
            )
        },
    );
    crate::sums::total(row.output())
}

/// `y ← factor y`.
pub(crate) fn scale<T: Number>(y: &mut [T], factor: T) {
    vectorised(
        #[inline(always)]
        || y.iter_mut().for_each(|y| *y *= factor),
    );
}
