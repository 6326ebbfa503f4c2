//! Entries above a level, moved together.
//!
//! Some processors can move those of a vector together. Where one can only permute eight numbers at once, a table says
//! how by the eight answers. One number after the other takes many times as long.

use crate::{BLOCK, Number, tier};

/// How far beyond what they move the functions below may write.
pub const SLACK: usize = 16;

/// Moves `W` numbers at a time.
trait Mover<T, const W: usize>: Copy {
    /// Writes those above the level to the front of `room`, where the rest of the first `W` may become anything, and
    /// returns their number. Less a shift and times a scale, where there are such.
    fn keep(self, x: &[T; W], by: Option<(T, T)>, level: T, room: &mut [T]) -> usize;
}

#[derive(Clone, Copy)]
struct One;

impl<T: Number> Mover<T, 1> for One {
    #[inline(always)]
    fn keep(self, &[x]: &[T; 1], by: Option<(T, T)>, level: T, room: &mut [T]) -> usize {
        room[0] = by.map_or(x, |(shift, scale)| (x - shift) * scale);
        usize::from(room[0] > level)
    }
}

/// Blocks whose numbers are listed together: which of them reach the level is not to be guessed at by the processor.
const TOGETHER: usize = 64;

/// `room` has space for all entries of the row and [`SLACK`] more.
#[inline(always)]
fn gather<T: Number, const W: usize>(
    mover: impl Mover<T, W>,
    (row, blocks): (&[T], &[T]),
    (shift, scale): (T, T),
    level: T,
    room: &mut [T],
) -> usize {
    let mut count = 0;
    for (part, tops) in row.chunks(TOGETHER * BLOCK).zip(blocks.chunks(TOGETHER)) {
        let (mut reaching, mut number) = ([0; TOGETHER], 0);
        for (i, &top) in tops.iter().enumerate() {
            reaching[number] = i;
            number += usize::from((top - shift) * scale > level);
        }
        if number == tops.len() {
            count += gather_part(mover, part, (shift, scale), level, &mut room[count..]);
            continue;
        }
        for &i in &reaching[..number] {
            let block = &part[i * BLOCK..part.len().min((i + 1) * BLOCK)];
            count += gather_part(mover, block, (shift, scale), level, &mut room[count..]);
        }
    }
    count
}

#[inline(always)]
fn gather_part<T: Number, const W: usize>(
    mover: impl Mover<T, W>,
    part: &[T],
    by: (T, T),
    level: T,
    room: &mut [T],
) -> usize {
    let (whole, rest) = part.as_chunks::<W>();
    let mut count = 0;
    for x in whole {
        count += mover.keep(x, Some(by), level, &mut room[count..]);
    }
    for &x in rest {
        count += One.keep(&[x], Some(by), level, &mut room[count..]);
    }
    count
}

#[inline(always)]
fn retain<T: Number, const W: usize>(mover: impl Mover<T, W>, values: &mut [T], level: T) -> usize {
    let mut count = 0;
    let whole = values.len() / W * W;
    for i in (0..whole).step_by(W) {
        let x: [T; W] = *values[i..].first_chunk().expect("as many are left");
        count += mover.keep(&x, None, level, &mut values[count..]);
    }
    for i in whole..values.len() {
        count += One.keep(&[values[i]], None, level, &mut values[count..]);
    }
    count
}

#[cfg(not(target_arch = "x86_64"))]
macro_rules! moving {
    ($mover:ident => $work:expr) => {{
        let $mover = One;
        $work
    }};
}

#[cfg(target_arch = "x86_64")]
macro_rules! moving {
    ($mover:ident => $work:expr) => {
        if let Some(simd) = tier::avx512() {
            simd.vectorize(
                #[inline(always)]
                || {
                    let $mover = moving::Compressing(simd);
                    $work
                },
            )
        } else if let Some(simd) = tier::avx2() {
            simd.vectorize(
                #[inline(always)]
                || {
                    let $mover = moving::Permuting(simd);
                    $work
                },
            )
        } else {
            let $mover = One;
            $work
        }
    };
}

