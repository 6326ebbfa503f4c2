//! Gamma-normmax: flatter than entmax over the patterns it keeps.

use super::entmax::{Candidates, MOST};
use super::exponent::Exponent;
use super::pull::{Cost, on_support};
use super::raise::moments;
use super::scan::{least_positive, maximum, sum};
use super::threshold::{general, linear, quadratic};
use super::weights::Weights;
use super::{
    Extremes, Separation, Solve, Support, Threshold, argmax_by, argmax_into_by, argmax_rows_by, check_gradient,
    check_second, in_simplex, pull_row_by, pull_rows_by, shifted_loss, short, short::InLanes, support_by, with_support,
};
use crate::convex::{Convex, Outcome};
use crate::error::{Error, Result, check_len};
use crate::real::{Real, Rewrite, Scratch, Vectors, greater, lesser_finite, vectorised, weighted, with_copy};

/// Gamma-normmax, the regularised argmax of the norm negentropy,
///
/// ```text
/// ŷ(θ) = argmax { θ·y - Ω(y) : y in the simplex },   Ω(y) = ‖y‖_γ - 1,
/// ```
///
/// for every γ in (1, ∞]. The weights are `(θ_i - μ)₊^(1/(γ-1))`, normalised, where `Σ (θ_i - μ)₊^(γ/(γ-1)) = 1`: up to
/// that last power it is entmax with `α = 2 - 1/γ` at `θ/(α-1)`, and the same solver finds its threshold (in closed form
/// for γ = 2 and γ = ∞). The margin is 1 for every γ. At γ = ∞ (the Berger-Parker index) the weights are uniform
/// over the support.
///
/// **Cost and stability** as for [`Entmax`](super::Entmax). The bracket `μ ≤ max θ - N^((1-γ)/γ)` is tight, where the
/// printed `N^(1-γ)` is merely valid.
///
/// Reference: Blondel, Martins, Niculae, *Learning with Fenchel-Young Losses*, 2020, section 4.3.
///
/// ```
/// use hfy::{Convex, Normmax};
///
/// let mut y = [0.0, 0.25, 0.5, 0.75, 1.0];
/// Normmax::new(2.0)?.argmax(&mut y)?;
/// assert!((y[4] - 0.4761_f64).abs() < 1e-4);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Normmax {
    gamma: f64,
}

impl Normmax {
    /// Normmax for any `gamma` in (1, ∞].
    pub fn new(gamma: f64) -> Result<Self> {
        if gamma > 1.0 {
            Ok(Normmax { gamma })
        } else {
            Err(Error::parameter("gamma", gamma, "gamma must lie in (1, inf]"))
        }
    }

    /// The order of the norm.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// Whether γ is infinite, or so large that powers by it, and their logarithms, leave the type of the weights.
    fn is_uniform<T: Real>(&self) -> bool {
        T::of(4.0 * self.gamma).is_infinite()
    }

    /// `‖y‖_γ`.
    fn norm<T: Real>(&self, weights: &[T]) -> T {
        vectorised(
            #[inline(always)]
            || {
                if self.gamma == 2.0 {
                    let squares = sum(
                        weights,
                        #[inline(always)]
                        |w| w * w,
                    );
                    return squares.sqrt();
                }
                let largest = greater(greater(maximum(weights), -T::minimum(weights)), T::zero());
                if self.is_uniform::<T>() || largest == T::zero() {
                    return largest;
                }
                // Powers below all normal numbers are nothing beside that of the largest, which is one. The least base is rounded, and
                // a large power of it may still be too small.
                let gamma = T::of(self.gamma);
                let (least, lowest) = (T::least_base(gamma), T::least_exponent());
                let powers = sum(
                    weights,
                    #[inline(always)]
                    |w| greater(greater(w.abs() / largest, least).log2_times(gamma), lowest).exp2_lanes(),
                );
                largest * powers.powf(gamma.recip())
            },
        )
    }

