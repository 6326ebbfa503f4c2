//! The active set method for SparseMAP.

use super::Structure;
use super::cholesky::Cholesky;
use super::vertex::Vertex;
use crate::error::Result;

/// A structure whose lead is within so many units of rounding of the terms that it was summed from leads by nothing.
const ROUNDING: f64 = 32.0 * f64::EPSILON;
/// The same where no structure is left that could improve on the active ones, as a share of squares too.
const STALLED: f64 = 4096.0 * f64::EPSILON;
/// A smaller share of one structure in another is none.
const SHARE: f64 = 1e-10;
/// Where a structure leads by so little, it is looked at again with corrected probabilities.
const NEAR: f64 = 1e-9;
/// Corrections of a solved system; the second is nearly always zero.
const CORRECTIONS: usize = 3;

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Status {
    /// No structure is better than the active ones, to within rounding.
    Optimal,
    /// The limit of iterations was reached; the marginals are feasible and the gap says how far they may be off.
    IterationLimit,
    /// Rounding kept the method from the optimum; the marginals are feasible and the gap says how far they may be off.
    Stalled,
}

/// Structures with probabilities, and the factor of their Gram matrix.
///
/// The unary parts of the active structures are affinely independent, so that every question about them has one answer.
#[derive(Debug, Clone, Default)]
pub struct ActiveSet {
    pub(super) vertices: Vec<Vertex>,
    pub(super) weights: Vec<f64>,
    /// By how much each outscores the structure that the solve started from.
    scores: Vec<f64>,
    cholesky: Cholesky,
}

/// What a solve says about itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) status: Status,
    pub(super) gap: f64,
    pub(super) iterations: usize,
}

impl ActiveSet {
    /// Forgets every structure, so that the next solve starts from the best one.
    pub fn clear(&mut self) {
        self.vertices.clear();
        self.weights.clear();
        self.scores.clear();
        self.cholesky.clear();
    }

