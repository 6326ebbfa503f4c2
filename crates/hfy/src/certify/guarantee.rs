//! What one step does to a given query.

use super::Certifier;
use crate::convex::check_scores;
use crate::error::{Result, check_len};
use crate::real::Real;

/// What one step is certain to do with one query: where `exact` says so, it returns `ŷ_Ψ(Σ x_i)` over the `best`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Guarantee {
    /// The patterns with the best scores, ascending: one, or k for k-subsets. Of equal scores the first.
    pub best: Vec<usize>,
    /// The best of the others.
    pub rival: Option<usize>,
    /// By how much the least of the best scores leads the rival's, before `β`. Infinite if there is no rival.
    pub lead: f64,
    /// `lead - m/β`.
    pub slack: f64,
    /// Whether the map gives weight exactly one to each of the best and exactly zero to all others for these scores.
    pub exact: bool,
    /// Whether it does so however the products of patterns and query are summed in this type. Known only where the
    /// scores were computed here.
    pub robust: bool,
}

impl Guarantee {
    /// The pattern that one step is certain to put all weight on, if there is one; the step returns its
    /// [state](Certifier::state), which without Ψ is the pattern.
    pub fn pattern(&self) -> Option<usize> {
        if self.exact && self.best.len() == 1 { self.best.first().copied() } else { None }
    }
}

impl<T: Real> Certifier<'_, T> {
    /// What one step does with a query, from the scores `X q` computed here.
    ///
    /// ```
    /// use hfy::{Certifier, Entmax};
    /// use ndarray::array;
    ///
    /// let patterns = array![[2.0, 0.0], [0.0, 2.0], [-2.0, 0.0]];
    /// let certifier = Certifier::new(patterns.view(), &Entmax::SPARSEMAX, 1.0)?;
    /// let near = certifier.guarantee(&[1.0, 0.5])?;
    /// assert_eq!((near.pattern(), near.slack), (Some(0), 0.0));
    /// assert_eq!(certifier.guarantee(&[1.0, 0.6])?.pattern(), None);
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn guarantee(&self, query: &[T]) -> Result<Guarantee> {
        check_len("query", query.len(), self.patterns.width())?;
        let mut scores = vec![T::zero(); self.patterns.len()];
        T::products(query, self.patterns.slice(0..self.patterns.len()), query.len(), &mut scores);
        let mut guarantee = self.guarantee_of(&scores)?;
        let norm = query.iter().map(|v| v.wide() * v.wide()).sum::<f64>().sqrt();
        let norms = self.patterns.norms();
        // Once for the step, once for the scores computed here.
        let off = |j: usize| 2.0 * (self.rounding().relative * norms[j] * norm + self.rounding().absolute);
        let floor = guarantee.best.iter().map(|&i| scores[i].wide() - off(i)).fold(f64::INFINITY, f64::min);
        let mut others = (0..scores.len()).filter(|j| guarantee.best.binary_search(j).is_err());
        guarantee.robust = guarantee.exact && others.all(|j| floor - (scores[j].wide() + off(j)) >= self.lead());
        Ok(guarantee)
    }

    /// What the map does with given scores `X q`, before `β`.
    ///
    /// `exact` is decided in the arithmetic of the map: scores times `β`, rounded, their difference, rounded, against
    /// the [`Margin`](super::Margin), and, where the map is at hand, by what it gives. So where it says yes it never
    /// disagrees with the map. Where it says no, the lead is too short in exact arithmetic or by a rounding; the map
    /// may still round to weights of 0 and 1 if the lead is an ulp or so short, or, for α near 1, if the second weight
    /// underflows.
    pub fn guarantee_of(&self, scores: &[T]) -> Result<Guarantee> {
        check_len("scores", scores.len(), self.patterns.len())?;
        check_scores(scores)?;
        let size = self.margin().size();
        check_size(size, scores.len())?;
        let mut order: Vec<usize> = (0..scores.len()).collect();
        let before =
            |&a: &usize, &b: &usize| scores[b].partial_cmp(&scores[a]).expect("scores are numbers").then(a.cmp(&b));
        let rival = (size < scores.len()).then(|| *order.select_nth_unstable_by(size, before).1);
        order.truncate(size);
        order.sort_unstable();
        let best = order;
        let last = best.iter().map(|&i| scores[i]).fold(T::infinity(), T::min);
        let Some(next) = rival.map(|j| scores[j]) else {
            let infinite = f64::INFINITY;
            return Ok(Guarantee { best, rival, lead: infinite, slack: infinite, exact: true, robust: false });
        };
        let lead = last.wide() - next.wide();
        let leads = last * self.beta() - next * self.beta() >= self.margin().lead();
        let exact = leads && self.confirms(scores, &best)?;
        Ok(Guarantee { best, rival, lead, slack: lead - self.lead(), exact, robust: false })
    }

    /// Whether the map itself gives one to the best and zero to the others.
    fn confirms(&self, scores: &[T], best: &[usize]) -> Result<bool> {
        let Some(map) = self.map else { return Ok(true) };
        let mut weights: Vec<T> = scores.iter().map(|&s| s * self.beta()).collect();
        map.argmax(&mut weights)?;
        let others = weights.iter().filter(|w| **w == T::zero()).count();
        Ok(best.iter().all(|&i| weights[i] == T::one()) && best.len() + others == weights.len())
    }
}

pub(super) fn check_size(size: usize, patterns: usize) -> Result<()> {
    if size <= patterns {
        return Ok(());
    }
    Err(crate::error::Error::parameter("k", size, "k must not exceed the number of patterns"))
}
