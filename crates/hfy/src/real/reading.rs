//! Sums of powers of a row that is read for the first time, and may be copied on the way: what comes from memory is waited for while
//! powers are computed.

use pulp::{Simd, WithSimd};

use super::Real;
use super::maxima::singles::Seen;
use super::moments::{add_chain, add_one};
use super::near::{Near, RaiseNear};
use super::powers::singles::{Power, Whole};
use super::powers::{Affine, MANY_REGISTERS, Raise};
use crate::separation::BLOCK;

/// What a row that is read leaves.
#[derive(Debug)]
pub struct Reading<'r, T> {
    /// As long as the row, or empty where it is not to be copied.
    pub(crate) copy: &'r mut [T],
    /// The maximum of each block.
    pub(crate) blocks: &'r mut Vec<T>,
    pub(crate) least: T,
    /// False where an entry is NaN or plus infinity, or so large that it could be.
    pub(crate) is_sound: bool,
}

/// The type-specific work behind [`Real`](super::Real)'s methods of the same names.
pub(super) trait Read: Sized {
    fn read_whole_sums<const K: usize>(
        row: &[Self],
        affine: Affine<Self>,
        k: u32,
        reading: &mut Reading<'_, Self>,
    ) -> [f64; K];

    fn read_near_sums<const K: usize>(row: &[Self], near: Near<Self>, reading: &mut Reading<'_, Self>) -> [f64; K];
}

/// Blocks whose powers are added up in working precision.
const RUN: usize = 32;

struct Reads<'w, P, const K: usize> {
    row: &'w [f32],
    copy: &'w mut [f32],
    tops: &'w mut [f32],
    power: P,
}

impl<P: Power, const K: usize> WithSimd for Reads<'_, P, K> {
    type Output = ([f64; K], (bool, f32));

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Reads { row, copy, tops, power } = self;
        let (mut seen, zero, mut total) = (Seen::new(simd), simd.splat_f32s(0.0), [0.0; K]);
        let (whole, rest) = row.as_chunks::<BLOCK>();
        let (copies, copied_rest) = copy.as_chunks_mut::<BLOCK>();
        let mut copies = copies.iter_mut();
        let (whole_tops, rest_top) = tops.split_at_mut(whole.len());
        let (mut t, mut y) = ([[0.0_f32; BLOCK]; RUN], [[0.0_f32; BLOCK]; RUN]);
        for (run, tops) in whole.chunks(RUN).zip(whole_tops.chunks_mut(RUN)) {
            let mut sums = [zero; K];
            if S::REGISTER_COUNT >= MANY_REGISTERS {
                for (block, top) in run.iter().zip(tops) {
                    *top = seen.block::<true, BLOCK>(block, copies.next());
                    let (block, _) = S::as_simd_f32s(block);
                    for pair in block.as_chunks::<2>().0 {
                        let [t, y] = power.raise(simd, pair);
                        for i in 0..2 {
                            add_chain!(simd, sums, y[i], t[i], add_f32s, mul_f32s, mul_add_e_f32s);
                        }
                    }
                }
            } else {
                let rooms = t.iter_mut().zip(&mut y);
                for ((block, top), (t, y)) in run.iter().zip(tops).zip(rooms) {
                    *top = seen.block::<true, BLOCK>(block, copies.next());
                    let (block, _) = S::as_simd_f32s(block);
                    let (t, y) = (S::as_mut_simd_f32s(t).0, S::as_mut_simd_f32s(y).0);
                    let rooms = t.as_chunks_mut::<4>().0.iter_mut().zip(y.as_chunks_mut::<4>().0);
                    for (scores, (t, y)) in block.as_chunks::<4>().0.iter().zip(rooms) {
                        [*t, *y] = power.raise(simd, scores);
                    }
                }
                let (t, _) = S::as_simd_f32s(t[..run.len()].as_flattened());
                let (y, _) = S::as_simd_f32s(y[..run.len()].as_flattened());
                for (&t, &y) in t.iter().zip(y) {
                    add_chain!(simd, sums, y, t, add_f32s, mul_f32s, mul_add_e_f32s);
                }
            }
            for (total, sum) in total.iter_mut().rev().zip(sums) {
                *total += f64::from(simd.reduce_sum_f32s(sum));
            }
        }
        if !copied_rest.is_empty() {
            copied_rest.copy_from_slice(rest);
        }
        for top in rest_top {
            *top = rest.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        }
        for &score in rest {
            let [t, y] = power.raise_one(score);
            add_one(&mut total, y, t);
        }
        (total, seen.end(rest))
    }
}

fn read<const K: usize>(row: &[f32], power: impl Power, reading: &mut Reading<'_, f32>) -> [f64; K] {
    reading.blocks.resize(row.len().div_ceil(BLOCK), 0.0);
    let reads = Reads::<_, K> { row, copy: reading.copy, tops: reading.blocks, power };
    let total;
    (total, (reading.is_sound, reading.least)) = pulp::Arch::new().dispatch(reads);
    total
}

