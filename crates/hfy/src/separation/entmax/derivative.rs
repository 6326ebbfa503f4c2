//! Derivatives of entmax from its output.
//!
//! With `δ = α - 1` and `s_i = y_i^(1-δ)` on the support (zero off it), the Jacobian is `diag(s) - s sᵀ / Σs`.

use super::Entmax;
use crate::convex::{check_gradient, check_second};
use crate::error::{Result, check_len};
use crate::real::{InOut, Real, Slope, lesser_finite};
use crate::threshold::{Cost, on_support, pull, pull_sloped};

impl Entmax {
    /// `s` of one weight.
    #[inline(always)]
    fn slope<T: Real>(&self, y: T) -> T {
        let positive = y > T::zero();
        let s = if self.alpha == 1.0 {
            y
        } else if self.alpha == 1.5 {
            y.sqrt()
        } else if self.alpha == 2.0 {
            T::one()
        } else {
            y.powf(T::of(1.0 - self.excess()))
        };
        if positive { s } else { T::zero() }
    }

    /// `g ← J g`.
    pub(super) fn first<T: Real>(&self, y: &[T], g: InOut<'_, T>) -> Result<()> {
        check_len("gradient", g.len(), y.len())?;
        if self.is_argmax::<T>() {
            g.output().fill(T::zero());
            return Ok(());
        }
        if self.alpha > 2.0 {
            return on_support(y, g, Cost::Much, |y, g| self.first_steep(y, g.copied_output()));
        }
        if self.alpha == 1.0 {
            return pull(y, g);
        }
        let (slope, cost) = if self.alpha == 1.5 {
            (Slope::Root, Cost::Little)
        } else if self.alpha == 2.0 {
            (Slope::Step, Cost::Little)
        } else {
            (Slope::Power(T::of(1.0 - self.excess())), Cost::Much)
        };
        pull_sloped(y, g, cost, slope)
    }

    /// Above α = 2 the slope of a small weight dwarfs all others; its row of the product follows from the others,
    /// since they sum to zero.
    fn first_steep<T: Real>(&self, y: &[T], g: &mut [T]) -> Result<()> {
        let support = || y.iter().enumerate().filter(|(_, y)| **y > T::zero());
        let Some((steepest, least)) = support().min_by(|a, b| a.1.partial_cmp(b.1).expect("weights are numbers"))
        else {
            g.fill(T::zero());
            return Ok(());
        };
        let power = T::of(1.0 - self.excess());
        let relative = |y: T| (power * (y / *least).ln()).exp();
        let total: T = support().map(|(_, &y)| relative(y)).sum();
        let mean = support().map(|(i, &y)| relative(y) * g[i]).sum::<T>() / total;
        check_gradient(mean, g)?;
        let mut others = T::zero();
        for (i, (g, &y)) in g.iter_mut().zip(y).enumerate() {
            // Off the support a gradient is never looked at: it may be anything.
            let counts = y > T::zero() && i != steepest;
            *g = if counts { lesser_finite(self.slope(y)) * (*g - mean) } else { T::zero() };
            others += *g;
        }
        g[steepest] = -others;
        Ok(())
    }

    /// `out ← ∇ (u·J w) = J (r ∘ (u - ū) ∘ (w - w̄))`, with `r = ds/dy = (1-δ) y^(-δ)` and means weighted by `s`.
    pub(super) fn second<T: Real>(&self, y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        check_second(y.len(), u, w, out)?;
        let delta = self.excess();
        if self.is_argmax::<T>() || delta == 1.0 {
            out.fill(T::zero());
            return Ok(());
        }
        let (mut total, mut u_mean, mut w_mean) = (T::zero(), T::zero(), T::zero());
        for ((&y, &u), &w) in y.iter().zip(u).zip(w) {
            if y > T::zero() {
                let s = self.slope(y);
                total += s;
                u_mean += s * u;
                w_mean += s * w;
            }
        }
        if total == T::zero() {
            out.fill(T::zero());
            return Ok(());
        }
        (u_mean, w_mean) = (u_mean / total, w_mean / total);
        for (i, o) in out.iter_mut().enumerate() {
            *o = if y[i] > T::zero() {
                T::of(1.0 - delta) * lesser_finite(y[i].powf(T::of(-delta))) * (u[i] - u_mean) * (w[i] - w_mean)
            } else {
                T::zero()
            };
        }
        self.first(y, InOut::in_place(out))
    }

    /// `d(g·ŷ)/dα`, from the right at α = 1.
    ///
    /// With `L = log y`, the weights are `y = exp(log1p(δ x)/δ)` for `x = θ - λ`, and differentiating at fixed `x`
    /// gives `∂L/∂δ = -L² ψ(δL)`, `ψ(u) = (e^(-u) - 1 + u)/u²`, which has the limit `1/2`: nothing cancels as δ
    /// vanishes. The normaliser λ takes out the mean weighted by `s`.
    pub(super) fn alpha_vjp<T: Real>(&self, y: &[T], g: &[T]) -> Result<T> {
        check_len("gradient", g.len(), y.len())?;
        if self.is_argmax::<T>() {
            return Ok(T::zero());
        }
        let delta = T::of(self.excess());
        let change = |y: T| {
            let log = y.ln();
            if delta <= T::one() {
                -y * log * log * psi(delta * log)
            } else {
                // Here -y L² ψ = (y - δ y L - s)/δ², and the part along s drops out with the normaliser.
                (y - delta * y * log) / (delta * delta)
            }
        };
        let (mut along, mut total, mut drift, mut mean) = (T::zero(), T::zero(), T::zero(), T::zero());
        for (&y, &g) in y.iter().zip(g).filter(|(y, _)| **y > T::zero()) {
            let (s, c) = (self.slope(y), change(y));
            total += s;
            mean += s * g;
            along += c * g;
            drift += c;
        }
        if total == T::zero() {
            return Ok(T::zero());
        }
        let result = along - drift * (mean / total);
        check_gradient(result, g)?;
        Ok(result)
    }
}

/// `(e^(-u) - 1 + u) / u²`.
fn psi<T: Real>(u: T) -> T {
    if u.abs() < T::of(0.5) {
        // 1/2! - u/3! + u²/4! - ...
        let mut term = T::of(0.5);
        let mut sum = term;
        for k in 3..22 {
            term = -term * u / T::of(f64::from(k));
            sum += term;
        }
        sum
    } else {
        ((-u).exp_m1() + u) / (u * u)
    }
}
