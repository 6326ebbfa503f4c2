//! `F(z) = R √(|Pz|² + e²)`, whose gradient is a normalisation: what the ball and layer normalisation share.
//!
//! `P` is the identity or removes the mean. With `h = √(|Pz|² + e²)` and `v = Pz/h`:
//!
//! ```text
//! ∇F       = R v
//! ∇²F      = (R/h) (P - v vᵀ)
//! ∇³F[a,b] = -(R/h²) ((v·b) Pa + (v·a) Pb + (a·Pb - 3 (v·a)(v·b)) v)
//! F*(x)    = -e √(R² - |x|²)  for |x| ≤ R, Px = x
//! ```

use crate::real::Real;

/// The function `F`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Radial {
    pub(super) radius: f64,
    pub(super) soft: f64,
    pub(super) centred: bool,
}

/// `F` at one point, with `size` for `|Pz|` and `height` for `h`. Everything is kept times a power of two that brings
/// the point near one, so that neither squares nor differences overflow or lose bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    of: Radial,
    scale: f64,
    origin: f64,
    mean: f64,
    size: f64,
    height: f64,
}

impl Radial {
    /// `F*(x)`; points beyond the domain by no more than `slack` count as in it.
    pub(super) fn dual(&self, x: impl Iterator<Item = f64> + Clone, slack: f64) -> f64 {
        let size = length(x.clone());
        let (sum, count) = x.fold((0.0, 0usize), |(sum, count), x| (sum + x, count + 1));
        let level = !self.centred || sum.abs() <= slack * (count as f64).sqrt();
        if !(level && size <= self.radius + slack) {
            f64::INFINITY
        } else if self.soft == 0.0 {
            0.0
        } else {
            -self.soft * (self.radius - size).max(0.0).sqrt() * (self.radius + size).sqrt()
        }
    }

    /// Looks at `z`.
    pub(super) fn at<T: Real>(&self, z: &[T]) -> At {
        let scale = normalising(z.iter().map(|v| v.wide()));
        let mut at = At { of: *self, scale, origin: 0.0, mean: 0.0, size: 0.0, height: 0.0 };
        if let (true, Some(first)) = (self.centred, z.first()) {
            // Differences from an entry first: a constant row then has a spread of exactly zero.
            at.origin = first.wide() * scale;
            at.mean = z.iter().map(|&v| at.deviation(v)).sum::<f64>() / z.len() as f64;
        }
        at.size = z.iter().map(|&v| at.deviation(v).powi(2)).sum::<f64>().sqrt();
        at.height = at.size.hypot(self.soft * scale);
        at
    }
}

impl At {
    /// The entry of `Pz` that belongs to the entry `v` of `z`, times the scale.
    fn deviation<T: Real>(&self, v: T) -> f64 {
        (v.wide() * self.scale - self.origin) - self.mean
    }

    /// The entry of `Pz / h`.
    fn direction<T: Real>(&self, v: T) -> f64 {
        if self.size == 0.0 {
            return 0.0;
        }
        self.deviation(v) / self.height
    }

    /// `h`.
    fn height(&self) -> f64 {
        (self.size / self.scale).hypot(self.of.soft)
    }

    /// `F(z)`.
    pub(super) fn value(&self) -> f64 {
        self.of.radius * self.height()
    }

    /// The entry of `∇F(z)` that belongs to the entry `v` of `z`.
    pub(super) fn gradient<T: Real>(&self, v: T) -> f64 {
        self.of.radius * self.direction(v)
    }

    /// `R/h`, at most the largest finite number, so that products with it are never NaN; zero at the kink.
    fn rate(&self) -> f64 {
        let height = self.height();
        if height == 0.0 { 0.0 } else { (self.of.radius / height).min(f64::MAX) }
    }

    /// The mean that `P` takes from a vector.
    fn mean_of<T: Real>(&self, x: &[T]) -> f64 {
        if self.of.centred { x.iter().map(|v| v.wide()).sum::<f64>() / x.len().max(1) as f64 } else { 0.0 }
    }

    /// `v · Px`.
    fn along<T: Real>(&self, z: &[T], x: &[T], mean: f64) -> f64 {
        z.iter().zip(x).map(|(&z, x)| self.direction(z) * (x.wide() - mean)).sum()
    }

    /// `Pz · x`, for `x = Px`.
    pub(super) fn inner<T: Real>(&self, z: &[T], x: impl Iterator<Item = f64>) -> f64 {
        z.iter().zip(x).map(|(&z, x)| self.deviation(z) * x).sum::<f64>() / self.scale
    }

    /// `g ← ∇²F(z) g`.
    pub(super) fn vjp<T: Real>(&self, z: &[T], g: &mut [T]) {
        let (rate, mean) = (self.rate(), self.mean_of(g));
        let along = self.along(z, g, mean);
        for (g, &z) in g.iter_mut().zip(z) {
            *g = T::of(rate * ((g.wide() - mean) - self.direction(z) * along));
        }
    }

    /// `out ← ∇³F(z)[a, b]`.
    pub(super) fn second_vjp<T: Real>(&self, z: &[T], (a, b): (&[T], &[T]), out: &mut [T]) {
        let rate = if self.rate() == 0.0 { 0.0 } else { (self.rate() / self.height()).min(f64::MAX) };
        let (mean_a, mean_b) = (self.mean_of(a), self.mean_of(b));
        let (along_a, along_b) = (self.along(z, a, mean_a), self.along(z, b, mean_b));
        let across: f64 = a.iter().zip(b).map(|(a, b)| (a.wide() - mean_a) * (b.wide() - mean_b)).sum();
        for (i, out) in out.iter_mut().enumerate() {
            let flat = along_b * (a[i].wide() - mean_a) + along_a * (b[i].wide() - mean_b);
            *out = T::of(-rate * (flat + (across - 3.0 * along_a * along_b) * self.direction(z[i])));
        }
    }
}

/// `|x|` without overflow and with every bit of denormals.
pub(super) fn length(x: impl Iterator<Item = f64> + Clone) -> f64 {
    let scale = normalising(x.clone());
    x.map(|v| (v * scale).powi(2)).sum::<f64>().sqrt() / scale
}

/// A power of two that brings the largest of these near one.
fn normalising(x: impl Iterator<Item = f64>) -> f64 {
    let largest = x.fold(0.0, |m: f64, v| m.max(v.abs()));
    let exponent = (largest.to_bits() >> 52) as i64 - 1023;
    // Beyond 2^±1000 the scale itself would leave the normal range; what is left over does no harm to a square.
    f64::from_bits(((1023 - exponent.clamp(-1000, 1000)) as u64) << 52)
}
