//! Softmax: the one map without a threshold.

use crate::convex::{Outcome, check_scores};
use crate::error::Result;
use crate::real::{InOut, Real};

/// Entries that stay in the nearest cache between their maximum and their exponentials.
const PIECE: usize = 2048;

/// How far a score may lie above the shift before the shift follows it: exponentials of more would come close to the
/// largest numbers.
const REACH: f64 = 40.0;

/// `y ← exp(θ) / Σ exp(θ)`, with `log Σ exp(θ)`. The row is read once, piece by piece: exponentials are taken less the
/// greatest score of an earlier piece, and where a score rises far above that, those so far are made smaller.
pub(crate) fn softmax<T: Real>(row: InOut<'_, T>) -> Result<(Outcome, T)> {
    let (mut shift, mut total) = (T::neg_infinity(), 0.0);
    for start in (0..row.len()).step_by(PIECE) {
        let end = row.len().min(start + PIECE);
        let scores = &row.read()[start..end];
        let best = T::maximum(scores);
        // A sum is less than infinity only if each of its terms is.
        if !(T::total(scores) < f64::INFINITY) {
            check_scores(row.read())?;
        }
        if best > shift + T::of(REACH) || shift == T::neg_infinity() {
            let less = (shift - best).exp();
            if total > 0.0 {
                T::scale(&mut row.to[..start], less);
                total *= less.wide();
            }
            shift = best;
        }
        let from = row.from.map(|from| &from[start..end]);
        let piece = InOut { from, to: &mut row.to[start..end] };
        if shift == T::neg_infinity() {
            piece.output().fill(T::zero());
        } else {
            total += T::exponentials(piece, shift, T::one());
        }
    }
    if shift == T::neg_infinity() {
        return Ok((Outcome::Empty, shift));
    }
    T::scale(row.to, T::of(1.0 / total));
    Ok((Outcome::Solved, shift + T::of(total.ln())))
}
