//! Powers of weights by exponents between zero and one by tables.
//!
//! A number is `2^e c (1 + f)`, as in [bins](super::bins); since its exponent `e` may be any, the power of `2^e` is that of
//! two parts of `e`.

use super::bins::{HALF_BIN, inverses};
use super::{SIZE, Series};

/// A table for one exponent.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub(super) struct Roots {
    q: f32,
    /// `1 / c`.
    inverses: [f32; SIZE],
    /// `c^q`.
    powers: [f32; SIZE],
    /// Those of two, by the five low bits of an exponent.
    low: [f32; SIZE],
    /// By what is left of it.
    high: [f32; 16],
    series: Series,
}

/// Terms of the series: with such an exponent they are small.
const TERMS: usize = 4;

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
impl Roots {
    pub(super) fn new(q: f32) -> Self {
        let (wide, inverses) = (f64::from(q), inverses());
        Roots {
            q,
            inverses,
            powers: inverses.map(|inverse| f64::from(inverse).powf(-wide) as f32),
            low: std::array::from_fn(|e| (wide * e as f64).exp2() as f32),
            high: std::array::from_fn(|e| (wide * (32.0 * (e % 8) as f64 - 127.0)).exp2() as f32),
            series: Series::new(wide, HALF_BIN, 0.0),
        }
    }

    /// Whether this is the table for an exponent.
    pub(super) fn fit(&self, q: f32) -> bool {
        self.q == q
    }
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use pulp::x86::V4;
    use pulp::{Simd, cast, f32x16};

    use super::super::lookup::{RUN, TOGETHER, find, halves, splat, sum};
    use super::{Roots, TERMS};

    /// The table in registers.
    struct Loaded {
        inverses: [f32x16; 2],
        powers: [f32x16; 2],
        low: [f32x16; 2],
        high: f32x16,
        terms: [f32x16; TERMS],
    }

    impl Loaded {
        #[inline(always)]
        fn raise<const N: usize>(&self, simd: V4, y: [f32x16; N]) -> [f32x16; N] {
            let (v4, [zero, one, least]) = (simd.avx512f, splat(simd, &[0.0, 1.0, f32::MIN_POSITIVE]));
            let (mut base, mut bin, mut f) = (y, y, y);
            for i in 0..N {
                base[i] = simd.max_f32s(y[i], least);
                bin[i] = cast(v4._mm512_srli_epi32::<18>(cast(base[i])));
                let mantissa = v4._mm512_getmant_ps::<0, 0>(cast(base[i]));
                f[i] = cast(v4._mm512_fmsub_ps(mantissa, cast(find(simd, self.inverses, bin[i])), cast(one)));
            }
            let mut power = sum(simd, &self.terms, f);
            for i in 0..N {
                let exponent: f32x16 = cast(v4._mm512_srli_epi32::<23>(cast(base[i])));
                let high = cast(v4._mm512_permutexvar_ps(v4._mm512_srli_epi32::<28>(cast(base[i])), cast(self.high)));
                let two = simd.mul_f32s(find(simd, self.low, exponent), high);
                let whole = simd.mul_f32s(two, find(simd, self.powers, bin[i]));
                let weighs = simd.greater_than_f32s(y[i], zero);
                power[i] = cast(v4._mm512_maskz_mul_ps(weighs.0, cast(whole), cast(power[i])));
            }
            power
        }
    }

