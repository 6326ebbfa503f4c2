//! Alpha-entmax: from softmax through sparsemax to argmax.

mod derivative;

use super::exponent::{Exponent, Offset};
use super::raise::Scores;
use super::scan::{BLOCK, RUN, across, block_maxima, gather, maximum, share, sum};
use super::threshold::{concave, general, general_lower, linear, quadratic};
use super::weights::Weights;
use super::{
    Extremes, Separation, Support, Threshold, argmax_by, argmax_into_by, argmax_rows_by, emptied, in_simplex,
    pull_row_by, pull_rows_by, shifted_loss, short, short::InLanes, support_by, with_support,
};
use crate::convex::{Convex, Outcome};
use crate::error::{Error, Result, check_len};
use crate::real::{Real, Rewrite, SLACK, Scratch, Vectors, greater, vectorised};

/// Alpha-entmax, the regularised argmax of the Tsallis negentropy,
///
/// ```text
/// ŷ(θ) = argmax { θ·y - Ω(y) : y in the simplex },   Ω(y) = (Σ y_i^α - 1) / (α (α - 1)),
/// ```
///
/// for every α in [1, ∞]: softmax at 1 (`Ω = Σ y log y`), sparsemax at 2, argmax with ties shared at ∞. For α > 1 the
/// weights are `[(α-1) θ_i - τ]₊^(1/(α-1))` and the map is exactly one-hot from a margin of `1/(α-1)` on.
///
/// **Cost.** One pass finds the maximum of each block of 32 scores; a solve on those maxima bounds the threshold, and
/// only blocks that reach it are read again. α = 1.5 and 2 are solved in closed form, other α by rounds of a long step
/// on the candidates, usually one or two of them, to the last bits; entries too small to change the sum are left out. On
/// long rows of `f32` sums of powers are blended from those of whole powers. A weight is a power: multiplications where
/// `1/(α-1)` is a whole number up to 24, else a logarithm and an exponential, or a few terms of a series from a table in `f32`
/// where a processor looks sixteen numbers up at once.
///
/// **Stability.** Scores are shifted by their maximum first. The iteration runs on `1 + τ`, so nothing is lost as α
/// approaches 1; above 2 it runs on the smallest weight, where the threshold itself is ill-conditioned. Between 1 and 2, but at
/// 1.5, a weight below the least normal number of the type is zero.
///
/// Reference: Peters, Niculae, Martins, *Sparse Sequence-to-Sequence Models*, 2019; Blondel, Martins, Niculae,
/// *Learning with Fenchel-Young Losses*, 2020.
///
/// ```
/// use hfy::{Convex, Entmax};
///
/// let mut y = [-2.0, 0.0, 0.5];
/// Entmax::ENTMAX15.argmax(&mut y)?;
/// assert!((y[1] - 0.3260_f64).abs() < 1e-4 && y[0] == 0.0);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entmax {
    alpha: f64,
}

impl Entmax {
    /// `α = 1`.
    pub const SOFTMAX: Entmax = Entmax { alpha: 1.0 };
    /// `α = 1.5`.
    pub const ENTMAX15: Entmax = Entmax { alpha: 1.5 };
    /// `α = 2`.
    pub const SPARSEMAX: Entmax = Entmax { alpha: 2.0 };
    /// `α = ∞`.
    pub const ARGMAX: Entmax = Entmax { alpha: f64::INFINITY };

    /// Entmax for any `alpha` in [1, ∞].
    pub fn new(alpha: f64) -> Result<Self> {
        if alpha >= 1.0 {
            Ok(Entmax { alpha })
        } else {
            Err(Error::parameter("alpha", alpha, "alpha must lie in [1, inf]"))
        }
    }

    /// The entropic index.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// `α - 1`, subtracted in double precision whatever the type of the scores.
    fn excess(&self) -> f64 {
        self.alpha - 1.0
    }

    /// Whether α is infinite, or as good as infinite in the type of the scores.
    fn is_argmax<T: Real>(&self) -> bool {
        T::of(self.excess()).is_infinite()
    }

    /// `Σ y_i (y_i^δ - 1) / (δ (1 + δ))` over nonzero weights that sum to one, with `δ = α - 1`.
    fn negentropy<T: Real>(&self, weights: &[T]) -> T {
        if self.is_argmax::<T>() {
            return T::zero();
        }
        let (delta, alpha) = (T::of(self.excess()), T::of(self.alpha));
        let positive = weights.iter().filter(|w| **w > T::zero());
        if self.alpha == 1.0 {
            positive.map(|&w| w * w.ln()).sum()
        } else {
            positive.map(|&w| w * (delta * w.ln()).exp_m1()).sum::<T>() / delta / alpha
        }
    }
}

