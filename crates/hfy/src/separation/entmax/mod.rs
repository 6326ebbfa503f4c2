//! Alpha-entmax: from softmax through sparsemax to argmax.

mod derivative;

use hfy_kernel::{BLOCK, Buffers};

use super::softmax::softmax;
use super::{Separation, in_simplex, shifted_loss};
use crate::convex::{Convex, Outcome};
use crate::error::{Error, Result, check_len};
use crate::real::{Exponent, InOut, LaneMap, Real, Weight, with_copy};
use crate::support::Support;
use crate::threshold::{self, Candidates, Equation, Solution, Threshold, concave, linear, quadratic, search};

/// Alpha-entmax, the regularised argmax of the Tsallis negentropy,
///
/// ```text
/// ŷ(θ) = argmax { θ·y - Ω(y) : y in the simplex },   Ω(y) = (Σ y_i^α - 1) / (α (α - 1)),
/// ```
///
/// for every α in (0, ∞]: softmax at 1 (`Ω = Σ y log y`), sparsemax at 2, argmax with ties shared at ∞. The weights
/// are `[(α-1) θ_i - τ]₊^(1/(α-1))`. For α > 1 the map is exactly one-hot from a margin of `1/(α-1)` on; for α < 1
/// every entry has weight, and the tail falls as a power of the score.
///
/// **Cost.** One pass finds the maximum of each block of 32 scores; a solve on those maxima bounds the threshold, and
/// only blocks that reach it are read again. α = 1.5 and 2 are solved in closed form, other α by rounds of a long
/// step on the candidates, usually one or two of them, to the last bits; entries too small to change the sum are left
/// out. A weight is a power: multiplications where `1/(α-1)` is a whole number up to 24, else a logarithm and an
/// exponential, or a few terms of a series from a table in `f32` where a processor looks sixteen numbers up at once.
/// Rows of up to 512 entries are solved many at a time.
///
/// **Stability.** Scores are shifted by their maximum first. The iteration runs on `1 + τ`, so nothing is lost as α
/// approaches 1 from either side; above 2 it runs on the smallest weight, where the threshold itself is
/// ill-conditioned. Below 2, but at 1.5, a weight below the least normal number of the type is zero.
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

    /// Entmax for any `alpha` in (0, ∞].
    pub fn new(alpha: f64) -> Result<Self> {
        if alpha > 0.0 {
            Ok(Entmax { alpha })
        } else {
            Err(Error::parameter("alpha", alpha, "alpha must lie in (0, inf]"))
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

    /// `1/(α - 1)`.
    fn power<T: Real>(&self) -> T {
        T::of(1.0 / self.excess())
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

impl<T: Real> Threshold<T> for Entmax {
    fn in_lanes(&self, _width: usize) -> Option<LaneMap<T>> {
        let scale = T::of(self.excess());
        if self.alpha == 2.0 {
            Some(LaneMap::Sparsemax)
        } else if self.alpha == 1.5 {
            Some(LaneMap::Entmax15)
        } else if self.alpha < 2.0 && self.alpha != 1.0 {
            Some(LaneMap::Entmax { p: Exponent::of(self.power()), scale })
        } else {
            None
        }
    }

    fn solve(&self, theta: &[T], max: T, buffers: &mut Buffers<T>) -> Result<Solution<T>> {
        if self.is_argmax::<T>() {
            let blocks = theta.chunks(BLOCK).zip(&buffers.blocks).filter(|(_, top)| **top == max);
            let ties = blocks.flat_map(|(block, _)| block).filter(|x| **x == max).count();
            return Ok(Solution::Each(Weight::Maximum { max, share: T::of(1.0 / ties as f64) }));
        }
        let (shift, scale, p) = (max, T::of(self.excess()), self.power());
        let equation = Equation::of(p);
        let candidates = Candidates::find(theta, buffers, (shift, scale), equation);
        let copies = candidates.copies(&mut buffers.kept);
        Ok(match equation {
            Equation::Linear => Solution::Each(Weight::Ramp { shift, tau: linear(copies).0, cap: T::one() }),
            Equation::Quadratic => Solution::Each(Weight::Square { shift, tau: quadratic(copies, candidates.tau).0 }),
            Equation::Concave(p) => {
                let (lowest, least) = concave(copies, p);
                Solution::Root { shift, scale, lowest, least }
            }
            Equation::Power(p) | Equation::Heavy(p) => {
                let scores = candidates.scores(theta, &buffers.kept);
                let at = search(scores, p, candidates.tau, &mut buffers.bends);
                Solution::Power { shift, scale, at, exponent: Exponent::of(p), factor: T::one() }
            }
        })
    }
}

impl<T: Real> Convex<T> for Entmax {
    fn value(&self, y: &[T]) -> T {
        if in_simplex(y) { self.negentropy(y) } else { T::infinity() }
    }

    /// Minus infinity where every entry is masked: the maximum over nothing.
    fn conjugate(&self, theta: &[T]) -> Result<T> {
        if self.alpha == 1.0 {
            return with_copy(theta, |y| Ok(softmax(InOut::in_place(y))?.1));
        }
        let conjugate = threshold::with_support(self, theta, |support, max| {
            let inner: T = support.iter().map(|(i, y)| y * (theta[i] - max)).sum();
            max + (inner - self.negentropy(support.weights()))
        })?;
        Ok(conjugate.unwrap_or(T::neg_infinity()))
    }

    fn mass(&self) -> Option<f64> {
        Some(1.0)
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        if self.alpha == 1.0 { Ok(softmax(InOut::in_place(theta))?.0) } else { threshold::argmax(self, theta) }
    }

    fn argmax_rows(&self, theta: &[T], width: usize, y: &mut [T], report: &mut dyn FnMut(Outcome)) -> Result<()> {
        if self.alpha != 1.0 {
            return threshold::argmax_rows(self, (theta, y, width), report);
        }
        check_len("y", y.len(), theta.len())?;
        for (theta, y) in theta.chunks(width.max(1)).zip(y.chunks_mut(width.max(1))) {
            report(softmax(InOut::new(theta, y))?.0);
        }
        Ok(())
    }

    fn argmax_into(&self, theta: &[T], y: &mut [T]) -> Result<Outcome> {
        let mut outcome = Outcome::Empty; // of an empty row
        self.argmax_rows(theta, theta.len(), y, &mut |one| outcome = one)?;
        Ok(outcome)
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
        let loss = |support: &Support<T>, max| {
            shifted_loss(theta, support, y, max, (self.negentropy(support.weights()), target))
        };
        if self.alpha == 1.0 {
            return Support::with_room(|support| {
                let outcome = self.support(theta, support)?;
                Ok(if outcome == Outcome::Empty { T::zero() } else { loss(support, T::maximum(theta)) })
            });
        }
        Ok(threshold::with_support(self, theta, loss)?.unwrap_or(T::zero()))
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
        if self.alpha != 1.0 {
            return threshold::support(self, theta, support);
        }
        with_copy(theta, |y| {
            let (outcome, _) = softmax(InOut::in_place(y))?;
            support.read(y);
            Ok(outcome)
        })
    }

    fn pullback(&self, y: &[T], g: &mut [T]) -> Result<()> {
        threshold::pull_row(self, y, g, |y, g| self.first(y, g))
    }

    fn pullback_rows(&self, y: &[T], g: &[T], width: usize, out: &mut [T], done: &mut dyn FnMut()) -> Result<()> {
        threshold::pull_rows(self, (y, g, out), width, done, |y, g| self.first(y, g))
    }

    fn pullback_into(&self, y: &[T], g: &[T], out: &mut [T]) -> Result<()> {
        self.pullback_rows(y, g, y.len(), out, &mut || ())
    }

    fn parameter_vjp(&self, y: &[T], g: &[T]) -> Result<Option<T>> {
        self.alpha_vjp(y, g).map(Some)
    }
}
