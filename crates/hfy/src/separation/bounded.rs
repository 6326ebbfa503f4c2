//! Constrained sparsemax: sparsemax under upper bounds, the engine of free recall.

use std::borrow::Cow;

use super::{Separation, shifted_loss};
use crate::convex::{Convex, Outcome, all_masked, check_gradient, check_scores, check_second};
use crate::error::{Error, Result, check_len};
use crate::real::{Real, greater, lesser};
use crate::support::Support;
use crate::threshold::capped::{Level, Parts, half_square, level, polish};

/// Constrained sparsemax, the Euclidean projection onto the simplex under upper bounds,
///
/// ```text
/// ŷ(θ) = argmax { θ·y - |y|²/2 : Σ y = 1, 0 ≤ y_i ≤ u_i }.
/// ```
///
/// Bounds that cannot hold the mass are an [`Error::Infeasible`]; bounds that fall short of it only by the rounding
/// that up to N subtractions from N bounds accumulate are taken as they are, `ŷ = u`.
///
/// **Cost.** A few passes that rule out what cannot have weight, then linear in the candidates by selection of the
/// median bend; no sort.
///
/// **Stability.** The level is kept as a score and a distance from it, so that scores of 1e8 do not blur bounds of 0.1.
///
/// Reference: Malaviya, Ferreira, Martins, *Sparse and Constrained Attention for Neural Machine Translation*, 2018.
///
/// ```
/// use hfy::{Bounded, Convex};
///
/// let mut y = [1.0, 1.0, 1.0, 0.0];
/// Bounded::new(vec![0.25, 1.0, 1.0, 1.0])?.argmax(&mut y)?;
/// assert_eq!(y, [0.25, 0.375, 0.375, 0.0]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bounded<'a> {
    upper: Cow<'a, [f64]>,
}

impl<'a> Bounded<'a> {
    /// Sparsemax under the bounds `upper`, one an entry, none negative. Infinity means unbounded.
    pub fn new(upper: impl Into<Cow<'a, [f64]>>) -> Result<Self> {
        let upper = upper.into();
        match upper.iter().position(|&u| !(u >= 0.0)) {
            None => Ok(Bounded { upper }),
            Some(index) => Err(Error::Entry {
                argument: "upper",
                row: None,
                index,
                value: upper[index],
                rule: "an upper bound must not be negative",
            }),
        }
    }

    /// The upper bounds.
    pub fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// The gradient of `g · ŷ(θ)` in the bounds, into `out`: raising the bound of a full entry takes its mass evenly
    /// from the free ones. Zero where none is free, since the bounds then cannot move alone.
    ///
    /// The scores are needed beside the output `y`: an entry with bound zero may be full or not wanted at all.
    pub fn upper_vjp<T: Real>(&self, theta: &[T], y: &[T], g: &[T], out: &mut [T]) -> Result<()> {
        check_len("scores", theta.len(), y.len())?;
        check_len("gradient", g.len(), y.len())?;
        check_len("out", out.len(), y.len())?;
        out.fill(T::zero());
        let free = (0..y.len()).find(|&i| Self::is_free(y[i], self.upper.get(i).copied().unwrap_or(0.0)));
        let (Some(mean), Some(free)) = (self.free_mean(y, g)?, free) else { return Ok(()) };
        for (i, out) in out.iter_mut().enumerate() {
            // The level is theta[free] - y[free]; an entry is full if it exceeds the level by its bound.
            let excess = (theta[i] - theta[free]) + y[free];
            if excess > T::zero() && y[i] == T::of(self.upper[i]) {
                *out = g[i] - mean;
            }
        }
        Ok(())
    }

    /// The weight of a score at the level.
    fn weight<T: Real>(found: Option<Level<T>>, x: T, u: T) -> T {
        match found {
            Some(level) => level.weight(x, u),
            None if x > T::neg_infinity() => u,
            None => T::zero(),
        }
    }

