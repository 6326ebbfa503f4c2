//! Powers of any numbers by tables.
//!
//! A number up to one is `2^e c (1 + f)`, `c` the middle of one of 32 bins between 1 and 2: its power is that of `2^e`, that of `c`, and a
//! series in `f`.

use super::{SIZE, Series};
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
    /// `2^(p e + FAR_LIFT)` for the `e` that are multiples of `SIZE`, by the bits of an exponent before the last five.
    far: [f32; 16],
    /// Times what makes the lifts good.
    series: Series,
}

/// Powers of two are lifted by this, so that none that matters is below the normal numbers.
const LIFT: f64 = 96.0;

/// Powers by this and more of numbers below the scales are no normal numbers.
const FAR: f32 = 4.1;

const FAR_LIFT: f64 = 16.0;

/// How large `f` becomes.
pub(super) const HALF_BIN: f64 = 0.5 / (SIZE as f64 + 0.5);

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
impl Bins {
    /// Whether the series is as good as single precision, and the table reaches as far as powers do.
    #[inline(always)]
    pub(super) fn suffice(p: f32) -> bool {
        p > 0.0 && Series::suffices(f64::from(p), HALF_BIN)
    }

    #[inline(always)]
    pub(super) fn new(p: f32) -> Self {
        let wide = f64::from(p);
        let mut scales = std::array::from_fn(|i| {
            let log = wide * (i as f64 + 1.0 - SIZE as f64) + LIFT;
            // What is not a normal number takes long.
            if log < -126.0 { 0.0 } else { log.exp2() as f32 }
        });
        let far = std::array::from_fn(|high| {
            let log = wide * SIZE as f64 * ((high % 8) as f64 - 3.0) + FAR_LIFT;
            if (-126.0..=FAR_LIFT).contains(&log) { log.exp2() as f32 } else { 0.0 }
        });
        // Numbers go up to one, and none but that has this scale, unless they reach far: its power is made one by what follows.
        if p >= FAR {
            scales[SIZE - 1] *= 1.0 + 8.0 * f32::EPSILON;
        }
        let inverses = inverses();
        Bins {
            p,
            least: f32::least_base(p),
            inverses,
            powers: inverses.map(|inverse| f64::from(inverse).powf(-wide) as f32),
            scales,
            far,
            series: Series::new(wide, HALF_BIN, if p < FAR { LIFT + FAR_LIFT } else { LIFT }),
        }
    }

    /// Whether this is the table for an exponent.
    #[inline(always)]
    pub(super) fn fits(&self, p: f32) -> bool {
        self.p == p
    }

    /// Whether numbers below the scales have a power that matters.
    #[inline(always)]
    pub(super) fn reach_far(&self) -> bool {
        self.p < FAR
    }
}

