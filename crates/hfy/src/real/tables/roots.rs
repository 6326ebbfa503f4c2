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

    use super::super::lookup::{TOGETHER, find, halves, splat, sum};
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
        #[inline(always)]
        pub(in super::super) fn write(&self, simd: V4, y: &[f32], powers: &mut [f32]) {
            let table = Loaded {
                inverses: halves(&self.inverses),
                powers: halves(&self.powers),
                low: halves(&self.low),
                high: cast(self.high),
                terms: splat(simd, &self.series.terms),
            };
            let (head, rest) = V4::as_simd_f32s(y);
            let (head_powers, rest_powers) = V4::as_mut_simd_f32s(powers);
            let (together, ones) = head.as_chunks::<TOGETHER>();
            let (powers_together, power_ones) = head_powers.as_chunks_mut::<TOGETHER>();
            for (powers, &y) in powers_together.iter_mut().zip(together) {
                *powers = table.raise(simd, y);
            }
            for (power, &y) in power_ones.iter_mut().zip(ones) {
                [*power] = table.raise(simd, [y]);
            }
            let mut last = [0.0; 16];
            last[..rest.len()].copy_from_slice(rest);
            let last: [f32; 16] = cast(table.raise(simd, [cast(last)]));
            rest_powers.copy_from_slice(&last[..rest.len()]);
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
        for q in [1e-3_f32, 0.1, 0.5, 0.75, 0.9, 0.98, 0.999] {
            if !<f32 as Tabled>::roots(&weights, &mut powers, q) {
                eprintln!("SKIPPED: this machine does not look sixteen numbers up at once");
                return;
            }
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
            assert!(!<f32 as Tabled>::roots(&[0.5], &mut [0.0], q));
        }
        assert!(!<f64 as Tabled>::roots(&[0.5], &mut [0.0], 0.5));
    }
}