    /// Runs `work` on the support; `None` where all is masked.
    fn on_support<T: Real, R>(&self, theta: &[T], work: impl FnOnce(&Support<T>) -> R) -> Result<Option<R>> {
        Support::with_room(|support| {
            let outcome = self.support(theta, support)?;
            Ok((outcome == Outcome::Solved).then(|| work(support)))
        })
    }

    fn is_free<T: Real>(y: T, u: f64) -> bool {
        y > T::zero() && y < T::of(u)
    }

    fn free_mean<T: Real>(&self, y: &[T], g: &[T]) -> Result<Option<T>> {
        check_len("output", y.len(), self.upper.len())?;
        let free = || {
            (y.iter().zip(g).zip(self.upper.iter())).filter(|((y, _), u)| Self::is_free(**y, **u)).map(|((_, &g), _)| g)
        };
        let count = free().count();
        if count == 0 {
            return Ok(None);
        }
        let mean = free().sum::<T>() / T::of(count as f64);
        check_gradient(mean, g)?;
        Ok(Some(mean))
    }

    /// The level; `None` where the bounds hold no more than the mass, so that every visible entry is full.
    fn solve<T: Real>(&self, theta: &[T]) -> Result<Option<Level<T>>> {
        check_len("scores", theta.len(), self.upper.len())?;
        check_scores(theta)?;
        let visible = theta.iter().zip(self.upper.iter()).filter(|(x, u)| **x > T::neg_infinity() && **u > 0.0);
        let capacity: f64 = visible.clone().map(|(_, &u)| u).sum();
        let n = theta.len() as f64;
        let rounding = (n * n * T::epsilon().wide()).max(8.0 * T::epsilon().wide()).min(T::domain_tolerance().wide());
        if capacity < 1.0 - rounding {
            return Err(Error::Infeasible { row: None, capacity, mass: 1.0 });
        }
        if capacity <= 1.0 {
            return Ok(None);
        }
        // No entry can hold more than the whole mass.
        let entries = visible.map(|(&x, &u)| (x, T::of(u.min(2.0))));
        let floor = floor(entries.clone(), theta.len());
        let candidates = entries.filter(|(x, _)| *x > floor);
        T::with_buffers(|buffers| {
            buffers.bounds.clear();
            buffers.caps.clear();
            for (x, u) in candidates.clone() {
                buffers.bounds.push(x);
                buffers.caps.push(u);
            }
            let found = level(&mut buffers.bounds, &mut buffers.caps, T::one(), &mut buffers.bends);
            Ok(Some(polish(found, |level| Parts::of(level, 1.0, candidates.clone()))))
        })
    }
}

/// What lies at or below this has no weight; minus infinity where nothing is known.
///
/// At `t` entries with `x - u ≥ t` are full. If these hold more than the mass the level lies above `t`, whatever the
/// others are. Such a `t` is looked for below the greatest `x - u`, further off each time: where a bound reaches one,
/// one less than its score will do, the margin.
fn floor<T: Real>(entries: impl Iterator<Item = (T, T)> + Clone, n: usize) -> T {
    const SHORT: usize = 64;
    if n < SHORT {
        return T::neg_infinity();
    }
    let one = T::one();
    let full = entries.map(|(x, u)| (x - lesser(u, one), u));
    let top = full.clone().fold(T::neg_infinity(), |top, (full, _)| greater(top, full));
    for distance in [0.0, 0.25, 1.0, 4.0, 16.0] {
        let t = top - T::of(distance);
        let held: f64 = full.clone().filter(|(full, _)| *full >= t).map(|(_, u)| u.wide()).sum();
        // By more than rounding, so that the candidates alone hold more than the mass.
        if held > 1.0 + T::domain_tolerance().wide() {
            return t - T::of(16.0) * T::epsilon() * (t.abs() + one);
        }
    }
    T::neg_infinity()
}

