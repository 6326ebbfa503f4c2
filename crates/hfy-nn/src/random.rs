//! Chance that a seed alone decides.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// A stream of random numbers, the same on every machine and whatever other threads do.
///
/// The weights of a layer, the order of training and what a dropout leaves out come from such a stream, and not from
/// the device, so that runs beside each other do not disturb each other.
#[derive(Debug, Clone)]
pub struct Random(ChaCha8Rng);

/// Where a stream is: enough to go on from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomState {
    seed: [u8; 32],
    stream: u64,
    /// The position in two halves, as JSON has no numbers of 128 bits.
    position: (u64, u64),
}

impl Random {
    /// The stream of a seed; `purpose` keeps streams of one seed apart.
    ///
    /// ```
    /// let (mut one, mut same) = (hfy_nn::Random::new(7, 0), hfy_nn::Random::new(7, 0));
    /// assert_eq!(one.uniform(), same.uniform());
    /// ```
    pub fn new(seed: u64, purpose: u64) -> Self {
        let mut stream = ChaCha8Rng::seed_from_u64(seed);
        stream.set_stream(purpose);
        Random(stream)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Normal with mean 0 and deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// `0..count` in random order.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for place in (1..count).rev() {
            order.swap(place, ((u128::from(self.0.next_u64()) * (place as u128 + 1)) >> 64) as usize);
        }
        order
    }

    /// Where the stream is.
    pub fn state(&self) -> RandomState {
        let position = self.0.get_word_pos();
        let position = ((position >> 64) as u64, position as u64);
        RandomState { seed: self.0.get_seed(), stream: self.0.get_stream(), position }
    }

    /// The stream from where it was.
    pub fn from_state(state: RandomState) -> Self {
        let mut stream = ChaCha8Rng::from_seed(state.seed);
        stream.set_stream(state.stream);
        stream.set_word_pos(u128::from(state.position.0) << 64 | u128::from(state.position.1));
        Random(stream)
    }
}

/// Whether a layer is trained or used.
#[derive(Debug)]
pub enum Phase<'a> {
    /// Nothing is left out.
    Inference,
    /// Dropouts draw from this stream.
    Training(&'a mut Random),
}

impl Phase<'_> {
    /// The same phase, lent to a part.
    pub fn lend(&mut self) -> Phase<'_> {
        match self {
            Phase::Inference => Phase::Inference,
            Phase::Training(random) => Phase::Training(random),
        }
    }
}
