//! Sums of any powers from sums of whole ones.
//!
//! On [0, 1] a power `x^q` is nearly a blend of the whole powers around it: by Müntz's formula the best blend of `x^k`,
//! `k = first, …, first + N - 1`, in the mean square weighted by `x^a` has the coefficients
//!
//! ```text
//! c_k = P(q) B_k / (q - k),   P(q) = Π_j (q - j) / (q + j + 1 + a),   B_k = (2k + 1 + a) Π_{j≠k} (k + j + 1 + a) / (k - j),
//! ```
//!
//! and misses by about `P(q)`: a few units in the last place of single precision for ten powers around `q > 5`. Whole
//! powers are multiplications, so that the sums of a row cost half of what logarithms and exponentials would.

use super::exponent::Offset;
use super::raise::{Scores, whole_sums};
use crate::real::Real;

/// How many whole powers are blended.
const POWERS: usize = 10;
/// For how many exponents, each one less than the one before.
pub(super) const EXPONENTS: usize = 7;
/// How many of the powers suffice where the numbers with weight are not far apart, for fewer exponents.
const FEW: usize = 8;
/// The weight `x^a` of small numbers, of which rows have more.
const WEIGHT: f64 = -0.5;
/// The rows that a blend pays for itself in.
const ENTRIES: usize = 512;

/// What makes sums of powers around an exponent of sums of whole powers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Blend {
    p: f64,
    /// The least of the whole powers.
    first: u32,
    all: Coefficients,
    /// Without the last powers.
    few: Coefficients,
}

/// Those of a blend.
#[derive(Debug, Clone, Default, PartialEq)]
struct Coefficients {
    /// For `p`, `p - 1`, ….
    of: [[f64; POWERS]; EXPONENTS],
    /// For `p` without the last of the powers.
    fewer: [f64; POWERS],
}

/// Sums that were blended.
pub(super) struct Blended<T, const K: usize> {
    pub(super) sums: [T; K],
    /// Whether fewer powers would do for numbers like these.
    pub(super) few_do: bool,
}

impl Blend {
    /// Whether a blend for an exponent is as good as the type of the scores and pays for itself in a row of so many entries.
    pub(super) fn pays<T: Real>(p: T, entries: usize) -> bool {
        T::epsilon() > T::of(1e-8) && entries >= ENTRIES && p > T::of(5.0)
    }

    /// The blend for an exponent; what was computed for it before is kept.
    pub(super) fn set(&mut self, p: f64) -> &Self {
        if self.p == p {
            return self;
        }
        let first = (p.floor() - (POWERS / 2 - 1) as f64).max(1.0);
        let powers: [f64; POWERS] = std::array::from_fn(|i| first + i as f64);
        let [all, few] = [&powers[..], &powers[..FEW]].map(|powers| Coefficients {
            of: std::array::from_fn(|i| muentz(powers, p - i as f64)),
            fewer: muentz(&powers[..powers.len() - 1], p),
        });
        *self = Blend { p, first: first as u32, all, few };
        self
    }

    /// `Σ t^p, Σ t^(p-1), …, Σ t^(p-K+1)` over `t = (z_i - τ)₊`, of few powers or of all; `None` where the blend is not as good as the
    /// type of the scores.
    #[inline(always)]
    pub(super) fn sums<T: Real, const K: usize>(
        &self,
        z: Scores<'_, T>,
        at: Offset<T>,
        of_few: bool,
    ) -> Option<Blended<T, K>> {
        // The greatest t is that of the best score, zero.
        let top = at.base - at.value;
        if of_few {
            self.few.blend(self, whole_sums::<T, FEW>(z, at, self.first), top)
        } else {
            self.all.blend(self, whole_sums::<T, POWERS>(z, at, self.first), top)
        }
    }
}

impl Coefficients {
    /// Sums of whole powers of numbers up to `top`, the greatest power first, blended.
    #[inline(always)]
    fn blend<T: Real, const K: usize, const N: usize>(
        &self,
        blend: &Blend,
        mut powers: [f64; N],
        top: T,
    ) -> Option<Blended<T, K>> {
        powers.reverse();
        // What is blended lies below one.
        let top = top.wide();
        let mut power = top.powi(blend.first as i32);
        for sum in &mut powers {
            *sum /= power;
            power *= top;
        }
        let dot = |coefficients: &[f64; POWERS]| -> f64 { coefficients.iter().zip(&powers).map(|(c, s)| c * s).sum() };
        let value = dot(&self.of[0]);
        let limit = T::epsilon().wide() * value;
        let misses = |coefficients: &[f64; POWERS]| (value - dot(coefficients)).abs();
        // With a power more the blend is about five times better than the error of the one without.
        if !(value > 0.0 && misses(&self.fewer) <= 4.0 * limit) {
            return None;
        }
        let few_do = misses(&blend.few.of[0]) <= 0.5 * limit && misses(&blend.few.fewer) <= limit;
        let mut power = top.powf(blend.p);
        let mut sums = [T::zero(); K];
        for (sum, coefficients) in sums.iter_mut().zip(&self.of) {
            *sum = T::of(dot(coefficients) * power);
            power /= top;
        }
        Some(Blended { sums, few_do })
    }
}

