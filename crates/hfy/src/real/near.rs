//! Powers of numbers that lie near one another.
//!
//! For a large exponent those with weight do: then the logarithm of `t = m (1 + u)` is that of a middle `m` and a
//! polynomial in `u`, without bits to take apart and without a division, and `u` keeps the digits that `t` would lose.

use super::elementary::EXP2_TERMS;
use super::moments::add_one;
use super::powers::singles::{self, Power};
use super::{Affine, Real, Rewrite};
use pulp::Simd;

/// What makes powers of scores `x`.
#[derive(Debug, Clone, Copy)]
pub struct Near<T> {
    shift: T,
    /// `u = (x - shift) scale + start`.
    scale: T,
    start: T,
    middle: T,
    /// `p / ln 2`.
    slope: T,
    /// `p g`.
    terms: [T; TERMS.len()],
    /// `p log2(m)` less what is in the factor.
    rest: T,
    factor: T,
}

/// How far `u` may lie below zero.
const BELOW: f64 = 0.4;
/// How far above.
const ABOVE: f64 = 0.3;

/// `g` in `log2(1 + u) = u / ln 2 + u² g(u)`: least maximum of the error in proportion to `u`, 2e-8, from -0.4 to 0.3.
const TERMS: [f64; 9] = [
    -0.721_347_968,
    0.480_899_347,
    -0.360_610_063,
    0.288_489_183,
    -0.242_876_465,
    0.206_120_693,
    -0.145_208_748,
    0.177_502_542,
    -0.327_733_106,
];

impl<T: Real> Near<T> {
    /// Powers by `p` of `t = 1 + d`, `d` the distance of a score, around a middle of the `t`.
    pub(crate) fn new(affine: Affine<T>, p: T, middle: T) -> Self {
        let (p, value) = (p.wide(), affine.value.wide());
        // A scale without rounding, and the middle that goes with it.
        let scale = T::of(affine.scale.wide() / middle.wide());
        let middle = affine.scale.wide() / scale.wide();
        let start = (1.0 - middle - value) / middle;
        let lost = start - T::of(start).wide();
        let slope = p * std::f64::consts::LOG2_E;
        let log = p * middle.log2() + slope * lost;
        Near {
            shift: affine.shift,
            scale,
            start: T::of(start),
            middle: T::of(middle),
            slope: T::of(slope),
            terms: TERMS.map(|term| T::of(p * term)),
            rest: T::of(log - log.round()),
            factor: T::of(log.round().exp2()),
        }
    }

    /// Whether the polynomial is as good as the type.
    pub(crate) fn suffices() -> bool {
        T::epsilon() > T::of(1e-8)
    }

    /// A middle around which this is as good as the type for powers by `p` of all the scores from the best, with `d = -value`, down to
    /// the least, so far from it; `None` where there is none.
    pub(crate) fn middle(value: T, p: T, least: T) -> Option<T> {
        // A scale is rounded, and the middle with it, further off the larger the exponent is.
        if !Self::suffices() || p > T::of(1e6) {
            return None;
        }
        let (value, p) = (value.wide(), p.wide());
        let (top, lowest) = (1.0 - value, (1.0 - value) + least.wide());
        // The less the power of the greatest is, the more weight lies below it.
        let log = (-p * (-value).ln_1p()).clamp(0.0, 8.0);
        let middle = (top / (1.0 + (log / p).min(ABOVE))).min(lowest / (1.0 - BELOW));
        // Powers must be normal numbers.
        let is_normal = p * lowest.log2() > T::least_exponent().wide();
        (is_normal && top <= middle * (1.0 + ABOVE)).then(|| T::of(middle))
    }

    /// `t` and its power.
    pub(super) fn raise_one(&self, score: T) -> [T; 2] {
        let u = (score - self.shift) * self.scale + self.start;
        let power = (self.slope * u.ln_1p() + self.rest).exp2() * self.factor;
        [u * self.middle + self.middle, power]
    }
}

