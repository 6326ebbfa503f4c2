//! The level `τ` at which `Σ clip(x_i - τ, 0, u_i)` equals a given mass.
//!
//! The sum falls in τ and is linear between its bends at `x_i` and `x_i - u_i`. Halving at the median bend, found by
//! selection, and dropping entries whose part is decided, takes a few passes over the entries that stay open; the
//! linear equation on the last piece gives the level. The bends at scores are searched first and the others as
//! distances from the score above the level: `x_i - u_i` itself would be lost in the rounding of large scores.

use crate::real::{Real, greater, lesser};

/// The level as an anchor among the scores and a distance from it, which keeps small differences between large
/// scores: `y_i = clip((x_i - anchor) - tau, 0, u_i)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Level<T> {
    pub(crate) anchor: T,
    pub(crate) tau: T,
}

impl<T: Real> Level<T> {
    pub(crate) fn weight(self, x: T, upper: T) -> T {
        lesser(greater((x - self.anchor) - self.tau, T::zero()), upper)
    }
}

/// `|w|²/2`, the regulariser of every capped map.
pub(crate) fn half_square<T: Real>(weights: &[T]) -> T {
    weights.iter().map(|&w| w * w).sum::<T>() * T::of(0.5)
}

/// Solves for entries `(x, u)` with `0 < mass < Σ u`; reorders and shortens both lists.
pub(crate) fn level<T: Real>(x: &mut Vec<T>, u: &mut Vec<T>, mut mass: T, bends: &mut Vec<T>) -> Level<T> {
    // Between which two neighbouring scores the level lies.
    let (mut low, mut high) = (T::neg_infinity(), T::infinity());
    bends.clear();
    bends.extend_from_slice(x);
    while !bends.is_empty() {
        let pivot = median(bends);
        let here = Level { anchor: pivot, tau: T::zero() };
        let held: T = x.iter().zip(&*u).map(|(&x, &u)| here.weight(x, u)).sum();
        if held >= mass {
            low = pivot;
            bends.retain(|&b| b > pivot);
        } else {
            high = pivot;
            bends.retain(|&b| b < pivot);
        }
        // Entries at or below `low` weigh nothing; entries that are full at `high` are full below it.
        keep_open(x, u, |x, u| if x <= low { Some(T::zero()) } else { (x - high >= u).then_some(u) }, &mut mass);
    }
    // How far below the upper of the two: what is left of the entries is full from a depth of `u - (x - high)` on. The
    // depths are of the size of the bounds, however large the scores.
    let (mut depth, mut free, mut free_sum) = (T::zero(), 0usize, T::zero());
    bends.extend(x.iter().zip(&*u).map(|(&x, &u)| u - (x - high)));
    while !bends.is_empty() {
        let pivot = median(bends);
        let active: T = x.iter().zip(&*u).map(|(&x, &u)| lesser((x - high) + pivot, u)).sum();
        if active + free_sum + T::of(free as f64) * pivot <= mass {
            depth = pivot;
            bends.retain(|&b| b > pivot);
            keep_open(x, u, |x, u| (u - (x - high) <= pivot).then_some(u), &mut mass);
        } else {
            bends.retain(|&b| b < pivot);
            let is_free = |x: T, u: T| (u - (x - high) >= pivot).then_some(T::zero());
            for (&x, _) in x.iter().zip(&*u).filter(|(x, u)| is_free(**x, **u).is_some()) {
                free += 1;
                free_sum += x - high;
            }
            keep_open(x, u, is_free, &mut mass);
        }
    }
    if free > 0 {
        return Level { anchor: high, tau: (free_sum - mass) / T::of(free as f64) };
    }
    // Every entry above is full: the level may lie anywhere down to the lower score.
    let gap = lesser(high - low, T::max_value() * T::of(0.25));
    Level { anchor: high, tau: -(depth + (gap - depth) * T::of(0.5)) }
}

fn median<T: Real>(values: &mut [T]) -> T {
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, |a, b| a.partial_cmp(b).expect("scores are numbers")).1
}

/// Drops the entries whose part `decided` knows, and takes it from the mass.
fn keep_open<T: Real>(x: &mut Vec<T>, u: &mut Vec<T>, decided: impl Fn(T, T) -> Option<T>, mass: &mut T) {
    let mut left = 0;
    for i in 0..x.len() {
        match decided(x[i], u[i]) {
            Some(part) => *mass -= part,
            None => {
                (x[left], u[left]) = (x[i], u[i]);
                left += 1;
            }
        }
    }
    x.truncate(left);
    u.truncate(left);
}

/// For bounds that are all one and `0 < mass < n`: a point where `Σ clip(x_i - τ, 0, 1)` is at least the mass, and the
/// level itself to within rounding, if it was reached. From a point not above the level and a guess, if they are known.
///
/// Newton steps on the piecewise linear sum, kept inside a bracket; each costs one vectorised pass, and a handful
/// suffice unless the scores spread over many orders of magnitude.
pub(crate) fn unit_level<T: Real>(x: &[T], mass: T, max: T, known: Option<(T, T)>) -> (T, Option<T>) {
    let (low, high) = (known.map_or_else(|| T::minimum(x) - T::one(), |(low, _)| low), max);
    // Where numbers this large are further apart than weights may differ, sums of clipped differences to one of
    // them say too little.
    if T::epsilon() * greater(low.abs(), high.abs()) > T::of(1e-3) {
        return (low, None);
    }
    let mut search = Search { low, high };
    let mut tau = known.map_or_else(|| first_guess(x, mass, search), |(_, guess)| search.inside(guess));
    for _ in 0..40 {
        let next = search.newton(x, mass, tau);
        if (next - tau).abs() <= T::of(4.0) * T::epsilon() * (tau.abs() + T::one()) {
            return (search.low, Some(next));
        }
        tau = search.inside(next);
    }
    (search.low, None)
}