/// Types whose entries above a level are moved.
pub trait Compact: Sized {
    /// Moves `(x - shift) scale` of every entry where that exceeds `level` into `kept` and returns their number. Blocks
    /// whose maximum stays below are not read.
    fn gather(row: &[Self], blocks: &[Self], by: (Self, Self), level: Self, kept: &mut Vec<Self>) -> usize;

    /// Moves the entries above `level` to the front and returns their number; the others may become anything.
    fn retain(values: &mut [Self], level: Self) -> usize;
}

macro_rules! compact {
    ($t:ident) => {
        impl Compact for $t {
            fn gather(row: &[$t], blocks: &[$t], by: ($t, $t), level: $t, kept: &mut Vec<$t>) -> usize {
                if kept.len() < row.len() + SLACK {
                    kept.resize(row.len() + SLACK, 0.0);
                }
                moving!(mover => gather(mover, (row, blocks), by, level, kept))
            }

            fn retain(values: &mut [$t], level: $t) -> usize {
                moving!(mover => retain(mover, values, level))
            }
        }
    };
}

compact!(f32);
compact!(f64);

#[cfg(target_arch = "x86_64")]
mod moving {
    use pulp::x86::{V3, V4};
    use pulp::{Simd, cast};

    use super::Mover;

    /// A vector at a time, by an instruction.
    #[derive(Clone, Copy)]
    pub(super) struct Compressing(pub(super) V4);

    impl Mover<f32, 16> for Compressing {
        #[inline(always)]
        fn keep(self, x: &[f32; 16], by: Option<(f32, f32)>, level: f32, room: &mut [f32]) -> usize {
            let Compressing(simd) = self;
            let mut z = V4::as_simd_f32s(x).0[0];
            if let Some((shift, scale)) = by {
                z = simd.mul_f32s(simd.sub_f32s(z, simd.splat_f32s(shift)), simd.splat_f32s(scale));
            }
            let above = simd.greater_than_f32s(z, simd.splat_f32s(level)).0;
            let moved = simd.avx512f._mm512_maskz_compress_ps(above, cast(z));
            *room.first_chunk_mut::<16>().expect("there is room") = cast(moved);
            above.count_ones() as usize
        }
    }

    impl Mover<f64, 8> for Compressing {
        #[inline(always)]
        fn keep(self, x: &[f64; 8], by: Option<(f64, f64)>, level: f64, room: &mut [f64]) -> usize {
            let Compressing(simd) = self;
            let mut z = V4::as_simd_f64s(x).0[0];
            if let Some((shift, scale)) = by {
                z = simd.mul_f64s(simd.sub_f64s(z, simd.splat_f64s(shift)), simd.splat_f64s(scale));
            }
            let above = simd.greater_than_f64s(z, simd.splat_f64s(level)).0;
            let moved = simd.avx512f._mm512_maskz_compress_pd(above, cast(z));
            *room.first_chunk_mut::<8>().expect("there is room") = cast(moved);
            above.count_ones() as usize
        }
    }

    /// A vector at a time, by a table of orders.
    #[derive(Clone, Copy)]
    pub(super) struct Permuting(pub(super) V3);

    impl Mover<f32, 8> for Permuting {
        #[inline(always)]
        fn keep(self, x: &[f32; 8], by: Option<(f32, f32)>, level: f32, room: &mut [f32]) -> usize {
            let Permuting(simd) = self;
            let mut z = V3::as_simd_f32s(x).0[0];
            if let Some((shift, scale)) = by {
                z = simd.mul_f32s(simd.sub_f32s(z, simd.splat_f32s(shift)), simd.splat_f32s(scale));
            }
            let above = simd.greater_than_f32s(z, simd.splat_f32s(level));
            let answers = simd.avx._mm256_movemask_ps(cast(above)) as usize;
            let order = simd.avx2._mm256_cvtepu8_epi32(cast([EIGHT[answers], 0]));
            let moved = simd.avx2._mm256_permutevar8x32_ps(cast(z), order);
            *room.first_chunk_mut::<8>().expect("there is room") = cast(moved);
            answers.count_ones() as usize
        }
    }