impl Power for Near<f32> {
    #[inline(always)]
    fn raise<S: Simd, const N: usize>(self, simd: S, scores: &[S::f32s; N]) -> [[S::f32s; N]; 2] {
        // 1.5 * 2^23: adding it rounds to an integer, and leaves that in the low bits.
        const ROUND: f32 = 12_582_912.0;
        let zero = simd.splat_f32s(0.0);
        let (mut u, mut square, mut g) = ([zero; N], [zero; N], [simd.splat_f32s(self.terms[8]); N]);
        for i in 0..N {
            let shifted = simd.sub_f32s(scores[i], simd.splat_f32s(self.shift));
            u[i] = simd.mul_add_e_f32s(shifted, simd.splat_f32s(self.scale), simd.splat_f32s(self.start));
            square[i] = simd.mul_f32s(u[i], u[i]);
        }
        for k in [6, 4, 2, 0] {
            let [even, odd] = [self.terms[k], self.terms[k + 1]].map(|term| simd.splat_f32s(term));
            for i in 0..N {
                g[i] = simd.mul_add_e_f32s(g[i], square[i], simd.mul_add_e_f32s(odd, u[i], even));
            }
        }
        let (mut shifted, mut rest, mut power) = ([zero; N], [zero; N], [simd.splat_f32s(EXP2_TERMS[6]); N]);
        for i in 0..N {
            // The greatest term last, so that powers rise with scores.
            let log = simd.mul_add_e_f32s(g[i], square[i], simd.splat_f32s(self.rest));
            let log = simd.mul_add_e_f32s(simd.splat_f32s(self.slope), u[i], log);
            shifted[i] = simd.add_f32s(log, simd.splat_f32s(ROUND));
            rest[i] = simd.sub_f32s(log, simd.sub_f32s(shifted[i], simd.splat_f32s(ROUND)));
            square[i] = simd.mul_f32s(rest[i], rest[i]);
        }
        for k in [4, 2, 0] {
            let [even, odd] = [EXP2_TERMS[k], EXP2_TERMS[k + 1]].map(|term| simd.splat_f32s(term));
            for i in 0..N {
                power[i] = simd.mul_add_e_f32s(power[i], square[i], simd.mul_add_e_f32s(odd, rest[i], even));
            }
        }
        for i in 0..N {
            let exponent = simd.wrapping_dyn_shl_u32s(simd.transmute_u32s_f32s(shifted[i]), simd.splat_u32s(23));
            let scaled = simd.add_u32s(simd.transmute_u32s_f32s(power[i]), exponent);
            power[i] = simd.mul_f32s(simd.transmute_f32s_u32s(scaled), simd.splat_f32s(self.factor));
            u[i] = simd.mul_add_e_f32s(u[i], simd.splat_f32s(self.middle), simd.splat_f32s(self.middle));
        }
        [u, power]
    }

    #[inline(always)]
    fn raise_one(self, score: f32) -> [f32; 2] {
        Near::raise_one(&self, score)
    }
}

/// The type-specific work behind [`Real`](super::Real)'s methods of the same names.
pub(super) trait RaiseNear: Sized {
    /// Writes powers over the scores.
    fn raise_near(scores: Rewrite<'_, Self>, near: Near<Self>);

    /// `Σ y t^(K-1), …, Σ y` over the powers `y` of `t`.
    fn near_sums<const K: usize>(row: &[Self], near: Near<Self>) -> [f64; K];
}

impl RaiseNear for f32 {
    fn raise_near(scores: Rewrite<'_, f32>, near: Near<f32>) {
        pulp::Arch::new().dispatch(singles::Raising::<_, 6>(scores, near));
    }

    fn near_sums<const K: usize>(row: &[f32], near: Near<f32>) -> [f64; K] {
        singles::sums(row, near)
    }
}

/// One after the other: doubles have no [middle](Near::middle).
impl RaiseNear for f64 {
    fn raise_near(scores: Rewrite<'_, f64>, near: Near<f64>) {
        scores.each(|score| near.raise_one(score)[1]);
    }

