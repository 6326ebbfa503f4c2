//! Which pattern each point of the plane goes to.

use hfy::network::Step;
use hfy::{Map, Network, Post, Scaled};
use serde::{Deserialize, Serialize};

use super::super::evenness::evenness;
use super::sets::{Frame, SETS, Set};
use crate::error::Result;
use crate::experiment::Bench;

/// Updates of each point.
pub(super) const UPDATES: usize = 50;
/// Weights of softmax that count, as in the paper's count of metastable states.
const SOFTMAX_FLOOR: f64 = 0.01;

/// What decides the basins of one map in all sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Terms {
    /// The post-transformation.
    pub(super) post: String,
    /// What is added to a length before it divides, where the published code does so.
    pub(super) shortfall: Option<f64>,
    /// The separation map.
    pub(super) map: String,
    pub(super) beta: f64,
    /// How near to a pattern counts as there, each of them apart.
    pub(super) tolerances: Vec<f64>,
    /// Points a side of the grid.
    pub(super) side: usize,
}

/// One panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Basin {
    pub(super) frame: Frame,
    /// Patterns in their first two coordinates.
    pub(super) patterns: Vec<[f64; 2]>,
    /// For each tolerance one digit a point, row after row from below: 0 for none, or the number of the pattern from 1.
    pub(super) labels: Vec<String>,
    /// Of the points that go to no pattern by the first tolerance: over how many patterns their weights are spread, and
    /// how evenly, 1 for a plain average. Means over these points.
    pub(super) spread: Option<Spread>,
}

/// What the weights of metastable states are like.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Spread {
    pub(super) points: usize,
    pub(super) size: f64,
    pub(super) evenness: f64,
}

impl Basin {
    /// The share of the points that go to a pattern.
    pub(super) fn retrieved(&self, tolerance: usize) -> f64 {
        let labels = self.labels[tolerance].as_bytes();
        labels.iter().filter(|label| **label != b'0').count() as f64 / labels.len() as f64
    }

    /// How many patterns some point goes to.
    pub(super) fn reached(&self, tolerance: usize) -> usize {
        (1..=self.patterns.len()).filter(|k| self.labels[tolerance].contains(&k.to_string())).count()
    }
}

impl Terms {
    /// The panels of all sets.
    pub(super) fn compute(&self, bench: &Bench<'_>) -> Result<Vec<Basin>> {
        SETS.iter().enumerate().map(|(done, index)| self.panel(*index, done, bench)).collect()
    }

    fn panel(&self, index: usize, done: usize, bench: &Bench<'_>) -> Result<Basin> {
        let post: Post = self.post.parse()?;
        let set = Set::of(index, &post)?;
        let floor = if self.map == "softmax" { SOFTMAX_FLOOR } else { 0.0 };
        let network = Network::new(Scaled::with_beta(self.map.parse::<Map>()?, self.beta)?, post, &set.patterns)?;
        let frame = set.frame((0.1, 0.1));
        let mut labels = vec![String::new(); self.tolerances.len()];
        let (mut lost, mut sizes, mut evens) = (0_usize, 0_usize, 0.0);
        let mut step = Step::default();
        for (place, mut state) in frame.points(self.side, set.width()).enumerate() {
            if place % self.side == 0 {
                bench.done(done * self.side * self.side + place, SETS.len() * self.side * self.side)?;
            }
            for _ in 0..UPDATES {
                network.step_into(&state, &mut step)?;
                if let Some(shortfall) = self.shortfall {
                    step.state.clone_from(&step.projection);
                    shortened(&mut step.state, shortfall);
                }
                // From a fixed point on nothing changes.
                if state == step.state {
                    break;
                }
                state.clone_from(&step.state);
            }
            for (labels, tolerance) in labels.iter_mut().zip(&self.tolerances) {
                labels.push(label(&set, &state, *tolerance));
            }
            if labels.first().is_some_and(|labels| labels.ends_with('0')) {
                let (count, even) = evenness(&step.weights, floor);
                lost += 1;
                sizes += count;
                evens += even;
            }
        }
        let points = lost as f64;
        let spread = Spread { points: lost, size: sizes as f64 / points, evenness: evens / points };
        Ok(Basin {
            frame,
            patterns: set.patterns.rows().into_iter().map(|row| [row[0], row[1]]).collect(),
            labels,
            spread: (lost > 0).then_some(spread),
        })
    }
}

/// The l2 normalisation of the published code, which leaves what is shorter than `shortfall` as it is.
fn shortened(state: &mut [f64], shortfall: f64) {
    let length = state.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length > shortfall {
        state.iter_mut().for_each(|v| *v /= length + shortfall);
    }
}

/// The digit of the last pattern that is nearer than a tolerance.
fn label(set: &Set, state: &[f64], tolerance: f64) -> char {
    let near = set.distances(state).enumerate().filter(|(_, distance)| *distance < tolerance).last();
    near.map_or('0', |(index, _)| char::from(b'1' + index as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_states_stay_and_long_ones_fall_short() {
        let mut state = [3.0, 4.0];
        shortened(&mut state, 1.0);
        assert_eq!(state, [0.5, 4.0 / 6.0]);
        let mut state = [1e-7, 0.0];
        shortened(&mut state, 1e-6);
        assert_eq!(state, [1e-7, 0.0]);
    }
}