/// The scores that matter to `Σ (z - τ)₊^p = 1`, for `z = (x - max) scale`.
pub(super) struct Candidates<T> {
    /// How many were copied to `scratch.kept`, as `z`; `None` where they are so many that the row itself serves.
    kept: Option<usize>,
    /// A lower bound of `τ`.
    pub(super) tau: T,
    shift: T,
    scale: T,
    /// What the copies exceed.
    level: T,
}

impl<T: Real> Candidates<T> {
    /// By a lower bound of the threshold: that of a part of the row, here the block maxima, never exceeds that of the whole.
    /// `p` must be the exponent, and is one or two where the candidates are to be copied in any case; else they are unless they
    /// are more than `most` of the row. What lies no further than `depth` above the bound is left out.
    #[inline(always)]
    pub(super) fn find(
        theta: &[T],
        scratch: &mut Scratch<T>,
        (max, scale): (T, T),
        p: T,
        (depth, most): (T, f64),
    ) -> Self {
        const FEW: usize = 3;
        let (one, closed) = (T::one(), p <= T::one() || p == T::of(2.0));
        let mut tau = -one;
        if scratch.blocks.len() > FEW && p >= one {
            let Scratch { blocks, bends, .. } = scratch;
            bends.resize(blocks.len() + SLACK, T::zero());
            let count = T::gather([blocks.as_slice()].into_iter(), (max, scale), -one, bends);
            let bends = &mut bends[..count];
            let part = if p == one {
                linear(bends).0
            } else if closed {
                quadratic(bends, -one).0
            } else {
                general_lower(bends, p)
            };
            // Below what rounding may have added.
            tau = (part - T::of(16.0) * T::epsilon()).max(tau);
        }
        let level = tau + depth;
        if !closed && share(theta, |x| (x - max) * scale > level) > most {
            return Candidates { kept: None, tau, shift: max, scale, level };
        }
        let count = gather(theta, &scratch.blocks, (max, scale), level, &mut scratch.kept);
        Candidates { kept: Some(count), tau, shift: max, scale, level }
    }

    /// Where they lie; no `z` of the row lies below the least.
    #[inline(always)]
    pub(super) fn scores<'a>(&self, theta: &'a [T], kept: &'a [T], least: T) -> Scores<'a, T> {
        match self.kept {
            Some(count) => Scores::plain(&kept[..count], self.level),
            None => Scores { row: theta, shift: self.shift, scale: self.scale, least },
        }
    }

    /// The copies.
    #[inline(always)]
    pub(super) fn kept<'a>(&self, kept: &'a mut [T]) -> &'a mut [T] {
        &mut kept[..self.kept.unwrap_or(0)]
    }
}

/// A depth `d` of which even as many powers `d^p` as there are entries do not change a sum of one. Zero for small exponents, where it
/// would spare nothing, and for large ones, where it is as good as one.
#[inline(always)]
fn negligible<T: Real>(p: T, entries: usize) -> T {
    if p > T::of(2.0) && p < T::of(1024.0) {
        ((T::of(0.05) * T::epsilon() / T::of(entries as f64)).ln() / p).exp()
    } else {
        T::zero()
    }
}

/// The share of a row from which on it costs more to copy candidates than it spares.
pub(super) const MOST: f64 = 0.6;

impl<T: Real> Threshold<T> for Entmax {
    #[inline(always)]
    fn uses_least(&self) -> bool {
        self.alpha > 1.0 && Exponent::of(T::of(1.0 / self.excess())).may_fit()
    }

    #[inline(always)]
    fn read(&self, row: &mut Rewrite<'_, T>, scratch: &mut Scratch<T>) -> Result<Extremes<T>> {
        let p = T::of(1.0 / self.excess());
        let exponent = Exponent::of(p);
        // Other powers are so much to compute that stores are not waited for.
        let copies = matches!(exponent, Exponent::Whole(_)) || self.alpha > 2.0;
        Extremes::read(row, copies, Threshold::<T>::uses_least(self), scratch)
    }