    /// `b_i = (∂y_i/∂θ_i at fixed normalisation) = y_i (‖y‖/y_i)^(γ-1) / (γ-1)` on the support.
    fn slope<T: Real>(&self, y: T, norm: T) -> T {
        if !(y > T::zero()) {
            return T::zero();
        }
        if self.gamma == 2.0 {
            return norm;
        }
        let (power, ratio) = (T::of(self.gamma - 1.0), norm / y);
        // The quotient of a weight below the normal numbers is too large for the type.
        let log = if ratio.is_finite() { ratio.ln() } else { norm.ln() - y.ln() };
        lesser_finite(y * (power * log).exp() / power)
    }
}

impl Normmax {
    /// `g ← J g`.
    fn first<T: Real>(&self, y: &[T], g: Rewrite<'_, T>) -> Result<()> {
        check_len("gradient", g.len(), y.len())?;
        if self.is_uniform::<T>() {
            g.place().fill(T::zero());
            return Ok(());
        }
        on_support(y, g, Cost::Much, |y, mut g| {
            let norm = self.norm(y);
            let [total, mean] = T::sums_along(y, g.read());
            // A weight that is no number shows in the first sum alone.
            check_gradient(T::of(total + mean), g.read())?;
            let mean = T::of(mean);
            vectorised(
                #[inline(always)]
                || {
                    if self.gamma == 2.0 {
                        g.again().each_with(
                            y,
                            #[inline(always)]
                            |g, y| if y > T::zero() { norm * (g - mean) } else { T::zero() },
                        );
                    } else {
                        self.pull_steep(y, g.again(), (norm, mean));
                    }
                    let g = g.place();
                    let total = T::of(T::total(g));
                    Rewrite::in_place(g).each_with(
                        y,
                        #[inline(always)]
                        |g, y| g - y * total,
                    );
                },
            );
            Ok(())
        })
    }
}

impl Normmax {
    /// `g ← b ∘ (g - mean)`, where `g` may be anything at a weight of zero.
    #[inline(always)]
    fn pull_steep<T: Real>(&self, y: &[T], g: Rewrite<'_, T>, (norm, mean): (T, T)) {
        let (power, least) = (T::of(self.gamma - 1.0), least_positive(y));
        // Powers of `‖y‖/y` are greatest for the least weight; beyond those that vectors can compute, one after the other.
        if !(power * (norm / least).log2() < T::of(60.0)) {
            return g.each_with(y, |g, y| weighted(self.slope(y, norm), g - mean));
        }
        g.each_with(
            y,
            #[inline(always)]
            |g, y| {
                let slope = y * (norm / greater(y, least)).log2_times(power).exp2_lanes() / power;
                let along = slope * (g - mean);
                if y > T::zero() { along } else { T::zero() }
            },
        );
    }
}

impl<T: Real> Threshold<T> for Normmax {
    #[inline(always)]
    fn solve(
        &self,
        theta: &[T],
        Extremes { max, .. }: Extremes<T>,
        scratch: &mut Scratch<T>,
    ) -> Result<Option<Weights<T>>> {
        if max == T::neg_infinity() {
            return Ok(None);
        }
        let one = T::one();
        // γ/(γ-1), the exponent of the threshold equation, and one less.
        let exponent = Exponent::of(T::of(1.0 / (self.gamma - 1.0)));
        let p = if self.is_uniform::<T>() { one } else { T::of(self.gamma / (self.gamma - 1.0)) };
        let candidates = Candidates::find(theta, scratch, (max, one), p, (T::zero(), MOST));
        let kept = candidates.kept(&mut scratch.kept);
        Ok(Some(if self.is_uniform::<T>() {
            let (level, size) = linear(kept);
            Weights::Above { shift: max, level, share: one / T::of(size as f64) }
        } else if self.gamma == 2.0 {
            let (tau, total) = quadratic(kept, candidates.tau);
            Weights::Line { shift: max, tau, factor: one / total }
        } else {
            let scores = candidates.scores(theta, &scratch.kept, T::neg_infinity());
            let at = general(scores, (Exponent::of(p), p), candidates.tau, (&mut scratch.bends, &mut scratch.blend));
            let [total] = moments(scores, at, exponent);
            Weights::Power { shift: max, scale: one, at, exponent, factor: one / total }
        }))
    }
}