    /// The structures and their probabilities.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Vertex, f64)> {
        self.vertices.iter().zip(self.weights.iter().copied())
    }

    /// How many structures are active.
    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.vertices.is_empty()
    }

    /// Ends at `argmax { unary·y + higher·e - |y|²/2 }` over the convex hull of the structures, from wherever it
    /// stands.
    ///
    /// `best` is a structure with the best score. Every round solves the problem on the active structures, dropping
    /// those that lose their probability on the way, and asks for the structure that the residual scores `unary - y`
    /// favour most. Where none leads the active ones, no other point of the hull is better.
    pub(super) fn solve(
        &mut self,
        structure: &(impl Structure + ?Sized),
        (unary, higher): (&[f64], &[f64]),
        best: &Vertex,
        limit: usize,
    ) -> Result<Run> {
        let score = |vertex: &Vertex| vertex.lead(best, unary, higher);
        if self.is_empty() || !self.vertices.iter().all(|vertex| vertex.is_allowed(unary, higher)) {
            self.clear();
            self.enter(best.clone(), 0.0);
            self.weights[0] = 1.0;
        }
        self.scores = self.vertices.iter().map(score).collect();
        let mut marginals = vec![0.0; unary.len()];
        let mut residual = vec![0.0; unary.len()];
        let mut candidate = Vertex::default();
        let (mut iterations, mut corrections, mut stuck) = (0, 0, false);
        loop {
            stuck |= self.settle(&mut marginals, corrections);
            residual.iter_mut().zip(unary).zip(&marginals).for_each(|((r, s), y)| *r = s - y);
            candidate.clear();
            structure.maximise(&residual, higher, &mut candidate)?;
            candidate.sort();
            iterations += 1;
            let ahead = score(&candidate);
            let (gap, size) = self.gap(&candidate, ahead, &marginals);
            let stalled = stuck || self.vertices.contains(&candidate);
            if corrections == 0 && self.len() > 1 && (stalled || gap <= NEAR * size) {
                // Near the end the last bits decide.
                corrections = CORRECTIONS;
                continue;
            }
            let rounding = if stalled { STALLED * (size + self.square(&candidate)) } else { ROUNDING * size };
            let optimal = gap <= rounding;
            if optimal || stalled || iterations >= limit {
                let status = match (optimal, stalled) {
                    (true, _) => Status::Optimal,
                    (false, true) => Status::Stalled,
                    (false, false) => Status::IterationLimit,
                };
                return Ok(Run { status, gap: gap.max(0.0), iterations });
            }
            self.enter(candidate.clone(), ahead);
            (corrections, stuck) = (0, false);
        }
    }

    /// `y`, exact where all structures agree.
    pub(super) fn marginals(&self, unary: &mut [f64], higher: &mut [f64]) {
        unary.fill(0.0);
        higher.fill(0.0);
        let Some(base) = self.heaviest() else { return };
        self.vertices[base].unary().add_to(1.0, unary);
        self.vertices[base].higher().add_to(1.0, higher);
        for (v, (vertex, weight)) in self.iter().enumerate() {
            if v != base {
                vertex.difference(
                    &self.vertices[base],
                    |i, change| unary[i] += weight * change,
                    |i, change| higher[i] += weight * change,
                );
            }
        }
    }

    /// `w ← Q w` for the derivatives: the change of the probabilities, summing to zero, whose image is nearest to the
    /// vector that has the product `w_v` with structure `v`.
    pub(super) fn project(&self, products: &mut [f64]) {
        let size = products.len();
        let mut sides = products.to_vec();
        sides.resize(2 * size, 1.0);
        self.cholesky.solve(&mut sides);
        let (solved, ones) = sides.split_at(size);
        let level = solved.iter().sum::<f64>() / ones.iter().sum::<f64>();
        for ((w, x), z) in products.iter_mut().zip(solved).zip(ones) {
            *w = x - level * z;
        }
    }

    /// The leads of the structures over the first of them.
    pub(super) fn leads(&self, unary: &[f64], higher: &[f64]) -> Vec<f64> {
        let first = &self.vertices[0];
        self.vertices.iter().map(|vertex| vertex.lead(first, unary, higher)).collect()
    }

    /// Makes a direction orthogonal to all differences of the unary parts; `still` has a zero for every higher-order
    /// part.
    pub(super) fn remove_span(&self, direction: &mut [f64], still: &[f64]) {
        let mut change = self.leads(direction, still);
        self.project(&mut change);
        let base = &self.vertices[0];
        for (vertex, change) in self.vertices.iter().zip(&change).skip(1) {
            vertex.difference(base, |i, part| direction[i] -= change * part, |_, _| {});
        }
    }

    /// Adds a structure with probability zero, unless its unary part is a blend of the active ones.
    pub(super) fn append(&mut self, vertex: &Vertex, score: f64) -> bool {
        let mut column: Vec<f64> = self.vertices.iter().map(|other| extended_product(other, vertex)).collect();
        let independent = self.cholesky.append(&mut column, extended_product(vertex, vertex));
        if independent {
            self.push(vertex.clone(), score, 0.0);
        }
        independent
    }

    fn heaviest(&self) -> Option<usize> {
        (0..self.len()).max_by(|&a, &b| self.weights[a].total_cmp(&self.weights[b]))
    }

    /// Solves the problem on the active structures, of which it drops those that would get a probability below zero,
    /// and leaves `y`. Whether the structure that entered last left again at once, so that its lead was rounding.
    fn settle(&mut self, marginals: &mut [f64], corrections: usize) -> bool {
        let (mut stuck, mut untouched, mut solved) = (false, true, 0);
        loop {
            if let [weight] = &mut self.weights[..] {
                *weight = 1.0;
                self.blend(marginals);
                return stuck;
            }
            self.blend(marginals);
            let mut step: Vec<f64> =
                self.vertices.iter().zip(&self.scores).map(|(v, score)| score - v.unary().dot(marginals)).collect();
            self.project(&mut step);
            let (mut length, mut first) = (1.0, None);
            for (at, (weight, step)) in self.weights.iter().zip(&step).enumerate() {
                if *step < 0.0 && -weight / step < length {
                    (length, first) = (-weight / step, Some(at));
                }
            }
            let largest = step.iter().fold(0.0, |top: f64, s| top.max(s.abs()));
            for (at, (weight, step)) in self.weights.iter_mut().zip(&step).enumerate() {
                // The one that blocks arrives at zero, whatever rounding says: of huge scores, `length` may be zero.
                let blocked = first == Some(at) || length < 1.0 && *step < 0.0 && *weight <= length * -step;
                *weight = if blocked { 0.0 } else { (*weight + length * step).max(0.0) };
            }
            if length < 1.0 {
                // Whatever else has nothing to lose came to that by a step of this round.
                stuck |= length == 0.0 && untouched;
                untouched = false;
                self.drop_empty();
                continue;
            }
            untouched = false;
            solved += 1;
            if solved > corrections || largest <= ROUNDING {
                self.drop_empty();
                self.blend(marginals);
                return stuck;
            }
        }
    }

    fn normalise(&mut self) {
        let total: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|w| *w /= total);
    }

    /// `y`, after the probabilities were made to sum to one.
    fn blend(&mut self, marginals: &mut [f64]) {
        self.normalise();
        marginals.fill(0.0);
        for (vertex, weight) in self.iter() {
            vertex.unary().add_to(weight, marginals);
        }
    }

    /// By how much `candidate` leads the active structures in the mean, which bounds what is missing to the optimum,
    /// and the size of the terms of that.
    fn gap(&self, candidate: &Vertex, ahead: f64, marginals: &[f64]) -> (f64, f64) {
        let product = |vertex: &Vertex| vertex.unary().dot(marginals);
        let own = product(candidate);
        let (mut mean, mut size) = (0.0, ahead.abs() + own.abs());
        for ((vertex, weight), score) in self.iter().zip(&self.scores) {
            let product = product(vertex);
            mean += weight * (score - product);
            size += weight * (score.abs() + product.abs());
        }
        (ahead - own - mean, size)
    }

    /// The largest `|a|²`, of the candidate too.
    fn square(&self, candidate: &Vertex) -> f64 {
        let squares = self.vertices.iter().chain([candidate]).map(|vertex| vertex.unary().product(vertex.unary()));
        squares.fold(0.0, f64::max)
    }

    /// Adds a structure with probability zero; or, where its unary part is a blend of the active ones, moves along that
    /// blend until one of them has no probability left, and puts it in the place of that one.
    fn enter(&mut self, vertex: Vertex, score: f64) {
        if self.append(&vertex, score) {
            return;
        }
        let mut blend: Vec<f64> = self.vertices.iter().map(|other| extended_product(other, &vertex)).collect();
        self.cholesky.solve(&mut blend);
        let (mut length, mut leaving) = (f64::INFINITY, 0);
        for (v, (weight, share)) in self.weights.iter().zip(&blend).enumerate() {
            if *share > SHARE && weight / share < length {
                (length, leaving) = (weight / share, v);
            }
        }
        self.weights.iter_mut().zip(&blend).for_each(|(weight, share)| *weight = (*weight - length * share).max(0.0));
        self.remove(leaving);
        if self.append(&vertex, score)
            && let Some(weight) = self.weights.last_mut()
        {
            *weight = length;
        }
    }

    fn push(&mut self, vertex: Vertex, score: f64, weight: f64) {
        self.vertices.push(vertex);
        self.scores.push(score);
        self.weights.push(weight);
    }

    fn drop_empty(&mut self) {
        self.drop_below(0.0);
    }

    /// Gives the probabilities that are at most `floor` to the other structures.
    pub(super) fn prune(&mut self, floor: f64) {
        self.drop_below(floor);
        self.normalise();
    }

    /// Drops the structures whose probability is at most `floor`, but for the last one.
    pub(super) fn drop_below(&mut self, floor: f64) {
        for at in (0..self.len()).rev() {
            if self.weights[at] <= floor && self.len() > 1 {
                self.remove(at);
            }
        }
    }

    fn remove(&mut self, at: usize) {
        self.vertices.remove(at);
        self.weights.remove(at);
        self.scores.remove(at);
        self.cholesky.remove(at);
    }
}

/// `a·b + 1`: the extra one makes affine independence linear.
fn extended_product(a: &Vertex, b: &Vertex) -> f64 {
    1.0 + a.unary().product(b.unary())
}
