//! Derivatives from weights, at the cost of the part of the row that has weight.

use std::mem::take;

use super::check_gradient;
use super::scan::{BLOCK, maximum};
use crate::error::Result;
use crate::real::{Real, Rewrite, Scratch, vectorised};

/// What a slope costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cost {
    /// A few instructions: less than it takes to find out where there is weight, but in long rows that have next to none.
    Little,
    /// A logarithm and an exponential.
    Much,
}

/// Rows of fewer entries are read whole where a slope costs little: that is cheaper than to look for weight first.
const WHOLE: usize = 1 << 14;

/// `g ← s ∘ (g - Σ s g / Σ s)`, where `slope` writes `s` for some weights: zero where weights are zero.
pub(super) fn pull_sloped<T: Real>(
    y: &[T],
    g: Rewrite<'_, T>,
    cost: Cost,
    slope: impl Fn(&[T], &mut [T]),
) -> Result<()> {
    let work = |y: &[T], g: Rewrite<'_, T>| match g.from {
        // The slopes lie where the result will be.
        Some(from) => vectorised(
            #[inline(always)]
            || {
                let mean = sloped_sums(y, from, g.to, &slope).mean(from)?;
                Rewrite::in_place(g.to).each_with(
                    from,
                    #[inline(always)]
                    |s, g| pulled(s, g, mean),
                );
                Ok(())
            },
        ),
        None => T::with_scratch(|scratch| {
            let slopes = &mut scratch.caps;
            if slopes.len() < y.len() {
                slopes.resize(y.len(), T::zero());
            }
            vectorised(
                #[inline(always)]
                || {
                    let slopes = &mut slopes[..y.len()];
                    let mean = sloped_sums(y, g.to, slopes, &slope).mean(g.to)?;
                    g.each_with(
                        slopes,
                        #[inline(always)]
                        |g, s| pulled(s, g, mean),
                    );
                    Ok(())
                },
            )
        }),
    };
    on_support(y, g, cost, work)
}

/// Writes slopes and returns their sums.
#[inline(always)]
fn sloped_sums<T: Real>(y: &[T], g: &[T], slopes: &mut [T], slope: &impl Fn(&[T], &mut [T])) -> Sums {
    let mut sums = Sums::default();
    for ((y, s), g) in y.chunks(CHUNK).zip(slopes.chunks_mut(CHUNK)).zip(g.chunks(CHUNK)) {
        slope(y, s);
        sums.add(T::sums_along(s, g));
    }
    sums
}

/// `g ← s ∘ (g - Σ s g / Σ s)`.
#[inline(always)]
pub(super) fn pull<T: Real>(s: &[T], g: Rewrite<'_, T>) -> Result<()> {
    let mut sums = Sums::default();
    let from = g.from.unwrap_or(&*g.to);
    sums.add(T::sums_along(s, from));
    let mean = sums.mean(from)?;
    g.each_with(
        s,
        #[inline(always)]
        |g, s| pulled(s, g, mean),
    );
    Ok(())
}

/// `s (g - mean)`, where `g` may be anything at an `s` of zero.
#[inline(always)]
fn pulled<T: Real>(s: T, g: T, mean: T) -> T {
    let pulled = s * (g - mean);
    if s > T::zero() { pulled } else { T::zero() }
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
    #[inline(always)]
    fn add(&mut self, [total, along]: [f64; 2]) {
        self.total += total;
        self.along += along;
    }

    /// `Σ s g / Σ s`, zero where there are no slopes.
    #[inline(always)]
    fn mean<T: Real>(&self, g: &[T]) -> Result<T> {
        if self.total == 0.0 {
            return Ok(T::zero());
        }
        let mean = T::of(self.along / self.total);
        check_gradient(mean, g)?;
        Ok(mean)
    }
}

/// Runs `work`, which turns the gradient of a row into that of its scores, on the blocks of the row that have weight alone;
/// elsewhere the gradient is zero. `work` must neither look at a gradient whose weight is zero nor leave one there.
/// Rows that are short, or have much weight, are worked on as they are.
pub(super) fn on_support<T: Real>(
    y: &[T],
    g: Rewrite<'_, T>,
    cost: Cost,
    work: impl Fn(&[T], Rewrite<'_, T>) -> Result<()>,
) -> Result<()> {
    if cost == Cost::Little && y.len() < WHOLE {
        return work(y, g);
    }
    // Taken out, so that `work` can borrow scratch of its own.
    let (mut kept, mut gradients, mut blocks) = T::with_scratch(|scratch| {
        let Scratch { kept, bounds, blocks, .. } = scratch;
        (take(kept), take(bounds), take(blocks))
    });
    let few = vectorised(
        #[inline(always)]
        || compress(y, g.from.unwrap_or(&*g.to), cost, &mut blocks, (&mut kept, &mut gradients)),
    );
    let done = few && work(&kept, Rewrite::in_place(&mut gradients)).is_ok();
    if done {
        expand(&blocks, &gradients, &mut *g.to);
    }
    T::with_scratch(|scratch| (scratch.kept, scratch.bounds, scratch.blocks) = (kept, gradients, blocks));
    // An error must name the place in the whole row.
    if done { Ok(()) } else { work(y, g) }
}

/// Copies the blocks that have weight, unless they are such a part of the row that it costs more than it spares; `blocks` says of each
/// whether it was copied.
#[inline(always)]
fn compress<T: Real>(
    y: &[T],
    g: &[T],
    cost: Cost,
    blocks: &mut Vec<T>,
    (kept, gradients): (&mut Vec<T>, &mut Vec<T>),
) -> bool {
    let part = if cost == Cost::Little { 8 } else { 3 };
    let zero = T::zero();
    blocks.clear();
    let (whole, rest) = y.as_chunks::<BLOCK>();
    // Rows with weight nearly everywhere are told by a few of their blocks.
    const SAMPLE: usize = 32;
    let sampled = whole.iter().step_by(whole.len().div_ceil(SAMPLE).max(1));
    if sampled.clone().count() == SAMPLE && sampled.filter(|block| maximum(*block) > zero).count() * part > SAMPLE {
        return false;
    }
    let mut touched = 0;
    for block in whole {
        let any = maximum(block) > zero;
        blocks.push(if any { T::one() } else { zero });
        touched += usize::from(any);
    }
    let any = rest.iter().any(|&y| y > zero);
    if !rest.is_empty() {
        blocks.push(if any { T::one() } else { zero });
    }
    if touched * part > whole.len() {
        return false;
    }
    kept.clear();
    gradients.clear();
    for ((y, g), _) in y.chunks(BLOCK).zip(g.chunks(BLOCK)).zip(&*blocks).filter(|(_, any)| **any > zero) {
        kept.extend_from_slice(y);
        gradients.extend_from_slice(g);
    }
    true
}

/// Puts the gradients of the blocks that were copied back, and zero everywhere else.
fn expand<T: Real>(blocks: &[T], mut gradients: &[T], g: &mut [T]) {
    for (g, &any) in g.chunks_mut(BLOCK).zip(blocks) {
        if any > T::zero() {
            let (block, rest) = gradients.split_at(g.len());
            g.copy_from_slice(block);
            gradients = rest;
        } else {
            g.fill(T::zero());
        }
    }
}
