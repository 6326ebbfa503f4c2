//! k-subsets: weights of associations of exactly k patterns.

use hfy_kernel::{Buffers, SLACK};

use super::{Separation, Share, in_capped_simplex, shifted_loss};
use crate::convex::{Convex, Outcome, check_gradient, check_second};
use crate::error::{Error, Result, check_len};
use crate::real::{InOut, LaneMap, Real, Slope, Weight};
use crate::support::Support;
use crate::threshold::capped::{Level, Parts, half_square, level, polish, unit_floor, unit_level};
use crate::threshold::{self, Cost, Solution, Threshold, pull_sloped};

/// k-subsets, the Euclidean projection onto the capped simplex,
///
/// ```text
/// ŷ(θ) = argmax { θ·y - |y|²/2 : Σ y = k, 0 ≤ y ≤ 1 },
/// ```
///
/// for any real k in [0, N], exactly k. Its vertices, for whole k, are the sets of k entries; the map returns such a
/// set exactly when the k-th score leads the next by 1. k = 1 is sparsemax, up to the constant in Ω.
///
/// **Cost.** As many block maxima as needed bound the level from below; the level is found among the entries above
/// that bound by selection, in linear time. No sort.
///
/// **Stability.** Differences are taken to a score next to the level, so that scores of 1e8 do not blur scores of 1.
///
/// Reference: Niculae, Martins, Blondel, Cardie, *SparseMAP*, 2018; Blondel, *Structured Prediction with
/// Projection Oracles*, 2019.
///
/// ```
/// use hfy::{Convex, Subsets};
///
/// let mut y = [1.0716, -1.1221, -0.3288, 0.3368, 0.0425];
/// Subsets::new(2.0)?.argmax(&mut y)?;
/// assert!(y[0] == 1.0 && (y[3] - 0.64715_f64).abs() < 1e-9);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Subsets {
    k: f64,
}

impl Subsets {
    /// Subsets of `k` entries; `k` may be any number from zero up to the length of the rows.
    pub fn new(k: f64) -> Result<Self> {
        if k >= 0.0 && k.is_finite() {
            Ok(Subsets { k })
        } else {
            Err(Error::parameter("k", k, "k must be finite and not negative"))
        }
    }

    /// The number of entries in a subset.
    pub fn k(&self) -> f64 {
        self.k
    }

    /// The mean of `g` over the weights strictly between 0 and 1; `None` where there is none.
    fn free_mean<T: Real>(y: &[T], g: &[T]) -> Result<Option<T>> {
        let free = || y.iter().zip(g).filter(|(y, _)| is_free(**y)).map(|(_, &g)| g);
        let count = free().count();
        if count == 0 {
            return Ok(None);
        }
        let mean = free().sum::<T>() / T::of(count as f64);
        check_gradient(mean, g)?;
        Ok(Some(mean))
    }
}

fn is_free<T: Real>(y: T) -> bool {
    y > T::zero() && y < T::one()
}

/// Candidates, filled up to whole vectors with scores of minus infinity, which have no part in any sum.
fn padded<T: Real>(kept: &mut [T], count: usize) -> &[T] {
    let whole = count.next_multiple_of(SLACK);
    kept[count..whole].fill(T::neg_infinity());
    &kept[..whole]
}

impl<T: Real> Threshold<T> for Subsets {
    fn in_lanes(&self, width: usize) -> Option<LaneMap<T>> {
        (self.k > 0.0 && self.k < width as f64).then(|| LaneMap::Subsets(T::of(self.k)))
    }

    fn check(&self, width: usize) -> Result<()> {
        if self.k > width as f64 {
            return Err(Error::parameter("k", self.k, "k must not exceed the number of entries in a row"));
        }
        Ok(())
    }

    fn solve(&self, theta: &[T], max: T, buffers: &mut Buffers<T>) -> Result<Solution<T>> {
        let (zero, one, mass) = (T::zero(), T::one(), T::of(self.k));
        if self.k == 0.0 {
            return Ok(Solution::Each(Weight::Above { shift: zero, level: T::infinity(), share: zero }));
        }
        let Buffers { blocks, kept, bounds, caps, bends, .. } = buffers;
        // The level of a part of the row, here the block maxima, never exceeds that of the whole.
        let (mut floor, mut known) = (T::neg_infinity(), None);
        bounds.clear();
        if blocks.len() > 2 && blocks.len() as f64 > self.k {
            bounds.extend(blocks.iter().filter(|&&b| b > T::neg_infinity()));
        }
        if bounds.len() as f64 > self.k {
            let (low, _) = unit_level(bounds, mass, max, None);
            floor = low - T::of(4.0) * T::epsilon() * (low.abs() + one);
            known = Some((floor, low));
        } else if let Some((low, next)) = unit_floor(theta, mass, max) {
            floor = low - T::of(16.0) * T::epsilon() * (low.abs() + one);
            known = Some((floor, next));
        }
        // With neither a bound nor a mask nothing would be left out.
        let whole = floor == T::neg_infinity() && T::minimum(theta) > T::neg_infinity();
        let count = if whole { theta.len() } else { T::gather(theta, blocks, (zero, one), floor, kept) };
        if self.k > count as f64 {
            return Err(Error::parameter("k", self.k, "k must not exceed the number of unmasked entries in a row"));
        }
        if self.k == count as f64 {
            return Ok(Solution::Each(Weight::Above { shift: zero, level: floor, share: one }));
        }
        let kept = match known {
            _ if whole => theta,
            Some(_) => padded(kept, count),
            None => &kept[..count],
        };
        let found = match unit_level(kept, mass, max, known) {
            (_, Some(anchor)) => Level { anchor, tau: zero },
            (_, None) => {
                bounds.clear();
                bounds.extend_from_slice(&kept[..count]);
                caps.clear();
                caps.resize(count, one);
                level(bounds, caps, mass, bends)
            }
        };
        let found = polish(found, |level| Parts::unit(level, self.k, kept));
        Ok(Solution::Each(Weight::Ramp { shift: found.anchor, tau: found.tau, cap: one }))
    }
}

