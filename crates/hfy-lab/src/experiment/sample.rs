//! Chance that a seed alone decides.

use ndarray::Array2;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::data::Images;

/// A stream of random numbers, the same on every machine.
#[derive(Debug, Clone)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The stream of a seed; `purpose` keeps streams of one seed apart.
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut stream = ChaCha8Rng::seed_from_u64(seed);
        stream.set_stream(purpose);
        Random(stream)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of `0..count`, all alike up to a part in 2^64.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.0.next_u64()) * count as u128) >> 64) as usize
    }

    /// Normal with mean 0 and deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// The first `count` of `0..all` in random order. Those of a smaller count are the first of those of a larger one.
    pub fn choose(&mut self, all: usize, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..all).collect();
        let count = count.min(all);
        for place in 0..count {
            let other = place + self.below(all - place);
            order.swap(place, other);
        }
        order.truncate(count);
        order
    }
}

/// The memories of a repetition: the first `count` pictures in the random order of the seed, one a row, from -1 to 1.
/// They are nested across counts, and the same for every method.
pub fn memories(images: &Images, seed: u64, count: usize) -> Array2<f32> {
    images.patterns(&Random::new(seed, 0).choose(images.len(), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_nested_and_distinct() {
        let small = Random::new(3, 0).choose(100, 10);
        let large = Random::new(3, 0).choose(100, 100);
        assert_eq!(small, large[..10]);
        let mut sorted = large.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        assert_ne!(large, Random::new(4, 0).choose(100, 100));
        assert_ne!(large, Random::new(3, 1).choose(100, 100));
    }

    #[test]
    fn normal_numbers_are_normal() {
        let mut random = Random::new(0, 0);
        let numbers: Vec<f64> = (0..20_000).map(|_| random.normal()).collect();
        let mean = numbers.iter().sum::<f64>() / 20_000.0;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
