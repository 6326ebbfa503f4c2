//! One pass over a row: its maximum, the maximum of each block, and then only the blocks that matter.
//!
//! Everything that runs under [`vectorised`](crate::real::vectorised) is written with plain loops and
//! closures marked for inlining: code that the compiler leaves outside of that call gets no wide vectors.

use crate::convex::check_scores;
use crate::error::Result;
use crate::real::{Real, greater};

/// Entries under one block maximum.
pub(crate) const BLOCK: usize = 32;
/// Entries that are worked on side by side.
pub(crate) const LANES: usize = 8;

/// Writes the maximum of each block and returns the maximum of the row (minus infinity where all is masked).
#[inline(always)]
pub(crate) fn block_maxima<T: Real>(theta: &[T], blocks: &mut Vec<T>) -> Result<T> {
    blocks.clear();
    let mut unsound = [T::zero(); LANES];
    let mut largest = T::neg_infinity();
    let (whole, rest) = theta.as_chunks::<BLOCK>();
    for block in whole {
        let top = block_maximum(block, &mut unsound);
        largest = greater(top, largest);
        blocks.push(top);
    }
    if !rest.is_empty() {
        let mut padded = [T::neg_infinity(); BLOCK];
        padded[..rest.len()].copy_from_slice(rest);
        let top = block_maximum(&padded, &mut unsound);
        largest = greater(top, largest);
        blocks.push(top);
    }
    if unsound.iter().any(|&u| u != T::zero()) {
        check_scores(theta)?;
    }
    Ok(largest)
}

/// The maximum of a block; marks the lanes that met a score which is NaN or plus infinity.
#[inline(always)]
fn block_maximum<T: Real>(block: &[T; BLOCK], unsound: &mut [T; LANES]) -> T {
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
    top[0]
}

/// Moves `(x - shift) * scale` of every entry where that exceeds `level` into `kept` and returns their number.
/// Blocks whose maximum stays below are not read.
#[inline(always)]
pub(crate) fn gather<T: Real>(theta: &[T], blocks: &[T], (shift, scale): (T, T), level: T, kept: &mut Vec<T>) -> usize {
    // A block more than needed, so that every block may be written through before it is counted.
    if kept.len() < theta.len() + BLOCK {
        kept.resize(theta.len() + BLOCK, T::zero());
    }
    let mut count = 0;
    for (block, &top) in theta.chunks(BLOCK).zip(blocks) {
        if (top - shift) * scale > level {
            let (room, _) = kept[count..].split_first_chunk_mut::<BLOCK>().expect("a block of room is left");
            let mut new = 0;
            for &x in block {
                let z = (x - shift) * scale;
                room[new % BLOCK] = z;
                new += usize::from(z > level);
            }
            count += new;
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

/// How many entries are computed before they are added up.
pub(crate) const STRETCH: usize = 32;

/// `Σ f(x)` for three sums at once. Terms are computed for a stretch of entries and then added in lanes: two kinds of
/// loop that compilers turn into vector code, where one loop that does both stays scalar.
#[inline(always)]
pub(crate) fn sums<T: Real>(values: &[T], f: impl Fn(T) -> (T, T, T)) -> (T, T, T) {
    let (mut a, mut b, mut c) = ([T::zero(); STRETCH], [T::zero(); STRETCH], [T::zero(); STRETCH]);
    let (mut a_lanes, mut b_lanes, mut c_lanes) = ([T::zero(); LANES], [T::zero(); LANES], [T::zero(); LANES]);
    for part in values.chunks(STRETCH) {
        if part.len() < STRETCH {
            (a, b, c) = ([T::zero(); STRETCH], [T::zero(); STRETCH], [T::zero(); STRETCH]);
        }
        for (((&x, a), b), c) in part.iter().zip(&mut a).zip(&mut b).zip(&mut c) {
            (*a, *b, *c) = f(x);
        }
        add_lanes(&mut a_lanes, &a);
        add_lanes(&mut b_lanes, &b);
        add_lanes(&mut c_lanes, &c);
    }
    (across(a_lanes), across(b_lanes), across(c_lanes))
}

/// `Σ f(x)`.
#[inline(always)]
pub(crate) fn sum<T: Real>(values: &[T], f: impl Fn(T) -> T) -> T {
    let mut terms = [T::zero(); STRETCH];
    let mut lanes = [T::zero(); LANES];
    for part in values.chunks(STRETCH) {
        if part.len() < STRETCH {
            terms = [T::zero(); STRETCH];
        }
        for (&x, term) in part.iter().zip(&mut terms) {
            *term = f(x);
        }
        add_lanes(&mut lanes, &terms);
    }
    across(lanes)
}

#[inline(always)]
pub(crate) fn add_lanes<T: Real>(lanes: &mut [T; LANES], terms: &[T; STRETCH]) {
    for eight in terms.as_chunks::<LANES>().0 {
        for l in 0..LANES {
            lanes[l] += eight[l];
        }
    }
}

#[inline(always)]
pub(crate) fn across<T: Real>(lanes: [T; LANES]) -> T {
    ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
}
