//! Tables in registers: sixteen scores at a time.

use std::cell::Cell;

use pulp::x86::V4;
use pulp::{Simd, cast, f32x16};

use super::super::moments::{RUN, add_chain, add_one};
use super::*;
use crate::separation::BLOCK;

/// What makes a number and its power of a score.
pub(super) trait Lookup: Copy {
    /// A few at a time and step by step, since a processor looks no further ahead than a few powers.
    fn raise<const N: usize>(self, simd: V4, scores: [f32x16; N]) -> [[f32x16; N]; 2];
}

/// Vectors that are raised together.
pub(super) const TOGETHER: usize = BLOCK / 16;

thread_local! {
    static LAST_BINS: Cell<Vec<Bins>> = const { Cell::new(Vec::new()) };
}

/// A row takes powers by an exponent and by one that is less, for its sums.
const KEPT_BINS: usize = 4;

impl Tabled for f32 {
    #[inline(always)]
    fn with_bins<R>(p: f32, work: impl FnOnce(Option<&Bins>) -> R) -> R {
        if V4::try_new().is_none() || !Bins::suffice(p) {
            return work(None);
        }
        let mut bins = LAST_BINS.take();
        let place = bins.iter().position(|bins| bins.fits(p)).unwrap_or_else(|| {
            if bins.len() == KEPT_BINS {
                bins.remove(0);
            }
            bins.push(Bins::new(p));
            bins.len() - 1
        });
        let result = work(Some(&bins[place]));
        LAST_BINS.set(bins);
        result
    }

    fn raise_tabled(bins: &Bins, affine: Affine<f32>, base: f32, is_sparse: bool, scores: Rewrite<'_, f32>) {
        if is_sparse {
            with_lookup(bins, affine, base, Raising::<true>(scores, affine));
        } else {
            with_lookup(bins, affine, base, Raising::<false>(scores, affine));
        }
    }

    fn tabled_sums<const K: usize>(bins: &Bins, affine: Affine<f32>, base: f32, row: &[f32]) -> [f64; K] {
        with_lookup(bins, affine, base, Summing::<K>(row))
    }
}

/// What is done with a lookup.
trait Work {
    type Output;

    fn by(self, simd: V4, lookup: impl Lookup) -> Self::Output;
}

/// Powers over scores, in whole blocks; where many of those are without weight, only of the others.
struct Raising<'w, const SPARSE: bool>(Rewrite<'w, f32>, Affine<f32>);

impl<const SPARSE: bool> Work for Raising<'_, SPARSE> {
    type Output = ();

    #[inline(always)]
    fn by(self, simd: V4, lookup: impl Lookup) {
        let Raising(Rewrite { from, to }, affine) = self;
        let to = V4::as_mut_simd_f32s(to).0.as_chunks_mut::<TOGETHER>().0;
        let weights = BlockWeights::<_, SPARSE> { simd, lookup, affine: splat(simd, &affine.numbers()) };
        match from {
            Some(from) => {
                for (y, &x) in to.iter_mut().zip(V4::as_simd_f32s(from).0.as_chunks::<TOGETHER>().0) {
                    *y = weights.of(x);
                }
            }
            None => {
                for y in to {
                    *y = weights.of(*y);
                }
            }
        }
    }
}

/// What makes weights of a block.
struct BlockWeights<L, const SPARSE: bool> {
    simd: V4,
    lookup: L,
    affine: [f32x16; 4],
}

impl<L: Lookup, const SPARSE: bool> BlockWeights<L, SPARSE> {
    #[inline(always)]
    fn of(&self, x: [f32x16; TOGETHER]) -> [f32x16; TOGETHER] {
        let (simd, [shift, scale, value, least]) = (self.simd, self.affine);
        if SPARSE {
            let top = simd.sub_f32s(simd.max_f32s(x[0], x[1]), shift);
            let weighs = simd.greater_than_f32s(simd.sub_f32s(simd.mul_f32s(top, scale), value), least);
            if weighs.0 == 0 {
                return [simd.splat_f32s(0.0); TOGETHER];
            }
        }
        self.lookup.raise(simd, x)[1]
    }
}

/// Sums of powers.
struct Summing<'w, const K: usize>(&'w [f32]);