impl InLanes for Normmax {
    fn takes(&self, _width: usize) -> bool {
        self.gamma == 2.0
    }

    #[inline(always)]
    fn solve<T: Real, S: Vectors<T>>(&self, simd: S, z: &mut [S::V], best: S::V, _lowest: S::V) {
        short::less_best(simd, z, best);
        let total = short::quadratic(simd, z, best);
        let factor = simd
            .div(simd.splat(T::one()), simd.where_greater(total, simd.splat(T::zero()), total, simd.splat(T::one())));
        for y in z {
            *y = simd.mul(*y, factor);
        }
    }

    /// With `P = I - 1yᵀ` the Jacobian is `Pᵀ diag(‖y‖) P` on the support.
    #[inline(always)]
    fn pull<T: Real, S: Vectors<T>>(&self, simd: S, y: &[S::V], g: &mut [S::V]) -> S::V {
        let zero = simd.splat(T::zero());
        let (mut squares, mut along, mut total) = (zero, zero, zero);
        for (&y, &g) in y.iter().zip(&*g) {
            squares = simd.add(squares, simd.mul(y, y));
            along = simd.add(along, simd.where_greater(y, zero, simd.mul(y, g), zero));
        }
        let norm = simd.sqrt(squares);
        for (g, &y) in g.iter_mut().zip(y) {
            *g = simd.where_greater(y, zero, simd.mul(norm, simd.sub(*g, along)), zero);
            total = simd.add(total, *g);
        }
        for (g, &y) in g.iter_mut().zip(y) {
            *g = simd.sub(*g, simd.mul(y, total));
        }
        along
    }
}

impl<T: Real> Convex<T> for Normmax {
    fn value(&self, y: &[T]) -> T {
        if in_simplex(y) { self.norm(y) - T::one() } else { T::infinity() }
    }

    /// The threshold plus one; minus infinity where every entry is masked.
    fn conjugate(&self, theta: &[T]) -> Result<T> {
        let solved =
            T::with_scratch(|scratch| <T as Solve<Normmax>>::solve(self, &mut Rewrite::only_read(theta), scratch))?;
        Ok(match solved.map(|solved| solved.0) {
            None => T::neg_infinity(),
            Some(Weights::Above { shift, level, .. }) => shift + (level + T::one()),
            Some(Weights::Line { shift, tau, .. }) => shift + (tau + T::one()),
            Some(Weights::Power { shift, at, .. }) => shift + (at.tau() + T::one()),
            Some(other) => unreachable!("normmax has no weights {other:?}"),
        })
    }

    fn mass(&self) -> Option<f64> {
        Some(1.0)
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        argmax_by(self, theta)
    }

    fn argmax_rows(&self, theta: &[T], width: usize, y: &mut [T], report: &mut dyn FnMut(Outcome)) -> Result<()> {
        argmax_rows_by(self, (theta, y, width), report)
    }

    fn argmax_into(&self, theta: &[T], y: &mut [T]) -> Result<Outcome> {
        argmax_into_by(self, theta, y)
    }

    fn vjp(&self, _theta: &[T], y: &[T], g: &mut [T]) -> Result<()> {
        self.pullback(y, g)
    }

