//! Thresholds in closed form after a few rounds, of one row in each lane.

use super::MOST_WIDTH;
use crate::{Number, Vectors};

/// How many sums are taken side by side: additions wait for one another.
const SIDE: usize = 4;

/// `Σ a` and `Σ b` of each row, where `terms` makes `a` and `b` of a score.
#[inline(always)]
fn sums<T: Number, S: Vectors<T>>(simd: S, z: &[S::V], terms: impl Fn(S::V) -> [S::V; 2]) -> [S::V; 2] {
    let zero = simd.splat(T::zero());
    let mut sums = [[zero; SIDE]; 2];
    let (whole, rest) = z.as_chunks::<SIDE>();
    for four in whole {
        for i in 0..SIDE {
            let [a, b] = terms(four[i]);
            sums[0][i] = simd.add(sums[0][i], a);
            sums[1][i] = simd.add(sums[1][i], b);
        }
    }
    for (i, &x) in rest.iter().enumerate() {
        let [a, b] = terms(x);
        sums[0][i] = simd.add(sums[0][i], a);
        sums[1][i] = simd.add(sums[1][i], b);
    }
    let [[a0, a1, a2, a3], [b0, b1, b2, b3]] = sums;
    [simd.add(simd.add(a0, a1), simd.add(a2, a3)), simd.add(simd.add(b0, b1), simd.add(b2, b3))]
}

/// Rounds after which a row is as good as it gets.
pub(super) const ROUNDS: usize = 4 * MOST_WIDTH;

/// Newton's method from a threshold left of the root, which it never passes but by rounding: `step` says how far it is
/// to the next threshold. A row is done with the first step that is no more than rounding.
#[inline(always)]
fn newton<T: Number, S: Vectors<T>>(simd: S, mut tau: S::V, best: S::V, step: impl Fn(S::V) -> S::V) -> S::V {
    let (zero, one, bottom) = (simd.splat(T::zero()), simd.splat(T::one()), simd.splat(T::neg_infinity()));
    let rounding = simd.splat(T::from_double(2.0) * T::epsilon());
    let mut goes_on = simd.where_greater(best, bottom, one, zero);
    for _ in 0..ROUNDS {
        let step = step(tau);
        tau = simd.where_greater(goes_on, zero, simd.add(tau, step), tau);
        goes_on = simd.where_greater(step, rounding, goes_on, zero);
        if !simd.any_greater(goes_on, zero) {
            break;
        }
    }
    tau
}

/// The `τ` at which `Σ (z - τ)₊` is one.
#[inline(always)]
pub(super) fn linear<T: Number, S: Vectors<T>>(simd: S, z: &[S::V], best: S::V) -> S::V {
    let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
    let low = simd.sub(zero, one);
    // The mean of what reaches above -1 bounds the threshold from below.
    let [total, _] = sums(
        simd,
        z,
        #[inline(always)]
        |z| [simd.max(z, low), zero],
    );
    let slack = simd.splat(T::from_double(1.0 + 16.0 * z.len() as f64 * T::epsilon().to_double()));
    let start = simd.div(simd.sub(total, slack), simd.splat(T::from_double(z.len() as f64)));
    newton(
        simd,
        simd.max(start, low),
        best,
        #[inline(always)]
        |tau| {
            let [total, count] = sums(
                simd,
                z,
                #[inline(always)]
                |z| [simd.max(simd.sub(z, tau), zero), simd.where_greater(z, tau, one, zero)],
            );
            simd.div(simd.sub(total, one), count)
        },
    )
}

/// The `τ` at which `Σ (z - τ)₊²` is one.
#[inline(always)]
pub(super) fn quadratic<T: Number, S: Vectors<T>>(simd: S, z: &[S::V], best: S::V) -> S::V {
    let zero = simd.splat(T::zero());
    newton(
        simd,
        simd.splat(-T::one()),
        best,
        #[inline(always)]
        |tau| {
            let [first, second] = sums(
                simd,
                z,
                #[inline(always)]
                |z| {
                    let t = simd.max(simd.sub(z, tau), zero);
                    [t, simd.mul(t, t)]
                },
            );
            simd.div(simd.sub(second, simd.sqrt(second)), first)
        },
    )
}

/// `z ← (z - τ)₊`.
#[inline(always)]
pub(super) fn above<T: Number, S: Vectors<T>>(simd: S, z: &mut [S::V], tau: S::V) {
    let zero = simd.splat(T::zero());
    for z in z {
        *z = simd.max(simd.sub(*z, tau), zero);
    }
}

