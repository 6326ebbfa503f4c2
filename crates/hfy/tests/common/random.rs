//! A small generator with a seed, so that every run sees the same rows.

use hfy::Real;

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in (0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Normal scores of the given scale, rounded to the type.
    pub(crate) fn normals<T: Real>(&mut self, n: usize, scale: f64) -> Vec<T> {
        (0..n).map(|_| T::of(self.normal() * scale)).collect()
    }

    /// A point of the simplex.
    pub(crate) fn simplex(&mut self, n: usize) -> Vec<f64> {
        let parts: Vec<f64> = (0..n).map(|_| -self.unit().ln()).collect();
        let total: f64 = parts.iter().sum();
        parts.into_iter().map(|p| p / total).collect()
    }

    pub(crate) fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        (1..n).rev().for_each(|i| order.swap(i, self.below(i + 1)));
        order
    }
}
