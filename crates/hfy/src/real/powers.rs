//! Whole powers of many numbers, and their sums.
//!
//! Written on vector types: four of them at a time share the loop over the bits of the exponent and stay in registers.

use super::Rewrite;
use super::moments::{add_chain, add_one};
use pulp::{Simd, WithSimd};

/// What makes `d = (x - shift) scale - value` of a score `x`, which weighs something where `d` exceeds `least`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine<T> {
    pub(crate) shift: T,
    pub(crate) scale: T,
    pub(crate) value: T,
    pub(crate) least: T,
}

impl<T> Affine<T> {
    /// The shift, the scale, the value, the least distance.
    pub(super) fn numbers(self) -> [T; 4] {
        [self.shift, self.scale, self.value, self.least]
    }
}

/// The type-specific work behind [`Real`](super::Real)'s methods of the same names.
pub(super) trait Raise: Sized {
    /// Writes over the scores `t^k`, where `t = d` weighs something, else zero.
    fn raise_whole(scores: Rewrite<'_, Self>, affine: Affine<Self>, k: u32);

    /// `Σ t^(k+K-1), …, Σ t^k`.
    fn whole_sums<const K: usize>(row: &[Self], affine: Affine<Self>, k: u32) -> [f64; K];
}

/// With so many registers powers and their sums are kept in them side by side.
pub(super) const MANY_REGISTERS: usize = 32;

macro_rules! raise {
    (
        $module:ident, $t:ident, $vector:ident, $as_simd:ident, $as_mut_simd:ident, $splat:ident, $add:ident, $sub:ident, $mul:ident,
        $mul_add:ident, $greater:ident, $select:ident, $reduce:ident
    ) => {
        pub(super) mod $module {
            use super::*;

            /// What makes a number and its power of a score.
            pub(in super::super) trait Power: Copy {
                /// Those of some vectors of scores.
                fn raise<S: Simd, const N: usize>(self, simd: S, scores: &[S::$vector; N]) -> [[S::$vector; N]; 2];

                /// Those of one score.
                fn raise_one(self, score: $t) -> [$t; 2];
            }

            /// Powers over scores, so many vectors at a time.
            pub(in super::super) struct Raising<'w, P, const N: usize>(pub Rewrite<'w, $t>, pub P);

            impl<P: Power, const N: usize> WithSimd for Raising<'_, P, N> {
                type Output = ();

                #[inline(always)]
                fn with_simd<S: Simd>(self, simd: S) {
                    let Raising(Rewrite { from, to }, power) = self;
                    let (y, rest) = S::$as_mut_simd(to);
                    let (groups, ones) = y.as_chunks_mut::<N>();
                    let Some(from) = from else {
                        for y in groups {
                            [_, *y] = power.raise(simd, y);
                        }
                        for y in ones {
                            [_, [*y]] = power.raise(simd, &[*y]);
                        }
                        for y in rest {
                            [_, *y] = power.raise_one(*y);
                        }
                        return;
                    };
                    let (x, x_rest) = S::$as_simd(from);
                    let (x_groups, x_ones) = x.as_chunks::<N>();
                    for (y, x) in groups.iter_mut().zip(x_groups) {
                        [_, *y] = power.raise(simd, x);
                    }
                    for (y, &x) in ones.iter_mut().zip(x_ones) {
                        [_, [*y]] = power.raise(simd, &[x]);
                    }
                    for (y, &x) in rest.iter_mut().zip(x_rest) {
                        [_, *y] = power.raise_one(x);
                    }
                }
            }

            /// Sums of powers, with room for so many groups of four vectors between the two where registers do not hold both.
            pub(in super::super) struct Summing<'w, P, const K: usize, const ROOM: usize>(pub &'w [$t], pub P);

            impl<P: Power, const K: usize, const ROOM: usize> WithSimd for Summing<'_, P, K, ROOM> {
                type Output = [f64; K];