    #[inline(always)]
    fn solve(&self, theta: &[T], extremes: Extremes<T>, scratch: &mut Scratch<T>) -> Result<Option<Weights<T>>> {
        let Extremes { max, least } = extremes;
        if max == T::neg_infinity() {
            return Ok(None);
        }
        let one = T::one();
        if self.alpha == 1.0 {
            let total = sum(
                theta,
                #[inline(always)]
                |x| (x - max).exp_lanes(),
            );
            return Ok(Some(Weights::Exponential { shift: max, factor: one / total }));
        }
        if self.is_argmax::<T>() {
            let ties = theta.iter().filter(|&&x| x == max).count();
            return Ok(Some(Weights::Maximum { max, share: one / T::of(ties as f64) }));
        }
        let scale = T::of(self.excess());
        let p = T::of(1.0 / self.excess());
        let exponent = Exponent::of(p);
        let least = if exponent.may_fit() {
            (least.unwrap_or_else(|| T::minimum(theta)) - max) * scale
        } else {
            T::neg_infinity()
        };
        let power = |at| {
            let exponent = exponent.fitted(at, least);
            Some(Weights::Power { shift: max, scale, at, exponent, factor: one })
        };
        // Candidates lie nearer one another than other scores do.
        let is_far = exponent.may_fit() && exponent.fitted(Offset::left_of(-one, exponent), least) == exponent;
        let most = if is_far { 0.9 } else { MOST };
        let candidates = Candidates::find(theta, scratch, (max, scale), p, (negligible(p, theta.len()), most));
        let kept = candidates.kept(&mut scratch.kept);
        Ok(Some(if self.alpha == 2.0 {
            Weights::Ramp { shift: max, tau: linear(kept).0, cap: one }
        } else if self.alpha == 1.5 {
            Weights::Square { shift: max, tau: quadratic(kept, candidates.tau).0 }
        } else if self.alpha < 2.0 {
            let scores = candidates.scores(theta, &scratch.kept, least);
            let at = general(scores, (exponent, p), candidates.tau, (&mut scratch.bends, &mut scratch.blend));
            return Ok(power(at));
        } else {
            let (lowest, least) = concave(kept, p);
            Weights::Root { shift: max, scale, lowest, least }
        }))
    }
}

impl InLanes for Entmax {
    fn takes(&self, _width: usize) -> bool {
        self.alpha == 1.5 || self.alpha == 2.0
    }

    #[inline(always)]
    fn solve<T: Real, S: Vectors<T>>(&self, simd: S, z: &mut [S::V], best: S::V, _lowest: S::V) {
        short::less_best(simd, z, best);
        if self.alpha == 2.0 {
            return short::linear(simd, z, best);
        }
        let half = simd.splat(T::of(0.5));
        for z in &mut *z {
            *z = simd.mul(*z, half);
        }
        short::quadratic(simd, z, best);
        for y in z {
            *y = simd.mul(*y, *y);
        }
    }

    #[inline(always)]
    fn pull<T: Real, S: Vectors<T>>(&self, simd: S, y: &[S::V], g: &mut [S::V]) -> S::V {
        let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
        if self.alpha == 1.5 {
            short::pull(
                simd,
                y,
                g,
                #[inline(always)]
                |y| simd.sqrt(y),
            )
        } else {
            short::pull(
                simd,
                y,
                g,
                #[inline(always)]
                |y| simd.where_greater(y, zero, one, zero),
            )
        }
    }
}

impl<T: Real> Convex<T> for Entmax {
    fn value(&self, y: &[T]) -> T {
        if in_simplex(y) { self.negentropy(y) } else { T::infinity() }
    }

    /// Minus infinity where every entry is masked: the maximum over nothing.
    fn conjugate(&self, theta: &[T]) -> Result<T> {
        let conjugate = with_support(self, theta, |support, max| {
            let inner: T = support.iter().map(|(i, y)| y * (theta[i] - max)).sum();
            max + (inner - self.negentropy(support.weights()))
        })?;
        Ok(conjugate.unwrap_or(T::neg_infinity()))
    }

    fn mass(&self) -> Option<f64> {
        Some(1.0)
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        if self.alpha == 1.0 { softmax(Rewrite::in_place(theta)) } else { argmax_by(self, theta) }
    }

    fn argmax_rows(&self, theta: &[T], width: usize, y: &mut [T], report: &mut dyn FnMut(Outcome)) -> Result<()> {
        if self.alpha != 1.0 {
            return argmax_rows_by(self, (theta, y, width), report);
        }
        for (theta, y) in theta.chunks(width.max(1)).zip(y.chunks_mut(width.max(1))) {
            report(self.argmax_into(theta, y)?);
        }
        Ok(())
    }

    fn argmax_into(&self, theta: &[T], y: &mut [T]) -> Result<Outcome> {
        if self.alpha == 1.0 {
            let mut row = Rewrite::into("y", theta, y)?;
            if softmax_ahead(theta, row.again().place()) {
                return Ok(Outcome::Solved);
            }
            softmax(row)
        } else {
            argmax_into_by(self, theta, y)
        }
    }

    fn vjp(&self, _theta: &[T], y: &[T], g: &mut [T]) -> Result<()> {
        self.pullback(y, g)
    }

    fn second_vjp(&self, _theta: &[T], y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        self.second(y, u, w, out)
    }

    fn loss(&self, theta: &[T], y: &[T]) -> Result<T> {
        check_len("target", y.len(), theta.len())?;
        let target = self.value(y);
        if target == T::infinity() {
            return Ok(target);
        }
        let loss = with_support(self, theta, |support, max| {
            shifted_loss(theta, support, y, max, (self.negentropy(support.weights()), target))
        })?;
        Ok(loss.unwrap_or(T::zero()))
    }
}

