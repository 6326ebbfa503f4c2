//! Thresholds in closed form, once the entries above them are known.

use crate::real::Real;

/// `p = 1`: drops entries below the mean threshold until none is left to drop. Finite and exact. Returns `τ` and
/// the number of entries above it.
pub(crate) fn linear<T: Real>(z: &mut [T]) -> (T, usize) {
    let mut count = z.len();
    loop {
        let [total, _] = T::distances(&z[..count], T::zero());
        let tau = (total - T::one()) / T::of(count as f64);
        let left = T::retain(&mut z[..count], tau);
        if left == count || left == 0 {
            return (tau, left);
        }
        count = left;
    }
}

/// `p = 2`, from any `τ` left of the root: Newton steps shrink the set of entries, and the quadratic equation on the
/// final set gives the root. Returns `τ` and `Σ (z - τ)₊`.
pub(crate) fn quadratic<T: Real>(z: &mut [T], mut tau: T) -> (T, T) {
    let mut count = z.len();
    for _ in 0..64 {
        count = T::retain(&mut z[..count], tau);
        let size = T::of(count as f64);
        let [first, second] = T::distances(&z[..count], tau);
        let discriminant = first * first - size * (second - T::one());
        if discriminant >= T::zero() {
            let step = (second - T::one()) / (first + discriminant.sqrt());
            if tau + step < T::minimum(&z[..count]) {
                // A step from afar cancels digits in the discriminant; one of Newton's from there brings them back.
                let tau = tau + step;
                let [first, second] = T::distances(&z[..count], tau);
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
    let first = z[..count].iter().map(|&z| (z - tau).max(T::zero())).sum();
    (tau, first)
}