impl<T: Real> Convex<T> for Bounded<'_> {
    fn value(&self, y: &[T]) -> T {
        let tolerance = T::domain_tolerance();
        let inside = y.len() == self.upper.len()
            && super::in_simplex(y)
            && y.iter().zip(self.upper.iter()).all(|(&y, &u)| y <= T::of(u) + tolerance);
        if inside { half_square(y) } else { T::infinity() }
    }

    /// Minus infinity where every entry is masked: the maximum over nothing.
    fn conjugate(&self, theta: &[T]) -> Result<T> {
        let half = T::of(0.5);
        let conjugate =
            self.on_support(theta, |support| support.iter().map(|(i, y)| y * theta[i] - y * y * half).sum::<T>())?;
        Ok(conjugate.unwrap_or(T::neg_infinity()))
    }

    fn mass(&self) -> Option<f64> {
        Some(1.0)
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        check_len("scores", theta.len(), self.upper.len())?;
        if all_masked(theta) {
            theta.fill(T::zero());
            return Ok(Outcome::Empty);
        }
        let found = self.solve(theta)?;
        for (x, &u) in theta.iter_mut().zip(self.upper.iter()) {
            *x = Self::weight(found, *x, T::of(u));
        }
        Ok(Outcome::Solved)
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
        let max = theta.iter().copied().fold(T::neg_infinity(), T::max);
        let loss = self.on_support(theta, |support| {
            shifted_loss(theta, support, y, max, (half_square(support.weights()), target))
        })?;
        Ok(loss.unwrap_or(T::zero()))
    }
}

impl<T: Real> Separation<T> for Bounded<'_> {
    /// One-hot output is possible only where a bound reaches 1; then the margin is that of sparsemax.
    fn margin(&self) -> Option<T> {
        self.upper.iter().any(|&u| u >= 1.0).then(T::one)
    }

    fn support(&self, theta: &[T], support: &mut Support<T>) -> Result<Outcome> {
        check_len("scores", theta.len(), self.upper.len())?;
        support.clear();
        if all_masked(theta) {
            return Ok(Outcome::Empty);
        }
        let found = self.solve(theta)?;
        for (i, (&x, &u)) in theta.iter().zip(self.upper.iter()).enumerate() {
            let weight = Self::weight(found, x, T::of(u));
            if weight > T::zero() {
                support.push(i, weight);
            }
        }
        Ok(Outcome::Solved)
    }

    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), y.len())?;
        let mean = self.free_mean(y, g)?.unwrap_or(T::zero());
        for ((g, &y), &u) in g.iter_mut().zip(y).zip(self.upper.iter()) {
            *g = if Self::is_free(y, u) { *g - mean } else { T::zero() };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_rules_much_out_and_nothing_that_has_weight() {
        // Scores are so far apart as `0.01 scale`; candidates are those within the bound, at most one, and the distance
        // that was needed.
        let cases = [(1.0, 0.3, 56), (1.0, 1.0, 126), (0.05, 0.02, 541), (5.0, f64::INFINITY, 21), (1e12, 0.5, 1000)];
        for (scale, bound, most) in cases {
            let theta: Vec<f64> = (0..1000).map(|i| f64::from((i * 7919) % 1000) * 0.01 * scale).collect();
            let floor = floor(theta.iter().map(|&x| (x, bound.min(2.0))), theta.len());
            let mut y = theta.clone();
            Bounded::new(vec![bound; 1000]).unwrap().argmax(&mut y).unwrap();
            assert!(theta.iter().zip(&y).all(|(&x, &y)| x > floor || y == 0.0), "{scale} {bound}: {floor}");
            let candidates = theta.iter().filter(|&&x| x > floor).count();
            assert!(candidates <= most, "{scale} {bound}: {candidates}");
        }
        assert_eq!(floor([(1.0, 2.0), (0.0, 2.0)].into_iter(), 2), f64::NEG_INFINITY);
    }
}
