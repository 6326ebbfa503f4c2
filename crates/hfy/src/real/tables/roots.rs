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

    use super::super::lookup::{find, halves, splat, sum};
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
        fn raise(&self, simd: V4, y: f32x16) -> f32x16 {
            let (v4, [zero, one, least]) = (simd.avx512f, splat(simd, &[0.0, 1.0, f32::MIN_POSITIVE]));
            let weighs = simd.greater_than_f32s(y, zero);
            let y = simd.max_f32s(y, least);
            let bin: f32x16 = cast(v4._mm512_srli_epi32::<18>(cast(y)));
            let exponent: f32x16 = cast(v4._mm512_srli_epi32::<23>(cast(y)));
            let mantissa: f32x16 = cast(v4._mm512_getmant_ps::<0, 0>(cast(y)));
            let f = cast(v4._mm512_fmsub_ps(cast(mantissa), cast(find(simd, self.inverses, bin)), cast(one)));
            let high: f32x16 = cast(v4._mm512_permutexvar_ps(v4._mm512_srli_epi32::<28>(cast(y)), cast(self.high)));
            let two = simd.mul_f32s(find(simd, self.low, exponent), high);
            let power = simd.mul_f32s(two, find(simd, self.powers, bin));
            cast(v4._mm512_maskz_mul_ps(weighs.0, cast(power), cast(sum(simd, &self.terms, f))))
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
            for (power, &y) in head_powers.iter_mut().zip(head) {
                *power = table.raise(simd, y);
            }
            let mut last = [0.0; 16];
            last[..rest.len()].copy_from_slice(rest);
            let last: [f32; 16] = cast(table.raise(simd, cast(last)));
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