impl Read for f32 {
    fn read_whole_sums<const K: usize>(
        row: &[f32],
        affine: Affine<f32>,
        k: u32,
        reading: &mut Reading<'_, f32>,
    ) -> [f64; K] {
        read(row, Whole(affine, k), reading)
    }

    fn read_near_sums<const K: usize>(row: &[f32], near: Near<f32>, reading: &mut Reading<'_, f32>) -> [f64; K] {
        read(row, near, reading)
    }
}

impl<T: Real> Reading<'_, T> {
    /// Reads a row without sums.
    pub(crate) fn alone(&mut self, row: &[T]) {
        self.is_sound = <T as Real>::block_maxima::<BLOCK>(row, self.copy, self.blocks, Some(&mut self.least));
    }
}

/// One after the other: double precision is not read ahead of its thresholds.
impl Read for f64 {
    fn read_whole_sums<const K: usize>(
        row: &[f64],
        affine: Affine<f64>,
        k: u32,
        reading: &mut Reading<'_, f64>,
    ) -> [f64; K] {
        reading.alone(row);
        <f64 as Raise>::whole_sums(row, affine, k)
    }

    fn read_near_sums<const K: usize>(row: &[f64], near: Near<f64>, reading: &mut Reading<'_, f64>) -> [f64; K] {
        reading.alone(row);
        <f64 as RaiseNear>::near_sums(row, near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::tables::Tabled;

    /// What a reading must leave, and its sums beside those of a row that was read before.
    fn check<const K: usize>(
        row: &[f32],
        plain: [f64; K],
        read: impl FnOnce(&mut Reading<'_, f32>) -> [f64; K],
        case: &str,
    ) {
        let (mut copy, mut blocks) = (vec![0.0; row.len()], vec![]);
        let mut reading = Reading { copy: &mut copy, blocks: &mut blocks, least: 0.0, is_sound: false };
        let sums = read(&mut reading);
        let (least, is_sound) = (reading.least, reading.is_sound);
        assert!(is_sound && copy == row, "{case}");
        assert_eq!(least, row.iter().copied().fold(f32::INFINITY, f32::min), "{case}");
        let maxima: Vec<f32> =
            row.chunks(BLOCK).map(|block| block.iter().copied().fold(f32::NEG_INFINITY, f32::max)).collect();
        assert_eq!(blocks, maxima, "{case}");
        for (sum, plain) in sums.into_iter().zip(plain) {
            assert!((sum / plain - 1.0).abs() < 1e-6, "{case}: {sum} {plain}");
        }
    }

    #[test]
    fn rows_that_are_read_leave_what_others_do() {
        for n in [1, 31, 32, 63, 1024, 1025, 5003] {
            let row: Vec<f32> = (0..n).map(|i| 3.0 - ((i * 37) % n) as f32 * 6.0 / n as f32).collect();
            let affine = Affine { shift: 3.0, scale: 0.1, value: -0.7, least: 0.01 };
            let plain: [f64; 5] = <f32 as Raise>::whole_sums(&row, affine, 9);
            check(
                &row,
                plain,
                |reading| <f32 as Read>::read_whole_sums(&row, affine, 9, reading),
                &format!("whole, {n}"),
            );
            let large = Affine { shift: 3.0, scale: 0.02, value: 0.1, least: -1.0 };
            let near = Near::new(large, 50.0, 0.85);
            let plain: [f64; 3] = <f32 as RaiseNear>::near_sums(&row, near);
            check(&row, plain, |reading| <f32 as Read>::read_near_sums(&row, near, reading), &format!("near, {n}"));
            <f32 as Tabled>::with_cells(large, 50.0, -0.13, |cells| {
                let Some(cells) = cells else { return eprintln!("SKIPPED: no tables on this machine") };
                let read = |reading: &mut Reading<'_, f32>| {
                    <f32 as Tabled>::read_tabled_sums(cells, large, 1.0, &row, reading)
                };
                check(&row, plain, read, &format!("cells, {n}"));
            });
        }
    }

    #[test]
    fn what_is_no_score_is_seen() {
        let affine = Affine { shift: 0.0, scale: 0.1, value: -0.7, least: 0.01 };
        for (bad, sound) in [(f32::NAN, false), (f32::INFINITY, false), (f32::NEG_INFINITY, true)] {
            for place in [0, 40, 99] {
                let mut row = vec![0.0; 100];
                row[place] = bad;
                let mut blocks = vec![];
                let mut reading = Reading { copy: &mut [], blocks: &mut blocks, least: 0.0, is_sound: !sound };
                let [sum] = <f32 as Read>::read_whole_sums(&row, affine, 3, &mut reading);
                assert_eq!(reading.is_sound, sound, "{bad} at {place}");
                assert!(!sound || (sum / (99.0 * 0.343) - 1.0).abs() < 1e-5, "{bad} at {place}: {sum}");
            }
        }
    }
}
