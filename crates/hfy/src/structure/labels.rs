//! Sequences of labels.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::check::{at_least, check_higher, check_memory, check_parts, check_variables};
use super::wide::Wide;
use super::{Structure, Vertex};
use crate::error::{Error, Result};

/// One label at each of P positions, out of L,
///
/// ```text
/// { a ∈ {0, 1}^{P × L} : Σ_l a_{p,l} = 1 for every p },
/// ```
///
/// in rows, one a position. A higher-order part is a transition: part `(p L + l) L + m` is there where position `p` has
/// label `l` and position `p + 1` has label `m`, so that there are `(P - 1) L²`. Scores of the first and the last label
/// are unary.
///
/// The oracle is Viterbi's. Its sums have twice the precision, so that a long sequence, or one score of 1e8, does not
/// blur what tells sequences apart. Of equal ones it takes the lowest labels, the last position deciding first.
///
/// **Cost.** `P L²`, and `P L` of memory.
///
/// Reference: Viterbi, *Error Bounds for Convolutional Codes and an Asymptotically Optimum Decoding Algorithm*, 1967.
///
/// ```
/// use hfy::structure::{LabelSequence, Structure, Vertex};
///
/// // Three positions, two labels; a change of label costs 1.
/// let labels = LabelSequence::new(3, 2, &[0.0, -1.0, -1.0, 0.0])?;
/// let unary = [2.0, 0.0, 0.0, 0.5, 2.0, 0.0];
/// let mut best = Vertex::default();
/// let score = labels.maximise(&unary, &labels.higher(6)?, &mut best)?;
/// best.sort();
/// assert_eq!((score, best.unary().indices()), (4.0, &[0, 2, 4][..])); // label 0 throughout
/// assert_eq!(best.higher().indices(), [0, 4]);
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LabelSequence {
    positions: usize,
    labels: usize,
    given: Given,
    /// The tables of all positions, made when scores of the right number first ask for them: the sizes alone, which may
    /// come from a text, allocate nothing.
    transitions: OnceLock<Vec<f64>>,
}

/// Scores of transitions, as they were given.
#[derive(Debug, Clone, PartialEq)]
enum Given {
    /// Of a label that stays, the same for all; zero for all other transitions.
    Stay(f64),
    /// One table that all positions share.
    Shared(Vec<f64>),
    /// A table for each pair of neighbouring positions.
    Each(Vec<f64>),
}

impl PartialEq for LabelSequence {
    fn eq(&self, other: &Self) -> bool {
        (self.positions, self.labels, &self.given) == (other.positions, other.labels, &other.given)
    }
}

impl LabelSequence {
    /// Sequences of `positions` labels out of `labels`. `transitions` is a table of `labels × labels` scores, a row a
    /// previous label and a column a next one, that all positions share; or `positions - 1` such tables, one after the
    /// other. Minus infinity forbids a transition.
    pub fn new(positions: usize, labels: usize, transitions: &[f64]) -> Result<Self> {
        check_parts("transitions", transitions)?;
        let table = labels.saturating_mul(labels);
        let parts = table.saturating_mul(positions.saturating_sub(1));
        let given = match transitions.len() {
            given if given == parts => Given::Each(transitions.to_vec()),
            given if given == table => Given::Shared(transitions.to_vec()),
            given => return Err(Error::shape("transitions", &[given], &[positions.max(1) - 1, labels, labels])),
        };
        Self::with(positions, labels, given)
    }

    /// Sequences of `positions` labels out of `labels`, where a label that stays scores `stay` and every other
    /// transition zero.
    ///
    /// ```
    /// use hfy::structure::{LabelSequence, Structure};
    ///
    /// let labels = LabelSequence::staying(3, 2, 0.5)?;
    /// assert_eq!(labels.higher(6)?[..], [0.5, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.5]);
    /// // Sizes are held against the number of scores before a table is made of them.
    /// let vast = LabelSequence::staying(99_999_999_999, 99_999_999_999, 0.0)?;
    /// assert!(vast.higher(6).is_err());
    /// # Ok::<(), hfy::Error>(())
    /// ```
    pub fn staying(positions: usize, labels: usize, stay: f64) -> Result<Self> {
        check_parts("transitions", &[stay])?;
        Self::with(positions, labels, Given::Stay(stay))
    }

    fn with(positions: usize, labels: usize, given: Given) -> Result<Self> {
        at_least(1, "positions", positions, "there must be at least one position")?;
        at_least(1, "labels", labels, "there must be at least one label")?;
        Ok(LabelSequence { positions, labels, given, transitions: OnceLock::new() })
    }

    /// The number of higher-order parts, where the number of variables is right.
    fn parts(&self, variables: usize) -> Result<usize> {
        let size = format!("{}x{}", self.positions, self.labels);
        let Some(expected) = self.positions.checked_mul(self.labels) else {
            let rule = "positions x labels must be the number of scores, and overflows";
            return Err(Error::parameter("labels", size, rule));
        };
        check_variables(variables, expected)?;
        let parts = expected.saturating_sub(self.labels).saturating_mul(self.labels);
        check_memory("labels", size, parts)?;
        Ok(parts)
    }

    fn expanded(&self) -> Vec<f64> {
        let (count, steps) = (self.labels, self.positions - 1);
        match &self.given {
            _ if steps == 0 => Vec::new(),
            Given::Stay(stay) => {
                let entry = |i: usize| if i.is_multiple_of(count + 1) { *stay } else { 0.0 };
                (0..count * count).map(entry).collect::<Vec<f64>>().repeat(steps)
            }
            Given::Shared(table) => table.repeat(steps),
            Given::Each(tables) => tables.clone(), // which are used as they are
        }
    }

    /// How many positions there are.
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// How many labels there are.
    pub fn labels(&self) -> usize {
        self.labels
    }
}

impl Structure for LabelSequence {
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>> {
        self.parts(variables)?;
        Ok(match &self.given {
            Given::Each(tables) => Cow::Borrowed(tables),
            _ => Cow::Borrowed(self.transitions.get_or_init(|| self.expanded())),
        })
    }

    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        let count = self.labels;
        check_higher(higher, self.parts(unary.len())?)?;
        // scores[l]: the best of the sequences so far that end with label l, and origins[p L + l] the label before it.
        let mut scores: Vec<Wide> = unary[..count].iter().map(|&score| Wide::from(score)).collect();
        let mut next = scores.clone();
        let mut origins = vec![0; (self.positions - 1) * count];
        let tables = higher.chunks_exact(count * count).zip(unary[count..].chunks_exact(count));
        for ((table, row), origins) in tables.zip(origins.chunks_exact_mut(count)) {
            next.fill(Wide::FORBIDDEN);
            for (label, (&score, table)) in scores.iter().zip(table.chunks_exact(count)).enumerate() {
                for ((next, origin), &transition) in next.iter_mut().zip(origins.iter_mut()).zip(table) {
                    let reached = score + transition;
                    if reached > *next {
                        (*next, *origin) = (reached, label);
                    }
                }
            }
            scores.iter_mut().zip(&next).zip(row).for_each(|((score, &next), &unary)| *score = next + unary);
        }
        let mut best = 0;
        (1..count).for_each(|label| best = if scores[label] > scores[best] { label } else { best });
        let score = scores[best].rounded();
        for position in (0..self.positions).rev() {
            vertex.choose(position * count + best);
            if position > 0 {
                let origin = origins[(position - 1) * count + best];
                vertex.link(((position - 1) * count + origin) * count + best);
                best = origin;
            }
        }
        Ok(score)
    }

    fn mass(&self) -> Option<f64> {
        Some(self.positions as f64)
    }
}
