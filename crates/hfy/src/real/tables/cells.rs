//! Powers of scores between two bounds by tables.
//!
//! The bounds are parted into 32 cells, the last of them around the best score: a power is that of `t = 1 + d` in the middle of one,
//! times `(1 + f)^p`. Where `f` is too large for a short series it is looked up once more, in cells of its own.

use super::level::Level;
use super::{SIZE, Series};
use crate::real::{Affine, Real};

/// A table for one exponent and one threshold.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub struct Cells {
    made_for: (Affine<f32>, f32, f32),
    scores: Level,
    /// Cells of `f`, where there are such.
    inner: Option<Level>,
    series: Series,
    /// Scores no greater than this, less the best, have a power that is not a normal number.
    floor: f32,
}

/// The number of the last cell.
const LAST: f64 = SIZE as f64 - 1.0;

/// The number of the cell in the middle of the inner ones, of which there are two for each up to this and one more.
const MIDDLE: f64 = 15.0;

/// The least power of two of which so many and a half reach as far as that, and a little further, for rounding.
#[inline(always)]
fn width(distance: f64, cells: f64) -> f64 {
    let least = 1.001 * distance / (cells + 0.5);
    let power = f64::from_bits(least.to_bits() & (0x7ff << 52));
    2.0 * power
}

/// Powers are lifted by as many powers of two where they are a product of three, so that none of those is below the normal numbers.
const LIFT: f64 = 32.0;

/// How a range of scores is parted.
struct Plan {
    /// As `z`.
    least: f64,
    /// Of a cell, as a score.
    width: f64,
    /// Of an inner cell, where there are such.
    inner: Option<f64>,
    /// How large that becomes which a series is summed for.
    reach: f64,
}

impl Plan {
    /// For `z` from `least` up to zero; `None` where the series would not be as good as single precision.
    #[inline(always)]
    fn new((value, scale): (f32, f32), p: f32, least: f32) -> Option<Self> {
        let (top, scale, p) = (1.0 - f64::from(value), f64::from(scale), f64::from(p));
        let floor = (f64::from(f32::least_exponent()) / p).exp2() - top;
        let least = f64::from(least).max(floor);
        let width = width(-least / scale, LAST);
        // The middle of the last cell that is used.
        let lowest = top + (1.001 * least / (scale * width)).round() * width * scale;
        let outer = 0.5 * width * scale / lowest;
        let inner = self::width(outer, MIDDLE);
        let reach = 0.5 * inner / (1.0 - outer);
        // Cells of next to no width could not be told apart, and the terms of a larger exponent are no numbers of the type.
        if !(least < -1e-6) || p > 1e6 {
            None
        } else if least > floor && outer > 0.0 && p * outer <= SHORT {
            Some(Plan { least, width, inner: None, reach: outer })
        } else if outer > 0.0 && outer < 0.5 && p * reach <= SHORT {
            Some(Plan { least, width, inner: Some(inner), reach })
        } else {
            None
        }
    }
}

/// Where a series is longer, cells of `f` are cheaper.
const SHORT: f64 = 0.7;

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
impl Cells {
    /// Whether there is a table for `z` from `least` up to zero.
    #[inline(always)]
    pub(super) fn suffice(by: (f32, f32), p: f32, least: f32) -> bool {
        Plan::new(by, p, least).is_some()
    }

    #[inline(always)]
    pub(super) fn new(affine: Affine<f32>, p: f32, least: f32) -> Option<Self> {
        let plan = Plan::new((affine.value, affine.scale), p, least)?;
        let [scale, value, wide] = [affine.scale, affine.value, p].map(f64::from);
        let lift = if plan.inner.is_some() { LIFT } else { 0.0 };
        Some(Cells {
            made_for: (affine, p, least),
            scores: Level::new((1.0 - value, scale), (LAST, plan.width), (wide, lift)),
            inner: plan.inner.map(|width| Level::new((1.0, 1.0), (MIDDLE, width), (wide, 0.0))),
            series: Series::new(wide, plan.reach, lift),
            floor: if plan.least > f64::from(least) { (plan.least / scale) as f32 } else { f32::NEG_INFINITY },
        })
    }

