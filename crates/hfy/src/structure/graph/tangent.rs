//! The derivative of the solution of a graph.

use super::face::Face;
use super::normal::{Reached, subtract};
use crate::error::{Error, Result};

/// A derivative that is not known to this is an error.
const TOLERANCE: f64 = 1e-7;

/// The faces that the outputs of the factors lie on, so that `L`, the directions that stay on all of them, are those in
/// which the solution can move.
#[derive(Debug, Clone, Default)]
pub(super) struct Tangent {
    /// By factor.
    pub(super) faces: Vec<Face>,
    /// Which factors share variables with others.
    pub(super) coupled: Vec<bool>,
    /// Which variables cannot move, whatever the factors say.
    pub(super) fixed: Vec<bool>,
}

impl Tangent {
    /// `g ← J g`, where `J` is the projection onto `L`.
    pub(super) fn project(&self, g: &mut [f64]) -> Result<()> {
        g.iter_mut().zip(&self.fixed).filter(|(_, fixed)| **fixed).for_each(|(g, _)| *g = 0.0);
        let mut near = Vec::new();
        for (face, _) in self.faces.iter().zip(&self.coupled).filter(|(_, coupled)| !**coupled) {
            face.project(&face.gather(g), &mut near);
            face.variables.iter().zip(&near).for_each(|(&v, &d)| g[v] = d);
        }
        let coupled: Vec<&Face> =
            self.faces.iter().zip(&self.coupled).filter(|(_, coupled)| **coupled).map(|(face, _)| face).collect();
        let edges = coupled.iter().map(|face| face.variables.len()).sum();
        let size = g.iter().map(|g| g * g).sum::<f64>().sqrt();
        let Reached { residual, products } =
            subtract(&coupled, g, &vec![0.0; edges], &mut vec![0.0; edges], (size, 10 * edges + 100));
        if residual <= TOLERANCE {
            return Ok(());
        }
        let (what, tolerance) = ("the derivative of a factor graph", TOLERANCE);
        Err(Error::Unsolved { what, residual, tolerance, iterations: products })
    }

    /// The change of the higher-order parts of each factor with a direction of `L`.
    pub(super) fn higher(&self, direction: &[f64]) -> Vec<Vec<f64>> {
        self.faces.iter().map(|face| face.higher(face.gather(direction))).collect()
    }

    /// `g ← g + Σ_f H_fᵀ h_f`, up to what no direction of `L` has, for the `H_f` of [`higher`](Tangent::higher).
    pub(super) fn pull(&self, g: &mut [f64], h: &[Vec<f64>]) {
        for (face, h) in self.faces.iter().zip(h).filter(|(_, h)| !h.is_empty()) {
            face.variables.iter().zip(face.pull(h)).for_each(|(&v, d)| g[v] += d);
        }
    }
}