impl<T: Real> Separation<T> for Entmax {
    fn margin(&self) -> Option<T> {
        (self.alpha > 1.0).then(|| T::of(1.0 / self.excess()))
    }

    fn reach(&self) -> Option<(usize, T)> {
        (self.alpha > 1.0).then(|| (1, T::of(1.0 / self.excess())))
    }

    fn exponential_rate(&self) -> Option<T> {
        (self.alpha == 1.0).then(T::one)
    }

    fn support(&self, theta: &[T], support: &mut Support<T>) -> Result<Outcome> {
        support_by(self, theta, support)
    }

    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()> {
        pull_row_by(self, y, Rewrite::in_place(g), |y, g| self.first(y, g))
    }

    fn pullback_rows(&self, y: &[T], g: &[T], width: usize, out: &mut [T], done: &mut dyn FnMut()) -> Result<()> {
        pull_rows_by(self, (y, g, out), width, done, |y, g| self.first(y, g))
    }

    fn pullback_into(&self, y: &[T], g: &[T], out: &mut [T]) -> Result<()> {
        pull_row_by(self, y, Rewrite::into("out", g, out)?, |y, g| self.first(y, g))
    }

    fn parameter_vjp(&self, y: &[T], g: &[T]) -> Result<Option<T>> {
        self.alpha_vjp(y, g).map(Some)
    }
}

/// Lends room for block maxima.
fn with_blocks<T: Real, R>(work: impl FnOnce(&mut Vec<T>) -> R) -> R {
    T::with_scratch(|scratch| {
        vectorised(
            #[inline(always)]
            || work(&mut scratch.blocks),
        )
    })
}

/// Softmax of a long row that is read once, its exponentials taken less the maximum of a sample; false, with anything written, where that
/// is far from the maximum, or an entry is no score.
fn softmax_ahead<T: Real>(theta: &[T], y: &mut [T]) -> bool {
    const GROUP: usize = 16;
    const GROUPS: usize = 32;
    /// Shorter rows are in a cache when they are read again.
    const ENTRIES: usize = 8192;
    if theta.len() < ENTRIES {
        return false;
    }
    let groups = theta.as_chunks::<GROUP>().0;
    let mut top = T::neg_infinity();
    for group in groups.iter().step_by(groups.len() / GROUPS) {
        top = greater(top, maximum(group));
    }
    if !top.is_finite() {
        return false;
    }
    vectorised(
        #[inline(always)]
        || {
            let (mut max, mut sums, mut total) = ([top; BLOCK], [T::zero(); BLOCK], 0.0);
            for (scores, weights) in theta.chunks(RUN).zip(y.chunks_mut(RUN)) {
                let (blocks, rest) = scores.as_chunks::<BLOCK>();
                let (weight_blocks, rest_weights) = weights.as_chunks_mut::<BLOCK>();
                let mut part = [T::zero(); BLOCK];
                for (x, y) in blocks.iter().zip(weight_blocks) {
                    for i in 0..BLOCK {
                        max[i] = greater(x[i], max[i]);
                        sums[i] += x[i];
                        y[i] = (x[i] - top).exp_lanes();
                        part[i] += y[i];
                    }
                }
                for (i, (&x, y)) in rest.iter().zip(rest_weights).enumerate() {
                    max[i] = greater(x, max[i]);
                    sums[i] += x;
                    *y = (x - top).exp_lanes();
                    part[i] += *y;
                }
                total += across(&part).wide();
            }
            // A sum is not finite if one of its terms is not.
            if !(across(&sums) < T::infinity() && maximum(&max) - top < T::of(40.0)) {
                return false;
            }
            let factor = T::of(1.0 / total);
            for y in y.iter_mut() {
                *y *= factor;
            }
            true
        },
    )
}

/// Softmax; each exponential is computed once.
fn softmax<T: Real>(mut row: Rewrite<'_, T>) -> Result<Outcome> {
    let max = with_blocks(|blocks| block_maxima(&mut row, false, blocks, None))?;
    if max == T::neg_infinity() {
        return Ok(emptied(row.place()));
    }
    vectorised(
        #[inline(always)]
        || {
            let mut total = 0.0;
            row.again().chunks(
                RUN,
                #[inline(always)]
                |mut run| {
                    run.again().each(
                        #[inline(always)]
                        |x| (x - max).exp_lanes(),
                    );
                    total += T::total(run.place());
                },
            );
            let factor = T::of(1.0 / total);
            for y in row.place() {
                *y *= factor;
            }
        },
    );
    Ok(Outcome::Solved)
}