impl<const K: usize> Work for Summing<'_, K> {
    type Output = [f64; K];

    #[inline(always)]
    fn by(self, simd: V4, lookup: impl Lookup) -> [f64; K] {
        let (head, rest) = V4::as_simd_f32s(self.0);
        let mut total = [0.0; K];
        for run in head.chunks(RUN) {
            let mut sums = [simd.splat_f32s(0.0); K];
            let (together, rest) = run.as_chunks::<TOGETHER>();
            for &scores in together {
                let [t, y] = lookup.raise(simd, scores);
                for i in 0..TOGETHER {
                    add_chain!(simd, sums, y[i], t[i], add_f32s, mul_f32s, mul_add_e_f32s);
                }
            }
            for &scores in rest {
                let [[t], [y]] = lookup.raise(simd, [scores]);
                add_chain!(simd, sums, y, t, add_f32s, mul_f32s, mul_add_e_f32s);
            }
            for (total, sum) in total.iter_mut().rev().zip(sums) {
                *total += f64::from(simd.reduce_sum_f32s(sum));
            }
        }
        add_rest(simd, lookup, rest, &mut total);
        total
    }
}

/// Adds the powers of what does not fill a vector.
#[inline(always)]
fn add_rest<const K: usize>(simd: V4, lookup: impl Lookup, rest: &[f32], total: &mut [f64; K]) {
    let Some(&last) = rest.last() else { return };
    let mut scores = [last; 16];
    scores[..rest.len()].copy_from_slice(rest);
    let [t, y]: [[f32; 16]; 2] = cast(lookup.raise(simd, [cast(scores)]));
    for (&t, &y) in t.iter().zip(&y).take(rest.len()) {
        add_one(total, y, t);
    }
}

/// Does the work with bins, by as many terms as its series has, or a few more where those are zero.
#[inline(always)]
fn with_lookup<W: Work>(bins: &Bins, affine: Affine<f32>, base: f32, work: W) -> W::Output {
    let simd = V4::try_new().expect("tables are lent where there are such vectors");
    simd.vectorize(
        #[inline(always)]
        || {
            if base == 0.0 {
                return match bins.terms() {
                    _ if bins.reach_far() => work.by(simd, bins.lookup::<false, true, 5>(simd, affine)),
                    ..=5 => work.by(simd, bins.lookup::<false, false, 5>(simd, affine)),
                    6 => work.by(simd, bins.lookup::<false, false, 6>(simd, affine)),
                    7 | 8 => work.by(simd, bins.lookup::<false, false, 8>(simd, affine)),
                    _ => work.by(simd, bins.lookup::<false, false, MOST_TERMS>(simd, affine)),
                };
            }
            match bins.terms() {
                ..=8 => work.by(simd, bins.lookup::<true, false, 8>(simd, affine)),
                _ => work.by(simd, bins.lookup::<true, false, MOST_TERMS>(simd, affine)),
            }
        },
    )
}

/// A table as vectors.
#[inline(always)]
pub(super) fn halves(table: &[f32; SIZE]) -> [f32x16; 2] {
    let (halves, _) = table.as_chunks::<16>();
    [cast(halves[0]), cast(halves[1])]
}

/// Each number in a vector of its own. A loop, since closures of `map` are not always inlined.
#[inline(always)]
pub(super) fn splat<const N: usize>(simd: V4, numbers: &[f32]) -> [f32x16; N] {
    let mut vectors = [simd.splat_f32s(0.0); N];
    for (vector, &number) in vectors.iter_mut().zip(numbers) {
        *vector = simd.splat_f32s(number);
    }
    vectors
}

/// What of 32 numbers the low bits of indices say.
#[inline(always)]
pub(super) fn find(simd: V4, table: [f32x16; 2], index: f32x16) -> f32x16 {
    cast(simd.avx512f._mm512_permutex2var_ps(cast(table[0]), cast(index), cast(table[1])))
}

/// The sums of a series.
#[inline(always)]
pub(super) fn sum<const TERMS: usize, const N: usize>(
    simd: V4,
    terms: &[f32x16; TERMS],
    f: [f32x16; N],
) -> [f32x16; N] {
    let mut sums = [terms[TERMS - 1]; N];
    for k in (0..TERMS - 1).rev() {
        for i in 0..N {
            sums[i] = simd.mul_add_e_f32s(sums[i], f[i], terms[k]);
        }
    }
    sums
}
