//! The structures that could take the place of one.

use super::vertex::Vertex;
use super::{Regulariser, SparseMap, Structure};
use crate::error::{Error, Result};

/// A structure and all others, asked about by the oracle alone.
///
/// Structures have entries of zero and one here, so that in how many variables another differs is linear in it.
#[derive(Debug)]
pub(crate) struct Rivals<'s, S> {
    map: &'s SparseMap<S>,
    vertex: &'s Vertex,
}

/// A few more rounds than Newton's method on a ratio ever needs.
const ROUNDS: usize = 100;

impl<'s, S: Structure> Rivals<'s, S> {
    pub(crate) fn new(map: &'s SparseMap<S>, vertex: &'s Vertex) -> Result<Self> {
        if vertex.unary().values().iter().all(|&value| value == 1.0) {
            return Ok(Rivals { map, vertex });
        }
        Err(Error::Unsupported { function: "a structure whose entries are not zero and one", what: "certificates" })
    }

    /// How many states of a variable are regularised.
    fn states(&self) -> f64 {
        match self.map.which() {
            Regulariser::On => 1.0,
            Regulariser::Both => 2.0,
        }
    }

    /// The structure that comes nearest to being as good as this one at the gradient there, and by how much it falls
    /// short.
    pub(crate) fn nearest(&self, scores: &[f64]) -> Result<Option<(Vertex, f64)>> {
        let higher = self.map.structure().higher(scores.len())?;
        Ok(self.next(&self.gradient(scores), &higher)?.map(|(rival, lead)| (rival, -lead)))
    }

    /// The least lead in score over any other.
    pub(crate) fn separation(&self, scores: &[f64]) -> Result<f64> {
        let higher = self.map.structure().higher(scores.len())?;
        Ok(self.next(scores, &higher)?.map_or(f64::INFINITY, |(_, lead)| -lead))
    }

    /// The largest squared distance to any other, over the regularised states.
    pub(crate) fn distance(&self, variables: usize) -> Result<f64> {
        Ok(self.states() * self.farthest(variables, 1.0)?)
    }

    /// The largest `∇Ω(a)·(a - a')` over the others: a lead in score that suffices. Half of the squared distance
    /// where all structures have as many variables, or both states are regularised.
    pub(crate) fn weight(&self, variables: usize) -> Result<f64> {
        self.farthest(variables, self.states() - 1.0)
    }

    /// The most variables in which any other differs, where one that this structure lacks counts as `extra`.
    fn farthest(&self, variables: usize, extra: f64) -> Result<f64> {
        let higher = self.map.structure().higher(variables)?;
        let still: Vec<f64> = higher.iter().map(|h| if h.is_finite() { 0.0 } else { *h }).collect();
        let mut apart = vec![extra; variables];
        self.vertex.unary().indices().iter().for_each(|&i| apart[i] = -1.0);
        let mut farthest = Vertex::default();
        self.map.structure().maximise(&apart, &still, &mut farthest)?;
        farthest.sort();
        Ok(farthest.lead(self.vertex, &apart, &still))
    }

    /// The largest `r` for which no other structure is better when the score of each variable in which they differ
    /// moves by `wobble + r pull` in its favour. Newton's method on the least ratio: each round one question to the
    /// oracle.
    pub(crate) fn radius(&self, scores: &[f64], wobble: &[f64], pull: &[f64]) -> Result<f64> {
        let higher = self.map.structure().higher(scores.len())?;
        let mut sign = vec![1.0; scores.len()];
        self.vertex.unary().indices().iter().for_each(|&i| sign[i] = -1.0);
        let mut base = self.gradient(scores);
        base.iter_mut().zip(wobble).zip(&sign).for_each(|((s, w), sign)| *s += sign * w);
        let pulled: Vec<f64> = pull.iter().zip(&sign).map(|(p, sign)| sign * p).collect();
        let zeros = vec![0.0; higher.len()];
        let Some((rival, lead)) = self.next(&base, &higher)? else { return Ok(f64::INFINITY) };
        let ratio = |rival: &Vertex, lead: f64| -lead / rival.lead(self.vertex, &pulled, &zeros);
        let mut radius = ratio(&rival, lead);
        let mut moved = base.clone();
        for _ in 0..ROUNDS {
            if !(radius > 0.0) {
                return Ok(0.0);
            }
            moved.iter_mut().zip(&base).zip(&pulled).for_each(|((m, s), p)| *m = s + radius * p);
            let mut better = Vertex::default();
            self.map.structure().maximise(&moved, &higher, &mut better)?;
            better.sort();
            let lead = better.lead(self.vertex, &moved, &higher);
            let tolerance = 64.0 * f64::EPSILON * (radius * better.lead(self.vertex, &pulled, &zeros).abs() + 1.0);
            if better == *self.vertex || lead <= tolerance {
                // What is left below the tolerance is given up, so that rounding cannot make the radius too large.
                return Ok(radius * (1.0 - 1e-12));
            }
            radius = ratio(&better, better.lead(self.vertex, &base, &higher)).min(radius);
        }
        Ok(0.0)
    }

