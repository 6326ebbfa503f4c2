//! The threshold that makes powers sum to one.
//!
//! Entmax and normmax both come down to `Σ (z_i - τ)₊^p = 1` for scores `z ≤ 0` whose maximum is zero. Only
//! entries above -1 can matter; callers pass those. The left side is convex and falling in τ for `p ≥ 1`, and so is
//! its p-th root, the p-norm of `(z - τ)₊`, which is nearly straight: Newton steps on the norm approach the root
//! from the left and take few rounds.

use super::raise::{Exponent, Offset, moments};
use super::scan::{minimum, retain_above, sum};
use crate::real::Real;

/// `p = 1`: drops entries below the mean threshold until none is left to drop. Finite and exact. Returns `τ` and
/// the number of entries above it.
#[inline(always)]
pub(crate) fn linear<T: Real>(z: &mut [T]) -> (T, usize) {
    let mut count = z.len();
    loop {
        let total = sum(
            &z[..count],
            #[inline(always)]
            |z| z,
        );
        let tau = (total - T::one()) / T::of(count as f64);
        let left = retain_above(&mut z[..count], tau);
        if left == count || left == 0 {
            return (tau, left);
        }
        count = left;
    }
}

/// `Σ (z - τ)` and `Σ (z - τ)²`.
#[inline(always)]
fn distances<T: Real>(z: &[T], tau: T) -> (T, T) {
    let first = sum(
        z,
        #[inline(always)]
        |z| z - tau,
    );
    let second = sum(
        z,
        #[inline(always)]
        |z| (z - tau) * (z - tau),
    );
    (first, second)
}

