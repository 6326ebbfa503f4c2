//! The level `τ` at which `Σ clip(x_i - τ, 0, u_i)` equals a given mass.
//!
//! The sum falls in τ and is linear between its bends at `x_i` and `x_i - u_i`. Halving at the median bend, found by
//! selection, and dropping entries whose part is decided, takes time linear in the number of entries; the linear
//! equation on the last piece gives the level.

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

/// `|w|²/2`, the regulariser of every capped map.
pub(crate) fn half_square<T: Real>(weights: &[T]) -> T {
    weights.iter().map(|&w| w * w).sum::<T>() * T::of(0.5)
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

/// Repeats the last linear equation with the parts that the level itself gives, until they agree: bends far from
/// zero carry a rounding error that differences to the anchor do not.
pub(crate) fn polish<T: Real>(mut level: Level<T>, mass: T, entries: impl Iterator<Item = (T, T)> + Clone) -> Level<T> {
    for _ in 0..8 {
        // What is to be placed beyond the free entries' distances; long rows of small bounds would blur a plain sum.
        let (mut free, mut excess) = (0usize, Compensated { sum: -mass, lost: T::zero() });
        for (x, u) in entries.clone() {
            let d = (x - level.anchor) - level.tau;
            if d >= u {
                excess.add(u);
            } else if d > T::zero() {
                free += 1;
                excess.add(x - level.anchor);
            }
        }
        if free == 0 {
            return level;
        }
        let tau = excess.total() / T::of(free as f64);
        if tau == level.tau {
            return level;
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
    #[inline(always)]
    fn add(&mut self, x: T) {
        let next = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() { (self.sum - next) + x } else { (x - next) + self.sum };
        self.sum = next;
    }

    fn total(&self) -> T {
        self.sum + self.lost
    }
}
