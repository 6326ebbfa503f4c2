//! Sums over pieces of piecewise functions: what the thresholds of sparsemax, 1.5-entmax and k-subsets follow from.
//!
//! Written on vector types: these loops are short, and what compilers put around them takes longer than they do.

use pulp::{Simd, WithSimd};

use super::moments::RUN;

/// The type-specific work behind [`Real`](super::Real)'s methods of the same names.
pub(super) trait Ramps: Sized {
    fn distances(z: &[Self], tau: Self) -> [Self; 3];
    fn clipped(x: &[Self], tau: Self) -> [Self; 2];
    fn pieces(x: &[Self], anchor: Self, tau: Self) -> [Self; 3];
}

macro_rules! ramps {
    (
        $t:ident, $as_simd:ident, $splat:ident, $add:ident, $sub:ident, $mul_add:ident, $min:ident, $max:ident,
        $greater:ident, $less_equal:ident, $equal:ident, $select:ident, $reduce_sum:ident, $reduce_min:ident
    ) => {
        impl Ramps for $t {
            fn distances(z: &[$t], tau: $t) -> [$t; 3] {
                struct Work<'w>(&'w [$t], $t);

                impl WithSimd for Work<'_> {
                    type Output = [$t; 3];

                    #[inline(always)]
                    fn with_simd<S: Simd>(self, simd: S) -> [$t; 3] {
                        let (head, rest) = S::$as_simd(self.0);
                        let tau = simd.$splat(self.1);
                        let (zero, infinity) = (simd.$splat(0.0), simd.$splat($t::INFINITY));
                        let (mut totals, mut all_least) = ([0.0_f64; 2], infinity);
                        for run in head.chunks(RUN) {
                            // Two of each, so that additions do not wait for one another.
                            let (mut first, mut second, mut least) = ([zero; 2], [zero; 2], [infinity; 2]);
                            for z in run.chunks(2) {
                                for (i, &z) in z.iter().enumerate() {
                                    let d = simd.$sub(z, tau);
                                    first[i] = simd.$add(first[i], d);
                                    second[i] = simd.$mul_add(d, d, second[i]);
                                    least[i] = simd.$min(least[i], d);
                                }
                            }
                            totals[0] += f64::from(simd.$reduce_sum(simd.$add(first[0], first[1])));
                            totals[1] += f64::from(simd.$reduce_sum(simd.$add(second[0], second[1])));
                            all_least = simd.$min(all_least, simd.$min(least[0], least[1]));
                        }
                        let mut least = simd.$reduce_min(all_least);
                        for &z in rest {
                            let d = z - self.1;
                            totals[0] += f64::from(d);
                            totals[1] += f64::from(d * d);
                            least = least.min(d);
                        }
                        [totals[0] as $t, totals[1] as $t, least]
                    }
                }

                pulp::Arch::new().dispatch(Work(z, tau))
            }

            fn clipped(x: &[$t], tau: $t) -> [$t; 2] {
                struct Work<'w>(&'w [$t], $t);

                impl WithSimd for Work<'_> {
                    type Output = [$t; 2];

                    #[inline(always)]
                    fn with_simd<S: Simd>(self, simd: S) -> [$t; 2] {
                        let Work(x, tau) = self;
                        let (head, rest) = S::$as_simd(x);
                        let (taus, zero, one) = (simd.$splat(tau), simd.$splat(0.0), simd.$splat(1.0));
                        let mut totals = [0.0_f64; 2];
                        for run in head.chunks(RUN) {
                            // Two of each, so that additions do not wait for one another.
                            let (mut held, mut free) = ([zero; 2], [zero; 2]);
                            for x in run.chunks(2) {
                                for (i, &x) in x.iter().enumerate() {
                                    let d = simd.$sub(x, taus);
                                    let clipped = simd.$min(simd.$max(d, zero), one);
                                    let same = simd.$select(simd.$equal(d, clipped), one, zero);
                                    held[i] = simd.$add(held[i], clipped);
                                    free[i] = simd.$add(free[i], same);
                                }
                            }
                            totals[0] += f64::from(simd.$reduce_sum(simd.$add(held[0], held[1])));
                            totals[1] += f64::from(simd.$reduce_sum(simd.$add(free[0], free[1])));
                        }
                        for &x in rest {
                            let d = x - tau;
                            let clipped = d.clamp(0.0, 1.0);
                            totals[0] += f64::from(clipped);
                            totals[1] += if d == clipped { 1.0 } else { 0.0 };
                        }
                        totals.map(|total| total as $t)
                    }
                }

                pulp::Arch::new().dispatch(Work(x, tau))
            }

            fn pieces(x: &[$t], anchor: $t, tau: $t) -> [$t; 3] {
                struct Work<'w>(&'w [$t], $t, $t);

                impl WithSimd for Work<'_> {
                    type Output = [$t; 3];

                    #[inline(always)]
                    fn with_simd<S: Simd>(self, simd: S) -> [$t; 3] {
                        let Work(x, anchor, tau) = self;
                        let (head, rest) = S::$as_simd(x);
                        let (anchors, taus) = (simd.$splat(anchor), simd.$splat(tau));
                        let (zero, one) = (simd.$splat(0.0), simd.$splat(1.0));
                        let mut totals = [0.0_f64; 3];
                        for run in head.chunks(RUN) {
                            let mut sums = [zero; 3];
                            for &x in run {
                                let distance = simd.$sub(x, anchors);
                                let d = simd.$sub(distance, taus);
                                let some = simd.$select(simd.$greater(d, zero), one, zero);
                                let full = simd.$select(simd.$less_equal(one, d), one, zero);
                                let free = simd.$sub(some, full);
                                let between = simd.$select(simd.$greater(free, zero), distance, zero);
                                for (sum, term) in sums.iter_mut().zip([free, between, full]) {
                                    *sum = simd.$add(*sum, term);
                                }
                            }
                            for (total, sum) in totals.iter_mut().zip(sums) {
                                *total += f64::from(simd.$reduce_sum(sum));
                            }
                        }
                        for &x in rest {
                            let distance = x - anchor;
                            let d = distance - tau;
                            let full = if d >= 1.0 { 1.0 } else { 0.0 };
                            let free = if d > 0.0 { 1.0 - full } else { 0.0 };
                            let between = if free > 0.0 { distance } else { 0.0 };
                            for (total, term) in totals.iter_mut().zip([free, between, full]) {
                                *total += f64::from(term);
                            }
                        }
                        totals.map(|total| total as $t)
                    }
                }

                pulp::Arch::new().dispatch(Work(x, anchor, tau))
            }
        }
    };
}

ramps!(
    f32,
    as_simd_f32s,
    splat_f32s,
    add_f32s,
    sub_f32s,
    mul_add_e_f32s,
    min_f32s,
    max_f32s,
    greater_than_f32s,
    less_than_or_equal_f32s,
    equal_f32s,
    select_f32s,
    reduce_sum_f32s,
    reduce_min_f32s
);
ramps!(
    f64,
    as_simd_f64s,
    splat_f64s,
    add_f64s,
    sub_f64s,
    mul_add_e_f64s,
    min_f64s,
    max_f64s,
    greater_than_f64s,
    less_than_or_equal_f64s,
    equal_f64s,
    select_f64s,
    reduce_sum_f64s,
    reduce_min_f64s
);
