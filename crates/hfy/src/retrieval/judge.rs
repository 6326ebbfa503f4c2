//! What the last step of a query says about it.

use super::Retriever;
use super::report::{Status, Stopped};
use super::settings::MatchRule;
use super::tiles::exact_dot;
use crate::real::Real;
use crate::separation::Support;

/// A finished query.
pub(super) struct Finished<'f, T> {
    pub(super) query: &'f [T],
    pub(super) state: &'f [T],
    pub(super) support: &'f Support<T>,
    /// Whether those are all its weights.
    pub(super) complete: bool,
    pub(super) stopped: Stopped,
    pub(super) energy: Option<T>,
}

impl<T: Real> Retriever<'_, T> {
    /// What the query came to.
    pub(super) fn judge(&self, finished: &Finished<'_, T>) -> Status {
        if !self.matches(finished) {
            return Status::NoMatch;
        }
        if finished.stopped == Stopped::Limit {
            return Status::StepLimit;
        }
        let (support, omega) = (finished.support, self.model.omega);
        let ones = finished.complete && support.weights().iter().all(|&w| w == T::one());
        match support.indices() {
            [index] if ones && (omega.mass().is_some() || omega.is_sparse()) => Status::Pattern(*index),
            indices @ [_, _, ..] if ones => Status::Association(indices.to_vec()),
            [] if ones && omega.is_sparse() => Status::Association(Vec::new()),
            indices if !omega.is_sparse() => {
                self.recalled(finished).map_or(Status::Blend { size: indices.len() }, Status::Pattern)
            }
            indices => Status::Blend { size: indices.len() },
        }
    }

    /// The first pattern with weight whose value is the state, in every entry.
    fn recalled(&self, finished: &Finished<'_, T>) -> Option<usize> {
        let same = |index: &usize| self.model.value(*index) == finished.state;
        finished.support.indices().iter().copied().find(same)
    }

    fn matches(&self, finished: &Finished<'_, T>) -> bool {
        match self.settings.rule {
            None => true,
            Some(MatchRule::Energy(most)) => finished.energy.is_some_and(|energy| energy.wide() <= most),
            Some(MatchRule::Distance(most)) => distance(finished.query, finished.state) <= most,
            Some(MatchRule::Score(least)) => {
                let keys = &self.model.keys;
                let scored = if finished.state.len() == keys.ncols() { finished.state } else { finished.query };
                let score = |&i: &usize| exact_dot(keys.row(i).to_slice().expect("a row lies in one piece"), scored);
                finished.support.indices().iter().map(score).fold(f64::NEG_INFINITY, f64::max) >= least
            }
        }
    }
}

/// `|a - b|`, in double precision.
pub(super) fn distance<T: Real>(a: &[T], b: &[T]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a.wide() - b.wide()).powi(2)).sum::<f64>().sqrt()
}

/// `|a|`, in double precision.
pub(super) fn norm<T: Real>(a: &[T]) -> f64 {
    exact_dot(a, a).sqrt()
}