/// `p = 2`, from any `τ` left of the root: Newton steps shrink the set of entries, and the quadratic equation on the
/// final set gives the root. Returns `τ` and `Σ (z - τ)₊`.
#[inline(always)]
pub(crate) fn quadratic<T: Real>(z: &mut [T], mut tau: T) -> (T, T) {
    let mut count = z.len();
    for _ in 0..64 {
        count = retain_above(&mut z[..count], tau);
        let size = T::of(count as f64);
        let (first, second) = distances(&z[..count], tau);
        let least = minimum(&z[..count]) - tau;
        let discriminant = first * first - size * (second - T::one());
        if discriminant >= T::zero() {
            let step = (second - T::one()) / (first + discriminant.sqrt());
            if step < least {
                // A step from afar cancels digits in the discriminant; one of Newton's from there brings them back.
                let tau = tau + step;
                let (first, second) = distances(&z[..count], tau);
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
    let first = sum(
        &z[..count],
        #[inline(always)]
        |z| if z > tau { z - tau } else { T::zero() },
    );
    (tau, first)
}

/// The search for the root of `Σ (z_i - τ)₊^p = 1`, `p > 1`, by Halley's step on the p-norm where that is tame, Newton's
/// otherwise, and by halving the bracket if both leave it.
struct Search<T> {
    p: T,
    low: T,
    high: T,
    last_step: T,
    /// How near to zero the logarithm of the sum must be for one more step to end the search.
    close: T,
}

impl<T: Real> Search<T> {
    /// From an offset left of the root.
    #[inline(always)]
    fn new(p: T, left: Offset<T>, n: usize) -> Self {
        // For one entry, and for rounding, the upper end may fall below the lower.
        let high = left.upper(n, T::one() / p).max(left.value);
        // The error left by a step is of third order, with a factor below a hundredth, for the norm is nearly straight;
        // where an entry enters or leaves the support it is the p-th power of the step.
        let third_order = (T::of(10.0) * T::epsilon()).cbrt();
        let crossing = p * (T::of(0.1) * T::epsilon()).powf(T::one() / p);
        Search { p, low: left.value, high, last_step: T::infinity(), close: third_order.min(crossing) }
    }

    /// The next value after one where the sums are these, and whether it is the last.
    #[inline(always)]
    fn next(&mut self, at: T, (s0, s1, s2): (T, T, T)) -> (T, bool) {
        let (p, log) = (self.p, s0.ln());
        // 1 - S₀^(-1/p), without cancellation near the root.
        let excess = -(-log / p).exp_m1();
        let newton = s0 * excess / s1;
        let bend = T::of(0.5) * (p - T::one()) * excess * (s2 * s0 / (s1 * s1) - T::one());
        let tame = bend.abs() < T::of(0.5);
        let mut next = at + if tame { newton / (T::one() - bend) } else { newton };
        if tame && log.abs() <= self.close {
            return (next, true);
        }
        if excess > T::zero() {
            self.low = at;
        } else {
            self.high = at;
        }
        if !(next >= self.low && next <= self.high) {
            next = at + newton;
            if !(next >= self.low && next <= self.high) {
                next = self.low + (self.high - self.low) * T::of(0.5);
            }
        }
        // Rounding of the sum is all that is left once steps no longer shrink.
        let step = (next - at).abs();
        let blurred = log.abs() <= T::of(64.0) * T::epsilon() && step >= T::of(0.5) * self.last_step;
        self.last_step = step;
        (next, blurred || step <= T::of(0.5) * T::epsilon() * next.abs())
    }
}

/// The root of `Σ (z_i - τ)₊^p = 1` for `p > 1`, in the form that keeps its digits. `start` must lie left of it.
#[inline(always)]
pub(crate) fn general<T: Real>(z: &[T], exponent: Exponent<T>, p: T, start: T) -> Offset<T> {
    let left = Offset::left_of(start, exponent);
    let mut search = Search::new(p, left, z.len());
    let mut at = Offset { value: sampled(z, exponent, p, left), ..left };
    for _ in 0..60 {
        let (next, last) = search.next(at.value, moments(z, at, exponent));
        at.value = next;
        if last {
            break;
        }
    }
    at
}

/// A guess at the root from every so-many-th entry; the left end where there are few.
#[inline(always)]
fn sampled<T: Real>(z: &[T], exponent: Exponent<T>, p: T, left: Offset<T>) -> T {
    const SAMPLE: usize = 1024;
    if z.len() < 4 * SAMPLE {
        return left.value;
    }
    let stride = z.len() / SAMPLE;
    let weight = T::of(z.len() as f64 / SAMPLE as f64);
    let mut sample = [T::zero(); SAMPLE];
    for (i, v) in sample.iter_mut().enumerate() {
        // The best entry counts for itself, not for its neighbours.
        let entry = z[i * stride];
        *v = if entry < T::zero() { entry } else { T::of(-2.0) };
    }
    let mut at = left;
    let mut search = Search::new(p, left, z.len());
    // A sample this size is off by some hundredths: no use in coming closer.
    search.close = T::of(0.2);
    for _ in 0..8 {
        let (a, b) = (moments(&sample, at, exponent), moments(&[T::zero()], at, exponent));
        let (next, last) = search.next(at.value, (a.0 * weight + b.0, a.1 * weight + b.1, a.2 * weight + b.2));
        at.value = next;
        if last {
            break;
        }
    }
    at.value
}

/// A lower bound of the root of `Σ (z_i - τ)₊^p = 1` by a few Newton steps, which never pass the root.
#[inline(always)]
pub(crate) fn general_lower<T: Real>(z: &[T], exponent: Exponent<T>, p: T) -> T {
    let inverse = T::one() / p;
    let mut at = Offset::left_of(-T::one(), exponent);
    for _ in 0..3 {
        let (s0, s1, _) = moments(z, at, exponent);
        let step = s0 * -(-inverse * s0.ln()).exp_m1() / s1;
        if !(step > T::zero()) {
            break;
        }
        at.value += step;
    }
    at.tau()
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
        let mass = sum(
            &z[..middle],
            #[inline(always)]
            |z| if z > pivot { (z - pivot).powf(p) } else { T::zero() },
        );
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
        let weight = |z: T| if z == lowest { v } else { ((z - lowest) + root).powf(p) };
        let mass = sum(support, weight);
        // The slope (root/(d + root))^(1-p) in terms that do not underflow before they must.
        let slope = sum(support, |z| weight(z) / v * if z == lowest { T::one() } else { root / ((z - lowest) + root) });
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
