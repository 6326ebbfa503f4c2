//! The derivative of the solution of a graph.

use super::face::Face;
use crate::error::{Error, Result};

/// A product that is so much smaller than what it came from is rounding.
const ROUNDING: f64 = 1e-14;
/// A derivative that is not known to this is an error.
const TOLERANCE: f64 = 1e-7;

/// The faces that the outputs of the factors lie on, so that `L`, the directions that stay on all of them, are those in which
/// the solution can move.
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
    ///
    /// Directions that leave a face are `N c = Σ_f (I - P_f) c_f`, and what is left of `g` after subtracting the nearest of them
    /// is in `L`. That is a least-squares problem; conjugate gradients solve it (CGLS), with one product an iteration.
    pub(super) fn project(&self, g: &mut [f64]) -> Result<()> {
        g.iter_mut().zip(&self.fixed).filter(|(_, fixed)| **fixed).for_each(|(g, _)| *g = 0.0);
        let mut near = Vec::new();
        for (face, _) in self.faces.iter().zip(&self.coupled).filter(|(_, coupled)| !**coupled) {
            face.project(g, &mut near);
            face.variables.iter().zip(&near).for_each(|(&v, &d)| g[v] = d);
        }
        let coupled: Vec<&Face> =
            self.faces.iter().zip(&self.coupled).filter(|(_, coupled)| **coupled).map(|(face, _)| face).collect();
        let outside = |g: &[f64], out: &mut Vec<f64>, near: &mut Vec<f64>| {
            out.clear();
            for face in &coupled {
                face.project(g, near);
                out.extend(face.variables.iter().zip(&*near).map(|(&v, d)| g[v] - d));
            }
        };
        let square = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
        let size = square(g);
        let mut normal = Vec::new();
        outside(g, &mut normal, &mut near);
        let mut direction = normal.clone();
        let mut left = square(&normal);
        let limit = 10 * normal.len() + 100;
        let mut image = vec![0.0; g.len()];
        for _ in 0..limit {
            if left <= ROUNDING * ROUNDING * size {
                return Ok(());
            }
            image.fill(0.0);
            let variables = coupled.iter().flat_map(|face| &face.variables);
            variables.zip(&direction).for_each(|(&v, d)| image[v] += d);
            let length = left / square(&image);
            g.iter_mut().zip(&image).for_each(|(g, i)| *g -= length * i);
            outside(g, &mut normal, &mut near);
            let now = square(&normal);
            direction.iter_mut().zip(&normal).for_each(|(d, n)| *d = n + now / left * *d);
            left = now;
        }
        let residual = (left / size).sqrt();
        if residual <= TOLERANCE {
            return Ok(());
        }
        Err(Error::Unsolved {
            what: "the derivative of a factor graph",
            residual,
            tolerance: TOLERANCE,
            iterations: limit,
        })
    }

    /// The change of the higher-order parts of each factor with a direction of `L`.
    pub(super) fn higher(&self, direction: &[f64]) -> Vec<Vec<f64>> {
        self.faces.iter().map(|face| face.higher(direction)).collect()
    }
}