    fn near_sums<const K: usize>(row: &[f64], near: Near<f64>) -> [f64; K] {
        let mut total = [0.0; K];
        for &score in row {
            let [t, y] = near.raise_one(score);
            add_one(&mut total, y, t);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Powers of scores no greater than 3 by exponents, scaled as entmax scales them.
    fn cases() -> impl Iterator<Item = (f32, Affine<f32>)> {
        [24.5_f32, 33.3, 100.0, 1e3, 1e4, 1e6].into_iter().map(|p| {
            let affine = Affine { shift: 3.0, scale: 1.0 / p, value: (10.0 / p).min(0.2), least: f32::NEG_INFINITY };
            (p, affine)
        })
    }

    fn near(p: f32, affine: Affine<f32>, least: f32) -> Near<f32> {
        let middle = Near::middle(affine.value, p, (least - affine.shift) * affine.scale);
        Near::new(affine, p, middle.expect("the scores are near"))
    }

    fn exact(x: f64, p: f32, affine: Affine<f32>) -> [f64; 2] {
        let d = (x - 3.0) * f64::from(affine.scale) - f64::from(affine.value);
        [1.0 + d, (f64::from(p) * d.ln_1p()).exp()]
    }

    #[test]
    fn near_powers_are_powers() {
        for (p, affine) in cases() {
            let scores: Vec<f32> = (0..251).map(|i| 3.0 - i as f32 * 0.03).collect();
            let near = near(p, affine, scores[250]);
            let mut y = scores.clone();
            <f32 as RaiseNear>::raise_near(Rewrite::in_place(&mut y), near);
            let mut total = [0.0; 3];
            for (&x, &y) in scores.iter().zip(&y) {
                let [t, power] = exact(f64::from(x), p, affine);
                assert!((f64::from(y) / power - 1.0).abs() < 1.5e-6, "{p}, {x}: {y} {power}");
                add_one(&mut total, power, t);
            }
            let sums: [f64; 3] = <f32 as RaiseNear>::near_sums(&scores, near);
            for (sum, total) in sums.into_iter().zip(total) {
                assert!((sum / total - 1.0).abs() < 1e-6, "{p}: {sums:?} {total:?}");
            }
        }
    }

    #[test]
    fn doubles_are_raised_one_after_the_other() {
        let single = Affine { shift: 3.0, scale: 0.03125, value: 0.1875, least: f32::NEG_INFINITY };
        let affine = Affine { shift: 3.0, scale: 0.03125, value: 0.1875, least: f64::NEG_INFINITY };
        let near = Near::new(affine, 32.0, 0.75);
        let mut y = [2.5, 1.0];
        let [second, first]: [f64; 2] = <f64 as RaiseNear>::near_sums(&y, near);
        let [[t, a], [s, b]] = [2.5, 1.0].map(|x| exact(x, 32.0, single));
        <f64 as RaiseNear>::raise_near(Rewrite::in_place(&mut y), near);
        for (ours, exact) in [(y[0], a), (y[1], b), (first, a + b), (second, a * t + b * s)] {
            assert!((ours / exact - 1.0).abs() < 1e-13, "{ours} {exact}");
        }
    }

    #[test]
    fn near_powers_rise_with_scores() {
        for (p, affine) in cases() {
            for start in [2.7_f32, 0.5, -2.0] {
                let mut y: Vec<f32> = (0..4096).map(|i| start + i as f32 * f32::EPSILON * 2.0).collect();
                let near = near(p, affine, start);
                <f32 as RaiseNear>::raise_near(Rewrite::in_place(&mut y), near);
                assert!(y.is_sorted() && y[4095] > y[0], "{p}, {start}");
            }
        }
    }

    #[test]
    fn far_scores_and_doubles_have_no_middle() {
        assert!(Near::middle(0.2, 30.0_f32, -0.1).is_some());
        assert!(Near::middle(0.2, 30.0_f32, -0.4).is_some());
        assert_eq!(Near::middle(0.2, 30.0_f32, -0.5), None);
        assert_eq!(Near::middle(0.2, 30.0_f32, -0.9), None);
        assert_eq!(Near::middle(0.2, 30.0_f32, f32::NEG_INFINITY), None);
        // Powers that would not be normal numbers.
        assert_eq!(Near::middle(0.2, 2000.0_f32, -0.1), None);
        assert_eq!(Near::middle(1e-7, 2e6_f32, -1e-7), None);
        assert_eq!(Near::middle(0.2, 30.0_f64, -0.1), None);
    }
}
