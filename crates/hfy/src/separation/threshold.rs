//! The threshold that makes powers sum to one.
//!
//! Entmax and normmax both come down to `Σ (z_i - τ)₊^p = 1` for scores `z ≤ 0` whose maximum is zero. Only
//! entries above -1 can matter; callers pass those. The left side is convex and falling in τ for `p ≥ 1`, and so is
//! its p-th root, the p-norm of `(z - τ)₊`, which is nearly straight: Newton steps on the norm approach the root
//! from the left and take few rounds.

use super::scan::{retain_above, sums};
use crate::real::{Real, lesser};

/// `p = 1`: drops entries below the mean threshold until none is left to drop. Finite and exact. Returns `τ` and
/// the number of entries above it.
#[inline(always)]
pub(crate) fn linear<T: Real>(z: &mut [T]) -> (T, usize) {
    let mut count = z.len();
    loop {
        let [total] = sums(&z[..count], |z| [z]);
        let tau = (total - T::one()) / T::of(count as f64);
        let left = retain_above(&mut z[..count], tau);
        if left == count || left == 0 {
            return (tau, left);
        }
        count = left;
    }
}

/// `p = 2`, from any `τ` left of the root: Newton steps shrink the set of entries, and the quadratic equation on the
/// final set gives the root. Returns `τ` and `Σ (z - τ)₊`.
#[inline(always)]
pub(crate) fn quadratic<T: Real>(z: &mut [T], mut tau: T) -> (T, T) {
    let mut count = z.len();
    for _ in 0..64 {
        count = retain_above(&mut z[..count], tau);
        let size = T::of(count as f64);
        let [first, second] = sums(&z[..count], |z| [z - tau, (z - tau) * (z - tau)]);
        let least = z[..count].iter().fold(T::infinity(), |m, &z| lesser(z, m)) - tau;
        let discriminant = first * first - size * (second - T::one());
        if discriminant >= T::zero() {
            let step = (second - T::one()) / (first + discriminant.sqrt());
            if step < least {
                // A step from afar cancels digits in the discriminant; one of Newton's from there brings them back.
                let tau = tau + step;
                let [first, second] = sums(&z[..count], |z| [z - tau, (z - tau) * (z - tau)]);
                let step = T::of(0.5) * (second - T::one()) / first;
                return (tau + step, first - size * step);
            }
        }
        let step = (second - second.sqrt()) / first;
        if tau + step == tau {
            return (tau, first);
        }
        tau += step;
    }
    let [first] = sums(&z[..count], |z| [if z > tau { z - tau } else { T::zero() }]);
    (tau, first)
}

/// The power `t^p` of `t = 1 + d`, zero for `t ≤ 0`. With `precise`, the rounding of `1 + d` is made good: needed
/// for large `p`, where entmax approaches softmax.
#[inline(always)]
pub(crate) fn power<T: Real>(d: T, p: T, precise: bool) -> (T, T) {
    let t = T::one() + d;
    let positive = t > T::zero();
    let safe = if positive { t } else { T::one() };
    let mut log = safe.ln_lanes();
    if precise {
        log += if positive { (d - (safe - T::one())) / safe } else { T::zero() };
    }
    let y = (p * log).exp_lanes();
    (if positive { y } else { T::zero() }, safe)
}

/// Powers above this carry the rounding correction.
#[inline(always)]
pub(crate) fn precise<T: Real>(p: T) -> bool {
    p > T::of(4.0)
}

