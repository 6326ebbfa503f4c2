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

use super::raise::{Offset, Scores, whole_sums};
use crate::real::Real;

/// How many whole powers are blended.
const POWERS: usize = 10;
/// The weight `x^a` of small numbers, of which rows have more.
const WEIGHT: f64 = -0.5;
/// The rows that a blend pays for itself in.
const ENTRIES: usize = 2048;

/// `Σ t^p, Σ t^(p-1), …, Σ t^(p-K+1)` over `t = (z_i - τ)₊`; `None` where the blend is not as good as the type of the scores, or
/// does not pay.
#[inline(always)]
pub(super) fn blended<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, p: T) -> Option<[T; K]> {
    let eligible = T::epsilon() > T::of(1e-8) && z.row.len() >= ENTRIES && p > T::of(5.0) && p < T::of(16.0);
    if !eligible {
        return None;
    }
    let p = p.wide();
    let blend = Blend::around(p);
    let mut sums = whole_sums::<T, POWERS>(z, at, blend.first as u32);
    sums.reverse();
    // The greatest t is that of the best score, zero; what is blended lies below one.
    let top = (at.base - at.value).wide();
    let mut power = top.powi(blend.first as i32);
    for sum in &mut sums {
        *sum /= power;
        power *= top;
    }
    let (value, error) = blend.sum(p, &sums);
    // With a power more the blend is about five times better than the error of the one without.
    if !(error <= 4.0 * T::epsilon().wide() * value) {
        return None;
    }
    let mut result = [T::zero(); K];
    for (i, result) in result.iter_mut().enumerate() {
        let q = p - i as f64;
        *result = T::of(blend.sum(q, &sums).0 * top.powf(q));
    }
    Some(result)
}

/// The powers that are blended and what does not depend on the exponent.
struct Blend {
    first: f64,
    factors: [f64; POWERS],
}

impl Blend {
    /// The whole powers around `p`.
    fn around(p: f64) -> Self {
        let first = (p.floor() - (POWERS / 2 - 1) as f64).max(1.0);
        let mut factors = [1.0; POWERS];
        for (i, factor) in factors.iter_mut().enumerate() {
            let k = first + i as f64;
            let (mut over, mut under) = (2.0 * k + 1.0 + WEIGHT, 1.0);
            for j in (0..POWERS).filter(|&j| j != i) {
                over *= k + first + j as f64 + 1.0 + WEIGHT;
                under *= i as f64 - j as f64;
            }
            *factor = over / under;
        }
        Blend { first, factors }
    }

    /// `Σ x^q` from `Σ x^k`, and by how much the blend without the last power differs.
    fn sum(&self, q: f64, sums: &[f64; POWERS]) -> (f64, f64) {
        let last = self.first + (POWERS - 1) as f64;
        let (mut product, mut all, mut without) = (1.0, 0.0, 0.0);
        for (i, (factor, sum)) in self.factors.iter().zip(sums).enumerate() {
            let k = self.first + i as f64;
            product *= (q - k) / (q + k + 1.0 + WEIGHT);
            let term = factor * sum / (q - k);
            all += term;
            without += term * (k - last) / (k + last + 1.0 + WEIGHT);
        }
        let fewer = product * (q + last + 1.0 + WEIGHT) / (q - last);
        (product * all, (product * all - fewer * without).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::super::raise::{Exponent, moments};
    use super::*;

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
        let (mut taken, mut all) = (0, 0);
        for row in rows() {
            for p in [5.1_f32, 5.5, 6.9, 7.69, 9.01, 12.5, 15.4] {
                let at = Offset::left_of(-0.7, Exponent::Plain(p));
                let exact: [f32; 5] = moments(Scores::plain(&row), at, Exponent::Plain(p));
                all += 1;
                if let Some(blend) = blended::<f32, 5>(Scores::plain(&row), at, p) {
                    taken += 1;
                    // The sum itself to rounding; sums of lower powers only make the step shorter.
                    assert!((blend[0] / exact[0] - 1.0).abs() < 1e-6, "{p}: {blend:?} {exact:?}");
                    assert!((blend[1] / exact[1] - 1.0).abs() < 1e-5, "{p}: {blend:?} {exact:?}");
                    assert!((blend[4] / exact[4] - 1.0).abs() < 1e-2, "{p}: {blend:?} {exact:?}");
                }
            }
        }
        assert!(taken * 2 > all, "{taken} of {all} rows were blended");
    }

    #[test]
    fn blends_of_equal_scores_are_powers() {
        let row = vec![0.0_f32; 4000];
        let at = Offset::left_of(-0.3, Exponent::Plain(7.7));
        let [sum, first] = blended(Scores::plain(&row), at, 7.7).expect("the blend is good");
        let t = -at.value;
        assert!((sum / (4000.0 * t.powf(7.7)) - 1.0).abs() < 1e-6);
        assert!((first / (4000.0 * t.powf(6.7)) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn double_precision_and_short_rows_are_not_blended() {
        let at = Offset::left_of(-0.3, Exponent::Plain(7.7));
        assert!(blended::<f64, 3>(Scores::plain(&[0.0; 4000]), at, 7.7).is_none());
        let at = Offset::left_of(-0.3, Exponent::Plain(7.7));
        assert!(blended::<f32, 3>(Scores::plain(&[0.0; 100]), at, 7.7).is_none());
    }
}