    /// `scores - ∇Ω(a)` over variables.
    fn gradient(&self, scores: &[f64]) -> Vec<f64> {
        // With both states, Ω has the gradient 2a - 1.
        let (on, off) = match self.map.which() {
            Regulariser::On => (1.0, 0.0),
            Regulariser::Both => (1.0, -1.0),
        };
        let mut gradient: Vec<f64> = scores.iter().map(|s| s - off).collect();
        self.vertex.unary().indices().iter().for_each(|&i| gradient[i] = scores[i] - on);
        gradient
    }

    /// The best of the other structures, and its lead. Another one lacks a variable of this one, or has one that this
    /// one lacks; where all have as many, the first of these is enough.
    fn next(&self, unary: &[f64], higher: &[f64]) -> Result<Option<(Vertex, f64)>> {
        let structure = self.map.structure();
        let mut best: Option<(Vertex, f64)> = None;
        let mut scores = unary.to_vec();
        let mut consider = |scores: &[f64]| -> Result<()> {
            let mut vertex = Vertex::default();
            if structure.maximise(scores, higher, &mut vertex)? > f64::NEG_INFINITY {
                vertex.sort();
                let lead = vertex.lead(self.vertex, unary, higher);
                if vertex != *self.vertex && best.as_ref().is_none_or(|(_, most)| lead > *most) {
                    best = Some((vertex, lead));
                }
            }
            Ok(())
        };
        let members = self.vertex.unary().indices();
        for &i in members {
            scores[i] = f64::NEG_INFINITY;
            consider(&scores)?;
            scores[i] = unary[i];
        }
        if structure.mass().is_none() {
            let sizes = unary.iter().chain(higher).filter(|s| s.is_finite()).map(|s| s.abs());
            let enough = 4.0 * (1.0 + sizes.sum::<f64>());
            for i in (0..unary.len()).filter(|i| members.binary_search(i).is_err() && unary[*i].is_finite()) {
                scores[i] = unary[i] + enough;
                consider(&scores)?;
                scores[i] = unary[i];
            }
        }
        Ok(best)
    }
}

impl<S: Structure> SparseMap<S> {
    /// The structure that has exactly these of so many variables.
    pub(crate) fn structure_of(&self, members: &[usize], variables: usize) -> Result<Vertex> {
        let rule = "members must be different variables that make up a structure";
        let listed = || members.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let mut scores = vec![f64::NEG_INFINITY; variables];
        for &i in members {
            match scores.get_mut(i) {
                Some(score) if *score == f64::NEG_INFINITY => *score = 1.0,
                _ => return Err(Error::parameter("members", listed(), rule)),
            }
        }
        let higher = self.structure().higher(variables)?;
        let still: Vec<f64> = higher.iter().map(|h| if h.is_finite() { 0.0 } else { *h }).collect();
        let mut vertex = Vertex::default();
        let best = self.structure().maximise(&scores, &still, &mut vertex)?;
        vertex.sort();
        if best == f64::NEG_INFINITY || vertex.unary().len() != members.len() {
            return Err(Error::parameter("members", listed(), rule));
        }
        Ok(vertex)
    }
}
