//! Sums of powers that follow from one another by multiplications, and sums along gradients.
//!
//! Written on vector types: compilers do not keep the sums of several powers in registers.

use pulp::{Simd, WithSimd};

/// The type-specific work behind [`Real`](super::Real)'s methods of the same names.
pub(super) trait Moments: Sized {
    /// `total[K-1-k] ← total[K-1-k] + Σ y t^k`.
    fn add_moments<const K: usize>(t: &[Self], y: &[Self], total: &mut [f64; K]);

    /// `Σ y`.
    fn total(y: &[Self]) -> f64;

    /// `Σ s` and `Σ s g`, where `g` may be anything at an `s` of zero.
    fn sums_along(s: &[Self], g: &[Self]) -> [f64; 2];
}

/// Vectors that are added up in working precision before their sum joins the total.
pub(super) const RUN: usize = 32;

/// `sums[k] ← sums[k] + y t^k`: two sums a step, so that the chain of products is half as long.
macro_rules! add_chain {
    ($simd:ident, $sums:ident, $y:expr, $t:expr, $add:ident, $mul:ident, $mul_add:ident) => {{
        let (mut power, square) = ($y, $simd.$mul($t, $t));
        let (pairs, last) = $sums.as_chunks_mut::<2>();
        for [even, odd] in pairs {
            *even = $simd.$add(*even, power);
            *odd = $simd.$mul_add(power, $t, *odd);
            power = $simd.$mul(power, square);
        }
        for last in last {
            *last = $simd.$add(*last, power);
        }
    }};
}

pub(super) use add_chain;

macro_rules! moments {
    (
        $t:ident, $as_simd:ident, $splat:ident, $add:ident, $mul:ident, $mul_add:ident, $greater:ident, $select:ident, $reduce:ident
    ) => {
        impl Moments for $t {
            fn add_moments<const K: usize>(t: &[$t], y: &[$t], total: &mut [f64; K]) {
                struct Work<'w, const K: usize>(&'w [$t], &'w [$t], &'w mut [f64; K]);

                impl<const K: usize> WithSimd for Work<'_, K> {
                    type Output = ();

                    #[inline(always)]
                    fn with_simd<S: Simd>(self, simd: S) {
                        let Work(t, y, total) = self;
                        let (t_head, t_rest) = S::$as_simd(t);
                        let (y_head, y_rest) = S::$as_simd(y);
                        for (t, y) in t_head.chunks(RUN).zip(y_head.chunks(RUN)) {
                            let mut sums = [simd.$splat(0.0); K];
                            for (&t, &y) in t.iter().zip(y) {
                                add_chain!(simd, sums, y, t, $add, $mul, $mul_add);
                            }
                            for (total, sum) in total.iter_mut().rev().zip(sums) {
                                *total += f64::from(simd.$reduce(sum));
                            }
                        }
                        for (&t, &y) in t_rest.iter().zip(y_rest) {
                            add_one(total, y, t);
                        }
                    }
                }

                pulp::Arch::new().dispatch(Work(t, y, total));
            }

            fn total(y: &[$t]) -> f64 {
                struct Work<'w>(&'w [$t]);

                impl WithSimd for Work<'_> {
                    type Output = f64;

                    #[inline(always)]
                    fn with_simd<S: Simd>(self, simd: S) -> f64 {
                        let (head, rest) = S::$as_simd(self.0);
                        let mut total: f64 = rest.iter().map(|&y| f64::from(y)).sum();
                        for run in head.chunks(4 * RUN) {
                            // Side by side, so that additions do not wait for one another.
                            let mut sums = [simd.$splat(0.0); 4];
                            for four in run.chunks(4) {
                                for (sum, &y) in sums.iter_mut().zip(four) {
                                    *sum = simd.$add(*sum, y);
                                }
                            }
                            let [a, b, c, d] = sums;
                            total += f64::from(simd.$reduce(simd.$add(simd.$add(a, b), simd.$add(c, d))));
                        }
                        total
                    }
                }

                pulp::Arch::new().dispatch(Work(y))
            }

            fn sums_along(s: &[$t], g: &[$t]) -> [f64; 2] {
                struct Work<'w>(&'w [$t], &'w [$t]);

                impl WithSimd for Work<'_> {
                    type Output = [f64; 2];

                    #[inline(always)]
                    fn with_simd<S: Simd>(self, simd: S) -> [f64; 2] {
                        let Work(s, g) = self;
                        let (s_head, s_rest) = S::$as_simd(s);
                        let (g_head, g_rest) = S::$as_simd(g);
                        let zero = simd.$splat(0.0);
                        let mut result = [0.0; 2];
                        for (s, g) in s_head.chunks(RUN).zip(g_head.chunks(RUN)) {
                            let (mut total, mut along) = ([zero; 2], [zero; 2]);
                            for (s, g) in s.chunks(2).zip(g.chunks(2)) {
                                for (i, (&s, &g)) in s.iter().zip(g).enumerate() {
                                    total[i] = simd.$add(total[i], s);
                                    let product = simd.$select(simd.$greater(s, zero), simd.$mul(s, g), zero);
                                    along[i] = simd.$add(along[i], product);
                                }
                            }
                            result[0] += f64::from(simd.$reduce(simd.$add(total[0], total[1])));
                            result[1] += f64::from(simd.$reduce(simd.$add(along[0], along[1])));
                        }
                        for (&s, &g) in s_rest.iter().zip(g_rest) {
                            result[0] += f64::from(s);
                            result[1] += if s > 0.0 { f64::from(s * g) } else { 0.0 };
                        }
                        result
                    }
                }

                pulp::Arch::new().dispatch(Work(s, g))
            }
        }
    };
}

/// `total[K-1-k] ← total[K-1-k] + y t^k` for one entry.
pub(super) fn add_one<T: Copy + Into<f64>, const K: usize>(total: &mut [f64; K], y: T, t: T) {
    let (mut power, t): (f64, f64) = (y.into(), t.into());
    for total in total.iter_mut().rev() {
        *total += power;
        power *= t;
    }
}

moments!(
    f32,
    as_simd_f32s,
    splat_f32s,
    add_f32s,
    mul_f32s,
    mul_add_e_f32s,
    greater_than_f32s,
    select_f32s,
    reduce_sum_f32s
);
moments!(
    f64,
    as_simd_f64s,
    splat_f64s,
    add_f64s,
    mul_f64s,
    mul_add_e_f64s,
    greater_than_f64s,
    select_f64s,
    reduce_sum_f64s
);
