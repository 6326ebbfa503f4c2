//! Partial matchings of rows and columns.

use std::borrow::Cow;

use super::assignment::assign;
use super::check::{at_least, check_higher, check_variables};
use super::wide::Wide;
use super::{Structure, Vertex};
use crate::error::Result;

/// Every row and every column at most once,
///
/// ```text
/// { a ∈ {0, 1}^{R × C} : Σ_c a_{r,c} ≤ 1 for every r, Σ_r a_{r,c} ≤ 1 for every c },
/// ```
///
/// in rows. The empty matching is one, so that a pair is worth having only where it scores more than zero; where every
/// row must have a column, see [`Assignment`](super::Assignment).
///
/// The oracle assigns the shorter side to the longer with the scores cut off at zero, and leaves out the pairs that
/// have none: a best matching, since leaving a pair out is worth zero.
///
/// **Cost.** `min(R, C)² max(R, C)`.
///
/// Reference: Crouse, *On Implementing 2D Rectangular Assignment Algorithms*, 2016.
///
/// ```
/// use hfy::structure::{Matching, Structure, Vertex};
///
/// let mut best = Vertex::default();
/// let score = Matching::new(2, 2)?.maximise(&[3.0, 2.0, 1.0, -1.0], &[], &mut best)?;
/// assert_eq!((score, best.unary().indices()), (3.0, &[0][..])); // the pair (1, 1) would cost
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matching {
    rows: usize,
    columns: usize,
}

impl Matching {
    /// Matchings of `rows` rows and `columns` columns.
    pub fn new(rows: usize, columns: usize) -> Result<Self> {
        at_least(1, "rows", rows, "there must be at least one row")?;
        at_least(1, "columns", columns, "there must be at least one column")?;
        Ok(Matching { rows, columns })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }
}

impl Structure for Matching {
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>> {
        check_variables(variables, self.rows.saturating_mul(self.columns))?;
        Ok(Cow::Borrowed(&[]))
    }

    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        check_higher(higher, self.higher(unary.len())?.len())?;
        let wide = self.rows <= self.columns;
        let (short, long) = if wide { (self.rows, self.columns) } else { (self.columns, self.rows) };
        let index = |a: usize, b: usize| if wide { a * self.columns + b } else { b * self.columns + a };
        // Scores that are not negative forbid nothing, so that there is an assignment.
        let pairs = assign(short, long, |a, b| unary[index(a, b)].max(0.0)).unwrap_or_default();
        let pairs = pairs.into_iter().enumerate().map(|(a, b)| index(a, b));
        pairs.filter(|&pair| unary[pair] > 0.0).for_each(|pair| vertex.choose(pair));
        Ok(Wide::score(vertex, unary))
    }
}