                #[inline(always)]
                fn with_simd<S: Simd>(self, simd: S) -> [f64; K] {
                    let Summing(row, power) = self;
                    let (head, rest) = S::$as_simd(row);
                    let (fours, ones) = head.as_chunks::<4>();
                    let (zero, mut total) = (simd.$splat(0.0), [0.0; K]);
                    let (mut t, mut y) = ([[zero; 4]; ROOM], [[zero; 4]; ROOM]);
                    for run in fours.chunks(ROOM) {
                        let mut sums = [zero; K];
                        if S::REGISTER_COUNT >= MANY_REGISTERS {
                            for scores in run {
                                let [t, y] = power.raise(simd, scores);
                                for i in 0..4 {
                                    add_chain!(simd, sums, y[i], t[i], $add, $mul, $mul_add);
                                }
                            }
                        } else {
                            for (scores, (t, y)) in run.iter().zip(t.iter_mut().zip(&mut y)) {
                                [*t, *y] = power.raise(simd, scores);
                            }
                            for (&t, &y) in t[..run.len()].as_flattened().iter().zip(y.as_flattened()) {
                                add_chain!(simd, sums, y, t, $add, $mul, $mul_add);
                            }
                        }
                        for (total, sum) in total.iter_mut().rev().zip(sums) {
                            *total += f64::from(simd.$reduce(sum));
                        }
                    }
                    let mut sums = [zero; K];
                    for &scores in ones {
                        let [[t], [y]] = power.raise(simd, &[scores]);
                        add_chain!(simd, sums, y, t, $add, $mul, $mul_add);
                    }
                    for (total, sum) in total.iter_mut().rev().zip(sums) {
                        *total += f64::from(simd.$reduce(sum));
                    }
                    for &score in rest {
                        let [t, y] = power.raise_one(score);
                        add_one(&mut total, y, t);
                    }
                    total
                }
            }

            /// The `k`-th power of `t = d` where that weighs something, else of zero, which is zero.
            #[derive(Clone, Copy)]
            pub(in super::super) struct Whole(pub Affine<$t>, pub u32);

            impl Power for Whole {
                #[inline(always)]
                fn raise<S: Simd, const N: usize>(self, simd: S, scores: &[S::$vector; N]) -> [[S::$vector; N]; 2] {
                    let Whole(affine, mut k) = self;
                    let zero = simd.$splat(0.0);
                    let mut t = [zero; N];
                    for i in 0..N {
                        let shifted = simd.$sub(scores[i], simd.$splat(affine.shift));
                        // Rounded twice, so that a score at the threshold has no distance.
                        let d = simd.$sub(simd.$mul(shifted, simd.$splat(affine.scale)), simd.$splat(affine.value));
                        t[i] = simd.$select(simd.$greater(d, simd.$splat(affine.least)), d, zero);
                    }
                    if k == 0 {
                        let mut ones = t;
                        for one in &mut ones {
                            *one = simd.$select(simd.$greater(*one, zero), simd.$splat(1.0), zero);
                        }
                        return [t, ones];
                    }
                    // The power of the odd factor of the exponent, then its squares.
                    let twos = k.trailing_zeros();
                    k >>= twos;
                    let (mut square, mut power) = (t, t);
                    while k > 1 {
                        k >>= 1;
                        for i in 0..N {
                            square[i] = simd.$mul(square[i], square[i]);
                        }
                        if k & 1 == 1 {
                            for i in 0..N {
                                power[i] = simd.$mul(power[i], square[i]);
                            }
                        }
                    }
                    for _ in 0..twos {
                        for i in 0..N {
                            power[i] = simd.$mul(power[i], power[i]);
                        }
                    }
                    [t, power]
                }

                #[inline(always)]
                fn raise_one(self, score: $t) -> [$t; 2] {
                    let Whole(affine, k) = self;
                    let d = (score - affine.shift) * affine.scale - affine.value;
                    if d > affine.least { [d, d.powi(k as i32)] } else { [0.0, 0.0] }
                }
            }

            /// `Σ y t^(K-1), …, Σ y` over numbers `t` and their powers `y`.
            pub(in super::super) fn sums<const K: usize>(row: &[$t], power: impl Power) -> [f64; K] {
                let arch = pulp::Arch::new();
                // Room for more than there is would take longer to clear than a few powers do.
                if row.len() <= 128 {
                    arch.dispatch(Summing::<_, K, 2>(row, power))
                } else {
                    arch.dispatch(Summing::<_, K, 16>(row, power))
                }
            }
        }

        impl Raise for $t {
            fn raise_whole(scores: Rewrite<'_, $t>, affine: Affine<$t>, k: u32) {
                pulp::Arch::new().dispatch($module::Raising::<_, 4>(scores, $module::Whole(affine, k)));
            }

            fn whole_sums<const K: usize>(row: &[$t], affine: Affine<$t>, k: u32) -> [f64; K] {
                $module::sums(row, $module::Whole(affine, k))
            }
        }
    };
}

