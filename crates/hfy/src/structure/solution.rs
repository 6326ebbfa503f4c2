//! What SparseMAP found.

use super::active_set::{ActiveSet, Status};
use super::vertex::Vertex;
use crate::error::{Error, Result, check_len};

/// The solution of a SparseMAP problem.
#[derive(Debug, Clone)]
pub struct Solution {
    /// `y`: the probability of each variable.
    pub marginals: Vec<f64>,
    /// `e`: the probability of each higher-order part. Where several distributions over structures have the same `y`,
    /// that of the active structures; `higher · e` is the same for all.
    pub higher: Vec<f64>,
    /// The maximum, `Ω*(θ)`.
    pub value: f64,
    /// The structure with the best score, before regularisation.
    pub best: Vertex,
    /// How the solve ended.
    pub status: Status,
    /// The duality gap: at most so much is missing to the maximum, and `|y - y*|²` is at most twice that.
    pub gap: f64,
    /// How often the oracle was asked.
    pub iterations: usize,
    /// Factor between the derivative of the map and the projection onto the face: one half where both states are
    /// regularised.
    pub(super) slope: f64,
    pub(super) active: ActiveSet,
    /// The active structures and more that are as good, where the derivative needs them.
    pub(super) face: Option<ActiveSet>,
}

/// Derivatives of `g · (y, e)` in the scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Gradients {
    /// In the scores of the variables.
    pub unary: Vec<f64>,
    /// In the scores of the higher-order parts.
    pub higher: Vec<f64>,
}

impl Solution {
    /// The structures that share the probability, and what each has of it. There are at most as many as variables, and
    /// one.
    pub fn active(&self) -> &ActiveSet {
        &self.active
    }

    /// The structure that has all probability, exactly.
    pub fn exact(&self) -> Option<&Vertex> {
        match self.active.vertices.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// An error unless it is one.
    pub(super) fn optimal(self) -> Result<Self> {
        if self.status == Status::Optimal {
            return Ok(self);
        }
        let (residual, iterations) = (self.gap, self.iterations);
        Err(Error::Unsolved { what: "SparseMAP", residual, tolerance: 0.0, iterations })
    }

    /// Structures that span the smallest face that has the marginals inside.
    pub(super) fn face(&self) -> &ActiveSet {
        self.face.as_ref().unwrap_or(&self.active)
    }

    /// The derivative of `unary · y + higher · e`; an empty `higher` stands for zeros.
    ///
    /// With `M` the unary and `N` the higher-order parts of structures that span the face that the marginals lie inside
    /// of (the active ones, and others where these span less), the probabilities move with their scores as `Q`, the
    /// inverse of `[MᵀM 1; 1ᵀ 0]` without its last row and column. So this is `(M, N) Q (Mᵀ g + Nᵀ h)`; what none of
    /// these has, masked variables included, has derivative zero. At a kink, where a structure outside of that face is
    /// as good, it is one element of the generalised derivative.
    pub fn vjp(&self, unary: &[f64], higher: &[f64]) -> Result<Gradients> {
        check_len("g", unary.len(), self.marginals.len())?;
        let zeros = vec![0.0; if higher.is_empty() { self.higher.len() } else { 0 }];
        let higher = if higher.is_empty() { &zeros } else { higher };
        check_len("higher", higher.len(), self.higher.len())?;
        let mut gradients = Gradients { unary: vec![0.0; unary.len()], higher: vec![0.0; higher.len()] };
        if self.active.is_empty() {
            return Ok(gradients);
        }
        let face = self.face();
        let mut change = face.leads(unary, higher);
        face.project(&mut change);
        let base = &face.vertices[0];
        for (vertex, change) in face.vertices.iter().zip(&change).skip(1) {
            let weight = self.slope * change;
            vertex.difference(
                base,
                |i, part| gradients.unary[i] += weight * part,
                |i, part| gradients.higher[i] += weight * part,
            );
        }
        Ok(gradients)
    }
}

#[cfg(test)]
mod tests {
    use crate::structure::{AtMost, Sequence, SparseMap};

    #[test]
    fn derivatives_at_ties_span_the_whole_face() {
        // In the middle of a square two corners are enough for the marginals, but not for how they move.
        let square = SparseMap::new(AtMost::new(2).unwrap());
        let solution = square.solve(&[0.5, 0.5]).unwrap();
        assert!(solution.marginals.iter().all(|y| (y - 0.5).abs() < 1e-15));
        let unary = solution.vjp(&[1.0, 0.0], &[]).unwrap().unary;
        assert!((unary[0] - 1.0).abs() < 1e-14 && unary[1].abs() < 1e-14, "{unary:?}");

        // Equal scores: the map is the projection onto the plane of constant sums.
        let pairs = SparseMap::new(Sequence::new(2).unwrap());
        let unary = pairs.solve(&[0.0; 8]).unwrap().vjp(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], &[]).unwrap().unary;
        for (i, got) in unary.iter().enumerate() {
            let want = if i == 0 { 1.0 - 1.0 / 8.0 } else { -1.0 / 8.0 };
            assert!((got - want).abs() < 1e-13, "{unary:?}");
        }
    }
}
