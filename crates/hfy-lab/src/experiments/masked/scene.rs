//! Memories and the cues that stand for them.

use ndarray::Array2;

use crate::data::Images;
use crate::experiment::{Random, memories};

/// The stream of random numbers that noise comes from; memories have another.
const NOISE: u64 = 1;

/// The memories of a repetition, and what is shown of them.
pub(super) struct Scene {
    pub(super) memories: Array2<f32>,
    shape: (usize, usize, usize),
    seed: u64,
}

impl Scene {
    /// The first `count` pictures of a seed.
    pub(super) fn new(images: &Images, seed: u64, count: usize) -> Self {
        Scene { memories: memories(images, seed, count), shape: images.shape(), seed }
    }

    /// Every memory with noise of this deviation, cut off at -1 and 1, then without the lower half of its rows, which
    /// become 0, a middle grey. The noise is the same at every deviation but for its size.
    pub(super) fn cues(&self, deviation: f64) -> Array2<f32> {
        let (_, height, width) = self.shape;
        let seen = height - height / 2;
        let mut random = Random::new(self.seed, NOISE);
        let mut cues = self.memories.clone();
        for mut cue in cues.rows_mut() {
            for (place, pixel) in cue.iter_mut().enumerate() {
                if deviation > 0.0 {
                    *pixel = (*pixel + (deviation * random.normal()) as f32).clamp(-1.0, 1.0);
                }
                if place / width % height >= seen {
                    *pixel = 0.0;
                }
            }
        }
        cues
    }
}

/// Above this cosine with its own memory a cue counts as retrieved.
const SUCCESS: f64 = 0.9;

/// Whether a state is that of its memory, from its product with it and the squares of both. What is not a number is
/// not.
pub(super) fn is_retrieved(product: f64, squares: (f64, f64)) -> bool {
    product / (squares.0.sqrt() * squares.1.sqrt()) > SUCCESS
}

/// The same from the memory and the state.
pub(super) fn matches(memory: &[f32], state: &[f32]) -> bool {
    let pairs = memory.iter().zip(state).map(|(a, b)| (f64::from(*a), f64::from(*b)));
    let (mut product, mut squares) = (0.0, (0.0, 0.0));
    for (a, b) in pairs {
        product += a * b;
        squares.0 += a * a;
        squares.1 += b * b;
    }
    is_retrieved(product, squares)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_half_is_hidden_in_every_channel_after_the_noise() {
        let images = Images::new((2, 3, 2), 1, (0..24).map(|v| 10 * v).collect(), vec![0, 0]).unwrap();
        let scene = Scene::new(&images, 7, 2);
        for deviation in [0.0, 4.0] {
            let cues = scene.cues(deviation);
            for (cue, memory) in cues.rows().into_iter().zip(scene.memories.rows()) {
                for place in 0..12 {
                    let hidden = place % 6 >= 4; // the last of three rows
                    assert_eq!(cue[place] == 0.0, hidden, "{deviation} {place}");
                    assert!(hidden || deviation > 0.0 || cue[place] == memory[place]);
                    assert!(cue[place].abs() <= 1.0);
                }
            }
        }
        assert_ne!(scene.cues(4.0), scene.cues(0.0));
        assert_eq!(scene.cues(4.0), scene.cues(4.0));
    }

    #[test]
    fn a_memory_matches_itself_at_any_length_and_nothing_else_does() {
        let memory = [0.5, -0.25, 1.0];
        assert!(matches(&memory, &memory.map(|v| 3.0 * v)));
        assert!(!matches(&memory, &memory.map(|v| -v)));
        assert!(!matches(&memory, &[f32::NAN, -0.25, 1.0]) && !matches(&memory, &[0.0; 3]));
    }
}
