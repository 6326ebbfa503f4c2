//! Powers of scores between two bounds by tables.
//!
//! The bounds are parted into 32 cells, the last of them around the best score. In one with the middle `x_j`, where `t = 1 + d` is `t_j`,
//! a power is `t_j^p (1 + f)^p` with `f = (x - x_j) scale / t_j`. No digits are lost on the way to `f`.

use super::{REACH, SIZE, TERMS, powers, series};
use crate::real::{Affine, Real};

/// A table for one exponent and one threshold.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
pub struct Cells {
    made_for: (Affine<f32>, f32, f32),
    /// Cells in a unit of scores.
    per_score: f32,
    /// `x_j` less the best score.
    middles: [f32; SIZE],
    /// `scale / t_j`.
    rates: [f32; SIZE],
    /// `t_j^p`.
    powers: [f32; SIZE],
    terms: [f32; TERMS],
}

/// The number of the last cell.
const LAST: f64 = SIZE as f64 - 1.0;

/// The part of the scores' range that a cell has; all reach a little further than scores do, for rounding.
const WIDTH: f64 = 1.001 / (LAST + 0.5);

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
impl Cells {
    /// Whether the series is as good as single precision in every cell, for `z` from `least` up to zero, and powers are normal numbers.
    #[inline(always)]
    pub(super) fn suffice(value: f32, p: f32, least: f32) -> bool {
        // Cells of next to no width could not be told apart.
        least < -1e-6
            && f64::from(p) * reach(value, least) <= REACH
            && p * lowest(value, least).log2() as f32 > f32::least_exponent()
    }

    #[inline(always)]
    pub(super) fn new(affine: Affine<f32>, p: f32, least: f32) -> Self {
        let [scale, value, wide] = [affine.scale, affine.value, p].map(f64::from);
        let width = WIDTH * f64::from(-least) / scale;
        let middles: [f32; SIZE] = std::array::from_fn(|j| ((j as f64 - LAST) * width) as f32);
        let t = middles.map(|x| 1.0 + (f64::from(x) * scale - value));
        Cells {
            made_for: (affine, p, least),
            per_score: (1.0 / width) as f32,
            middles,
            rates: t.map(|t| (scale / t) as f32),
            powers: powers(t, wide),
            terms: series(wide, reach(affine.value, least), 0.0),
        }
    }

    /// Whether this is the table for a threshold, an exponent and scores from a least one on.
    #[inline(always)]
    pub(super) fn fit(&self, affine: Affine<f32>, p: f32, least: f32) -> bool {
        self.made_for == (affine, p, least)
    }
}

/// A little less than the least `t`.
#[inline(always)]
fn lowest(value: f32, least: f32) -> f64 {
    1.0 - f64::from(value) + (1.0 + WIDTH) * f64::from(least)
}

/// How large `f` becomes.
#[inline(always)]
fn reach(value: f32, least: f32) -> f64 {
    0.5 * WIDTH * f64::from(-least) / lowest(value, least).max(1e-9)
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use pulp::Simd;
    use pulp::x86::V4;

    use super::super::lent::{find, halves, splat, sum};
    use super::{Cells, LAST};
    use crate::real::Affine;

    impl Cells {
        #[inline(always)]
        pub(in super::super) fn raise(&self, simd: V4, affine: Affine<f32>, y: &mut [f32], t: &mut [f32]) {
            // 1.5 * 2^23: adding it rounds to an integer, and leaves that in the low bits.
            const ROUND: f32 = 12_582_912.0;
            let (middles, rates, powers) = (halves(&self.middles), halves(&self.rates), halves(&self.powers));
            let [shift, scale, top, per_score, last] =
                splat(simd, [affine.shift, affine.scale, 1.0 - affine.value, self.per_score, ROUND + LAST as f32]);
            let terms = splat(simd, self.terms);
            for (y, t) in V4::as_mut_simd_f32s(y).0.iter_mut().zip(V4::as_mut_simd_f32s(t).0) {
                let x = simd.sub_f32s(*y, shift);
                *t = simd.mul_add_e_f32s(x, scale, top);
                let cell = simd.mul_add_e_f32s(x, per_score, last);
                let f = simd.mul_f32s(simd.sub_f32s(x, find(simd, middles, cell)), find(simd, rates, cell));
                *y = simd.mul_f32s(sum(simd, &terms, f), find(simd, powers, cell));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tabled;
    use super::*;

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
            let scores: Vec<f32> = (0..8192).map(|i| 3.0 - i as f32 * 0.001).collect();
            let least = (scores[8191] - affine.shift) * affine.scale;
            <f32 as Tabled>::with_cells(affine, p, least, |table| {
                let Some(table) = table else { return };
                tried += 1;
                let (mut y, mut t) = (scores.clone(), scores.clone());
                <f32 as Tabled>::raise_tabled(table, affine, 1.0, &mut y, &mut t);
                for (&x, (&y, &t)) in scores.iter().zip(y.iter().zip(&t)) {
                    let d = (f64::from(x) - 3.0) * f64::from(affine.scale) - f64::from(affine.value);
                    let power = (f64::from(p) * d.ln_1p()).exp();
                    assert!((f64::from(y) / power - 1.0).abs() < 3e-7, "{p}, {x}: {y} {power}");
                    assert!((f64::from(t) - (1.0 + d)).abs() < 2e-7, "{p}, {x}: {t}");
                }
            });
        }
        if tried == 0 {
            eprintln!("SKIPPED: this machine does not look sixteen numbers up at once");
        }
    }

    #[test]
    fn powers_by_cells_rise_with_scores() {
        for (p, affine) in cases() {
            for start in [2.7_f32, 0.5, -2.0] {
                let mut y: Vec<f32> = (0..4096).map(|i| start + i as f32 * f32::EPSILON * 2.0).collect();
                let mut t = y.clone();
                let risen = <f32 as Tabled>::with_cells(affine, p, -8.0 / p, |table| {
                    table.map(|table| <f32 as Tabled>::raise_tabled(table, affine, 1.0, &mut y, &mut t))
                });
                assert!(risen.is_none() || (y.is_sorted() && y[4095] > y[0]), "{p}, {start}");
            }
        }
    }

    #[test]
    fn far_scores_have_no_cells() {
        assert!(Cells::suffice(0.2, 30.0, -0.25));
        assert!(!Cells::suffice(0.2, 30.0, -0.7));
        assert!(!Cells::suffice(0.2, 30.0, -0.9));
        assert!(!Cells::suffice(0.2, 30.0, 0.0));
        assert!(!Cells::suffice(0.2, 30.0, f32::NEG_INFINITY));
        // Powers that would not be normal numbers.
        assert!(!Cells::suffice(0.2, 2000.0, -1e-3));
        assert!(!<f64 as Tabled>::has_cells(0.2, 30.0, -0.25));
    }
}
