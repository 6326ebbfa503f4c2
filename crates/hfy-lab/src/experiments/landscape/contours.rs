//! The energy over the plane, and the way that a query takes on it.

use hfy::network::Parts;
use hfy::{Convex, Map, Network, Post, Scaled};
use serde::{Deserialize, Serialize};

use super::sets::{Frame, SETS, Set};
use crate::error::Result;
use crate::experiment::Bench;

/// Which energy is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Energy {
    /// That of the network.
    Own,
    /// That of the published code, which takes the 2-norm of the weights whatever the γ of normmax is.
    TwoNorm,
}

/// What decides the energies and the trajectories of one map over all sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Terms {
    /// The post-transformation.
    pub(super) post: String,
    /// The separation map.
    pub(super) map: String,
    pub(super) energy: Energy,
    pub(super) beta: f64,
    /// Points a side of the grid.
    pub(super) side: usize,
    /// Updates of the trajectory.
    pub(super) updates: usize,
}

/// One panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Contour {
    pub(super) frame: Frame,
    /// Patterns in their first two coordinates.
    pub(super) patterns: Vec<[f64; 2]>,
    /// Energies on the grid, row after row from below. Where Ψ is infinite it is left out, so that lines can be drawn
    /// up to the border of its domain.
    pub(super) energies: Vec<f64>,
    /// How many points of the grid lie in the domain of Ψ.
    pub(super) inside: usize,
    /// How many of the others have a finite energy, and of those an infinite one.
    pub(super) misplaced: usize,
    /// States in their first two coordinates, from the start until they no longer move.
    pub(super) path: Vec<[f64; 2]>,
    /// The last state.
    pub(super) end: Vec<f64>,
    /// The weights that made it.
    pub(super) weights: Vec<f64>,
    /// The distance from the last state to the next pattern.
    pub(super) distance: f64,
    /// How far states after the first update are from the length and from the sum that the last one has to have, at
    /// most.
    pub(super) off_sphere: f64,
    pub(super) off_plane: f64,
    /// By how much the drawn energy rises in one update, at most.
    pub(super) rise: f64,
}

type Net<'a> = Network<'a, f64, Scaled<Map>, Post>;

impl Terms {
    /// The panels of all sets.
    pub(super) fn compute(&self, bench: &Bench<'_>) -> Result<Vec<Contour>> {
        let panel = |(done, index): (usize, &usize)| {
            bench.done(done, SETS.len())?;
            self.panel(*index)
        };
        SETS.iter().enumerate().map(panel).collect()
    }

    fn panel(&self, index: usize) -> Result<Contour> {
        let post: Post = self.post.parse()?;
        let set = Set::of(index, &post)?;
        let radius = match &post {
            Post::Ball(ball) => Some(ball.radius()),
            Post::LayerNorm(norm) => Some(norm.radius(set.width())),
            _ => None,
        };
        let network = Network::new(Scaled::with_beta(self.map.parse::<Map>()?, self.beta)?, post, &set.patterns)?;
        // Set 0 is wider than high, and gets more room.
        let frame = set.frame((0.1, if index == 0 { 0.3 } else { 0.1 }));
        let (mut energies, mut inside, mut misplaced) = (Vec::new(), 0, 0);
        for point in frame.points(self.side, set.width()) {
            let energy = self.energy(&network, &point)?;
            let is_inside = radius.is_none_or(|radius| length(&point) <= radius);
            inside += usize::from(is_inside);
            misplaced += usize::from(is_inside != energy.total().is_finite());
            let height = if energy.convex.is_finite() { energy.total() } else { energy.concave };
            // Six decimals are more than a figure shows.
            energies.push((height * 1e6).round() / 1e6);
        }

        let mut path = vec![set.start.clone()];
        let mut weights = Vec::new();
        for _ in 0..self.updates {
            let step = network.step(path.last().expect("it has a start"))?;
            weights = step.weights;
            // From a fixed point on nothing changes.
            if path.last() == Some(&step.state) {
                break;
            }
            path.push(step.state);
        }
        let end = path.last().cloned().unwrap_or_default();
        let heights =
            path.iter().map(|state| Ok(self.energy(&network, state)?.total())).collect::<Result<Vec<f64>>>()?;
        let rise = heights.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::NEG_INFINITY, f64::max);
        let after = || path.iter().skip(1);
        Ok(Contour {
            frame,
            patterns: set.patterns.rows().into_iter().map(|row| [row[0], row[1]]).collect(),
            energies,
            inside,
            misplaced,
            distance: set.distances(&end).fold(f64::INFINITY, f64::min),
            off_sphere: after().map(|q| radius.map_or(0.0, |r| (length(q) - r).abs())).fold(0.0, f64::max),
            off_plane: after()
                .map(|q| if q.len() == 3 { q.iter().sum::<f64>().abs() } else { 0.0 })
                .fold(0.0, f64::max),
            rise,
            path: path.iter().map(|state| [state[0], state[1]]).collect(),
            end,
            weights,
        })
    }

    /// The energy that is drawn, moved as the paper's normalised one is.
    fn energy(&self, network: &Net<'_>, query: &[f64]) -> Result<Parts<f64>> {
        let own = network.energy_parts(query)?;
        let square = network.keys().rows().into_iter().map(|row| row.dot(&row)).fold(0.0, f64::max);
        let (beta, map) = (network.omega().beta(), network.omega().inner());
        let concave = match self.energy {
            Energy::Own => own.concave + network.omega().conjugate(&vec![0.0; network.count()])?,
            Energy::TwoNorm => {
                let scores: Vec<f64> = network.scores(query)?.iter().map(|score| beta * score).collect();
                let weights = map.apply(&scores)?;
                let gain: f64 = scores.iter().zip(&weights).map(|(score, weight)| score * weight).sum();
                let uniform = (network.count() as f64).sqrt().recip();
                (length(&weights) - uniform - gain) / beta
            }
        };
        Ok(Parts { concave: concave + square / 2.0, convex: own.convex })
    }
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(map: &str, energy: Energy) -> Terms {
        Terms { post: "identity".into(), map: map.into(), energy, beta: 1.0, side: 5, updates: 1000 }
    }

    #[test]
    fn the_2_norm_is_the_energy_of_2_normmax_and_of_no_other() {
        for (map, same) in [("normmax:2", true), ("normmax:5", false)] {
            let own = terms(map, Energy::Own).panel(9).unwrap();
            let code = terms(map, Energy::TwoNorm).panel(9).unwrap();
            let gap = |(a, b): (&f64, &f64)| (a - b).abs();
            let gap = own.energies.iter().zip(&code.energies).map(gap).fold(0.0, f64::max);
            assert_eq!(gap < 2e-6, same, "{map}: {gap}");
        }
    }

    #[test]
    fn sparsemax_ends_at_a_pattern_and_goes_downhill() {
        let panel = terms("sparsemax", Energy::Own).panel(0).unwrap();
        assert!(panel.distance < 1e-12 && panel.rise <= 1e-15, "{panel:?}");
        let half = -std::f64::consts::FRAC_1_SQRT_2;
        assert!(panel.end.iter().all(|v| (v - half).abs() < 1e-12), "{:?}", panel.end);
    }
}
