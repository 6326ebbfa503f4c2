//! Powers of any numbers by tables.
//!
//! A number is `2^e c (1 + f)`, `c` the middle of one of 32 bins between 1 and 2: its power is that of `2^e`, that of `c`, and a
//! series in `f`.

use super::{REACH, SIZE, TERMS, powers, series};
use crate::real::Real;

/// A table for one exponent.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub struct Bins {
    p: f32,
    /// Numbers up to this have a power that is not a normal number.
    least: f32,
    /// `1 / c`.
    inverses: [f32; SIZE],
    /// `c^p`.
    powers: [f32; SIZE],
    /// `2^(p e + LIFT)`, from `e = 1 - SIZE` up to zero.
    scales: [f32; SIZE],
    /// Those of the series, times `2^-LIFT`.
    terms: [f32; TERMS],
}

/// Powers of two are lifted by this, so that none that matters is below the normal numbers.
const LIFT: f64 = 64.0;

/// How large `f` becomes.
const HALF_BIN: f64 = 0.5 / (SIZE as f64 + 0.5);

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
impl Bins {
    /// Whether the series is as good as single precision, and the table reaches as far as powers do.
    #[inline(always)]
    pub(super) fn suffice(p: f32) -> bool {
        p >= 4.0 && f64::from(p) <= REACH / HALF_BIN
    }

    #[inline(always)]
    pub(super) fn new(p: f32) -> Self {
        let wide = f64::from(p);
        let inverses: [f32; SIZE] = std::array::from_fn(|i| (1.0 / (1.0 + (i as f64 + 0.5) / SIZE as f64)) as f32);
        Bins {
            p,
            least: f32::least_base(p),
            inverses,
            powers: powers(inverses.map(f64::from), -wide),
            scales: std::array::from_fn(|i| (wide * (i as f64 + 1.0 - SIZE as f64) + LIFT).exp2() as f32),
            terms: series(wide, HALF_BIN, LIFT),
        }
    }

    /// Whether this is the table for an exponent.
    #[inline(always)]
    pub(super) fn fits(&self, p: f32) -> bool {
        self.p == p
    }
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use pulp::x86::V4;
    use pulp::{Simd, cast, f32x16};

    use super::super::lent::{find, halves, splat, sum};
    use super::Bins;
    use crate::real::Affine;

    impl Bins {
        /// `BEYOND` where numbers are `1 + d`, for large exponents: the digits that are lost are made good.
        #[inline(always)]
        pub(in super::super) fn raise<const BEYOND: bool>(
            &self,
            simd: V4,
            affine: Affine<f32>,
            y: &mut [f32],
            t: &mut [f32],
        ) {
            let (inverses, powers, scales) = (halves(&self.inverses), halves(&self.powers), halves(&self.scales));
            let [shift, scale, value, least, zero, one] =
                splat(simd, [affine.shift, affine.scale, affine.value, self.least, 0.0, 1.0]);
            let terms = splat(simd, self.terms);
            for (y, t) in V4::as_mut_simd_f32s(y).0.iter_mut().zip(V4::as_mut_simd_f32s(t).0) {
                let d = simd.sub_f32s(simd.mul_f32s(simd.sub_f32s(*y, shift), scale), value);
                *t = simd.max_f32s(if BEYOND { simd.add_f32s(one, d) } else { d }, zero);
                let bin: f32x16 = cast(simd.avx512f._mm512_srli_epi32::<18>(cast(*t)));
                let exponent: f32x16 = cast(simd.avx512f._mm512_srli_epi32::<23>(cast(*t)));
                let mantissa: f32x16 = cast(simd.avx512f._mm512_getmant_ps::<0, 0>(cast(*t)));
                let inverse = find(simd, inverses, bin);
                let mut f: f32x16 = cast(simd.avx512f._mm512_fmsub_ps(cast(mantissa), cast(inverse), cast(one)));
                if BEYOND {
                    // Twice, as if every number were between a half and one: below that the power is small, and so is what is left.
                    let lost = simd.sub_f32s(d, simd.sub_f32s(*t, one));
                    f = simd.mul_add_e_f32s(simd.add_f32s(lost, lost), inverse, f);
                }
                let power = simd.mul_f32s(find(simd, powers, bin), find(simd, scales, exponent));
                let weighs = simd.greater_than_f32s(*t, least);
                *y = cast(simd.avx512f._mm512_maskz_mul_ps(weighs.0, cast(power), cast(sum(simd, &terms, f))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tabled;
    use super::*;
    use crate::real::Affine;

    #[test]
    fn powers_by_bins_are_powers() {
        let mut tried = 0;
        for p in [4.0_f32, 5.3, 7.7, 12.5, 16.7, 23.9, 25.0, 33.3, 37.0] {
            // Numbers beyond one are those of large exponents.
            for base in [0.0_f32, 1.0].into_iter().filter(|&base| base == 0.0 || p > 24.0) {
                <f32 as Tabled>::with_bins(p, |table| {
                    let Some(table) = table else { return };
                    tried += 1;
                    let affine = Affine { shift: 2.0, scale: 0.125, value: base - 1.0 + 0.01, least: 0.0 };
                    let scores: Vec<f32> = (0..8192).map(|i| 2.0 - i as f32 / 1024.0).collect();
                    let (mut y, mut t) = (scores.clone(), scores.clone());
                    <f32 as Tabled>::raise_tabled(table, affine, base, &mut y, &mut t);
                    for (&x, (&y, &t)) in scores.iter().zip(y.iter().zip(&t)) {
                        let d = (f64::from(x) - 2.0) * 0.125 - f64::from(affine.value);
                        let number = (f64::from(base) + d).max(0.0);
                        let is_normal = number > f64::from(f32::least_base(p));
                        let power = if is_normal { number.powf(f64::from(p)) } else { 0.0 };
                        // The distance is rounded twice.
                        let rounding = f64::from(p) * 1.2e-7 * d.abs().max(1e-3) / number.max(1e-3);
                        assert!(
                            (f64::from(y) - power).abs() <= (3e-7 + rounding) * power + 3e-38,
                            "{p}, {base}, {x}: {y} {power}"
                        );
                        assert!((f64::from(t) - number).abs() <= 1.2e-7, "{x}: {t}");
                    }
                });
            }
        }
        if tried == 0 {
            eprintln!("SKIPPED: this machine does not look sixteen numbers up at once");
        }
    }

    #[test]
    fn bins_follow_the_exponent() {
        let power = |p: f32| {
            <f32 as Tabled>::with_bins(p, |table| {
                let (mut y, mut t) = ([0.5_f32; 32], [0.0; 32]);
                let affine = Affine { shift: 0.0, scale: 1.0, value: 0.0, least: 0.0 };
                table.map(|table| {
                    <f32 as Tabled>::raise_tabled(table, affine, 0.0, &mut y, &mut t);
                    y[0]
                })
            })
        };
        for p in [5.0_f32, 7.5, 5.0] {
            if let Some(power) = power(p) {
                assert!((power / 0.5_f32.powf(p) - 1.0).abs() < 1e-6, "{p}: {power}");
            }
        }
        assert_eq!(power(3.9), None);
        assert_eq!(power(38.0), None);
        <f64 as Tabled>::with_bins(7.5, |table| assert!(table.is_none()));
    }
}
