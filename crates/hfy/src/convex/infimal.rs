use super::{Convex, Outcome};
use crate::error::{Error, Result, check_len};
use crate::real::Real;

/// The infimal convolution `inf { f₁(y₁) + f₂(y₂) + ... : y₁ + y₂ + ... = y }`, whose conjugate is the sum of the
/// conjugates and whose map is the sum of the maps. It is what a sum of energies means.
///
/// Conjugate, map and derivatives are exact. [`value`](Convex::value) has no closed form in general: it is the
/// biconjugate `max_θ θ·y - Σ fᵢ*(θ)`, climbed by a quasi-Newton method to about half of the digits; a point
/// that no sum of the maps comes near lies outside the domain and gives infinity.
///
/// ```
/// use hfy::{Convex, InfimalConvolution, Quadratic};
///
/// let sum = InfimalConvolution::new(vec![Quadratic, Quadratic])?;
/// let mut y = [1.0, -3.0];
/// sum.argmax(&mut y)?;
/// assert_eq!(y, [2.0, -6.0]);
/// assert!((sum.value(&[2.0_f64, 0.0]) - 1.0).abs() < 1e-9);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct InfimalConvolution<F> {
    terms: Vec<F>,
}

impl<F> InfimalConvolution<F> {
    /// The infimal convolution of all `terms`.
    pub fn new(terms: Vec<F>) -> Result<Self> {
        if terms.is_empty() {
            return Err(Error::parameter("terms", "[]", "an infimal convolution needs at least one term"));
        }
        Ok(InfimalConvolution { terms })
    }

    /// The functions that are convolved.
    pub fn terms(&self) -> &[F] {
        &self.terms
    }

    /// Runs `work` for each term with that term's own output at `theta`.
    fn each<T: Real>(&self, theta: &[T], mut work: impl FnMut(&F, &[T]) -> Result<()>) -> Result<()>
    where
        F: Convex<T>,
    {
        let mut y = theta.to_vec();
        for term in &self.terms {
            y.copy_from_slice(theta);
            term.argmax(&mut y)?;
            work(term, &y)?;
        }
        Ok(())
    }
}

impl<T: Real, F: Convex<T>> Convex<T> for InfimalConvolution<F> {
    fn value(&self, y: &[T]) -> T {
        if y.iter().any(|v| !v.is_finite()) {
            return T::infinity();
        }
        climb(self, y).unwrap_or(T::infinity())
    }

    fn conjugate(&self, theta: &[T]) -> Result<T> {
        self.terms.iter().map(|f| f.conjugate(theta)).sum()
    }

    fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
        let mut total = vec![T::zero(); theta.len()];
        let mut outcome = Outcome::Empty;
        let mut y = theta.to_vec();
        for term in &self.terms {
            y.copy_from_slice(theta);
            if term.argmax(&mut y)? == Outcome::Solved {
                outcome = Outcome::Solved;
            }
            total.iter_mut().zip(&y).for_each(|(t, &y)| *t += y);
        }
        theta.copy_from_slice(&total);
        Ok(outcome)
    }

    fn mass(&self) -> Option<f64> {
        self.terms.iter().map(|term| term.mass()).sum()
    }

    fn vjp(&self, theta: &[T], _y: &[T], g: &mut [T]) -> Result<()> {
        check_len("gradient", g.len(), theta.len())?;
        let from = g.to_vec();
        g.fill(T::zero());
        self.each(theta, |term, y| {
            let mut part = from.clone();
            term.vjp(theta, y, &mut part)?;
            g.iter_mut().zip(part).for_each(|(g, p)| *g += p);
            Ok(())
        })
    }

    fn second_vjp(&self, theta: &[T], _y: &[T], u: &[T], w: &[T], out: &mut [T]) -> Result<()> {
        check_len("out", out.len(), theta.len())?;
        out.fill(T::zero());
        self.each(theta, |term, y| {
            let mut part = vec![T::zero(); theta.len()];
            term.second_vjp(theta, y, u, w, &mut part)?;
            out.iter_mut().zip(part).for_each(|(o, p)| *o += p);
            Ok(())
        })
    }
}

/// `max_θ θ·y - f*(θ)` by limited-memory BFGS; `None` where the gradient cannot be brought to zero.
fn climb<T: Real, F: Convex<T>>(f: &F, y: &[T]) -> Option<T> {
    const MEMORY: usize = 8;
    const STEPS: usize = 2000;
    let dot = |a: &[T], b: &[T]| a.iter().zip(b).map(|(&a, &b)| a * b).sum::<T>();
    let objective = |theta: &[T]| f.conjugate(theta).ok().map(|c| c - dot(theta, y));
    let gradient = |theta: &[T]| {
        let mut g = theta.to_vec();
        f.argmax(&mut g).ok()?;
        g.iter_mut().zip(y).for_each(|(g, &y)| *g -= y);
        Some(g)
    };
    let size = y.iter().fold(T::one(), |m, v| m.max(v.abs()));
    let near = T::domain_tolerance() * size;

    let mut theta = vec![T::zero(); y.len()];
    let mut height = objective(&theta)?;
    let mut slope = gradient(&theta)?;
    let mut pairs: std::collections::VecDeque<(Vec<T>, Vec<T>, T)> = Default::default();
    for _ in 0..STEPS {
        if dot(&slope, &slope).sqrt() <= near * T::of(1e-2) {
            break;
        }
        let mut direction = slope.clone();
        let mut factors = Vec::with_capacity(pairs.len());
        for (s, g, rho) in pairs.iter().rev() {
            let a = *rho * dot(s, &direction);
            direction.iter_mut().zip(g).for_each(|(d, &g)| *d -= a * g);
            factors.push(a);
        }
        if let Some((_, g, rho)) = pairs.back() {
            let scale = T::one() / (*rho * dot(g, g));
            direction.iter_mut().for_each(|d| *d *= scale);
        }
        for ((s, g, rho), a) in pairs.iter().zip(factors.into_iter().rev()) {
            let b = *rho * dot(g, &direction);
            direction.iter_mut().zip(s).for_each(|(d, &s)| *d += (a - b) * s);
        }
        let descent = dot(&slope, &direction);
        let mut step = T::one();
        let moved = (0..60).find_map(|_| {
            let next: Vec<T> = theta.iter().zip(&direction).map(|(&t, &d)| t - step * d).collect();
            let reached = objective(&next).filter(|&h| h <= height - T::of(1e-4) * step * descent);
            step *= T::of(0.5);
            reached.map(|h| (next, h))
        });
        let Some((next, lower)) = moved else { break };
        let next_slope = gradient(&next)?;
        let s: Vec<T> = next.iter().zip(&theta).map(|(&a, &b)| a - b).collect();
        let g: Vec<T> = next_slope.iter().zip(&slope).map(|(&a, &b)| a - b).collect();
        let curvature = dot(&s, &g);
        if curvature > T::zero() {
            if pairs.len() == MEMORY {
                pairs.pop_front();
            }
            pairs.push_back((s, g, T::one() / curvature));
        }
        (theta, height, slope) = (next, lower, next_slope);
    }
    (dot(&slope, &slope).sqrt() <= near.sqrt() * T::of(1e-1)).then_some(-height)
}
