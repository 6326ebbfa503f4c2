//! Sets of patterns in the plane, with a query each, and the post-transformations under which they are looked at.

use hfy::{Ball, Convex, Entmax, Network, Post, post::Identity};
use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::experiment::Mode;

/// The numbers of the sets that are shown, out of ten that the published code draws.
pub(in super::super) const SETS: [usize; 4] = [0, 3, 8, 9];

/// The post-transformation of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Psi {
    /// What is retrieved is the next state.
    Identity,
    /// It is brought to length 1.
    L2,
    /// It is centred and brought to deviation 1, with the unbiased variance.
    LayerNorm,
    /// The same with the biased variance.
    LayerNormBiased,
}

impl Psi {
    /// The transformation of a reading, as text. The published code has 1e-8 under the root of layer normalisation,
    /// with which its image is no longer the sphere; without it, Ψ is the indicator that the paper states.
    pub(in super::super) fn post(self, mode: Mode) -> &'static str {
        match (self, mode) {
            (Psi::Identity, _) => "identity",
            (Psi::L2, _) => "l2",
            (Psi::LayerNorm, Mode::Printed) => "layernorm:eps=1e-8,variance=unbiased",
            (Psi::LayerNorm, Mode::Defined) => "layernorm:variance=unbiased",
            (Psi::LayerNormBiased, Mode::Printed) => "layernorm:eps=1e-8",
            (Psi::LayerNormBiased, Mode::Defined) => "layernorm",
        }
    }
}

/// Patterns with a query, ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Set {
    /// One a row: of length 1, or layer-normalised.
    pub(super) patterns: Array2<f64>,
    /// Where the trajectory begins: what softmax at β = 1 retrieves for the query of the set.
    pub(super) start: Vec<f64>,
}

impl Set {
    /// A set under a post-transformation. Patterns are l2-normalised without one, too.
    pub(super) fn of(index: usize, post: &Post) -> Result<Self> {
        let (rows, query) = drawn(index);
        let centred = matches!(post, Post::LayerNorm(_));
        let width = if centred { 3 } else { 2 };
        let mut patterns: Vec<f64> = rows.iter().flat_map(|row| placed(*row, centred)).collect();
        let normal = if centred { post.clone() } else { Post::from(Ball::UNIT) };
        for row in patterns.chunks_mut(width) {
            normal.argmax(row)?;
        }
        let patterns = Array2::from_shape_vec((rows.len(), width), patterns).expect("every row has its entries");
        let start = Network::new(Entmax::SOFTMAX, Identity, &patterns)?.step(&placed(query, centred))?.state;
        Ok(Set { patterns, start })
    }

    /// The rectangle around the patterns in their first two coordinates, with some room beside and above.
    pub(super) fn frame(&self, (beside, above): (f64, f64)) -> Frame {
        let ends = |column: usize, room: f64| {
            let values = self.patterns.index_axis(Axis(1), column);
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (low - room, high + room)
        };
        Frame { x: ends(0, beside), y: ends(1, above) }
    }

    /// How far a state is from each pattern.
    pub(super) fn distances(&self, state: &[f64]) -> impl Iterator<Item = f64> {
        self.patterns
            .rows()
            .into_iter()
            .map(move |row| row.iter().zip(state).map(|(x, q)| (x - q).powi(2)).sum::<f64>().sqrt())
    }

    /// How many coordinates a state has.
    pub(super) fn width(&self) -> usize {
        self.patterns.ncols()
    }
}

/// A rectangle of the plane.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Frame {
    /// From left to right.
    pub(super) x: (f64, f64),
    /// From below to above.
    pub(super) y: (f64, f64),
}

impl Frame {
    /// A grid of points, `side` a side, row after row from below, each as a state of `width` coordinates.
    pub(super) fn points(self, side: usize, width: usize) -> impl Iterator<Item = Vec<f64>> {
        let at = move |(low, high): (f64, f64), k: usize| low + (high - low) * k as f64 / (side - 1) as f64;
        let places = (0..side).flat_map(move |row| (0..side).map(move |column| (row, column)));
        places.map(move |(row, column)| placed([at(self.x, column), at(self.y, row)], width == 3))
    }
}

/// A point of the plane; with a third coordinate that makes the sum zero, where states are centred.
fn placed([x, y]: [f64; 2], centred: bool) -> Vec<f64> {
    if centred { vec![x, y, -x - y] } else { vec![x, y] }
}

/// A set as it was drawn: patterns and a query. Set 0 was put in by hand.
fn drawn(index: usize) -> (Vec<[f64; 2]>, [f64; 2]) {
    match index {
        0 => (vec![[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]], [0.0, 0.0]),
        3 => (
            vec![
                [0.1497797078, -0.2088939200],
                [-0.3870209467, 0.9912377875],
                [0.4679030502, -0.2049319101],
                [-0.7409071350, 0.3618396380],
                [1.9198992742, -0.2253875632],
            ],
            [-0.3416974768, 0.3040127520],
        ),
        8 => (
            vec![
                [-1.2753023641, -0.4757517501],
                [2.3839444461, 0.9157298972],
                [-0.6429603129, 0.7113185240],
                [0.3999778378, -1.2039215206],
                [-0.4197524254, -1.1928907140],
            ],
            [-0.9350629389, 0.2138027822],
        ),
        _ => (
            vec![
                [-1.2842116388, -0.6916777113],
                [-0.5359472373, 0.3355220276],
                [0.2469366124, 0.0324307640],
                [0.4056879926, 1.6181184071],
                [0.3931549006, -0.2147795555],
            ],
            [1.2651191543, -0.3178068471],
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_set_9_is_the_published_one() {
        let set = Set::of(9, &Psi::Identity.post(Mode::Printed).parse().unwrap()).unwrap();
        assert!((set.start[0] - 0.71178).abs() < 5e-6 && (set.start[1] + 0.03674).abs() < 5e-6, "{:?}", set.start);
    }

    #[test]
    fn layer_normalised_patterns_lie_on_the_circle_that_the_variance_gives() {
        for (psi, square) in [(Psi::LayerNorm, 2.0), (Psi::LayerNormBiased, 3.0)] {
            let set = Set::of(8, &psi.post(Mode::Defined).parse().unwrap()).unwrap();
            for row in set.patterns.rows() {
                assert!((row.dot(&row) - square).abs() < 1e-12 && row.sum().abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_grid_goes_from_edge_to_edge() {
        let frame = Frame { x: (0.0, 1.0), y: (-1.0, 3.0) };
        let points: Vec<Vec<f64>> = frame.points(3, 3).collect();
        assert_eq!((points.len(), &points[0], &points[5]), (9, &vec![0.0, -1.0, 1.0], &vec![1.0, 1.0, -2.0]));
    }
}
