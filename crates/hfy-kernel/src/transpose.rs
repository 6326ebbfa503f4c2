//! Rows into the lanes of vectors, and back.

/// `to[j to_stride + i] ← from[i from_stride + j]` for `rows` by `columns` numbers, where vectors have so many lanes.
#[inline(always)]
pub(crate) fn transpose<T: Transpose>(
    lanes: usize,
    (from, from_stride): (&[T], usize),
    (to, to_stride): (&mut [T], usize),
    (rows, columns): (usize, usize),
) {
    let mut done = (0, 0);
    if rows >= lanes && columns >= lanes && lanes > 1 {
        let whole = (rows / lanes * lanes, columns / lanes * lanes);
        'blocks: for i in (0..whole.0).step_by(lanes) {
            for j in (0..whole.1).step_by(lanes) {
                let (from, to) = (&from[i * from_stride + j..], &mut to[j * to_stride + i..]);
                if !T::transpose_block(lanes, (from, from_stride), (to, to_stride)) {
                    break 'blocks;
                }
                done = whole;
            }
        }
    }
    for i in 0..rows {
        let first = if i < done.0 { done.1 } else { 0 };
        for j in first..columns {
            to[j * to_stride + i] = from[i * from_stride + j];
        }
    }
}

/// Numbers of which some processors transpose blocks in registers.
pub trait Transpose: Copy {
    /// Transposes a block of `lanes` by `lanes` numbers; false where there is no such way.
    fn transpose_block(lanes: usize, from: (&[Self], usize), to: (&mut [Self], usize)) -> bool;
}

impl Transpose for f64 {
    #[inline(always)]
    fn transpose_block(_lanes: usize, _from: (&[f64], usize), _to: (&mut [f64], usize)) -> bool {
        false
    }
}

impl Transpose for f32 {
    #[inline(always)]
    fn transpose_block(lanes: usize, from: (&[f32], usize), to: (&mut [f32], usize)) -> bool {
        #[cfg(target_arch = "x86_64")]
        match lanes {
            16 => return x86::sixteen(from, to),
            8 => return x86::eight(from, to),
            _ => {}
        }
        let _ = (lanes, from, to);
        false
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use pulp::{cast, f32x8, f32x16};

    /// Pairs of numbers, pairs of pairs, quarters, halves.
    #[inline(always)]
    pub(super) fn sixteen((from, from_stride): (&[f32], usize), (to, to_stride): (&mut [f32], usize)) -> bool {
        let Some(v) = crate::tier::avx512().map(|simd| simd.avx512f) else { return false };
        let mut a: [f32x16; 16] = [cast([0.0_f32; 16]); 16];
        for (a, row) in a.iter_mut().zip(from.chunks(from_stride)) {
            let (row, _) = row.as_chunks::<16>();
            *a = cast(row[0]);
        }
        let mut b = a;
        for i in (0..16).step_by(2) {
            let (x, y) = (cast(a[i]), cast(a[i + 1]));
            b[i] = cast(v._mm512_unpacklo_ps(x, y));
            b[i + 1] = cast(v._mm512_unpackhi_ps(x, y));
        }
        for i in (0..16).step_by(4) {
            for k in 0..2 {
                let (x, y) = (cast(b[i + k]), cast(b[i + k + 2]));
                a[i + 2 * k] = cast(v._mm512_unpacklo_pd(x, y));
                a[i + 2 * k + 1] = cast(v._mm512_unpackhi_pd(x, y));
            }
        }
        // Quarter q of a[4 r + c] has column 4 q + c of rows 4 r to 4 r + 3.
        const EVEN: i32 = 0b10_00_10_00;
        const ODD: i32 = 0b11_01_11_01;
        for c in 0..4 {
            let (x, y, z, w) = (cast(a[c]), cast(a[4 + c]), cast(a[8 + c]), cast(a[12 + c]));
            let (even, odd) = (v._mm512_shuffle_f32x4::<EVEN>(x, y), v._mm512_shuffle_f32x4::<ODD>(x, y));
            let (even_after, odd_after) = (v._mm512_shuffle_f32x4::<EVEN>(z, w), v._mm512_shuffle_f32x4::<ODD>(z, w));
            b[c] = cast(v._mm512_shuffle_f32x4::<EVEN>(even, even_after));
            b[4 + c] = cast(v._mm512_shuffle_f32x4::<EVEN>(odd, odd_after));
            b[8 + c] = cast(v._mm512_shuffle_f32x4::<ODD>(even, even_after));
            b[12 + c] = cast(v._mm512_shuffle_f32x4::<ODD>(odd, odd_after));
        }
        for (b, row) in b.into_iter().zip(to.chunks_mut(to_stride)) {
            row[..16].copy_from_slice(&cast::<f32x16, [f32; 16]>(b));
        }
        true
    }

    /// Pairs of numbers, quarters, halves.
    #[inline(always)]
    pub(super) fn eight((from, from_stride): (&[f32], usize), (to, to_stride): (&mut [f32], usize)) -> bool {
        let Some(v) = crate::tier::avx2().map(|simd| simd.avx) else { return false };
        let mut a: [f32x8; 8] = [cast([0.0_f32; 8]); 8];
        for (a, row) in a.iter_mut().zip(from.chunks(from_stride)) {
            let (row, _) = row.as_chunks::<8>();
            *a = cast(row[0]);
        }
        let mut b = a;
        for i in (0..8).step_by(2) {
            let (x, y) = (cast(a[i]), cast(a[i + 1]));
            b[i] = cast(v._mm256_unpacklo_ps(x, y));
            b[i + 1] = cast(v._mm256_unpackhi_ps(x, y));
        }
        for i in (0..8).step_by(4) {
            for k in 0..2 {
                let (x, y) = (cast(b[i + k]), cast(b[i + k + 2]));
                a[i + 2 * k] = cast(v._mm256_unpacklo_pd(x, y));
                a[i + 2 * k + 1] = cast(v._mm256_unpackhi_pd(x, y));
            }
        }
        for c in 0..4 {
            let (x, y) = (cast(a[c]), cast(a[4 + c]));
            b[c] = cast(v._mm256_permute2f128_ps::<0x20>(x, y));
            b[4 + c] = cast(v._mm256_permute2f128_ps::<0x31>(x, y));
        }
        for (b, row) in b.into_iter().zip(to.chunks_mut(to_stride)) {
            row[..8].copy_from_slice(&cast::<f32x8, [f32; 8]>(b));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_changes_its_places() {
        for (rows, columns) in [(16, 16), (16, 40), (8, 8), (9, 20), (1, 5), (16, 7), (33, 50)] {
            let from: Vec<f32> = (0..rows * columns).map(|i| i as f32).collect();
            for lanes in [1, 4, 8, 16] {
                let mut to = vec![-1.0; rows * columns];
                transpose(lanes, (&from, columns), (&mut to, rows), (rows, columns));
                for i in 0..rows {
                    for j in 0..columns {
                        assert_eq!(to[j * rows + i], from[i * columns + j], "{rows} x {columns}, {lanes} lanes");
                    }
                }
            }
        }
    }
}