/// The root of `Σ (1 + z_i - ω)₊^p = 1` for `p > 1`, with `Σ (1 + z_i - ω)₊^(p-1)` there.
///
/// `ω = 1 + τ` keeps its relative precision as `p` grows without bound. `start` must lie left of the root. Each round
/// takes Halley's step on the norm where that is tame, Newton's otherwise, and halves the bracket if both leave it.
#[inline(always)]
pub(crate) fn general<T: Real>(z: &[T], p: T, start: T, rounds: usize) -> (T, T) {
    let correct = precise(p);
    let inverse = T::one() / p;
    // 1 - n^(-1/p), which for large p is lost unless taken as a whole.
    let (mut low, mut high) = (start, -(-inverse * T::of(z.len() as f64).ln()).exp_m1());
    // For n = 1 and rounding beyond it.
    high = high.max(low);
    let mut omega = start;
    let mut first = T::one();
    for _ in 0..rounds {
        let [s0, s1, s2] = sums(z, |z| {
            let (y, t) = power(z - omega, p, correct);
            let over = y / t;
            [y, over, over / t]
        });
        first = s1;
        // 1 - S₀^(-1/p), without cancellation near the root.
        let excess = -(-inverse * s0.ln()).exp_m1();
        if (s0 - T::one()).abs() <= T::of(2.0) * T::epsilon() {
            break;
        }
        if excess > T::zero() {
            low = omega;
        } else {
            high = omega;
        }
        let newton = s0 * excess / s1;
        let bend = T::of(0.5) * (p - T::one()) * excess * (s2 * s0 / (s1 * s1) - T::one());
        let step = if bend.abs() < T::of(0.5) { newton / (T::one() - bend) } else { newton };
        let mut next = omega + step;
        if !(next >= low && next <= high) {
            next = omega + newton;
            if !(next >= low && next <= high) {
                next = low + (high - low) * T::of(0.5);
            }
        }
        if next == omega || (next - omega).abs() <= T::epsilon() * T::of(0.5) * next.abs() {
            omega = next;
            break;
        }
        omega = next;
    }
    (omega, first)
}

/// A lower bound of the root of `Σ (1 + z_i - ω)₊^p = 1` by a few Newton steps, which never pass the root.
#[inline(always)]
pub(crate) fn general_lower<T: Real>(z: &[T], p: T) -> T {
    let correct = precise(p);
    let inverse = T::one() / p;
    let mut omega = T::zero();
    for _ in 0..3 {
        let [s0, s1] = sums(z, |z| {
            let (y, t) = power(z - omega, p, correct);
            [y, y / t]
        });
        let step = s0 * -(-inverse * s0.ln()).exp_m1() / s1;
        if !(step > T::zero()) {
            break;
        }
        omega += step;
    }
    // Below what rounding may have added.
    omega - T::of(16.0) * T::epsilon() * omega
}

/// The root for `p < 1` (alpha above 2): the smallest score in the support and its weight.
///
/// Near the root the sum has unbounded slope in `τ`, so the unknown is the smallest weight `v = (z_r - τ)^p` instead.
/// With `d_i = z_i - z_r`, `Σ (d_i + v^(1/p))^p` is a sum of (1/p)-norms of `(d_i^p, v)`: convex in `v` with slope
/// between 1 and the number of entries, so Newton's method from the right converges without safeguards.
#[inline(always)]
pub(crate) fn concave<T: Real>(z: &mut [T], p: T) -> (T, T) {
    // The support: halve the range of scores that could be its smallest.
    let mut lowest = T::zero();
    let (mut start, mut end) = (0, z.len());
    while start < end {
        let middle = start + (end - start) / 2;
        let (_, &mut pivot, _) =
            z[start..end].select_nth_unstable_by(middle - start, |a, b| b.partial_cmp(a).expect("scores are numbers"));
        let [mass] = sums(&z[..middle], |z| [if z > pivot { (z - pivot).powf(p) } else { T::zero() }]);
        if mass < T::one() {
            lowest = pivot;
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    let support = &z[..start];
    let inverse = T::one() / p;
    let mut v = T::one() / T::of(support.len() as f64);
    for _ in 0..200 {
        let root = v.powf(inverse);
        let [mass, slope] = sums(support, |z| {
            let d = z - lowest;
            if d == T::zero() {
                [v, T::one()]
            } else {
                let y = (d + root).powf(p);
                // (root/(d + root))^(1-p) in terms that do not underflow before they must.
                [y, y / v * (root / (d + root))]
            }
        });
        let next = (v - (mass - T::one()) / slope).max(T::zero());
        if !((next - v).abs() > T::epsilon() * T::of(0.5) * v) {
            return (lowest, next);
        }
        v = next;
        if v == T::zero() {
            break;
        }
    }
    (lowest, v)
}