/// `1 / c`.
pub(super) fn inverses() -> [f32; SIZE] {
    std::array::from_fn(|i| (1.0 / (1.0 + (i as f64 + 0.5) / SIZE as f64)) as f32)
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use pulp::x86::V4;
    use pulp::{Simd, cast, f32x16};

    use super::super::lookup::{Lookup, find, halves, splat, sum};
    use super::Bins;
    use crate::real::Affine;

    /// `BEYOND` where numbers are `1 + d`, for large exponents: the digits that are lost are made good. `FAR` for small ones, of which
    /// powers of any number matter.
    #[derive(Clone, Copy)]
    struct Loaded<const BEYOND: bool, const FAR: bool, const TERMS: usize> {
        shift: f32x16,
        scale: f32x16,
        value: f32x16,
        least: f32x16,
        zero: f32x16,
        one: f32x16,
        inverses: [f32x16; 2],
        powers: [f32x16; 2],
        scales: [f32x16; 2],
        far: f32x16,
        terms: [f32x16; TERMS],
    }

    impl Bins {
        #[inline(always)]
        pub(in super::super) fn terms(&self) -> usize {
            self.series.count
        }

        #[inline(always)]
        pub(in super::super) fn lookup<const BEYOND: bool, const FAR: bool, const TERMS: usize>(
            &self,
            simd: V4,
            affine: Affine<f32>,
        ) -> impl Lookup {
            let [shift, scale, value, least, zero, one] =
                splat(simd, &[affine.shift, affine.scale, affine.value, self.least, 0.0, 1.0]);
            let (inverses, powers, scales) = (halves(&self.inverses), halves(&self.powers), halves(&self.scales));
            let terms = splat(simd, &self.series.terms);
            let far = cast(self.far);
            Loaded::<BEYOND, FAR, TERMS> { shift, scale, value, least, zero, one, inverses, powers, scales, far, terms }
        }
    }

    impl<const BEYOND: bool, const FAR: bool, const TERMS: usize> Lookup for Loaded<BEYOND, FAR, TERMS> {
        #[inline(always)]
        fn raise<const N: usize>(self, simd: V4, scores: [f32x16; N]) -> [[f32x16; N]; 2] {
            let v4 = simd.avx512f;
            let (mut d, mut t, mut bin, mut f) = (scores, scores, scores, scores);
            for i in 0..N {
                d[i] = simd.sub_f32s(simd.mul_f32s(simd.sub_f32s(scores[i], self.shift), self.scale), self.value);
                t[i] = simd.max_f32s(if BEYOND { simd.add_f32s(self.one, d[i]) } else { d[i] }, self.zero);
            }
            for i in 0..N {
                bin[i] = cast(v4._mm512_srli_epi32::<18>(cast(t[i])));
                let mantissa = v4._mm512_getmant_ps::<0, 0>(cast(t[i]));
                let inverse = find(simd, self.inverses, bin[i]);
                f[i] = cast(v4._mm512_fmsub_ps(mantissa, cast(inverse), cast(self.one)));
                if BEYOND {
                    // Twice, as if every number were between a half and one: below that nothing is lost.
                    let lost = simd.sub_f32s(d[i], simd.sub_f32s(t[i], self.one));
                    f[i] = simd.mul_add_e_f32s(simd.add_f32s(lost, lost), inverse, f[i]);
                }
            }
            let mut power = sum(simd, &self.terms, f);
            for i in 0..N {
                let exponent = cast(v4._mm512_srli_epi32::<23>(cast(t[i])));
                let mut base = simd.mul_f32s(find(simd, self.powers, bin[i]), find(simd, self.scales, exponent));
                if FAR {
                    let high = v4._mm512_srli_epi32::<28>(cast(t[i]));
                    base = simd.mul_f32s(base, cast(v4._mm512_permutexvar_ps(high, cast(self.far))));
                }
                let weighs = simd.greater_than_f32s(t[i], self.least);
                let raised = v4._mm512_maskz_mul_ps(weighs.0, cast(base), cast(power[i]));
                power[i] = simd.min_f32s(cast(raised), self.one);
                if FAR {
                    power[i] = simd.select_f32s(simd.less_than_f32s(t[i], self.one), power[i], self.one);
                }
            }
            [t, power]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tabled;
    use super::*;
    use crate::real::Affine;
    use crate::real::Rewrite;
    use crate::real::moments::add_one;

    #[test]
    fn powers_by_bins_are_powers() {
        let mut tried = 0;
        for p in [
            0.4_f32, 1.1, 1.43, 2.5, 3.3, 3.99, 4.0, 5.3, 7.7, 8.5, 12.5, 16.7, 23.9, 25.0, 33.3, 45.0, 51.0, 100.0,
            103.5,
        ] {
            // Numbers beyond one are those of large exponents.
            for base in [0.0_f32, 1.0].into_iter().filter(|&base| base == 0.0 || p > 24.0) {
                <f32 as Tabled>::with_bins(p, |table| {
                    let Some(table) = table else { return };
                    tried += 1;
                    let affine = Affine { shift: 2.0, scale: 0.125, value: base - 1.0 + 0.01, least: 0.0 };
                    let scores: Vec<f32> = (0..8192).map(|i| 2.0 - i as f32 / 1024.0).collect();
                    let mut y = scores.clone();
                    <f32 as Tabled>::raise_tabled(table, affine, base, false, Rewrite::in_place(&mut y));
                    let mut total = [0.0; 3];
                    for (&x, &y) in scores.iter().zip(&y) {
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
                        add_one(&mut total, power, number);
                    }
                    let sums: [f64; 3] = <f32 as Tabled>::tabled_sums(table, affine, base, &scores);
                    for (sum, total) in sums.into_iter().zip(total) {
                        assert!((sum / total - 1.0).abs() < 1e-6, "{p}, {base}: {sums:?} {total:?}");
                    }
                });
            }
        }
        if tried == 0 {
            eprintln!("SKIPPED: this machine does not look sixteen numbers up at once");
        }
    }

    #[test]
    fn small_exponents_have_powers_of_small_numbers() {
        for p in [0.7_f32, 1.01, 1.43, 2.5, 3.3, 3.99, 4.02, 4.09, 4.11, 12.5] {
            // Down to the least normal number.
            let numbers: Vec<f32> = (0..4032).map(|i| (-f64::from(i) / 32.0).exp2() as f32).collect();
            let affine = Affine { shift: 0.0, scale: 1.0, value: 0.0, least: f32::least_base(p) };
            for is_sparse in [false, true] {
                let mut powers = numbers.clone();
                let raised = <f32 as Tabled>::with_bins(p, |table| {
                    let scores = Rewrite::in_place(&mut powers);
                    table.map(|table| <f32 as Tabled>::raise_tabled(table, affine, 0.0, is_sparse, scores))
                });
                if raised.is_none() {
                    eprintln!("SKIPPED: this machine does not look sixteen numbers up at once");
                    return;
                }
                for (&t, &power) in numbers.iter().zip(&powers) {
                    let exact = f64::from(t).powf(f64::from(p));
                    let is_zero = t <= f32::least_base(p);
                    assert!(!is_zero || power == 0.0, "{t}^{p}: {power}");
                    assert!(is_zero || (f64::from(power) / exact - 1.0).abs() < 4e-7, "{t}^{p}: {power} {exact}");
                }
                assert!(powers.is_sorted_by(|a, b| a >= b), "{p}");
            }
        }
    }

    #[test]
    fn bins_follow_the_exponent_and_one_stays_one() {
        let power = |p: f32| {
            <f32 as Tabled>::with_bins(p, |table| {
                let mut y = [0.5_f32; 32];
                let affine = Affine { shift: 0.0, scale: 1.0, value: 0.0, least: 0.0 };
                table.map(|table| {
                    <f32 as Tabled>::raise_tabled(table, affine, 0.0, false, Rewrite::in_place(&mut y));
                    y[0]
                })
            })
        };
        let one = |p: f32, base: f32| {
            <f32 as Tabled>::with_bins(p, |table| {
                let mut y = [0.0_f32; 32];
                let affine = Affine { shift: 0.0, scale: 1.0, value: base - 1.0, least: 0.0 };
                table
                    .map(|table| <f32 as Tabled>::raise_tabled(table, affine, base, false, Rewrite::in_place(&mut y)))
                    .is_none()
                    || y == [1.0; 32]
            })
        };
        for p in 1..=104 {
            assert!(one(p as f32, 0.0) && one(p as f32 - 0.3, 0.0), "1^{p} is not one");
            assert!(p < 24 || one(p as f32 + 0.3, 1.0), "1^{p} is not one");
        }
        for p in [5.0_f32, 7.5, 5.0, 3.9, 1.3, 100.0, 60.0, 7.5] {
            if let Some(power) = power(p) {
                assert!((power / 0.5_f32.powf(p) - 1.0).abs() < 1e-6, "{p}: {power}");
            }
        }
        assert_eq!((power(0.0), power(-0.5), power(105.0)), (None, None, None));
        <f64 as Tabled>::with_bins(7.5, |table| assert!(table.is_none()));
    }
}
