//! Steps of maps that give weight to every pattern: whole rows of scores, a block of queries at a time.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use ndarray::Axis;

use super::answer::{Answer, Wanted};
use super::model::Model;
use super::tiles::{in_parts, threads, tile_scores};
use crate::error::{Error, Result};
use crate::network::{all_or_nothing, check_finite_scores, transposed_times};
use crate::real::Real;
use crate::separation::{Separation, Support};

/// Scores of a block of queries take about this many bytes for each thread: enough queries that laying out the patterns
/// for a product is a small part of it.
const BYTES: usize = 48 << 20;
/// Above this share of weights that are not zero the projection is a matrix product.
pub(super) const DENSE: f64 = 0.125;

/// The answers to states of a network, one a row of `states`; the number of the state that an error is about goes with
/// it.
pub(super) fn answers<T: Real>(
    model: &Model<'_, T>,
    states: &[T],
    wanted: Wanted,
) -> std::result::Result<Vec<Answer<T>>, (usize, Error)> {
    let (count, width) = (model.count(), model.width());
    let number = states.len() / width;
    let threads = threads();
    if number < threads {
        let alone = |(q, state)| single(model, state, wanted).map_err(|e| (q, e));
        return states.chunks(width).enumerate().map(alone).collect();
    }
    let block = (BYTES / (count * std::mem::size_of::<T>()).max(1)).clamp(1, number.div_ceil(threads));
    let solved = in_parts(number, |part| {
        let mut scores = vec![T::zero(); block.min(part.len()) * count];
        let mut answers = Vec::with_capacity(part.len());
        let mut first = part.start;
        while first < part.end {
            let size = block.min(part.end - first);
            let scores = &mut scores[..size * count];
            tile_scores(model.key_slice(), &states[first * width..(first + size) * width], width, scores);
            for (offset, row) in scores.chunks_mut(count).enumerate() {
                answers.push(weigh(model.omega, row, wanted).map_err(|e| (first + offset, e))?);
            }
            if wanted.projection {
                let start = answers.len() - size;
                project(model, scores, &mut answers[start..]);
            }
            first += size;
        }
        Ok(answers)
    });
    let mut answers = Vec::with_capacity(number);
    for part in solved {
        answers.extend(part?);
    }
    Ok(answers)
}

/// One state, its scores and its projection shared among the threads.
fn single<T: Real>(model: &Model<'_, T>, state: &[T], wanted: Wanted) -> Result<Answer<T>> {
    let (keys, width) = (model.key_slice(), model.width());
    let scores = in_parts(model.count(), |part| {
        let mut scores = vec![T::zero(); part.len()];
        tile_scores(&keys[part.start * width..part.end * width], state, width, &mut scores);
        scores
    });
    let mut row = scores.concat();
    let mut answer = weigh(model.omega, &mut row, wanted)?;
    if wanted.projection && all_or_nothing(&row) {
        answer.projection.resize(model.output_width(), T::zero());
        transposed_times(model.values, &row, &mut answer.projection);
    } else if wanted.projection {
        let sums = in_parts(model.count(), |part| {
            let mut sum = vec![T::zero(); model.output_width()];
            transposed_times(model.values.slice_axis(Axis(0), part.clone().into()), &row[part], &mut sum);
            sum
        });
        let mut sums = sums.into_iter();
        answer.projection = sums.next().unwrap_or_default();
        for sum in sums {
            answer.projection.iter_mut().zip(sum).for_each(|(total, part)| *total += part);
        }
    }
    Ok(answer)
}

/// Weights over the scores of one state.
fn weigh<T: Real>(omega: &dyn Separation<T>, row: &mut [T], wanted: Wanted) -> Result<Answer<T>> {
    check_finite_scores(row, 0)?;
    let conjugate = if wanted.conjugate { Some(omega.conjugate(row)?) } else { None };
    let (_, log_scale) = omega.argmax_log(row)?;
    // Unbounded weights have no natural size: they count beside the largest of them.
    let largest = |row: &[T]| row.iter().fold(T::zero(), |top: T, w| top.max(w.abs()));
    let unit = if omega.mass().is_some() { T::one() } else { largest(row) };
    let floor = if omega.is_sparse() { T::zero() } else { T::of(wanted.floor) * unit };
    let mut support = Support::default();
    for (index, &weight) in row.iter().enumerate().filter(|(_, w)| w.abs() > floor) {
        support.push(index, weight);
    }
    let nonzero = row.iter().filter(|w| **w != T::zero()).count();
    let complete = support.len() == nonzero && log_scale == T::zero();
    Ok(Answer { support, complete, projection: Vec::new(), log_scale, conjugate })
}

/// `Vᵀ y` for a block of rows of weights.
fn project<T: Real>(model: &Model<'_, T>, weights: &[T], answers: &mut [Answer<T>]) {
    let (count, width) = (model.count(), model.output_width());
    let mut sums = vec![T::zero(); answers.len() * width];
    let nonzero = weights.iter().filter(|w| **w != T::zero()).count();
    let dense = nonzero as f64 > DENSE * weights.len() as f64;
    if dense {
        let out = MatMut::from_row_major_slice_mut(&mut sums, answers.len(), width);
        let weights = MatRef::from_row_major_slice(weights, answers.len(), count);
        let values = MatRef::from_row_major_slice(model.value_slice(), count, width);
        matmul(out, Accum::Replace, weights, values, T::one(), Par::Seq);
    }
    for (row, sum) in weights.chunks(count).zip(sums.chunks_mut(width)) {
        if !dense || all_or_nothing(row) {
            transposed_times(model.values, row, sum);
        }
    }
    for (answer, sum) in answers.iter_mut().zip(sums.chunks(width)) {
        answer.projection = sum.to_vec();
    }
}
