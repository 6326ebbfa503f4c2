//! What one step finds for one state.

use crate::real::Real;
use crate::separation::Support;

/// One step of one state, short of the post-transformation.
#[derive(Debug, Clone)]
pub(super) struct Answer<T> {
    /// The weights that count.
    pub(super) support: Support<T>,
    /// Whether those are all weights that are not zero, and have no common factor.
    pub(super) complete: bool,
    /// `Vᵀ ŷ_Ω(K q)`, over the common factor; empty where it was not asked for.
    pub(super) projection: Vec<T>,
    /// The logarithm of the common factor of weights and projection.
    pub(super) log_scale: T,
    /// `Ω*(K q)`, where it was asked for.
    pub(super) conjugate: Option<T>,
}

impl<T: Real> Answer<T> {
    /// The pattern that has all weight, exactly.
    pub(super) fn pattern(&self) -> Option<usize> {
        match (self.support.indices(), self.support.weights()) {
            ([index], [weight]) if self.complete && *weight == T::one() => Some(*index),
            _ => None,
        }
    }
}

/// What a step is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) projection: bool,
    pub(super) conjugate: bool,
    /// Weights at or below this do not count where every pattern has one.
    pub(super) floor: f64,
}