    /// With `P = I - 1yᵀ` the Jacobian is `Pᵀ diag(b) P`; differentiating it gives the terms below, where
    /// `c = db/dt` at fixed normalisation and a tilde means `P` applied.
    fn second_vjp(&self, _theta: &[T], y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        check_second(y.len(), u, w, out)?;
        out.fill(T::zero());
        if self.is_uniform::<T>() {
            return Ok(());
        }
        let norm = self.norm(y);
        let dot = |a: &[T], b: &[T]| a.iter().zip(b).map(|(&a, &b)| weighted(a, b)).sum::<T>();
        let (u_mean, w_mean) = (dot(y, u), dot(y, w));
        let (mut cross, mut u_slope, mut w_slope) = (T::zero(), T::zero(), T::zero());
        for (i, &y) in y.iter().enumerate().filter(|(_, y)| **y > T::zero()) {
            let b = self.slope(y, norm);
            cross += b * (u[i] - u_mean) * (w[i] - w_mean);
            u_slope += b * (u[i] - u_mean);
            w_slope += b * (w[i] - w_mean);
        }
        // q - 2 = (2 - γ)/(γ - 1), and c = b (q - 2)/t with t = (y/‖y‖)^(γ-1) = y/((γ-1) b).
        let bend = T::of(2.0 - self.gamma);
        let mut total = T::zero();
        for (i, &y) in y.iter().enumerate().filter(|(_, y)| **y > T::zero()) {
            let b = self.slope(y, norm);
            out[i] = bend * b * b / y * (u[i] - u_mean) * (w[i] - w_mean) - cross * b;
            total += out[i];
        }
        with_copy(u, |u| {
            with_copy(w, |w| {
                self.pullback(y, u)?;
                self.pullback(y, w)?;
                for (i, o) in out.iter_mut().enumerate() {
                    *o = *o - y[i] * total - w_slope * u[i] - u_slope * w[i];
                }
                Ok(())
            })
        })
    }

    fn loss(&self, theta: &[T], y: &[T]) -> Result<T> {
        check_len("target", y.len(), theta.len())?;
        let target = self.value(y);
        if target == T::infinity() {
            return Ok(target);
        }
        let loss = with_support(self, theta, |support, max| {
            shifted_loss(theta, support, y, max, (self.norm(support.weights()) - T::one(), target))
        })?;
        Ok(loss.unwrap_or(T::zero()))
    }
}

impl<T: Real> Separation<T> for Normmax {
    fn margin(&self) -> Option<T> {
        Some(T::one())
    }

    fn reach(&self) -> Option<(usize, T)> {
        Some((1, T::one()))
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

    /// With `t = (y/‖y‖)^(γ-1)` and `q = γ/(γ-1)`: `∂log y/∂q = log t - (q-1) μ'/t` less its mean, where
    /// `μ' = Σ t^q log t / (q Σ t^(q-1))`, and `dq/dγ = -1/(γ-1)²`.
    fn parameter_vjp(&self, y: &[T], g: &[T]) -> Result<Option<T>> {
        check_len("gradient", g.len(), y.len())?;
        if self.is_uniform::<T>() {
            return Ok(Some(T::zero()));
        }
        let norm = self.norm(y);
        let less = T::of(self.gamma - 1.0);
        // t^q = (y/‖y‖)^γ, t^(q-1) = y/‖y‖, log t = (γ-1) log(y/‖y‖); the factor γ-1 cancels against dq/dγ.
        let support = || y.iter().zip(g).filter(|(y, _)| **y > T::zero()).map(|(&y, &g)| (y, (y / norm).ln(), g));
        let shift = support().map(|(_, l, _)| (T::of(self.gamma) * l).exp() * l).sum::<T>() * norm / T::of(self.gamma);
        let change = |l: T| l - shift * lesser_finite((-less * l).exp());
        let mean: T = support().map(|(y, l, _)| y * change(l)).sum();
        let result = -support().map(|(y, l, g)| y * (change(l) - mean) * g).sum::<T>() / less;
        check_gradient(result, g)?;
        Ok(Some(result))
    }
}
