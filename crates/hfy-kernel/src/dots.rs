//! Inner products of one vector with some rows of a matrix.

use crate::{Kernel, Number, Vectors};

struct Dots<'w, T> {
    rows: &'w [T],
    x: &'w [T],
    entries: &'w [u32],
    out: &'w mut [T],
}

impl<T: Number> Kernel<T> for Dots<'_, T> {
    type Output = ();

    /// Four rows at a time, so that each part of `x` is read once for them.
    #[inline(always)]
    fn run<S: Vectors<T>>(self, simd: S) {
        let Dots { rows, x, entries, out } = self;
        let width = x.len();
        let (head, tail) = S::vectors(x);
        let row = |entry: u32| {
            let row = S::vectors(&rows[entry as usize * width..][..width]);
            (&row.0[..head.len()], row.1)
        };
        let rest = |row: &[T]| row.iter().zip(tail).map(|(&a, &b)| a * b).sum::<T>();
        let zero = simd.splat(T::zero());
        let (fours, ones) = entries.as_chunks::<4>();
        let (out_fours, out_ones) = out[..entries.len()].as_chunks_mut::<4>();
        for (&[i, j, k, l], out) in fours.iter().zip(out_fours) {
            let ((a, a_rest), (b, b_rest), (c, c_rest), (d, d_rest)) = (row(i), row(j), row(k), row(l));
            let mut sums = [zero; 4];
            for n in 0..head.len() {
                sums[0] = simd.mul_add(a[n], head[n], sums[0]);
                sums[1] = simd.mul_add(b[n], head[n], sums[1]);
                sums[2] = simd.mul_add(c[n], head[n], sums[2]);
                sums[3] = simd.mul_add(d[n], head[n], sums[3]);
            }
            for ((out, sum), row) in out.iter_mut().zip(sums).zip([a_rest, b_rest, c_rest, d_rest]) {
                *out = simd.reduce_sum(sum) + rest(row);
            }
        }
        for (&i, out) in ones.iter().zip(out_ones) {
            let (a, a_rest) = row(i);
            let mut sums = [zero; 2];
            let ((pairs, last), (head_pairs, head_last)) = (a.as_chunks::<2>(), head.as_chunks::<2>());
            for (a, x) in pairs.iter().zip(head_pairs) {
                sums[0] = simd.mul_add(a[0], x[0], sums[0]);
                sums[1] = simd.mul_add(a[1], x[1], sums[1]);
            }
            for (&a, &x) in last.iter().zip(head_last) {
                sums[0] = simd.mul_add(a, x, sums[0]);
            }
            *out = simd.reduce_sum(simd.add(sums[0], sums[1])) + rest(a_rest);
        }
    }
}

/// `out[k] ← rows[entries[k]] · x`, for rows as long as `x`, row after row.
pub(crate) fn dots<T: Number>(rows: &[T], x: &[T], entries: &[u32], out: &mut [T]) {
    T::dispatch(Dots { rows, x, entries, out });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_and_partial_vectors_are_summed() {
        for width in [1, 3, 8, 17, 40, 75] {
            let rows: Vec<f64> = (0..9 * width).map(|i| ((i * 7919) % 13) as f64 - 6.0).collect();
            let x: Vec<f64> = (0..width).map(|i| ((i * 31) % 11) as f64 - 5.0).collect();
            let narrow = |v: &[f64]| v.iter().map(|&v| v as f32).collect::<Vec<f32>>();
            for entries in [&[][..], &[4], &[0, 8, 3], &[1, 2, 3, 4], &[8, 7, 6, 5, 4, 3, 2, 1, 0]] {
                let exact = |&i: &u32| rows[i as usize * width..].iter().zip(&x).map(|(a, b)| a * b).sum::<f64>();
                let expected: Vec<f64> = entries.iter().map(exact).collect();
                let mut out = vec![0.0; entries.len()];
                dots(&rows, &x, entries, &mut out);
                assert_eq!(out, expected);
                let mut out = vec![0.0; entries.len()];
                dots(&narrow(&rows), &narrow(&x), entries, &mut out);
                assert_eq!(out, narrow(&expected));
            }
        }
    }
}
