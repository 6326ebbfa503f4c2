//! Powers by tables, for processors that look sixteen numbers up at once.
//!
//! A table holds powers of a few numbers; those of the numbers around them follow by a short binomial series. There is neither a
//! logarithm nor an exponential, whose errors would grow with the exponent.

mod bins;
mod cells;

pub(crate) use bins::Bins;
pub(crate) use cells::Cells;

use super::{Affine, Real};

/// What makes powers by one exponent.
#[derive(Debug, Clone, Copy)]
pub enum Table<'t> {
    /// Of any numbers.
    Bins(&'t Bins),
    /// Of `1 + d`, `d` the distance of a score, for scores between two bounds.
    Cells(&'t Cells),
}

/// The type-specific work behind [`Real`]'s methods of the same names.
pub(super) trait Tabled: Sized {
    /// Whether there is a table of cells for powers by `p` at a threshold, of all scores from the best down to the least, as `z`.
    fn has_cells(value: Self, p: Self, least: Self) -> bool;

    /// Lends the table of bins for an exponent, where this machine has such.
    fn with_bins<R>(p: Self, work: impl FnOnce(Option<Table<'_>>) -> R) -> R;

    /// Lends a table of cells, where there is one.
    fn with_cells<R>(affine: Affine<Self>, p: Self, least: Self, work: impl FnOnce(Option<Table<'_>>) -> R) -> R;

    /// Writes powers over scores, which come in whole blocks, and the numbers, `base` plus the distances, to room as long.
    fn raise_tabled(table: Table<'_>, affine: Affine<Self>, base: Self, y: &mut [Self], t: &mut [Self]);
}

/// No tables are lent.
macro_rules! without_tables {
    ($t:ident) => {
        impl Tabled for $t {
            #[inline(always)]
            fn has_cells(_value: $t, _p: $t, _least: $t) -> bool {
                false
            }

            #[inline(always)]
            fn with_bins<R>(_p: $t, work: impl FnOnce(Option<Table<'_>>) -> R) -> R {
                work(None)
            }

            #[inline(always)]
            fn with_cells<R>(_affine: Affine<$t>, _p: $t, _least: $t, work: impl FnOnce(Option<Table<'_>>) -> R) -> R {
                work(None)
            }

            fn raise_tabled(table: Table<'_>, _affine: Affine<$t>, _base: $t, _y: &mut [$t], _t: &mut [$t]) {
                unreachable!("no table was lent, but here is {table:?}");
            }
        }
    };
}

// More terms would be needed than pay.
without_tables!(f64);
#[cfg(not(target_arch = "x86_64"))]
without_tables!(f32);

#[cfg(target_arch = "x86_64")]
mod lent {
    use std::cell::Cell;

    use pulp::x86::V4;
    use pulp::{Simd, cast, f32x16};

    use super::*;

    thread_local! {
        static LAST_BINS: Cell<Option<Box<Bins>>> = const { Cell::new(None) };
        static LAST_CELLS: Cell<Option<Box<Cells>>> = const { Cell::new(None) };
    }

    impl Tabled for f32 {
        #[inline(always)]
        fn has_cells(value: f32, p: f32, least: f32) -> bool {
            V4::try_new().is_some() && Cells::suffice(value, p, least)
        }

        #[inline(always)]
        fn with_bins<R>(p: f32, work: impl FnOnce(Option<Table<'_>>) -> R) -> R {
            if !Bins::suffice(p) || V4::try_new().is_none() {
                return work(None);
            }
            let mut bins = LAST_BINS.take();
            if !bins.as_ref().is_some_and(|bins| bins.fits(p)) {
                bins = Some(Box::new(Bins::new(p)));
            }
            let result = work(bins.as_deref().map(Table::Bins));
            LAST_BINS.set(bins);
            result
        }

        #[inline(always)]
        fn with_cells<R>(affine: Affine<f32>, p: f32, least: f32, work: impl FnOnce(Option<Table<'_>>) -> R) -> R {
            if !<f32 as Tabled>::has_cells(affine.value, p, least) {
                return work(None);
            }
            let mut cells = LAST_CELLS.take();
            if !cells.as_ref().is_some_and(|cells| cells.fit(affine, p, least)) {
                cells = Some(Box::new(Cells::new(affine, p, least)));
            }
            let result = work(cells.as_deref().map(Table::Cells));
            LAST_CELLS.set(cells);
            result
        }

        #[inline(always)]
        fn raise_tabled(table: Table<'_>, affine: Affine<f32>, base: f32, y: &mut [f32], t: &mut [f32]) {
            let simd = V4::try_new().expect("tables are lent where there are such vectors");
            simd.vectorize(
                #[inline(always)]
                || match table {
                    Table::Bins(bins) if base == 0.0 => bins.raise::<false>(simd, affine, y, t),
                    Table::Bins(bins) => bins.raise::<true>(simd, affine, y, t),
                    Table::Cells(cells) => cells.raise(simd, affine, y, t),
                },
            );
        }
    }

    /// A table as vectors.
    #[inline(always)]
    pub(super) fn halves(table: &[f32; SIZE]) -> [f32x16; 2] {
        let (halves, _) = table.as_chunks::<16>();
        [cast(halves[0]), cast(halves[1])]
    }

    /// Each number in a vector of its own. A loop, since closures of `map` are not always inlined.
    #[inline(always)]
    pub(super) fn splat<const N: usize>(simd: V4, numbers: [f32; N]) -> [f32x16; N] {
        let mut vectors = [simd.splat_f32s(0.0); N];
        for (vector, number) in vectors.iter_mut().zip(numbers) {
            *vector = simd.splat_f32s(number);
        }
        vectors
    }

    /// What of 32 numbers the low bits of indices say.
    #[inline(always)]
    pub(super) fn find(simd: V4, table: [f32x16; 2], index: f32x16) -> f32x16 {
        cast(simd.avx512f._mm512_permutex2var_ps(cast(table[0]), cast(index), cast(table[1])))
    }

    /// The sum of a series.
    #[inline(always)]
    pub(super) fn sum(simd: V4, terms: &[f32x16; TERMS], f: f32x16) -> f32x16 {
        let square = simd.mul_f32s(f, f);
        let mut sum = simd.mul_add_e_f32s(terms[7], f, terms[6]);
        for k in [4, 2, 0] {
            sum = simd.mul_add_e_f32s(sum, square, simd.mul_add_e_f32s(terms[k + 1], f, terms[k]));
        }
        sum
    }
}

/// Numbers in a table.
const SIZE: usize = 32;
/// Terms of a series.
const TERMS: usize = 8;

/// `(1 + f)^p 2^-lift` for `f` up to `reach`. The term that would be the next is spread over these as Chebyshev's polynomial has it, which
/// leaves a hundredth of it.
fn series(p: f64, reach: f64, lift: f64) -> [f32; TERMS] {
    let mut terms = [(-lift).exp2(); TERMS + 1];
    for k in 0..TERMS {
        terms[k + 1] = terms[k] * (p - k as f64) / (k as f64 + 1.0);
    }
    let mut spread = terms[TERMS];
    for (k, share) in [(6, 2.0), (4, -1.25), (2, 0.25), (0, -0.007_812_5)] {
        spread *= reach * reach;
        terms[k] += share * spread;
    }
    std::array::from_fn(|k| terms[k] as f32)
}

/// A series with so many terms is as good as single precision where `p f` is no more than this.
const REACH: f64 = 0.57;

/// `t^p` of some numbers.
#[inline(always)]
fn powers(mut numbers: [f64; SIZE], p: f64) -> [f32; SIZE] {
    for number in &mut numbers {
        *number = number.log2_times(p);
    }
    for number in &mut numbers {
        *number = number.exp2_lanes();
    }
    numbers.map(|power| power as f32)
}
