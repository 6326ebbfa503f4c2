//! Derivatives from weights, at the cost of the part of the row that has weight.

use std::mem::take;

use hfy_kernel::{BLOCK, Buffers};

use super::plan::Cost;
use crate::convex::check_gradient;
use crate::error::Result;
use crate::real::{InOut, Real, Slope, from_copy};

/// `g ← s ∘ (g - Σ s g / Σ s)` for the slopes `s` of weights.
pub(crate) fn pull_sloped<T: Real>(y: &[T], g: InOut<'_, T>, cost: Cost, slope: Slope<T>) -> Result<()> {
    on_support(y, g, cost, |y, g| {
        from_elsewhere(g, |from, to| {
            // The slopes lie where the result will be.
            let mut sums = Sums::default();
            for ((y, s), g) in y.chunks(CHUNK).zip(to.chunks_mut(CHUNK)).zip(from.chunks(CHUNK)) {
                T::slopes(y, slope, s);
                sums.add(T::sums_along(s, g));
            }
            T::pull(InOut::in_place(to), from, sums.mean(from)?);
            Ok(())
        })
    })
}

/// `g ← s ∘ (g - Σ s g / Σ s)`.
pub(crate) fn pull<T: Real>(s: &[T], g: InOut<'_, T>) -> Result<()> {
    from_elsewhere(g, |from, to| {
        let mut sums = Sums::default();
        sums.add(T::sums_along(s, from));
        T::pull(InOut::new(s, to), from, sums.mean(from)?);
        Ok(())
    })
}

/// Runs `work` on a row and its output, which are not in one place.
pub(crate) fn from_elsewhere<T: Real>(
    row: InOut<'_, T>,
    work: impl FnOnce(&[T], &mut [T]) -> Result<()>,
) -> Result<()> {
    match row.from {
        Some(from) => work(from, row.to),
        None => from_copy(row.to, |from, to| work(from, to)),
    }
}

/// Slopes that are written and then summed while they are in the nearest cache.
const CHUNK: usize = 1 << 10;

/// `Σ s` and `Σ s g`.
#[derive(Default)]
struct Sums {
    total: f64,
    along: f64,
}

impl Sums {
    fn add(&mut self, [total, along]: [f64; 2]) {
        self.total += total;
        self.along += along;
    }

    /// `Σ s g / Σ s`, zero where there are no slopes.
    fn mean<T: Real>(&self, g: &[T]) -> Result<T> {
        if self.total == 0.0 {
            return Ok(T::zero());
        }
        let mean = T::of(self.along / self.total);
        check_gradient(mean, g)?;
        Ok(mean)
    }
}

/// Runs `work`, which turns the gradient of a row into that of its scores, on the blocks of the row that have weight
/// alone; elsewhere the gradient is zero. `work` must neither look at a gradient whose weight is zero nor leave one
/// there. Rows that are short, or have much weight, are worked on as they are.
pub(crate) fn on_support<T: Real>(
    y: &[T],
    g: InOut<'_, T>,
    cost: Cost,
    work: impl Fn(&[T], InOut<'_, T>) -> Result<()>,
) -> Result<()> {
    if y.len() < cost.whole() {
        return work(y, g);
    }
    // Taken out, so that `work` can borrow buffers of its own.
    let (mut kept, mut gradients, mut blocks) = T::with_buffers(|buffers| {
        let Buffers { kept, bounds, blocks, .. } = buffers;
        (take(kept), take(bounds), take(blocks))
    });
    let few = copy_blocks(y, g.read(), cost, &mut blocks, (&mut kept, &mut gradients));
    let done = few && work(&kept, InOut::in_place(&mut gradients)).is_ok();
    if done {
        expand(&blocks, &gradients, &mut *g.to);
    }
    T::with_buffers(|buffers| (buffers.kept, buffers.bounds, buffers.blocks) = (kept, gradients, blocks));
    // An error must name the place in the whole row.
    if done { Ok(()) } else { work(y, g) }
}

/// Copies the blocks that have weight, unless they are so large a part of the row that it costs more than it spares;
/// `blocks` are the greatest weights.
fn copy_blocks<T: Real>(
    y: &[T],
    g: &[T],
    cost: Cost,
    blocks: &mut Vec<T>,
    (kept, gradients): (&mut Vec<T>, &mut Vec<T>),
) -> bool {
    /// Rows with weight nearly everywhere are told by a few of their blocks.
    const SAMPLE: usize = 32;
    let part = cost.copied_part();
    let whole = y.as_chunks::<BLOCK>().0;
    let sampled = whole.iter().step_by(whole.len().div_ceil(SAMPLE).max(1));
    let has_weight = |block: &&[T; BLOCK]| block.iter().any(|&y| y > T::zero());
    if sampled.clone().count() == SAMPLE && sampled.filter(has_weight).count() * part > SAMPLE {
        return false;
    }
    T::block_maxima(y, &mut [], blocks);
    if blocks.iter().filter(|&&top| top > T::zero()).count() * part > whole.len() {
        return false;
    }
    kept.clear();
    gradients.clear();
    for ((y, g), _) in y.chunks(BLOCK).zip(g.chunks(BLOCK)).zip(&*blocks).filter(|(_, top)| **top > T::zero()) {
        kept.extend_from_slice(y);
        gradients.extend_from_slice(g);
    }
    true
}

/// Puts the gradients of the blocks that were copied back, and zero everywhere else.
fn expand<T: Real>(blocks: &[T], mut gradients: &[T], g: &mut [T]) {
    for (g, &top) in g.chunks_mut(BLOCK).zip(blocks) {
        if top > T::zero() {
            let (block, rest) = gradients.split_at(g.len());
            g.copy_from_slice(block);
            gradients = rest;
        } else {
            g.fill(T::zero());
        }
    }
}
