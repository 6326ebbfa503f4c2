//! Subsets of bounded size.

use std::borrow::Cow;

use super::check::{at_least, check_higher};
use super::wide::Wide;
use super::{Structure, Vertex};
use crate::error::Result;

/// All subsets of at most `k` variables,
///
/// ```text
/// { a ∈ {0, 1}^N : Σ a_i ≤ k },
/// ```
///
/// the factor that AD³ calls a budget. Where `k ≥ N` this is the hypercube; subsets of exactly `k` are
/// [`Subsets`](crate::Subsets), which need no oracle.
///
/// The oracle takes the positive scores, the best `k` of them where there are more; of equal scores the first. It is
/// exact, since it only compares.
///
/// **Cost.** Linear in N by selection; no sort.
///
/// Reference: Martins, Figueiredo, Aguiar, Smith, Xing, *AD³: Alternating Directions Dual Decomposition for MAP
/// Inference in Graphical Models*, 2015.
///
/// ```
/// use hfy::structure::{AtMost, Structure, Vertex};
///
/// let mut best = Vertex::default();
/// let score = AtMost::new(2)?.maximise(&[1.0, -2.0, 3.0, 2.0], &[], &mut best)?;
/// best.sort();
/// assert_eq!((score, best.unary().indices()), (5.0, &[2, 3][..]));
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtMost {
    k: usize,
}

impl AtMost {
    /// Subsets of no more than `k` variables; `k` is at least 1, and may exceed the number of variables.
    pub fn new(k: usize) -> Result<Self> {
        at_least(1, "k", k, "k must be at least 1")?;
        Ok(AtMost { k })
    }

    /// The largest size of a subset.
    pub fn k(&self) -> usize {
        self.k
    }
}

impl Structure for AtMost {
    fn higher(&self, _variables: usize) -> Result<Cow<'_, [f64]>> {
        Ok(Cow::Borrowed(&[]))
    }

    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        check_higher(higher, 0)?;
        let mut chosen: Vec<usize> = (0..unary.len()).filter(|&i| unary[i] > 0.0).collect();
        if chosen.len() > self.k {
            chosen.select_nth_unstable_by(self.k - 1, |&i, &j| unary[j].total_cmp(&unary[i]).then(i.cmp(&j)));
            chosen.truncate(self.k);
            chosen.sort_unstable();
        }
        chosen.into_iter().for_each(|i| vertex.choose(i));
        Ok(Wide::score(vertex, unary))
    }
}