raise!(
    singles,
    f32,
    f32s,
    as_simd_f32s,
    as_mut_simd_f32s,
    splat_f32s,
    add_f32s,
    sub_f32s,
    mul_f32s,
    mul_add_e_f32s,
    greater_than_f32s,
    select_f32s,
    reduce_sum_f32s
);
raise!(
    doubles,
    f64,
    f64s,
    as_simd_f64s,
    as_mut_simd_f64s,
    splat_f64s,
    add_f64s,
    sub_f64s,
    mul_f64s,
    mul_add_e_f64s,
    greater_than_f64s,
    select_f64s,
    reduce_sum_f64s
);

#[cfg(test)]
mod tests {
    use super::*;

    const AFFINE: Affine<f32> = Affine { shift: 0.25, scale: 2.0, value: -0.5, least: 0.05 };

    fn scores(n: usize) -> Vec<f32> {
        (0..n).map(|i| 0.5 - ((i * 37) % n) as f32 / n as f32).collect()
    }

    fn exact(x: f32, k: u32) -> f64 {
        let t = (f64::from(x) - 0.25) * 2.0 + 0.5;
        if t > f64::from(AFFINE.least) { t.powi(k as i32) } else { 0.0 }
    }

    #[test]
    fn whole_powers_are_powers() {
        for exponent in 0..=24 {
            let scores = scores(163);
            let mut y = scores.clone();
            f32::raise_whole(Rewrite::in_place(&mut y), AFFINE, exponent);
            for (&x, &y) in scores.iter().zip(&y) {
                let power = exact(x, exponent);
                assert!((f64::from(y) - power).abs() <= 1e-5 * power, "{x}, {exponent}: {y} {power}");
            }
        }
    }

    #[test]
    fn sums_of_whole_powers_are_those_of_the_powers() {
        for n in [1, 7, 64, 131, 1000, 5003] {
            for k in [0, 1, 4, 13] {
                let scores = scores(n);
                let sums: [f64; 5] = f32::whole_sums(&scores, AFFINE, k);
                for (i, sum) in sums.into_iter().rev().enumerate() {
                    let total: f64 = scores.iter().map(|&x| exact(x, k + i as u32)).sum();
                    assert!((sum - total).abs() <= 3e-6 * total, "{n}, {k} + {i}: {sum} {total}");
                }
            }
        }
    }

    #[test]
    fn powers_rise_with_scores() {
        for exponent in [3, 10, 17, 20, 24] {
            let mut y: Vec<f32> = (0..4096).map(|i| f32::from_bits((0.311_f32).to_bits() + i)).collect();
            f32::raise_whole(Rewrite::in_place(&mut y), AFFINE, exponent);
            assert!(y.is_sorted() && y[4095] > y[0], "{exponent}");
        }
    }
}
