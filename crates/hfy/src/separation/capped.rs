//! The level `τ` at which `Σ clip(x_i - τ, 0, u_i)` equals a given mass.
//!
//! The sum falls in τ and is linear between its bends at `x_i` and `x_i - u_i`. Halving at the median bend, found by
//! selection, and dropping entries whose part is decided, takes time linear in the number of entries; the linear
//! equation on the last piece gives the level.

use super::scan::{minimum, sum};
use crate::real::{Real, greater, lesser};

/// The level as an anchor among the scores and a distance from it, which keeps small differences between large
/// scores: `y_i = clip((x_i - anchor) - tau, 0, u_i)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Level<T> {
    pub(crate) anchor: T,
    pub(crate) tau: T,
}

impl<T: Real> Level<T> {
    #[inline(always)]
    pub(crate) fn weight(self, x: T, upper: T) -> T {
        lesser(greater((x - self.anchor) - self.tau, T::zero()), upper)
    }
}

/// Solves for entries `(x, u)` with `0 < mass < Σ u`; reorders and shortens both lists.
pub(crate) fn level<T: Real>(x: &mut Vec<T>, u: &mut Vec<T>, mut mass: T, bends: &mut Vec<T>) -> Level<T> {
    let (mut low, mut high) = (T::neg_infinity(), T::infinity());
    bends.clear();
    bends.extend(x.iter().copied());
    bends.extend(x.iter().zip(&*u).map(|(&x, &u)| x - u).filter(|b| b.is_finite()));
    while !bends.is_empty() {
        let middle = bends.len() / 2;
        let (_, &mut pivot, _) =
            bends.select_nth_unstable_by(middle, |a, b| a.partial_cmp(b).expect("scores are numbers"));
        let here = Level { anchor: pivot, tau: T::zero() };
        let held: T = x.iter().zip(&*u).map(|(&x, &u)| here.weight(x, u)).sum();
        if held >= mass {
            low = pivot;
            bends.retain(|&b| b > pivot);
        } else {
            high = pivot;
            bends.retain(|&b| b < pivot);
        }
        // Entries at or below `low` weigh nothing; entries whose upper bend is at or above `high` are full.
        let mut left = 0;
        for i in 0..x.len() {
            let (xi, ui) = (x[i], u[i]);
            if xi <= low {
                continue;
            }
            if xi - ui >= high {
                mass -= ui;
                continue;
            }
            (x[left], u[left]) = (xi, ui);
            left += 1;
        }
        x.truncate(left);
        u.truncate(left);
    }
    // What is left is strictly between its bounds.
    let Some(anchor) = x.first().copied() else {
        let tau = if low.is_finite() && high.is_finite() { (high - low) * T::of(0.5) } else { T::zero() };
        return Level { anchor: if low.is_finite() { low } else { high }, tau };
    };
    let total: T = x.iter().map(|&x| x - anchor).sum();
    Level { anchor, tau: (total - mass) / T::of(x.len() as f64) }
}

/// For bounds that are all one and `0 < mass < n`: a point where `Σ clip(x_i - τ, 0, 1)` is at least the mass, and the
/// level itself to within rounding, if it was reached.
///
/// Newton steps on the piecewise linear sum, kept inside a bracket; each costs one vectorised pass, and a handful
/// suffice unless the scores spread over many orders of magnitude.
#[inline(always)]
pub(crate) fn unit_level<T: Real>(x: &[T], mass: T, max: T) -> (T, Option<T>) {
    let (mut low, mut high) = (minimum(x) - T::one(), max);
    let mut tau = first_guess(x, mass, (low, high));
    for _ in 0..40 {
        let held = sum(
            x,
            #[inline(always)]
            |x| lesser(greater(x - tau, T::zero()), T::one()),
        );
        let free = sum(
            x,
            #[inline(always)]
            |x| if x > tau && x - tau < T::one() { T::one() } else { T::zero() },
        );
        let excess = held - mass;
        if excess >= T::zero() {
            low = tau;
        } else {
            high = tau;
        }
        let next = tau + excess / free;
        if (next - tau).abs() <= T::of(4.0) * T::epsilon() * (tau.abs() + T::one()) {
            return (low, Some(next));
        }
        tau = if next > low && next < high { next } else { low + (high - low) * T::of(0.5) };
    }
    (low, None)
}

/// Half a unit below the entry that a sample puts at the rank of the mass; for few entries, on the straight line between
/// the ends of the bracket.
#[inline(always)]
fn first_guess<T: Real>(x: &[T], mass: T, (low, high): (T, T)) -> T {
    const SAMPLE: usize = 64;
    let share = mass / T::of(x.len() as f64);
    if x.len() < 4 * SAMPLE {
        return high - (high - low) * share;
    }
    let mut sample = [T::zero(); SAMPLE];
    let stride = x.len() / SAMPLE;
    for (i, v) in sample.iter_mut().enumerate() {
        *v = x[i * stride];
    }
    let rank = ((share.wide() * SAMPLE as f64) as usize).min(SAMPLE - 1);
    let (_, &mut at, _) = sample.select_nth_unstable_by(rank, |a, b| b.partial_cmp(a).expect("scores are numbers"));
    let guess = at - T::of(0.5);
    if guess > low && guess < high { guess } else { low + (high - low) * T::of(0.5) }
}

/// How the entries fall at a level: the number strictly between their bounds, the sum of their scores less the
/// anchor, and the mass of those at their upper bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<T> {
    pub(crate) free: T,
    pub(crate) total: T,
    pub(crate) full: T,
}

impl<T: Real> Parts<T> {
    /// For bounds that are all one.
    #[inline(always)]
    pub(crate) fn unit(level: Level<T>, x: &[T]) -> Self {
        let (zero, one) = (T::zero(), T::one());
        let d = |x: T| (x - level.anchor) - level.tau;
        let free = sum(
            x,
            #[inline(always)]
            |x| if d(x) > zero && d(x) < one { one } else { zero },
        );
        let total = sum(
            x,
            #[inline(always)]
            |x| if d(x) > zero && d(x) < one { x - level.anchor } else { zero },
        );
        let full = sum(
            x,
            #[inline(always)]
            |x| if d(x) >= one { one } else { zero },
        );
        Parts { free, total, full }
    }

    /// For any bounds.
    pub(crate) fn of(level: Level<T>, entries: impl Iterator<Item = (T, T)>) -> Self {
        let mut parts = Parts { free: T::zero(), total: T::zero(), full: T::zero() };
        for (x, u) in entries {
            let d = (x - level.anchor) - level.tau;
            if d >= u {
                parts.full += u;
            } else if d > T::zero() {
                parts.free += T::one();
                parts.total += x - level.anchor;
            }
        }
        parts
    }
}

/// Repeats the last linear equation with the parts that the level itself gives, until they agree: bends far from
/// zero carry a rounding error that differences to the anchor do not.
#[inline(always)]
pub(crate) fn polish<T: Real>(mut level: Level<T>, mass: T, parts: impl Fn(Level<T>) -> Parts<T>) -> Level<T> {
    for _ in 0..8 {
        let Parts { free, total, full } = parts(level);
        if free == T::zero() {
            break;
        }
        let tau = (total + (full - mass)) / free;
        if tau == level.tau {
            break;
        }
        level.tau = tau;
    }
    level
}
