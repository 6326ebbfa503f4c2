//! Scores of states that are sums of few patterns, from the products of patterns with one another.

use super::shortlist::{Reach, Shortlist};
use super::tiles::in_parts;
use crate::gram::Gram;
use crate::network::add;
use crate::real::{Real, vectorised};
use crate::separation::Support;

/// `X Xᵀ` is kept if it takes no more than this many bytes.
const MOST_BYTES: usize = 64 << 20;
/// Queries take about this many more steps, if they may: one to arrive and one to find that they have.
const USUAL_STEPS: usize = 2;

/// Where the states of a batch come from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origins<'o, T> {
    /// The weights of the update that each state came out of.
    pub(super) supports: &'o [Option<Support<T>>],
    /// Whether those weights determine the state: it is their sum of patterns.
    pub(super) linear: bool,
    /// How many updates may still come, this one among them.
    pub(super) steps: usize,
}

impl<T: Real> Origins<'_, T> {
    /// Nothing is known.
    pub(super) fn none() -> Self {
        Origins { supports: &[], linear: false, steps: 1 }
    }

    /// Whether every state is a sum of patterns so few that the product with `width` columns is the more expensive.
    pub(super) fn are_sums(&self, width: usize) -> bool {
        // Sums of rows run at the speed of memory, products at that of arithmetic.
        let few = |support: &Option<Support<T>>| support.as_ref().is_some_and(|s| 8 * s.len() <= width);
        self.linear && !self.supports.is_empty() && self.supports.iter().all(few)
    }
}

/// Whether a Gram matrix for so many patterns and queries will have been worth its cost.
pub(super) fn pays<T>(count: usize, queries: usize, steps: usize) -> bool {
    let fits = count.saturating_mul(count).saturating_mul(std::mem::size_of::<T>()) <= MOST_BYTES;
    fits && count <= queries.saturating_mul(steps.min(USUAL_STEPS))
}

/// The shortlists of states that are sums of patterns; rounding in products of `width` terms, for patterns no longer
/// than `norm`, is allowed for.
pub(super) fn shortlists<T: Real>(
    gram: &Gram<T>,
    supports: &[Option<Support<T>>],
    reach: Reach<T>,
    width: usize,
    norm: f64,
) -> Vec<Shortlist<T>> {
    let parts = in_parts(supports.len(), |part| {
        let mut scores = vec![T::zero(); gram.count()];
        let one = |support: &Option<Support<T>>| {
            scores.fill(T::zero());
            let (mut mass, mut terms) = (0.0, 0);
            for (i, weight) in support.iter().flat_map(Support::iter) {
                add(weight, gram.row(i), &mut scores);
                mass += weight.wide().abs();
                terms += 1;
            }
            // Of the products, of their sum, and of the state, which was rounded as it was summed.
            let gamma = (width + 2 * terms + 8) as f64 * T::epsilon().wide();
            let vanished = (width + terms) as f64 * T::min_positive_value().wide();
            let mut list = Shortlist::new(reach, T::of(gamma * norm * norm * mass) + T::of(vanished));
            vectorised(
                #[inline(always)]
                || list.take(&scores, 0),
            );
            list.prune();
            list
        };
        supports[part].iter().map(one).collect::<Vec<_>>()
    });
    parts.concat()
}
