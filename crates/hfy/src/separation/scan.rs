//! One pass over a row: its maximum, the maximum of each block, and then only the blocks that matter.

use crate::convex::check_scores;
use crate::error::Result;
use crate::real::{Real, greater};

/// Entries under one block maximum.
pub(crate) const BLOCK: usize = 32;
const LANES: usize = 8;

/// Writes the maximum of each block and returns the maximum of the row (minus infinity where all is masked).
#[inline(always)]
pub(crate) fn block_maxima<T: Real>(theta: &[T], blocks: &mut Vec<T>) -> Result<T> {
    blocks.clear();
    let mut unsound = [T::zero(); LANES];
    let mut largest = T::neg_infinity();
    let (whole, rest) = theta.as_chunks::<BLOCK>();
    let mut visit = |block: &[T; BLOCK]| {
        let mut top = [T::neg_infinity(); LANES];
        for part in block.as_chunks::<LANES>().0 {
            for l in 0..LANES {
                unsound[l] = if part[l] < T::infinity() { unsound[l] } else { T::one() };
                top[l] = greater(part[l], top[l]);
            }
        }
        for half in [4, 2, 1] {
            for l in 0..half {
                top[l] = greater(top[l], top[l + half]);
            }
        }
        largest = greater(top[0], largest);
        top[0]
    };
    blocks.extend(whole.iter().map(&mut visit));
    if !rest.is_empty() {
        let mut padded = [T::neg_infinity(); BLOCK];
        padded[..rest.len()].copy_from_slice(rest);
        blocks.push(visit(&padded));
    }
    if unsound.iter().any(|&u| u != T::zero()) {
        check_scores(theta)?;
    }
    Ok(largest)
}

/// Moves `(x - shift) * scale` of every entry where that exceeds `level` into `kept` and returns their number.
/// Blocks whose maximum stays below are not read.
#[inline(always)]
pub(crate) fn gather<T: Real>(theta: &[T], blocks: &[T], (shift, scale): (T, T), level: T, kept: &mut Vec<T>) -> usize {
    if kept.len() < theta.len() {
        kept.resize(theta.len(), T::zero());
    }
    let mut count = 0;
    for (block, &top) in theta.chunks(BLOCK).zip(blocks) {
        if (top - shift) * scale > level {
            for &x in block {
                let z = (x - shift) * scale;
                kept[count] = z;
                count += usize::from(z > level);
            }
        }
    }
    count
}

/// Moves the entries above `level` to the front and returns their number.
#[inline(always)]
pub(crate) fn retain_above<T: Real>(values: &mut [T], level: T) -> usize {
    let mut count = 0;
    for i in 0..values.len() {
        let v = values[i];
        values[count] = v;
        count += usize::from(v > level);
    }
    count
}

/// `Σ f(x)` for several sums at once, eight entries side by side.
#[inline(always)]
pub(crate) fn sums<T: Real, const K: usize>(values: &[T], f: impl Fn(T) -> [T; K]) -> [T; K] {
    let mut partial = [[T::zero(); LANES]; K];
    let (whole, rest) = values.as_chunks::<LANES>();
    for part in whole {
        let mut terms = [[T::zero(); LANES]; K];
        for l in 0..LANES {
            let t = f(part[l]);
            for k in 0..K {
                terms[k][l] = t[k];
            }
        }
        for k in 0..K {
            for l in 0..LANES {
                partial[k][l] += terms[k][l];
            }
        }
    }
    let mut total = partial.map(|lanes| lanes.into_iter().sum::<T>());
    for &x in rest {
        let t = f(x);
        for k in 0..K {
            total[k] += t[k];
        }
    }
    total
}
