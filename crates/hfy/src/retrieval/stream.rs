//! Softmax steps from tiles of the product: a running maximum, a running sum, and a running projection.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::answer::{Answer, Wanted};
use super::model::Model;
use super::rows::{self, DENSE};
use super::shortlist::{Reach, Shortlist};
use super::tiles::{TILE, in_parts, threads, tile_scores};
use crate::error::Error;
use crate::network::{add, check_finite_scores};
use crate::real::{InOut, Real, vectorised};
use crate::separation::Support;

/// Queries that are worked on together: with a tile of patterns their scores stay in the cache.
const GROUP: usize = 512;

/// What is known of one query after some tiles.
struct Running<T> {
    max: T,
    /// `Σ exp(rate (s - max))`.
    total: f64,
    /// Patterns whose weight may count.
    heavy: Shortlist<T>,
}

/// The answers to states, for weights `exp(rate s)` over their sum; the number of the state that an error is about goes
/// with it. Weights at or below `wanted.floor`, which is positive, are not reported.
pub(super) fn answers<T: Real>(
    model: &Model<'_, T>,
    rate: T,
    states: &[T],
    wanted: Wanted,
) -> std::result::Result<Vec<Answer<T>>, (usize, Error)> {
    let width = model.width();
    let number = states.len() / width;
    if number < threads() {
        // So few that threads must share a row; there is little of it to store.
        return rows::answers(model, states, wanted);
    }
    let solved = in_parts(number, |part| {
        let mut answers = Vec::with_capacity(part.len());
        for first in part.clone().step_by(GROUP) {
            let last = part.end.min(first + GROUP);
            let group = group(model, rate, &states[first * width..last * width], wanted);
            answers.extend(group.map_err(|(q, e)| (first + q, e))?);
        }
        Ok(answers)
    });
    let mut answers = Vec::new();
    for part in solved {
        answers.extend(part?);
    }
    Ok(answers)
}

fn group<T: Real>(
    model: &Model<'_, T>,
    rate: T,
    states: &[T],
    wanted: Wanted,
) -> std::result::Result<Vec<Answer<T>>, (usize, Error)> {
    let (count, width, next_width) = (model.count(), model.width(), model.output_width());
    let number = states.len() / width;
    // A weight above the floor is that of a score within this of the best: the sum is at least one.
    let depth = T::of((-wanted.floor.ln()).max(0.0)) / rate;
    let new = || Running {
        max: T::neg_infinity(),
        total: 0.0,
        heavy: Shortlist::new(Reach { rank: 1, depth }, T::epsilon() * depth),
    };
    let mut running: Vec<Running<T>> = (0..number).map(|_| new()).collect();
    let mut projections = vec![T::zero(); if wanted.projection { number * next_width } else { 0 }];
    let mut scores = vec![T::zero(); TILE.min(count) * number];
    for first in (0..count).step_by(TILE) {
        let tile = TILE.min(count - first);
        let scores = &mut scores[..tile * number];
        tile_scores(&model.key_slice()[first * width..(first + tile) * width], states, width, scores);
        for (q, (row, state)) in scores.chunks_mut(tile).zip(&mut running).enumerate() {
            check_finite_scores(row, first).map_err(|e| (q, e))?;
            let before = state.take(row, first, rate);
            if wanted.projection && before != T::one() {
                projections[q * next_width..(q + 1) * next_width].iter_mut().for_each(|sum| *sum *= before);
            }
        }
        if wanted.projection {
            let values = &model.value_slice()[first * next_width..(first + tile) * next_width];
            project(scores, values, next_width, &mut projections);
        }
    }
    let mut answers = Vec::with_capacity(number);
    for (q, state) in running.into_iter().enumerate() {
        let share = 1.0 / state.total;
        let mut support = Support::default();
        for &(index, score) in state.heavy.entries() {
            let weight = T::of((rate * (score - state.max)).wide().exp() * share);
            if weight.wide() > wanted.floor {
                support.push(index as usize, weight);
            }
        }
        let projection = if wanted.projection {
            let sums = &projections[q * next_width..(q + 1) * next_width];
            sums.iter().map(|&sum| sum * T::of(share)).collect()
        } else {
            Vec::new()
        };
        // f*(β θ)/β for f* the logarithm of the sum of exponentials.
        let conjugate = wanted.conjugate.then(|| state.max + T::of(state.total.ln()) / rate);
        // Some weight is always left over, unless it is nothing beside the largest.
        let complete = state.total == 1.0 && support.len() == 1;
        answers.push(Answer { support, complete, projection, log_scale: T::zero(), conjugate });
    }
    Ok(answers)
}

/// `projections ← projections + weights values`, for rows of weights, and of values of the given width.
fn project<T: Real>(weights: &[T], values: &[T], width: usize, projections: &mut [T]) {
    let (tile, number) = (values.len() / width, projections.len() / width);
    let nonzero = weights.iter().filter(|w| **w != T::zero()).count();
    if nonzero as f64 > DENSE * weights.len() as f64 {
        let out = MatMut::from_row_major_slice_mut(projections, number, width);
        let weights = MatRef::from_row_major_slice(weights, number, tile);
        let values = MatRef::from_row_major_slice(values, tile, width);
        return matmul(out, Accum::Add, weights, values, T::one(), Par::Seq);
    }
    for (weights, sum) in weights.chunks(tile).zip(projections.chunks_mut(width)) {
        for (&weight, value) in weights.iter().zip(values.chunks(width)).filter(|(w, _)| **w != T::zero()) {
            add(weight, value, sum);
        }
    }
}

impl<T: Real> Running<T> {
    /// Turns a tile of scores into weights over the largest so far, and returns the factor that earlier weights shrink
    /// by.
    fn take(&mut self, row: &mut [T], first: usize, rate: T) -> T {
        let heavy = &mut self.heavy;
        vectorised(
            #[inline(always)]
            || heavy.take(row, first),
        );
        let top = row.iter().copied().fold(self.max, T::max);
        let shrink = if self.max == T::neg_infinity() { T::zero() } else { (rate * (self.max - top)).exp() };
        self.max = top;
        let sum = T::exponentials(InOut::in_place(row), top, rate);
        self.total = self.total * shrink.wide() + sum;
        shrink
    }
}
