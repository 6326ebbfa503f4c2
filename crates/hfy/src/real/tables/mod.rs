//! Powers by tables, for processors that look sixteen numbers up at once.
//!
//! A table holds powers of a few numbers; those of the numbers around them follow by a short binomial series. There is neither a
//! logarithm nor an exponential, whose errors would grow with the exponent.

mod bins;

pub(crate) use bins::Bins;

use super::{Affine, Rewrite};

/// The type-specific work behind [`Real`]'s methods of the same names.
pub(super) trait Tabled: Sized {
    /// Lends the table of bins for an exponent, where this machine has such.
    fn with_bins<R>(p: Self, work: impl FnOnce(Option<&Bins>) -> R) -> R;

    /// Writes powers of the numbers, `base` plus the distances, over scores, which come in whole blocks, of which many weigh nothing
    /// where they are sparse.
    fn raise_tabled(bins: &Bins, affine: Affine<Self>, base: Self, is_sparse: bool, scores: Rewrite<'_, Self>);

    /// `Σ y t^(K-1), …, Σ y` over numbers `t` and their powers `y`.
    fn tabled_sums<const K: usize>(bins: &Bins, affine: Affine<Self>, base: Self, row: &[Self]) -> [f64; K];
}

/// No tables are lent.
macro_rules! without_tables {
    ($t:ident) => {
        impl Tabled for $t {
            #[inline(always)]
            fn with_bins<R>(_p: $t, work: impl FnOnce(Option<&Bins>) -> R) -> R {
                work(None)
            }

            fn raise_tabled(bins: &Bins, _affine: Affine<$t>, _base: $t, _is_sparse: bool, _scores: Rewrite<'_, $t>) {
                unreachable!("no table was lent, but here is {bins:?}");
            }

            fn tabled_sums<const K: usize>(bins: &Bins, _affine: Affine<$t>, _base: $t, _row: &[$t]) -> [f64; K] {
                unreachable!("no table was lent, but here is {bins:?}");
            }
        }
    };
}

// More terms would be needed than pay.
without_tables!(f64);
#[cfg(not(target_arch = "x86_64"))]
without_tables!(f32);

#[cfg(target_arch = "x86_64")]
mod lookup;

/// Numbers in a table.
const SIZE: usize = 32;

/// The first terms of `(1 + f)^p`.
#[derive(Debug, Clone)]
struct Series {
    terms: [f32; MOST_TERMS],
    /// How many of them there are.
    count: usize,
}

const MOST_TERMS: usize = 11;

/// How many terms are as good as single precision where `p f` is no more than this.
const REACH: [(usize, f64); 6] = [(4, 0.045), (5, 0.13), (6, 0.27), (7, 0.46), (8, 0.7), (MOST_TERMS, 1.6)];

impl Series {
    /// Whether there are enough terms for such an `f`.
    #[inline(always)]
    fn suffices(p: f64, f: f64) -> bool {
        p * f <= REACH[REACH.len() - 1].1
    }

    /// `(1 + f)^p 2^-lift` for `f` up to `reach`. Terms that would follow are spread over these as Chebyshev's polynomials have it, which
    /// leaves next to nothing of them.
    fn new(p: f64, reach: f64, lift: f64) -> Self {
        const ALL: usize = MOST_TERMS + 3;
        let count = REACH.iter().find(|(_, most)| p * reach <= *most).map_or(MOST_TERMS, |(count, _)| *count);
        let mut terms = [(-lift).exp2(); ALL];
        for k in 1..ALL {
            terms[k] = terms[k - 1] * (p - k as f64 + 1.0) / k as f64;
        }
        for n in (count..count + 3).rev() {
            let mut spread = -std::mem::take(&mut terms[n]);
            for k in 1..=n / 2 {
                let (above, k) = ((n - 2 * k) as f64, k as f64);
                spread *= -(above + 2.0) * (above + 1.0) / (4.0 * k * (n as f64 - k)) * reach * reach;
                terms[above as usize] += spread;
            }
        }
        Series { terms: std::array::from_fn(|k| terms[k] as f32), count }
    }
}