    impl Roots {
        /// Writes powers, and returns their sum and that of their products with `g`.
        #[inline(always)]
        pub(in super::super) fn write(&self, simd: V4, y: &[f32], g: &[f32], powers: &mut [f32]) -> [f64; 2] {
            let table = Loaded {
                inverses: halves(&self.inverses),
                powers: halves(&self.powers),
                low: halves(&self.low),
                high: cast(self.high),
                terms: splat(simd, &self.series.terms),
            };
            let ((head, rest), (g_head, g_rest)) = (V4::as_simd_f32s(y), V4::as_simd_f32s(g));
            let (head_powers, rest_powers) = V4::as_mut_simd_f32s(powers);
            let mut result = [0.0; 2];
            for ((y, g), powers) in head.chunks(RUN).zip(g_head.chunks(RUN)).zip(head_powers.chunks_mut(RUN)) {
                let mut sums = Sums::new(simd);
                let ((y, y_ones), (g, g_ones)) = (y.as_chunks::<TOGETHER>(), g.as_chunks::<TOGETHER>());
                let (powers, power_ones) = powers.as_chunks_mut::<TOGETHER>();
                for ((&y, &g), powers) in y.iter().zip(g).zip(powers) {
                    *powers = table.raise(simd, y);
                    sums.add(y, *powers, g);
                }
                for ((&y, &g), power) in y_ones.iter().zip(g_ones).zip(power_ones) {
                    [*power] = table.raise(simd, [y]);
                    sums.add([y], [*power], [g]);
                }
                for (result, sum) in result.iter_mut().zip([sums.total, sums.along]) {
                    *result += f64::from(simd.reduce_sum_f32s(sum));
                }
            }
            let mut last = [0.0; 16];
            last[..rest.len()].copy_from_slice(rest);
            let last: [f32; 16] = cast(table.raise(simd, [cast(last)]));
            rest_powers.copy_from_slice(&last[..rest.len()]);
            for (&s, &g) in rest_powers.iter().zip(g_rest).filter(|(s, _)| **s > 0.0) {
                result[0] += f64::from(s);
                result[1] += f64::from(s * g);
            }
            result
        }
    }

    /// `Σ s` and `Σ s g`, where `g` may be anything at a weight of zero.
    struct Sums {
        simd: V4,
        total: f32x16,
        along: f32x16,
    }

    impl Sums {
        #[inline(always)]
        fn new(simd: V4) -> Self {
            let [total, along] = splat(simd, &[0.0, 0.0]);
            Sums { simd, total, along }
        }

        #[inline(always)]
        fn add<const N: usize>(&mut self, y: [f32x16; N], s: [f32x16; N], g: [f32x16; N]) {
            let simd = self.simd;
            for i in 0..N {
                self.total = simd.add_f32s(self.total, s[i]);
                let counts = simd.greater_than_f32s(y[i], simd.splat_f32s(0.0)).0;
                self.along = cast(simd.avx512f._mm512_mask3_fmadd_ps(cast(s[i]), cast(g[i]), cast(self.along), counts));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tabled;

    #[test]
    fn roots_are_powers() {
        let weights: Vec<f32> =
            (0..4001).map(|i| (-f64::from(i) * 0.031).exp2() as f32).chain([0.0, 1.0, 1e-40]).collect();
        let mut powers = vec![-1.0; weights.len()];
        // Where there is no weight a gradient may be anything.
        let g: Vec<f32> =
            weights.iter().enumerate().map(|(i, &y)| if y > 0.0 { 1.0 + (i % 7) as f32 } else { f32::NAN }).collect();
        for q in [1e-3_f32, 0.1, 0.5, 0.75, 0.9, 0.98, 0.999] {
            let Some([total, along]) = <f32 as Tabled>::roots(&weights, &g, &mut powers, q) else {
                eprintln!("SKIPPED: this machine does not look sixteen numbers up at once");
                return;
            };
            let exact: f64 = powers.iter().map(|&s| f64::from(s)).sum();
            let exact_along: f64 =
                powers.iter().zip(&g).filter(|(s, _)| **s > 0.0).map(|(&s, &g)| f64::from(s * g)).sum();
            assert!(
                (total / exact - 1.0).abs() < 1e-6 && (along / exact_along - 1.0).abs() < 1e-6,
                "{q}: {total} {along}"
            );
            for (&y, &power) in weights.iter().zip(&powers) {
                // What is less than any normal number counts as the least of these.
                let base = if y > 0.0 { y.max(f32::MIN_POSITIVE) } else { 0.0 };
                let exact = f64::from(base).powf(f64::from(q));
                assert!((f64::from(power) - exact).abs() <= 3e-7 * exact, "{y}^{q}: {power} {exact}");
            }
            assert!(powers[..4001].is_sorted_by(|a, b| a >= b));
        }
    }

    #[test]
    fn other_exponents_have_no_roots() {
        for q in [-0.5_f32, 0.0, 1.0, 1.5] {
            assert!(<f32 as Tabled>::roots(&[0.5], &[1.0], &mut [0.0], q).is_none());
        }
        assert!(<f64 as Tabled>::roots(&[0.5], &[1.0], &mut [0.0], 0.5).is_none());
    }
}
