//! Inner products of one vector with some rows of a matrix.
//!
//! Written on vector types: compilers do not find their way from a loop over lanes to four rows at a time.

use pulp::{Simd, WithSimd};

/// The type-specific work behind [`Real::dots`](super::Real::dots).
pub(super) trait Dots: Sized {
    /// `out[k] ← rows[entries[k]] · x`, for rows as long as `x`.
    fn dots(rows: &[Self], x: &[Self], entries: &[u32], out: &mut [Self]);
}

macro_rules! dots {
    ($t:ident, $as_simd:ident, $splat:ident, $mul_add:ident, $add:ident, $reduce:ident) => {
        impl Dots for $t {
            fn dots(rows: &[$t], x: &[$t], entries: &[u32], out: &mut [$t]) {
                struct Work<'w>(&'w [$t], &'w [$t], &'w [u32], &'w mut [$t]);

                impl WithSimd for Work<'_> {
                    type Output = ();

                    #[inline(always)]
                    fn with_simd<S: Simd>(self, simd: S) {
                        let Work(rows, x, entries, out) = self;
                        let width = x.len();
                        let (head, tail) = S::$as_simd(x);
                        let row = |entry: u32| {
                            let row = S::$as_simd(&rows[entry as usize * width..][..width]);
                            (&row.0[..head.len()], row.1)
                        };
                        let rest = |row: &[$t]| row.iter().zip(tail).map(|(a, b)| a * b).sum::<$t>();
                        let zero = simd.$splat(0.0);
                        let (fours, ones) = entries.as_chunks::<4>();
                        let (out_fours, out_ones) = out[..entries.len()].as_chunks_mut::<4>();
                        for (&[i, j, k, l], out) in fours.iter().zip(out_fours) {
                            let ((a, a_rest), (b, b_rest), (c, c_rest), (d, d_rest)) = (row(i), row(j), row(k), row(l));
                            let (mut sa, mut sb, mut sc, mut sd) = (zero, zero, zero, zero);
                            for n in 0..head.len() {
                                sa = simd.$mul_add(a[n], head[n], sa);
                                sb = simd.$mul_add(b[n], head[n], sb);
                                sc = simd.$mul_add(c[n], head[n], sc);
                                sd = simd.$mul_add(d[n], head[n], sd);
                            }
                            *out = [
                                simd.$reduce(sa) + rest(a_rest),
                                simd.$reduce(sb) + rest(b_rest),
                                simd.$reduce(sc) + rest(c_rest),
                                simd.$reduce(sd) + rest(d_rest),
                            ];
                        }
                        for (&i, out) in ones.iter().zip(out_ones) {
                            let (a, a_rest) = row(i);
                            let (mut even, mut odd) = (zero, zero);
                            for n in 0..head.len() / 2 {
                                even = simd.$mul_add(a[2 * n], head[2 * n], even);
                                odd = simd.$mul_add(a[2 * n + 1], head[2 * n + 1], odd);
                            }
                            if head.len() % 2 == 1 {
                                let last = head.len() - 1;
                                even = simd.$mul_add(a[last], head[last], even);
                            }
                            *out = simd.$reduce(simd.$add(even, odd)) + rest(a_rest);
                        }
                    }
                }

                pulp::Arch::new().dispatch(Work(rows, x, entries, out));
            }
        }
    };
}

dots!(f32, as_simd_f32s, splat_f32s, mul_add_e_f32s, add_f32s, reduce_sum_f32s);
dots!(f64, as_simd_f64s, splat_f64s, mul_add_e_f64s, add_f64s, reduce_sum_f64s);

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
                f64::dots(&rows, &x, entries, &mut out);
                assert_eq!(out, expected);
                let mut out = vec![0.0; entries.len()];
                f32::dots(&narrow(&rows), &narrow(&x), entries, &mut out);
                assert_eq!(out, narrow(&expected));
            }
        }
    }
}
