//! Assignments: every row to a column of its own.

use std::borrow::Cow;

use super::check::{at_least, check_higher, check_variables};
use super::wide::Wide;
use super::{Structure, Vertex};
use crate::error::{Error, Result};

/// Every row gets one column, every column at most one row,
///
/// ```text
/// { a ∈ {0, 1}^{R × C} : Σ_c a_{r,c} = 1 for every r, Σ_r a_{r,c} ≤ 1 for every c },   R ≤ C,
/// ```
///
/// in rows; permutation matrices where `R = C`. Where rows and columns may be left over, see
/// [`Matching`](super::Matching).
///
/// The oracle adds one row after the other along a shortest augmenting path, the part of the algorithm of Jonker and
/// Volgenant that is exact for any scores, forbidden ones included.
///
/// **Cost.** `R² C`.
///
/// **Stability.** Prices are sums and differences of scores, kept in twice the precision: pairs made unattractive by a
/// score of -1e8 do not blur the others. This takes two to five times as long as plain numbers would.
///
/// Reference: Crouse, *On Implementing 2D Rectangular Assignment Algorithms*, 2016.
///
/// ```
/// use hfy::structure::{Assignment, Structure, Vertex};
///
/// let mut best = Vertex::default();
/// let score = Assignment::new(2, 3)?.maximise(&[3.0, 0.0, 2.5, 2.0, 0.0, 0.5], &[], &mut best)?;
/// assert_eq!((score, best.unary().indices()), (4.5, &[2, 3][..])); // row 0 to column 2, row 1 to column 0
/// # Ok::<(), hfy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assignment {
    rows: usize,
    columns: usize,
}

impl Assignment {
    /// Assignments of `rows` rows to `columns` columns, at least as many.
    pub fn new(rows: usize, columns: usize) -> Result<Self> {
        at_least(1, "rows", rows, "there must be at least one row")?;
        if rows > columns {
            return Err(Error::parameter("rows", rows, "there must be no more rows than columns"));
        }
        Ok(Assignment { rows, columns })
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

impl Structure for Assignment {
    fn higher(&self, variables: usize) -> Result<Cow<'_, [f64]>> {
        check_variables(variables, self.rows.saturating_mul(self.columns))?;
        Ok(Cow::Borrowed(&[]))
    }

    fn maximise(&self, unary: &[f64], higher: &[f64], vertex: &mut Vertex) -> Result<f64> {
        check_higher(higher, self.higher(unary.len())?.len())?;
        let Some(columns) = assign(self.rows, self.columns, |row, column| unary[row * self.columns + column]) else {
            return Ok(f64::NEG_INFINITY);
        };
        columns.into_iter().enumerate().for_each(|(row, column)| vertex.choose(row * self.columns + column));
        Ok(Wide::score(vertex, unary))
    }

    fn mass(&self) -> Option<f64> {
        Some(self.rows as f64)
    }
}

/// The columns of the rows in a best assignment of at most as many rows as columns; none where scores of minus infinity
/// leave no assignment.
pub(super) fn assign(rows: usize, columns: usize, score: impl Fn(usize, usize) -> f64) -> Option<Vec<usize>> {
    // Prices u, v with score(r, c) + u_r + v_c ≤ 0, and equality in the assignment so far: by duality that is the best
    // one of the rows so far.
    let (mut u, mut v) = (vec![Wide::ZERO; rows], vec![Wide::ZERO; columns]);
    let mut column_of: Vec<Option<usize>> = vec![None; rows];
    let mut row_of: Vec<Option<usize>> = vec![None; columns];
    // The best path from the new row to each column: what it gains, and the row that it comes from.
    let mut gains = vec![Wide::FORBIDDEN; columns];
    let mut origins = vec![0; columns];
    let mut open: Vec<usize> = Vec::with_capacity(columns);
    for start in 0..rows {
        open.clear();
        open.extend(0..columns);
        gains.fill(Wide::FORBIDDEN);
        let (mut row, mut gain) = (start, Wide::ZERO);
        let mut closed: Vec<usize> = Vec::new();
        let end = loop {
            // The column with the best path comes next; of equal ones a free column, which ends the path.
            let (mut next, mut most) = (None, Wide::FORBIDDEN);
            let so_far = gain + u[row];
            for (at, &column) in open.iter().enumerate() {
                let through = (so_far + v[column]) + score(row, column);
                if through > gains[column] {
                    (gains[column], origins[column]) = (through, row);
                }
                let gain = gains[column];
                if gain > most || gain == most && next.is_some() && row_of[column].is_none() {
                    (next, most) = (Some(at), gain);
                }
            }
            let column = open.swap_remove(next?);
            gain = most;
            match row_of[column] {
                None => break column,
                Some(taken) => row = taken,
            }
            closed.push(column);
        };
        u[start] = u[start] + -gain;
        for column in closed {
            let change = gain + -gains[column];
            v[column] = v[column] + change;
            if let Some(row) = row_of[column] {
                u[row] = u[row] + -change;
            }
        }
        let mut column = end;
        loop {
            let row = origins[column];
            row_of[column] = Some(row);
            match column_of[row].replace(column) {
                Some(before) => column = before,
                None => break,
            }
        }
    }
    column_of.into_iter().collect()
}