impl<T: Real> Convex<T> for Subsets {
    fn value(&self, y: &[T]) -> T {
        if in_capped_simplex(y, T::of(self.k), T::one()) { half_square(y) } else { T::infinity() }
    }

    /// Minus infinity where every entry is masked: the maximum over nothing.
    fn conjugate(&self, theta: &[T]) -> Result<T> {
        let conjugate = threshold::with_support(self, theta, |support, _| {
            support.iter().map(|(i, y)| y * theta[i]).sum::<T>() - half_square(support.weights())
        })?;
        Ok(conjugate.unwrap_or(T::neg_infinity()))
    }

    fn mass(&self) -> Option<f64> {
        Some(self.k)
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        threshold::argmax(self, theta)
    }

    fn argmax_rows(&self, theta: &[T], width: usize, y: &mut [T], report: &mut dyn FnMut(Outcome)) -> Result<()> {
        threshold::argmax_rows(self, (theta, y, width), report)
    }

    fn argmax_into(&self, theta: &[T], y: &mut [T]) -> Result<Outcome> {
        threshold::argmax_into(self, theta, y)
    }

    fn vjp(&self, _theta: &[T], y: &[T], g: &mut [T]) -> Result<()> {
        self.pullback(y, g)
    }

    /// The map is piecewise linear.
    fn second_vjp(&self, _theta: &[T], y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        check_second(y.len(), u, w, out)?;
        out.fill(T::zero());
        Ok(())
    }

    fn loss(&self, theta: &[T], y: &[T]) -> Result<T> {
        check_len("target", y.len(), theta.len())?;
        let target = self.value(y);
        if target == T::infinity() {
            return Ok(target);
        }
        let loss = threshold::with_support(self, theta, |support, max| {
            // Shifted by a score at the level, where the weights of target and map differ least in size.
            let shift = support.iter().find(|(_, w)| is_free(*w)).map_or(max, |(i, _)| theta[i]);
            shifted_loss(theta, support, y, shift, (half_square(support.weights()), target))
        })?;
        Ok(loss.unwrap_or(T::zero()))
    }
}

impl<T: Real> Separation<T> for Subsets {
    fn margin(&self) -> Option<T> {
        Some(T::one())
    }

    fn reach(&self) -> Option<(usize, T)> {
        Some((self.k.ceil().max(1.0) as usize, T::one()))
    }

    fn support(&self, theta: &[T], support: &mut Support<T>) -> Result<Outcome> {
        threshold::support(self, theta, support)
    }

    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()> {
        threshold::pull_row(self, y, g, pull_free)
    }

    fn pullback_rows(&self, y: &[T], g: &[T], width: usize, out: &mut [T], done: &mut dyn FnMut()) -> Result<()> {
        threshold::pull_rows(self, (y, g, out), width, done, pull_free)
    }

    fn pullback_into(&self, y: &[T], g: &[T], out: &mut [T]) -> Result<()> {
        self.pullback_rows(y, g, y.len(), out, &mut || ())
    }

    /// Takes the k largest weights off together, as much of them as leaves weights of subsets: at most one subset more
    /// than there are weights. `None` where k is not whole.
    fn structures(&self, y: &[T]) -> Result<Option<Vec<Share<T>>>> {
        if self.k.fract() != 0.0 {
            return Ok(None);
        }
        let mut left: Vec<(usize, f64)> =
            y.iter().enumerate().filter(|(_, w)| **w > T::zero()).map(|(i, w)| (i, w.wide())).collect();
        let (k, mut rest, mut shares) = (self.k as usize, 1.0, Vec::new());
        while rest > T::epsilon().wide() && left.len() >= k && k > 0 {
            left.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            // A weight that is left out can at most be in all subsets that follow.
            let next = left.get(k).map_or(f64::INFINITY, |(_, weight)| rest - weight);
            let taken = left[k - 1].1.min(next).min(rest);
            let taken = if taken > T::epsilon().wide() { taken } else { rest };
            let mut members: Vec<usize> = left[..k].iter().map(|(i, _)| *i).collect();
            members.sort_unstable();
            shares.push(Share { members, probability: T::of(taken) });
            left[..k].iter_mut().for_each(|(_, weight)| *weight -= taken);
            left.retain(|(_, weight)| *weight > T::epsilon().wide());
            rest -= taken;
        }
        Ok(Some(shares))
    }

    /// More mass is spread evenly over the weights that are free to grow.
    fn parameter_vjp(&self, y: &[T], g: &[T]) -> Result<Option<T>> {
        check_len("gradient", g.len(), y.len())?;
        Ok(Some(Self::free_mean(y, g)?.unwrap_or(T::zero())))
    }
}

/// `g ← J g`: less its mean over the weights strictly between their bounds, zero elsewhere.
fn pull_free<T: Real>(y: &[T], g: InOut<'_, T>) -> Result<()> {
    check_len("gradient", g.len(), y.len())?;
    pull_sloped(y, g, Cost::Little, Slope::Between)
}