/// Where the level of `Σ clip(x_i - τ, 0, 1)` lies.
#[derive(Debug, Clone, Copy)]
struct Search<T> {
    low: T,
    high: T,
}

impl<T: Real> Search<T> {
    /// A Newton step, which may leave the bracket.
    fn newton(&mut self, x: &[T], mass: T, tau: T) -> T {
        let [held, free] = T::clipped(x, tau);
        let excess = held - mass;
        if excess >= T::zero() {
            self.low = tau;
        } else {
            self.high = tau;
        }
        tau + excess / free
    }

    /// The point itself, or the middle of the bracket if it lies outside.
    fn inside(self, tau: T) -> T {
        if tau > self.low && tau < self.high { tau } else { self.low + (self.high - self.low) * T::of(0.5) }
    }
}

/// Entries of a sample.
const SAMPLE: usize = 64;

/// Some entries of a row that has at least as many.
fn sampled<T: Real>(x: &[T]) -> [T; SAMPLE] {
    let stride = x.len() / SAMPLE;
    let mut sample = [T::zero(); SAMPLE];
    for (i, v) in sample.iter_mut().enumerate() {
        *v = x[i * stride];
    }
    sample
}

impl<T: Real> Search<T> {
    /// About where a sample has its level.
    fn rough(mut self, sample: &[T; SAMPLE], mass: T, mut tau: T) -> T {
        for _ in 0..10 {
            let next = self.newton(sample, mass, tau);
            let close = (next - tau).abs() <= T::of(0.05);
            tau = self.inside(next);
            if close {
                break;
            }
        }
        tau
    }
}

/// Where a sample would have its level; for few entries, on the straight line between the ends of the bracket.
fn first_guess<T: Real>(x: &[T], mass: T, search: Search<T>) -> T {
    let share = mass / T::of(x.len() as f64);
    let tau = search.high - (search.high - search.low) * share;
    if x.len() < 4 * SAMPLE {
        return tau;
    }
    search.inside(search.rough(&sampled(x), share * T::of(SAMPLE as f64), tau))
}

/// A point not far below the level of a row, and a guess at the level: a sample's level for a mass so much greater that
/// it is hardly ever above that of the row. `None` where the row shows that it is, where the sample sees a mask, and
/// for few entries.
pub(crate) fn unit_floor<T: Real>(x: &[T], mass: T, max: T) -> Option<(T, T)> {
    if x.len() < 8 * SAMPLE {
        return None;
    }
    let (sample, size) = (sampled(x), T::of(SAMPLE as f64));
    let share = mass / T::of(x.len() as f64);
    // Two deviations of the number of entries above a level.
    let more = share * size + T::of(2.0) * (share * (T::one() - share) * size).sqrt();
    let search = Search { low: T::minimum(&sample) - T::one(), high: max };
    if more > T::of(0.5) * size || search.low == T::neg_infinity() {
        return None;
    }
    let tau = search.rough(&sample, more, search.low + (search.high - search.low) * T::of(0.5));
    let [held, free] = T::clipped(x, tau);
    // More than the mass by more than the sum is rounded.
    (held >= mass * T::of(1.001)).then(|| (tau, tau + (held - mass) / free))
}

/// How the entries fall at a level: the number strictly between their bounds, and the sum of those scores less the
/// anchor, plus the mass of the entries at their upper bound, less the mass to be placed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parts<T> {
    free: T,
    excess: T,
}

impl<T: Real> Parts<T> {
    /// For bounds that are all one.
    pub(crate) fn unit(level: Level<T>, mass: f64, x: &[T]) -> Self {
        let [free, total, full] = T::pieces(x, level.anchor, level.tau);
        // A mass beyond a whole number keeps the digits that its type has no room for.
        Parts { free, excess: total + T::of(full.wide() - mass) }
    }

    /// For any bounds.
    pub(crate) fn of(level: Level<T>, mass: f64, entries: impl Iterator<Item = (T, T)>) -> Self {
        let sum = -T::of(mass);
        // Long rows of small bounds would blur a plain sum.
        let (mut free, mut excess) = (T::zero(), Compensated { sum, lost: T::of(-mass - sum.wide()) });
        for (x, u) in entries {
            let d = (x - level.anchor) - level.tau;
            if d >= u {
                excess.add(u);
            } else if d > T::zero() {
                free += T::one();
                excess.add(x - level.anchor);
            }
        }
        Parts { free, excess: excess.total() }
    }
}

/// Repeats the last linear equation with the parts that the level itself gives, until they agree: bends far from
/// zero carry a rounding error that differences to the anchor do not.
pub(crate) fn polish<T: Real>(mut level: Level<T>, parts: impl Fn(Level<T>) -> Parts<T>) -> Level<T> {
    for _ in 0..8 {
        let Parts { free, excess } = parts(level);
        let tau = excess / free;
        if free == T::zero() || tau == level.tau {
            break;
        }
        level.tau = tau;
    }
    level
}

/// Neumaier's sum: what each addition rounds away is added at the end.
struct Compensated<T> {
    sum: T,
    lost: T,
}

impl<T: Real> Compensated<T> {
    fn add(&mut self, x: T) {
        let next = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() { (self.sum - next) + x } else { (x - next) + self.sum };
        self.sum = next;
    }

    fn total(&self) -> T {
        self.sum + self.lost
    }
}
