//! Gamma-normmax: flatter than entmax over the patterns it keeps.

use hfy_kernel::Buffers;

use super::{Separation, in_simplex, shifted_loss};
use crate::convex::{Convex, Outcome, check_gradient, check_second};
use crate::error::{Error, Result, check_len};
use crate::real::{
    Exponent, InOut, LaneMap, Offset, Real, Scores, Slope, Weight, greater, lesser_finite, weighted, with_copy,
};
use crate::support::Support;
use crate::threshold::{
    self, Candidates, Cost, Equation, Solution, Threshold, from_elsewhere, linear, on_support, quadratic, search,
};

/// Gamma-normmax, the regularised argmax of the norm negentropy,
///
/// ```text
/// ŷ(θ) = argmax { θ·y - Ω(y) : y in the simplex },   Ω(y) = ‖y‖_γ - 1,
/// ```
///
/// for every γ in (1, ∞]. The weights are `(θ_i - μ)₊^(1/(γ-1))`, normalised, where `Σ (θ_i - μ)₊^(γ/(γ-1)) = 1`: up to
/// that last power it is entmax with `α = 2 - 1/γ` at `θ/(α-1)`, and the same solver finds its threshold (in closed
/// form for γ = 2 and γ = ∞). The margin is 1 for every γ. At γ = ∞ (the Berger-Parker index) the weights are uniform
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

    /// `γ/(γ-1)`, the exponent of the threshold equation.
    fn power<T: Real>(&self) -> T {
        T::of(self.gamma / (self.gamma - 1.0))
    }

    /// `1/(γ-1)`, the exponent of the weights.
    fn weight_exponent<T: Real>(&self) -> Exponent<T> {
        Exponent::of(T::of(1.0 / (self.gamma - 1.0)))
    }

    /// Whether γ is infinite, or so large that powers by it, and their logarithms, leave the type of the weights.
    fn is_uniform<T: Real>(&self) -> bool {
        T::of(4.0 * self.gamma).is_infinite()
    }

    /// `‖y‖_γ`.
    fn norm<T: Real>(&self, weights: &[T]) -> T {
        let largest = greater(T::maximum(weights), T::zero());
        if self.is_uniform::<T>() || largest == T::zero() {
            return largest;
        }
        // Relative to the largest, whose power is one: powers below all normal numbers are nothing beside it.
        let p = Exponent::of(T::of(self.gamma));
        let relative = Scores { row: weights, shift: T::zero(), scale: largest.recip() };
        let [sum, ..] = T::power_sums(relative, Offset::at(T::zero(), p), p, 1);
        largest * T::of(sum.powf(1.0 / self.gamma))
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
    /// `g ← J g`: with `P = I - 1yᵀ` the Jacobian is `Pᵀ diag(b) P` on the support.
    fn first<T: Real>(&self, y: &[T], g: InOut<'_, T>) -> Result<()> {
        check_len("gradient", g.len(), y.len())?;
        if self.is_uniform::<T>() {
            g.output().fill(T::zero());
            return Ok(());
        }
        on_support(y, g, Cost::Much, |y, g| {
            let [total, mean] = T::sums_along(y, g.read());
            // A weight that is no number shows in the first sum alone.
            check_gradient(T::of(total + mean), g.read())?;
            let slope = self.relative_slope(y);
            from_elsewhere(g, |from, out| {
                T::slopes(y, slope, out);
                T::pull(InOut::in_place(out), from, T::of(mean));
                let total = T::of(T::total(out));
                T::subtract(y, out, total);
                Ok(())
            })
        })
    }

    /// The [slopes](Self::slope) as a power of the weights, relative to the steepest one.
    fn relative_slope<T: Real>(&self, y: &[T]) -> Slope<T> {
        let norm = self.norm(y);
        if self.gamma == 2.0 {
            return Slope::Constant(norm);
        }
        let positive = y.iter().copied().filter(|y| *y > T::zero());
        let reference = if self.gamma > 2.0 { positive.fold(T::infinity(), T::min) } else { T::maximum(y) };
        Slope::Relative { p: T::of(2.0 - self.gamma), reference, factor: self.slope(reference, norm) }
    }
}

impl<T: Real> Threshold<T> for Normmax {
    fn in_lanes(&self, _width: usize) -> Option<LaneMap<T>> {
        (!self.is_uniform::<T>()).then(|| LaneMap::Normmax { p: Exponent::of(self.power()), q: self.weight_exponent() })
    }

    fn solve(&self, theta: &[T], max: T, buffers: &mut Buffers<T>) -> Result<Solution<T>> {
        let (one, shift) = (T::one(), max);
        let equation = if self.is_uniform::<T>() { Equation::Linear } else { Equation::of(self.power()) };
        let candidates = Candidates::find(theta, buffers, (shift, one), equation);
        let copies = candidates.copies(&mut buffers.kept);
        Ok(match equation {
            Equation::Linear => {
                let (level, size) = linear(copies);
                Solution::Each(Weight::Above { shift, level, share: T::of(1.0 / size as f64) })
            }
            Equation::Quadratic => {
                let (tau, total) = quadratic(copies, candidates.tau);
                Solution::Each(Weight::Line { shift, tau, factor: total.recip() })
            }
            _ => {
                let scores = candidates.scores(theta, &buffers.kept);
                let at = search(scores, equation.p(), candidates.tau, &mut buffers.bends);
                let exponent = self.weight_exponent();
                let [total, ..] = T::power_sums(scores, at, exponent, 1);
                Solution::Power { shift, scale: one, at, exponent, factor: T::of(1.0 / total) }
            }
        })
    }
}

impl<T: Real> Convex<T> for Normmax {
    fn value(&self, y: &[T]) -> T {
        if in_simplex(y) { self.norm(y) - T::one() } else { T::infinity() }
    }

    /// The threshold plus one; minus infinity where every entry is masked.
    fn conjugate(&self, theta: &[T]) -> Result<T> {
        let solved = T::with_buffers(|buffers| threshold::solution(self, theta, &mut [], buffers))?;
        Ok(match solved.map(|(solution, _)| solution) {
            None => T::neg_infinity(),
            Some(Solution::Each(Weight::Above { shift, level, .. })) => shift + (level + T::one()),
            Some(Solution::Each(Weight::Line { shift, tau, .. })) => shift + (tau + T::one()),
            Some(Solution::Power { shift, at, .. }) => shift + (at.tau() + T::one()),
            Some(other) => unreachable!("normmax has no weights {other:?}"),
        })
    }

    fn mass(&self) -> Option<f64> {
        Some(1.0)
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
        let loss = threshold::with_support(self, theta, |support, max| {
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
        threshold::support(self, theta, support)
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