    /// Whether this is the table for a threshold, an exponent and scores from a least one on.
    #[inline(always)]
    pub(super) fn fit(&self, affine: Affine<f32>, p: f32, least: f32) -> bool {
        self.made_for == (affine, p, least)
    }
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use pulp::x86::V4;
    use pulp::{Simd, cast, f32x16};

    use super::super::level::{Level, vectors};
    use super::super::lookup::{Lookup, splat, sum};
    use super::Cells;
    use crate::real::Affine;

    /// What both ways have.
    #[derive(Clone, Copy)]
    struct Common<const TERMS: usize> {
        shift: f32x16,
        scale: f32x16,
        /// The greatest number.
        top: f32x16,
        scores: vectors::Loaded,
        terms: [f32x16; TERMS],
    }

    #[derive(Clone, Copy)]
    struct Nested<const TERMS: usize> {
        common: Common<TERMS>,
        inner: vectors::Loaded,
        floor: f32x16,
    }

    impl Cells {
        #[inline(always)]
        pub(in super::super) fn terms(&self) -> usize {
            self.series.count
        }

        #[inline(always)]
        pub(in super::super) fn inner(&self) -> Option<&Level> {
            self.inner.as_ref()
        }

        #[inline(always)]
        fn common<const TERMS: usize>(&self, simd: V4, affine: Affine<f32>) -> Common<TERMS> {
            let [shift, scale, top] = splat(simd, &[affine.shift, affine.scale, 1.0 - affine.value]);
            Common { shift, scale, top, scores: self.scores.load(simd), terms: splat(simd, &self.series.terms) }
        }

        #[inline(always)]
        pub(in super::super) fn lookup<const TERMS: usize>(&self, simd: V4, affine: Affine<f32>) -> impl Lookup {
            self.common::<TERMS>(simd, affine)
        }

        #[inline(always)]
        pub(in super::super) fn nested_lookup<const TERMS: usize>(
            &self,
            simd: V4,
            affine: Affine<f32>,
            inner: &Level,
        ) -> impl Lookup {
            let [floor] = splat(simd, &[self.floor]);
            Nested { common: self.common::<TERMS>(simd, affine), inner: inner.load(simd), floor }
        }
    }

    impl<const TERMS: usize> Lookup for Common<TERMS> {
        #[inline(always)]
        fn raise<const N: usize>(self, simd: V4, mut x: [f32x16; N]) -> [[f32x16; N]; 2] {
            for x in &mut x {
                *x = simd.sub_f32s(*x, self.shift);
            }
            let [f, mut power] = self.scores.at(simd, x);
            let sums = sum(simd, &self.terms, f);
            for i in 0..N {
                x[i] = simd.mul_add_e_f32s(x[i], self.scale, self.top);
                power[i] = simd.mul_f32s(sums[i], power[i]);
            }
            [x, power]
        }
    }