/// The coefficients of `x^q` in some whole powers, `x^q` itself if it is one of them.
fn muentz(powers: &[f64], q: f64) -> [f64; POWERS] {
    let mut coefficients = [0.0; POWERS];
    let mut all = 1.0;
    for (coefficient, &k) in coefficients.iter_mut().zip(powers) {
        if q == k {
            coefficients = [0.0; POWERS];
            coefficients[(k - powers[0]) as usize] = 1.0;
            return coefficients;
        }
        all *= (q - k) / (q + k + 1.0 + WEIGHT);
        let (mut over, mut under) = (2.0 * k + 1.0 + WEIGHT, q - k);
        for &j in powers.iter().filter(|&&j| j != k) {
            over *= k + j + 1.0 + WEIGHT;
            under *= k - j;
        }
        *coefficient = over / under;
    }
    coefficients.map(|coefficient| coefficient * all)
}

#[cfg(test)]
mod tests {
    use super::super::exponent::Exponent;
    use super::*;

    fn blended<T: Real, const K: usize>(z: &[T], at: Offset<T>, p: T, of_few: bool) -> Option<Blended<T, K>> {
        Blend::default().set(p.wide()).sums(Scores::plain(z, T::neg_infinity()), at, of_few)
    }

    /// Rows of many shapes, shifted so that the best score is zero.
    fn rows() -> impl Iterator<Item = Vec<f32>> {
        let shapes: [fn(f64) -> f64; 5] =
            [|u| u, |u| u * u, |u| u.powi(6), |u| -(1.0 - u + 1e-4).ln() * 0.1, |u| u.round()];
        shapes.into_iter().map(|shape| {
            let mut state = 1_u32;
            let values = (0..6000).map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                shape(f64::from(state >> 8) / f64::from(1 << 24)) as f32
            });
            let row: Vec<f32> = values.collect();
            let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            row.iter().map(|x| x - max).collect()
        })
    }

    #[test]
    fn blends_agree_with_powers() {
        let (mut taken, mut few, mut all) = (0, 0, 0);
        for row in rows() {
            for p in [5.1_f32, 5.5, 6.9, 7.69, 9.01, 12.5, 15.4, 16.7, 23.9] {
                let at = Offset::left_of(-0.7, Exponent::Plain(p));
                let distances = || row.iter().map(|&z| f64::from(z - at.value)).filter(|&t| t > 0.0);
                let exact: [f32; 5] =
                    std::array::from_fn(|k| distances().map(|t| t.powf(f64::from(p) - k as f64)).sum::<f64>() as f32);
                all += 1;
                if let Some(Blended { sums: blend, few_do }) = blended::<f32, 5>(&row, at, p, false) {
                    taken += 1;
                    // The sum itself to rounding; sums of lower powers only make the step shorter.
                    assert!((blend[0] / exact[0] - 1.0).abs() < 1e-6, "{p}: {blend:?} {exact:?}");
                    assert!((blend[1] / exact[1] - 1.0).abs() < 1e-5, "{p}: {blend:?} {exact:?}");
                    assert!((blend[4] / exact[4] - 1.0).abs() < 1e-2, "{p}: {blend:?} {exact:?}");
                    if few_do {
                        few += 1;
                        let blend = blended::<f32, 5>(&row, at, p, true).expect("few powers do").sums;
                        assert!((blend[0] / exact[0] - 1.0).abs() < 1e-6, "{p}: {blend:?} {exact:?}");
                        assert!((blend[1] / exact[1] - 1.0).abs() < 1e-5, "{p}: {blend:?} {exact:?}");
                        assert!((blend[4] / exact[4] - 1.0).abs() < 1e-2, "{p}: {blend:?} {exact:?}");
                    }
                }
            }
        }
        assert!(taken * 2 > all && few * 10 > all, "{taken} of {all} rows were blended, {few} of few powers");
    }

    #[test]
    fn blends_of_equal_scores_are_powers() {
        let row = vec![0.0_f32; 4000];
        let at = Offset::left_of(-0.3, Exponent::Plain(7.7));
        let [sum, first] = blended(&row, at, 7.7, false).expect("the blend is good").sums;
        let t = -at.value;
        assert!((sum / (4000.0 * t.powf(7.7)) - 1.0).abs() < 1e-6);
        assert!((first / (4000.0 * t.powf(6.7)) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_blend_is_remembered_and_replaced() {
        let mut blend = Blend::default();
        let first = blend.set(7.7).clone();
        assert_eq!(blend.set(7.7).all, first.all);
        assert_ne!(blend.set(8.7).all, first.all);
        assert_eq!(blend.set(7.7).all, first.all);
        // A whole exponent is its own blend.
        assert_eq!(blend.set(20.0).all.of[0].iter().sum::<f64>(), 1.0);
    }

    #[test]
    fn double_precision_and_short_rows_are_not_blended() {
        assert!(Blend::pays(7.7_f32, 4000));
        assert!(!Blend::pays(7.7_f64, 4000));
        assert!(!Blend::pays(7.7_f32, 100));
        assert!(!Blend::pays(4.4_f32, 4000));
    }
}
