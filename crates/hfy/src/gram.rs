//! The products of patterns with one another.

use crate::real::Real;

/// Rows of the matrix that are computed in one task.
const ROWS: usize = 64;

/// `X Xᵀ`. A state that is a sum of few patterns, `q = Xᵀ c`, has the scores `X q = (X Xᵀ) c`: as many operations as
/// `c` has entries that are not zero for each pattern, instead of one for each column.
#[derive(Debug)]
pub(crate) struct Gram<T> {
    products: Vec<T>,
    count: usize,
}

impl<T: Real> Gram<T> {
    /// For patterns of `width` entries, row after row.
    pub(crate) fn of(patterns: &[T], width: usize) -> Self {
        let count = patterns.len() / width;
        let mut products = vec![T::zero(); count * count];
        let work = |(rows, to): (&[T], &mut [T])| T::products(rows, patterns, width, to);
        #[cfg(feature = "rayon")]
        {
            use rayon::prelude::*;
            patterns.par_chunks(ROWS * width).zip(products.par_chunks_mut(ROWS * count.max(1))).for_each(work);
        }
        #[cfg(not(feature = "rayon"))]
        patterns.chunks(ROWS * width).zip(products.chunks_mut(ROWS * count.max(1))).for_each(work);
        Gram { products, count }
    }

    /// The number of patterns.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The products of one pattern with all.
    pub(crate) fn row(&self, pattern: usize) -> &[T] {
        &self.products[pattern * self.count..(pattern + 1) * self.count]
    }
}