    impl<const TERMS: usize> Lookup for Nested<TERMS> {
        #[inline(always)]
        fn raise<const N: usize>(self, simd: V4, mut x: [f32x16; N]) -> [[f32x16; N]; 2] {
            let Nested { common, inner, floor } = self;
            for x in &mut x {
                *x = simd.sub_f32s(*x, common.shift);
            }
            let [f, mut power] = common.scores.at(simd, x);
            let [f, inner] = inner.at(simd, f);
            let sums = sum(simd, &common.terms, f);
            let v4 = simd.avx512f;
            for i in 0..N {
                let weighs = simd.greater_than_f32s(x[i], floor).0;
                power[i] = simd.mul_f32s(power[i], inner[i]);
                power[i] = cast(v4._mm512_maskz_mul_ps(weighs, cast(power[i]), cast(sums[i])));
                x[i] = cast(v4._mm512_maskz_fmadd_ps(weighs, cast(x[i]), cast(common.scale), cast(common.top)));
            }
            [x, power]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tabled;
    use super::*;
    use crate::real::Rewrite;
    use crate::real::moments::add_one;

    /// Powers of scores by exponents, scaled as entmax scales them.
    fn cases() -> impl Iterator<Item = (f32, Affine<f32>)> {
        [24.5_f32, 33.3, 100.0, 1e3, 1e4].into_iter().map(|p| {
            let affine = Affine { shift: 3.0, scale: 1.0 / p, value: (10.0 / p).min(0.2), least: f32::NEG_INFINITY };
            (p, affine)
        })
    }

    #[test]
    fn powers_by_cells_are_powers() {
        let mut tried = 0;
        for (p, affine) in cases() {
            // The furthest weigh nothing, and some have no power at all.
            for range in [8.0_f32, 20.0, 40.0, 90.0, 300.0] {
                let mut scores: Vec<f32> = (0..8191).map(|i| 3.0 - i as f32 * range / 8192.0).collect();
                let mut least = (scores[8190] - affine.shift) * affine.scale;
                if range > 100.0 {
                    scores[7] = f32::NEG_INFINITY;
                    least = f32::NEG_INFINITY;
                }
                <f32 as Tabled>::with_cells(affine, p, least, |table| {
                    let Some(table) = table else { return };
                    tried += 1;
                    let mut y = scores.clone();
                    y.push(3.0);
                    <f32 as Tabled>::raise_tabled(table, affine, 1.0, false, Rewrite::in_place(&mut y));
                    // Wide cells cost digits, but fewer than a logarithm would.
                    let tolerance = if range > 8.0 { 8e-7 } else { 3e-7 };
                    let mut total = [0.0; 3];
                    for (&x, &y) in scores.iter().zip(&y) {
                        let d = (f64::from(x) - 3.0) * f64::from(affine.scale) - f64::from(affine.value);
                        let power = (f64::from(p) * d.max(-1.0).ln_1p()).exp();
                        let least = f64::from(p.recip() * f32::least_exponent()).exp2() * 1.0001;
                        if 1.0 + d > least {
                            assert!((f64::from(y) / power - 1.0).abs() < tolerance, "{p}, {x}: {y} {power}");
                            add_one(&mut total, power, 1.0 + d);
                        } else {
                            assert!(f64::from(y) <= power * (1.0 + tolerance), "{p}, {x}: {y} {power}");
                        }
                    }
                    let sums: [f64; 3] = <f32 as Tabled>::tabled_sums(table, affine, 1.0, &scores);
                    for (sum, total) in sums.into_iter().zip(total) {
                        assert!((sum / total - 1.0).abs() < 3e-7, "{p}, {range}: {sums:?} {total:?}");
                    }
                });
            }
        }
        if tried == 0 {
            eprintln!("SKIPPED: this machine does not look sixteen numbers up at once");
        } else {
            assert!(tried > 20, "{tried} tables");
        }
    }

    #[test]
    fn powers_by_cells_rise_with_scores() {
        for (p, affine) in cases() {
            for (start, range) in [2.7_f32, 0.5, -2.0].into_iter().flat_map(|start| [(start, 8.0), (start, 40.0)]) {
                let mut y: Vec<f32> = (0..4096).map(|i| start + i as f32 * f32::EPSILON * 2.0).collect();
                let risen = <f32 as Tabled>::with_cells(affine, p, -range / p, |table| {
                    table.map(|table| {
                        <f32 as Tabled>::raise_tabled(table, affine, 1.0, false, Rewrite::in_place(&mut y))
                    })
                });
                assert!(risen.is_none() || (y.is_sorted() && y[4095] > y[0]), "{p}, {start}, {range}");
            }
        }
    }

    #[test]
    fn not_every_range_has_cells() {
        assert!(Cells::suffice((0.2, 30.0_f32.recip()), 30.0, -0.25));
        assert!(Cells::suffice((0.2, 30.0_f32.recip()), 30.0, -0.9));
        assert!(Cells::suffice((0.2, 30.0_f32.recip()), 30.0, f32::NEG_INFINITY));
        assert!(!Cells::suffice((0.2, 30.0_f32.recip()), 30.0, 0.0));
        assert!(!Cells::suffice((0.2, 10.0_f32.recip()), 10.0, -0.9));
        assert!(!Cells::suffice((1e-6, 2e6_f32.recip()), 2e6, -2e-5));
        // Powers that would not be normal numbers.
        assert!(!Cells::suffice((0.2, 2000.0_f32.recip()), 2000.0, -1e-3));
        assert!(!<f64 as Tabled>::has_cells((0.2, 0.033), 30.0, -0.25));
    }
}
