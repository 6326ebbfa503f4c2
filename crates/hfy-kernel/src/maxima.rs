//! The maximum of each block of a row, and a copy of the row in the same pass: entries that come from memory are waited
//! for once. The extremes of a row.

use crate::{Kernel, Number, Vectors};

/// Entries under one block maximum.
pub const BLOCK: usize = 32;

/// Of a row, into as many numbers as there are blocks, and of those; with a copy, where there is room for one.
struct Maxima<'w, T>(&'w [T], &'w mut [T], &'w mut [T]);

impl<T: Number> Kernel<T> for Maxima<'_, T> {
    type Output = (T, bool);

    #[inline(always)]
    fn run<S: Vectors<T>>(self, simd: S) -> (T, bool) {
        let Maxima(row, tops, copy) = self;
        let (copies, copied_rest) = copy.as_chunks_mut::<BLOCK>();
        let (blocks, rest) = row.as_chunks::<BLOCK>();
        let (block_tops, rest_top) = tops.split_at_mut(blocks.len());
        let mut sums = [simd.splat(T::zero()); 2];
        for (i, (block, top)) in blocks.iter().zip(block_tops).enumerate() {
            let (vectors, _) = S::vectors(block);
            let mut best = vectors[0];
            for (i, &x) in vectors.iter().enumerate() {
                sums[i % 2] = simd.add(x, sums[i % 2]);
                best = simd.max(x, best);
            }
            if let Some(copy) = copies.get_mut(i) {
                S::vectors_mut(copy).0.copy_from_slice(vectors);
            }
            *top = simd.reduce_max(best);
        }
        if !copied_rest.is_empty() {
            copied_rest.copy_from_slice(rest);
        }
        for top in rest_top {
            *top = rest.iter().copied().fold(T::neg_infinity(), T::max);
        }
        // A sum is less than infinity only if each of its terms is.
        let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
        let sound = simd.where_greater(simd.splat(T::infinity()), simd.add(sums[0], sums[1]), one, zero);
        let is_sound = simd.reduce_min(sound) == T::one() && rest.iter().all(|&x| x < T::infinity());
        (Extreme::<T, true>(tops).run(simd), is_sound)
    }
}

/// Writes the maximum of each block, and a copy of the row where there is room, and returns the maximum; with it false
/// where an entry is NaN or plus infinity, or so large that it could be.
pub(crate) fn block_maxima<T: Number>(row: &[T], copy: &mut [T], blocks: &mut Vec<T>) -> (T, bool) {
    blocks.resize(row.len().div_ceil(BLOCK), T::zero());
    T::dispatch(Maxima(row, blocks, copy))
}

struct Extreme<'w, T, const GREATEST: bool>(&'w [T]);

impl<T: Number, const GREATEST: bool> Kernel<T> for Extreme<'_, T, GREATEST> {
    type Output = T;

    #[inline(always)]
    fn run<S: Vectors<T>>(self, simd: S) -> T {
        let (head, rest) = S::vectors(self.0);
        let none = if GREATEST { T::neg_infinity() } else { T::infinity() };
        let better = |x, best| if GREATEST { simd.max(x, best) } else { simd.min(x, best) };
        let mut best = [simd.splat(none); 4];
        let (fours, ones) = head.as_chunks::<4>();
        for four in fours {
            for i in 0..4 {
                best[i] = better(four[i], best[i]);
            }
        }
        for &x in ones {
            best[0] = better(x, best[0]);
        }
        let best = better(better(best[0], best[1]), better(best[2], best[3]));
        if GREATEST {
            rest.iter().copied().fold(simd.reduce_max(best), T::max)
        } else {
            rest.iter().copied().fold(simd.reduce_min(best), T::min)
        }
    }
}

/// The greatest entry; minus infinity for none.
pub(crate) fn maximum<T: Number>(row: &[T]) -> T {
    T::dispatch(Extreme::<T, true>(row))
}

/// The least entry; infinity for none.
pub(crate) fn minimum<T: Number>(row: &[T]) -> T {
    T::dispatch(Extreme::<T, false>(row))
}

/// About what share of a row is so, by a sample: of neighbours together, which are read at once.
pub(crate) fn share<T: Number>(row: &[T], is_so: impl Fn(T) -> bool) -> f64 {
    const GROUP: usize = 8;
    const GROUPS: usize = 8;
    let groups = row.len().div_ceil(GROUP);
    let (mut some, mut all) = (0, 0);
    for group in row.chunks(GROUP).step_by(groups.div_ceil(GROUPS).max(1)) {
        some += group.iter().filter(|&&x| is_so(x)).count();
        all += group.len();
    }
    some as f64 / all.max(1) as f64
}

/// About what share of a row has `(x - shift) scale` above the level.
pub(crate) fn share_above<T: Number>(row: &[T], (shift, scale): (T, T), level: T) -> f64 {
    share(row, |x| (x - shift) * scale > level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_has_its_maximum() {
        for n in [1, 31, 32, 33, 511, 512, 513, 544, 1023, 1024, 1500, 5003] {
            // Each place of a block holds its maximum somewhere.
            let row: Vec<f32> = (0..n).map(|i| ((i * 7919 + i / 32 * 13) % 1009) as f32).collect();
            let best = |part: &[f32]| part.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let expected: Vec<f32> = row.chunks(32).map(best).collect();
            let wide: Vec<f64> = row.iter().map(|&x| x.into()).collect();
            let mut blocks = vec![];
            assert_eq!(block_maxima(&row, &mut [], &mut blocks), (best(&row), true), "{n}");
            assert_eq!(blocks, expected, "{n}");
            let mut copy = vec![-1.0; n];
            block_maxima(&row, &mut copy, &mut blocks);
            assert_eq!(copy, row);
            assert_eq!((maximum(&row), minimum(&row)), (best(&row), row.iter().copied().fold(f32::INFINITY, f32::min)));
            let mut blocks = vec![];
            assert!(block_maxima(&wide, &mut [], &mut blocks).1, "{n}");
            assert!(blocks.iter().zip(&expected).all(|(&a, &b)| a == f64::from(b)), "{n}");
        }
    }

    #[test]
    fn an_entry_that_is_no_score_is_seen_wherever_it_is() {
        for bad in [f32::NAN, f32::INFINITY] {
            for place in [0, 37, 511, 512, 700, 1040] {
                let mut row = vec![0.0; 1041];
                row[place] = bad;
                assert!(!block_maxima(&row, &mut [], &mut vec![]).1, "{bad} at {place}");
            }
        }
    }
}
