//! One pass over a row: its maximum, the maximum of each block, and then only the blocks that matter.
//!
//! Everything that runs under [`vectorised`](crate::real::vectorised) is written with plain loops and
//! closures marked for inlining: code that the compiler leaves outside of that call gets no wide vectors.

use crate::convex::check_scores;
use crate::error::Result;
use crate::real::{Real, greater, lesser};

/// Entries under one block maximum.
pub(crate) const BLOCK: usize = 32;
/// Entries that are worked on side by side.
pub(crate) const LANES: usize = 8;

/// Writes the maximum of each block and returns the maximum of the row (minus infinity where all is masked).
#[inline(always)]
pub(crate) fn block_maxima<T: Real>(theta: &[T], blocks: &mut Vec<T>) -> Result<T> {
    blocks.clear();
    if !T::block_maxima::<BLOCK>(theta, blocks) {
        check_scores(theta)?;
    }
    let mut largest = T::neg_infinity();
    for &top in &*blocks {
        largest = greater(top, largest);
    }
    Ok(largest)
}

/// The maximum of a block.
#[inline(always)]
pub(crate) fn block_maximum<T: Real>(block: &[T; BLOCK]) -> T {
    let mut top = [T::neg_infinity(); LANES];
    for part in block.as_chunks::<LANES>().0 {
        for l in 0..LANES {
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

/// The least entry; infinity for none.
#[inline(always)]
pub(crate) fn minimum<T: Real>(values: &[T]) -> T {
    let mut least = [T::infinity(); LANES];
    let (whole, rest) = values.as_chunks::<LANES>();
    for part in whole {
        for l in 0..LANES {
            least[l] = lesser(part[l], least[l]);
        }
    }
    let mut all = T::infinity();
    for &v in least.iter().chain(rest) {
        all = lesser(v, all);
    }
    all
}

/// How many entries are computed before they are added up.
pub(crate) const STRETCH: usize = 32;

/// `Σ f(x)`. Terms are computed for a stretch of entries and then added entry by entry to a running stretch: loops
/// that compilers turn into vector code.
#[inline(always)]
pub(crate) fn sum<T: Real>(values: &[T], f: impl Fn(T) -> T) -> T {
    let mut terms = [T::zero(); STRETCH];
    let mut total = [T::zero(); STRETCH];
    for part in values.chunks(STRETCH) {
        if part.len() < STRETCH {
            terms = [T::zero(); STRETCH];
        }
        for (&x, term) in part.iter().zip(&mut terms) {
            *term = f(x);
        }
        add(&mut total, &terms);
    }
    across(&total)
}

/// Several sums in one pass.
#[inline(always)]
pub(crate) fn sums<T: Real, const K: usize>(values: &[T], f: impl Fn(T) -> [T; K]) -> [T; K] {
    const WIDTH: usize = 2 * LANES;
    let mut total = [[T::zero(); WIDTH]; K];
    let mut terms = [[T::zero(); WIDTH]; K];
    let (parts, rest) = values.as_chunks::<WIDTH>();
    for part in parts {
        for i in 0..WIDTH {
            let term = f(part[i]);
            for k in 0..K {
                terms[k][i] = term[k];
            }
        }
        for k in 0..K {
            for i in 0..WIDTH {
                total[k][i] += terms[k][i];
            }
        }
    }
    for (i, &x) in rest.iter().enumerate() {
        let term = f(x);
        for k in 0..K {
            total[k][i] += term[k];
        }
    }
    total.map(|lanes| {
        let mut stretch = [T::zero(); STRETCH];
        stretch[..WIDTH].copy_from_slice(&lanes);
        across(&stretch)
    })
}

/// `total ← total + terms`.
#[inline(always)]
pub(crate) fn add<T: Real>(total: &mut [T; STRETCH], terms: &[T; STRETCH]) {
    for (total, &term) in total.iter_mut().zip(terms) {
        *total += term;
    }
}

/// The sum of a stretch, by halves. Kept out of line: inlined, its shuffles spread into the loops that fill the stretch
/// and undo their vector code.
#[inline(never)]
pub(crate) fn across<T: Real>(total: &[T; STRETCH]) -> T {
    let mut total = *total;
    let mut half = STRETCH / 2;
    while half > 0 {
        for i in 0..half {
            total[i] += total[i + half];
        }
        half /= 2;
    }
    total[0]
}
