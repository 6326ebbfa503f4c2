//! The problem of one factor.

use super::super::active_set::{ActiveSet, Status};
use super::super::sparse_map::Behind;
use super::super::vertex::Vertex;
use super::super::{SparseMap, Structure};
use super::face::{Face, Shape};
use super::factor::{Factor, Kind};
use super::{count, or_out, pair};
use crate::error::{Error, Result};

/// The output of a projection is known to this.
pub(super) const EXACT: f64 = 1e-13;
/// Calls of an oracle in one solve.
const LIMIT: usize = 100_000;

/// A factor with its higher-order scores, and what its last solve left for the next one.
#[derive(Debug)]
pub(super) struct Local<'g> {
    pub(super) factor: &'g Factor,
    number: usize,
    /// Of the higher-order parts.
    pub(super) scores: &'g [f64],
    active: ActiveSet,
    /// Of structures: their higher-order parts.
    parts: Vec<f64>,
    /// Of structures: the scores of the last solve less its output, and those of the higher-order parts.
    normal: Vec<f64>,
    scaled: Vec<f64>,
    pub(super) status: Status,
}

impl<'g> Local<'g> {
    /// Factor `number` of a graph.
    pub(super) fn new(factor: &'g Factor, number: usize, scores: &'g [f64]) -> Self {
        let parts = vec![0.0; scores.len()];
        let (normal, scaled) = (Vec::new(), Vec::new());
        Local { factor, number, scores, active: ActiveSet::default(), parts, normal, scaled, status: Status::Optimal }
    }

    /// `y ← argmax { s·y + scale η·e - |y|²/2 }` for the scores `s` in `y`, one of each variable.
    pub(super) fn project(&mut self, y: &mut [f64], scale: f64) -> Result<()> {
        self.turn(y);
        let left = match &self.factor.kind {
            Kind::Count { least, most } => count::project(y, *least, *most),
            Kind::OrOut => or_out::project(y),
            Kind::Pair(_) => pair::project(y, scale * self.scores[0]),
            Kind::Structured(structure) => {
                let structure = structure.as_ref();
                self.structured(structure, y, scale)?
            }
        };
        if !left {
            let value = format!("{}: {}", self.number, self.factor);
            return Err(Error::parameter("factor", value, "the masks leave it no assignment"));
        }
        self.turn(y);
        Ok(())
    }

    fn structured(&mut self, structure: &dyn Structure, y: &mut [f64], scale: f64) -> Result<bool> {
        let higher: Vec<f64> = self.scores.iter().map(|h| scale * h).collect();
        // A literal that must be on outscores whatever the others can say against it.
        let size = |scores: &[f64]| scores.iter().filter(|s| s.is_finite()).map(|s| s.abs()).sum::<f64>();
        let force = 2.0 * (size(y) + size(&higher) + y.len() as f64 + 1.0);
        let forced: Vec<usize> = (0..y.len()).filter(|&i| y[i] == f64::INFINITY).collect();
        forced.iter().for_each(|&i| y[i] = force);
        let best = match self.active.vertices.first() {
            Some(first) => first.clone(),
            None => {
                let mut best = Vertex::default();
                if structure.maximise(y, &higher, &mut best)? == f64::NEG_INFINITY {
                    return Ok(false);
                }
                best.sort();
                best
            }
        };
        if forced.iter().any(|i| !best.unary().indices().contains(i)) {
            return Ok(false);
        }
        self.status = self.active.solve(structure, (y, &higher), &best, LIMIT)?.status;
        self.normal = y.to_vec();
        self.active.marginals(y, &mut self.parts);
        self.normal.iter_mut().zip(&*y).for_each(|(n, y)| *n -= y);
        self.scaled = higher;
        Ok(true)
    }

    /// The higher-order parts, for the output `y` of the last solve.
    pub(super) fn higher(&self, y: &[f64]) -> Vec<f64> {
        match &self.factor.kind {
            Kind::Pair(_) => {
                let mut literals = y.to_vec();
                self.turn(&mut literals);
                vec![pair::both(&literals, self.scores[0])]
            }
            _ => self.parts.clone(),
        }
    }

    /// The face of the output `y` of the last solve, which is known to within the tolerance; of structures, what the
    /// active ones span of it.
    pub(super) fn face(&self, y: &[f64], tolerance: f64) -> Face {
        self.face_of(y, tolerance, |_, active| active)
    }

    /// The same, of structures too the whole face.
    pub(super) fn whole_face(&self, y: &[f64], tolerance: f64) -> Result<Face> {
        let mut failed = None;
        let face = self.face_of(y, tolerance, |structure, active| {
            match SparseMap::new(structure).face(self.normal.clone(), &self.scaled, &active) {
                Ok(wider) => wider.unwrap_or(active),
                Err(error) => {
                    failed = Some(error);
                    active
                }
            }
        });
        failed.map_or(Ok(face), Err)
    }

    fn face_of(&self, y: &[f64], tolerance: f64, span: impl FnOnce(&dyn Structure, ActiveSet) -> ActiveSet) -> Face {
        let mut literals = y.to_vec();
        self.turn(&mut literals);
        let shape = match &self.factor.kind {
            Kind::Count { least, most } => Shape::Flat(count::face(&literals, *least, *most, tolerance)),
            Kind::OrOut => Shape::Flat(or_out::face(&literals, tolerance)),
            Kind::Pair(_) => {
                let score = self.scores[0];
                Shape::Pair(pair::face(&literals, score, tolerance), [literals[0], literals[1]], score)
            }
            Kind::Structured(structure) => {
                let mut active = self.active.clone();
                active.drop_below(tolerance);
                Shape::Spanned(span(structure.as_ref(), active), self.parts.len())
            }
        };
        Face { variables: self.factor.variables.clone(), negated: self.factor.negated.clone(), shape }
    }

    /// The greatest `η·e` with the marginals `y`; `None` where `y` is not in the hull. Leaves what it found as the
    /// output of a solve.
    pub(super) fn behind(&mut self, y: &[f64], tolerance: f64) -> Result<Option<f64>> {
        let mut literals = y.to_vec();
        self.turn(&mut literals);
        if literals.iter().any(|y| !(*y >= -tolerance && *y <= 1.0 + tolerance)) {
            return Ok(None);
        }
        let slack = tolerance * literals.len() as f64;
        Ok(match &self.factor.kind {
            Kind::Count { least, most } => count::contains(&literals, *least, *most, slack).then_some(0.0),
            Kind::OrOut => or_out::contains(&literals, slack).then_some(0.0),
            Kind::Pair(_) if self.scores[0] == f64::NEG_INFINITY => {
                count::contains(&literals, 0, 1, slack).then_some(0.0)
            }
            Kind::Pair(_) => Some(self.scores[0] * pair::both(&literals, self.scores[0])),
            Kind::Structured(structure) => {
                let found = SparseMap::new(structure.as_ref()).behind(&literals, self.scores, tolerance)?;
                found.map(|Behind { solution, unary, higher }| {
                    self.normal = unary.iter().zip(&solution.marginals).map(|(s, y)| s - y).collect();
                    self.scaled = higher;
                    let parts = solution.higher.iter().zip(self.scores).filter(|(e, _)| **e != 0.0);
                    let score = parts.map(|(e, h)| e * h).sum();
                    (self.active, self.parts) = (solution.active, solution.higher);
                    score
                })
            }
        })
    }

    /// From variables to literals, and back.
    fn turn(&self, y: &mut [f64]) {
        y.iter_mut().zip(&self.factor.negated).filter(|(_, negated)| **negated).for_each(|(y, _)| *y = 1.0 - *y);
    }
}