/// `Σ z` of each row.
#[inline(always)]
pub(super) fn total<T: Number, S: Vectors<T>>(simd: S, z: &[S::V]) -> S::V {
    let zero = simd.splat(T::zero());
    let [total, _] = sums(
        simd,
        z,
        #[inline(always)]
        |z| [z, zero],
    );
    total
}

/// `z - τ` clipped to [0, 1] with the sum `mass`, less than the number of entries.
///
/// The threshold lies among the scores, which may be far from the best and from zero: where digits are lost there, they
/// are not once a score near the threshold is taken off.
#[inline(always)]
pub(super) fn capped<T: Number, S: Vectors<T>>(simd: S, z: &mut [S::V], (lowest, best): (S::V, S::V), mass: T) {
    let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
    let rough = level(simd, z, (simd.sub(lowest, one), best), mass);
    let near = simd.add(rough, simd.splat(T::from_double(0.5)));
    let (mut below, mut above) = (lowest, best);
    for &z in &*z {
        below = simd.max(simd.where_greater(z, near, lowest, z), below);
        above = simd.min(simd.where_greater(z, near, z, best), above);
    }
    let anchor = simd.where_greater(simd.sub(near, below), simd.sub(above, near), above, below);
    for z in &mut *z {
        *z = simd.sub(*z, anchor);
    }
    let ends = (simd.sub(simd.sub(lowest, anchor), one), simd.sub(best, anchor));
    let tau = level(simd, z, ends, mass);
    // The threshold of what is neither zero nor one there, without what else would be rounded.
    let [free, ones] = sums(
        simd,
        z,
        #[inline(always)]
        |z| {
            let t = simd.sub(z, tau);
            [is_between(simd, t), simd.where_greater(one, t, zero, one)]
        },
    );
    let [inside, _] = sums(
        simd,
        z,
        #[inline(always)]
        |z| [simd.where_greater(is_between(simd, simd.sub(z, tau)), zero, z, zero), zero],
    );
    let exact = simd.div(simd.sub(inside, simd.sub(simd.splat(mass), ones)), free);
    let tau = simd.where_greater(free, zero, exact, tau);
    for z in z {
        *z = simd.min(simd.max(simd.sub(*z, tau), zero), one);
    }
}

/// `|x|`.
#[inline(always)]
fn size<T: Number, S: Vectors<T>>(simd: S, x: S::V) -> S::V {
    simd.max(x, simd.sub(simd.splat(T::zero()), x))
}

/// One strictly between zero and one, else zero.
#[inline(always)]
pub(super) fn is_between<T: Number, S: Vectors<T>>(simd: S, t: S::V) -> S::V {
    let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
    simd.where_greater(t, zero, simd.where_greater(one, t, one, zero), zero)
}

/// The root of `Σ clip(z - τ, 0, 1) = mass` between two ends: a step of Newton's where that stays between them, else
/// the middle. From zero, if that lies between.
#[inline(always)]
fn level<T: Number, S: Vectors<T>>(simd: S, z: &[S::V], (mut low, mut high): (S::V, S::V), mass: T) -> S::V {
    let (zero, one, half) = (simd.splat(T::zero()), simd.splat(T::one()), simd.splat(T::from_double(0.5)));
    let (mass, rounding) = (simd.splat(mass), simd.splat(T::from_double(2.0) * T::epsilon()));
    let mut tau = simd.min(simd.max(zero, low), high);
    let mut goes_on = one;
    for _ in 0..ROUNDS {
        let [clipped, free] = sums(
            simd,
            z,
            #[inline(always)]
            |z| {
                let t = simd.sub(z, tau);
                [simd.min(simd.max(t, zero), one), is_between(simd, t)]
            },
        );
        let excess = simd.sub(clipped, mass);
        low = simd.where_greater(excess, zero, tau, low);
        high = simd.where_greater(zero, excess, tau, high);
        let step = simd.div(excess, free);
        let next = simd.add(tau, step);
        let middle = simd.add(simd.mul(low, half), simd.mul(high, half));
        let inside = simd.where_greater(next, low, simd.where_greater(high, next, next, middle), middle);
        // A step that is no more than rounding is the last; where the sum is right nothing moves.
        let least = simd.mul(rounding, simd.max(size(simd, tau), one));
        let next = simd.where_greater(size(simd, step), least, inside, next);
        let next = simd.where_greater(size(simd, excess), zero, next, tau);
        let moved = size(simd, simd.sub(next, tau));
        tau = simd.where_greater(goes_on, zero, next, tau);
        goes_on = simd.where_greater(moved, least, goes_on, zero);
        if !simd.any_greater(goes_on, zero) {
            break;
        }
    }
    tau
}