    impl Mover<f64, 4> for Permuting {
        #[inline(always)]
        fn keep(self, x: &[f64; 4], by: Option<(f64, f64)>, level: f64, room: &mut [f64]) -> usize {
            let Permuting(simd) = self;
            let mut z = V3::as_simd_f64s(x).0[0];
            if let Some((shift, scale)) = by {
                z = simd.mul_f64s(simd.sub_f64s(z, simd.splat_f64s(shift)), simd.splat_f64s(scale));
            }
            let above = simd.greater_than_f64s(z, simd.splat_f64s(level));
            let answers = simd.avx._mm256_movemask_pd(cast(above)) as usize;
            // Both halves of a number.
            let order = simd.avx2._mm256_cvtepu8_epi32(cast([FOUR[answers], 0]));
            let moved = simd.avx2._mm256_permutevar8x32_ps(cast(z), order);
            *room.first_chunk_mut::<4>().expect("there is room") = cast(moved);
            answers.count_ones() as usize
        }
    }

    static EIGHT: [u64; 256] = orders::<256>(1);
    static FOUR: [u64; 16] = orders::<16>(2);

    /// For each pattern of answers the places that hold a yes, from the first on, a byte each; or as many as `parts`
    /// for a place.
    const fn orders<const N: usize>(parts: u64) -> [u64; N] {
        let mut orders = [0; N];
        let mut answers = 0;
        while answers < N {
            let (mut place, mut next) = (0, 0);
            while place < N.ilog2() as u64 {
                if answers >> place & 1 == 1 {
                    let mut part = 0;
                    while part < parts {
                        orders[answers] |= (place * parts + part) << (8 * next);
                        next += 1;
                        part += 1;
                    }
                }
                place += 1;
            }
            answers += 1;
        }
        orders
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in no order, of which every pattern of eight answers comes up.
    fn numbers(count: usize) -> Vec<f32> {
        let mut state = 7_u32;
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from((state >> 16) as i16)
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    const LEVELS: [f32; 5] = [-40_000.0, -3000.0, 0.0, 9000.0, 40_000.0];
    const COUNTS: [usize; 7] = [0, 1, 7, 8, 9, 64, 5003];

    fn check_gathering<const W: usize, const V: usize>(singles: impl Mover<f32, W>, doubles: impl Mover<f64, V>) {
        for count in COUNTS {
            let values = numbers(count);
            let tops: Vec<f32> = values.chunks(BLOCK).map(|b| b.iter().copied().fold(f32::MIN, f32::max)).collect();
            let wide = |values: &[f32]| values.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
            for level in LEVELS {
                let expected: Vec<f32> = values.iter().map(|x| (x - 2.0) * 0.5).filter(|&z| z > level * 0.5).collect();
                let mut room = vec![f32::NAN; count + SLACK];
                let kept = gather(singles, (&values, &tops), (2.0, 0.5), level * 0.5, &mut room);
                assert_eq!(room[..kept], expected);
                let mut room = vec![f64::NAN; count + SLACK];
                let rows = (wide(&values), wide(&tops));
                let kept = gather(doubles, (&rows.0, &rows.1), (2.0, 0.5), f64::from(level) * 0.5, &mut room);
                assert_eq!(room[..kept], wide(&expected));
            }
        }
    }

    fn check_retaining<const W: usize>(mover: impl Mover<f32, W>) {
        for count in COUNTS {
            let values = numbers(count);
            for level in LEVELS {
                let mut moved = values.clone();
                let kept = retain(mover, &mut moved, level);
                let expected: Vec<f32> = values.iter().copied().filter(|&x| x > level).collect();
                assert_eq!(moved[..kept], expected);
            }
        }
    }

    #[test]
    fn entries_above_the_level_are_moved_in_order() {
        check_gathering(One, One);
        check_retaining(One);
    }

    /// All that this machine can do, not just the fastest.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn vectors_are_moved_in_order() {
        if let Some(simd) = tier::avx2() {
            check_gathering(moving::Permuting(simd), moving::Permuting(simd));
            check_retaining(moving::Permuting(simd));
        }
        if let Some(simd) = tier::avx512() {
            check_gathering(moving::Compressing(simd), moving::Compressing(simd));
            check_retaining(moving::Compressing(simd));
        }
    }
}
