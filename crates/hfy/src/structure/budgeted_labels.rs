//! Sequences of labels, one of which is rationed.

use std::borrow::Cow;

use super::check::check_higher;
use super::wide::Wide;
use super::{LabelSequence, Structure, Vertex};
use crate::error::{Error, Result};

/// The [sequences of labels](LabelSequence) that have label 0 at no fewer than `least` and no more than `most`
/// positions,
///
/// ```text
/// { a ∈ {0, 1}^{P × L} : Σ_l a_{p,l} = 1 for every p, least ≤ Σ_p a_{p,0} ≤ most }.
/// ```
///
/// Variables and higher-order parts are those of [`LabelSequence`]. With two labels, "on" and "off", and a fixed number
/// of positions that are on, these are the sets of [`Sequence`](super::Sequence), with both states of a position as
/// variables.
///
/// The oracle is Viterbi's, over the label of a position and the number of positions so far that have label 0. Its sums
/// have twice the precision.
///
/// **Cost.** `P L²` for each number up to `most`.
///
/// ```
/// use hfy::structure::{BudgetedLabels, LabelSequence, Structure, Vertex};
///
/// // Label 0 would be best at all three positions; one may have it.
/// let labels = BudgetedLabels::at_most(LabelSequence::new(3, 2, &[0.0; 4])?, 1)?;
/// let unary = [1.0, 0.0, 3.0, 0.0, 2.0, 0.0];
/// let mut best = Vertex::default();
/// assert_eq!(labels.maximise(&unary, &[0.0; 8], &mut best)?, 3.0);
/// best.sort();
/// assert_eq!(best.unary().indices(), [1, 2, 5]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetedLabels {
    sequences: LabelSequence,
    least: usize,
    most: usize,
}

impl BudgetedLabels {
    /// Those with label 0 at `most` positions or fewer.
    pub fn at_most(sequences: LabelSequence, most: usize) -> Result<Self> {
        let most = most.min(sequences.positions());
        Self::between(sequences, 0, most)
    }

    /// Those with label 0 at exactly `k` positions.
    pub fn exactly(sequences: LabelSequence, k: usize) -> Result<Self> {
        Self::between(sequences, k, k)
    }

    fn between(sequences: LabelSequence, least: usize, most: usize) -> Result<Self> {
        let positions = sequences.positions();
        if least > positions {
            return Err(Error::parameter("k", least, "no more positions can have a label than there are"));
        }
        if sequences.labels() == 1 && most < positions {
            return Err(Error::parameter("k", most, "where there is one label every position has it"));
        }
        Ok(BudgetedLabels { sequences, least, most })
    }

    /// All sequences, whatever the number of label 0.
    pub fn sequences(&self) -> &LabelSequence {
        &self.sequences
    }
}

impl Structure for BudgetedLabels {
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>> {
        self.sequences.higher(variables)
    }

    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        check_higher(higher, self.higher(unary.len())?.len())?;
        let (positions, labels, width) = (self.sequences.positions(), self.sequences.labels(), self.most + 1);
        // scores[c L + l]: the best of the sequences so far that end with label l and have label 0 at c positions;
        // origins[(p W + c) L + l]: the label before it.
        let mut scores = vec![Wide::FORBIDDEN; width * labels];
        (0..labels).filter(|&l| spent(l) < width).for_each(|l| scores[spent(l) * labels + l] = Wide::from(unary[l]));
        let mut next = scores.clone();
        let mut origins = vec![0; (positions - 1) * width * labels];
        let tables = higher.chunks_exact(labels * labels).zip(unary[labels..].chunks_exact(labels));
        for ((table, row), origins) in tables.zip(origins.chunks_exact_mut(width * labels)) {
            for (at, (next, origin)) in next.iter_mut().zip(origins).enumerate() {
                let (count, label) = (at / labels, at % labels);
                *next = Wide::FORBIDDEN;
                let Some(before) = count.checked_sub(spent(label)) else { continue };
                for (from, &score) in scores[before * labels..(before + 1) * labels].iter().enumerate() {
                    let reached = score + table[from * labels + label];
                    if reached > *next {
                        (*next, *origin) = (reached, from);
                    }
                }
                *next = *next + row[label];
            }
            std::mem::swap(&mut scores, &mut next);
        }
        let mut best = self.least * labels;
        (best..scores.len()).for_each(|at| best = if scores[at] > scores[best] { at } else { best });
        let score = scores[best].rounded();
        if score == f64::NEG_INFINITY {
            return Ok(score);
        }
        for position in (0..positions).rev() {
            let (count, label) = (best / labels, best % labels);
            vertex.choose(position * labels + label);
            if position > 0 {
                let origin = origins[(position - 1) * width * labels + best];
                vertex.link(((position - 1) * labels + origin) * labels + label);
                best = (count - spent(label)) * labels + origin;
            }
        }
        Ok(score)
    }

    fn mass(&self) -> Option<f64> {
        self.sequences.mass()
    }
}

/// What a label takes from the budget.
fn spent(label: usize) -> usize {
    usize::from(label == 0)
}
