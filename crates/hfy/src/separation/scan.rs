//! One pass over a row: its maximum, the maximum of each block, and then only the blocks that matter.
//!
//! Everything that runs under [`vectorised`](crate::real::vectorised) is written with plain loops and
//! closures marked for inlining: code that the compiler leaves outside of that call gets no wide vectors.

use crate::convex::check_scores;
use crate::error::Result;
use crate::real::{Real, Rewrite, SLACK, greater};

/// Entries under one block maximum.
pub(crate) const BLOCK: usize = 32;
/// Entries that are worked on side by side.
pub(crate) const LANES: usize = 8;

/// Rows of so many entries are copied where they are read if little is to be computed after that, so that stores are waited for together
/// with loads. Others are in a near cache before long.
const LONG: usize = 8192;

/// Writes the maximum of each block, and the least entry, where that is asked for, and returns the maximum of the row (minus infinity
/// where all is masked). The row may be copied.
#[inline(always)]
pub(crate) fn block_maxima<T: Real>(
    row: &mut Rewrite<'_, T>,
    copies: bool,
    blocks: &mut Vec<T>,
    least: Option<&mut T>,
) -> Result<T> {
    let copies = copies && row.len() >= LONG;
    let (theta, room) = row.read_and_room();
    if !T::block_maxima::<BLOCK>(theta, if copies { room } else { &mut [] }, blocks, least) {
        check_scores(theta)?;
    }
    if copies {
        row.settle();
    }
    Ok(maximum(blocks))
}

/// The greatest entry; minus infinity for none.
#[inline(always)]
pub(crate) fn maximum<T: Real>(values: &[T]) -> T {
    best(values, T::neg_infinity(), greater)
}

/// The least entry above zero; infinity for none.
#[inline(always)]
pub(crate) fn least_positive<T: Real>(values: &[T]) -> T {
    best(
        values,
        T::infinity(),
        #[inline(always)]
        |value, least| if (value > T::zero()) & (value < least) { value } else { least },
    )
}

/// The entry that is better than all others, or than `none`.
#[inline(always)]
fn best<T: Real>(values: &[T], none: T, better: impl Fn(T, T) -> T) -> T {
    let mut best = [none; LANES];
    let (whole, rest) = values.as_chunks::<LANES>();
    for part in whole {
        for l in 0..LANES {
            best[l] = better(part[l], best[l]);
        }
    }
    for &value in rest {
        best[0] = better(value, best[0]);
    }
    for half in [4, 2, 1] {
        for l in 0..half {
            best[l] = better(best[l + half], best[l]);
        }
    }
    best[0]
}

/// Moves `(x - shift) * scale` of every entry where that exceeds `level` into `kept` and returns their number.
/// Blocks whose maximum stays below are not read.
#[inline(always)]
pub(crate) fn gather<T: Real>(theta: &[T], blocks: &[T], (shift, scale): (T, T), level: T, kept: &mut Vec<T>) -> usize {
    // Blocks whose numbers are listed together: which of them reach the level is not to be guessed at by the processor.
    const TOGETHER: usize = 64;
    if kept.len() < theta.len() + SLACK {
        kept.resize(theta.len() + SLACK, T::zero());
    }
    let mut count = 0;
    for (part, tops) in theta.chunks(TOGETHER * BLOCK).zip(blocks.chunks(TOGETHER)) {
        let (mut reaching, mut number) = ([0; TOGETHER], 0);
        for (i, &top) in tops.iter().enumerate() {
            reaching[number] = i;
            number += usize::from((top - shift) * scale > level);
        }
        if number == tops.len() {
            count += T::gather([part].into_iter(), (shift, scale), level, &mut kept[count..]);
            continue;
        }
        let parts = reaching[..number].iter().map(
            #[inline(always)]
            |&i| &part[i * BLOCK..part.len().min((i + 1) * BLOCK)],
        );
        count += T::gather(parts, (shift, scale), level, &mut kept[count..]);
    }
    count
}

/// About what share of a row is so, by a sample: of neighbours together, which are looked at at once.
#[inline(always)]
pub(crate) fn share<T: Real>(row: &[T], is_so: impl Fn(T) -> bool) -> f64 {
    const GROUPS: usize = 64 / LANES;
    let (groups, rest) = row.as_chunks::<LANES>();
    let (mut some, mut all) = ([0_u32; LANES], 0_u32);
    for group in groups.iter().step_by(groups.len().div_ceil(GROUPS).max(1)) {
        for l in 0..LANES {
            some[l] += u32::from(is_so(group[l]));
        }
        all += LANES as u32;
    }
    let mut total: u32 = some.iter().sum();
    if groups.is_empty() {
        total = rest.iter().map(|&x| u32::from(is_so(x))).sum();
        all = rest.len() as u32;
    }
    f64::from(total) / f64::from(all.max(1))
}

/// How many entries are computed before they are added up.
pub(crate) const STRETCH: usize = 32;

/// How many entries are added up in their own precision.
pub(crate) const RUN: usize = 64 * STRETCH;

/// `Σ f(x)`. Terms are computed for a stretch of entries and then added entry by entry to a running stretch: loops
/// that compilers turn into vector code. Sums of long rows are added up in double precision.
#[inline(always)]
pub(crate) fn sum<T: Real>(values: &[T], f: impl Fn(T) -> T) -> T {
    let mut all = 0.0;
    let mut terms = [T::zero(); STRETCH];
    for run in values.chunks(RUN) {
        let mut total = [T::zero(); STRETCH];
        for part in run.chunks(STRETCH) {
            if part.len() < STRETCH {
                terms = [T::zero(); STRETCH];
            }
            for (&x, term) in part.iter().zip(&mut terms) {
                *term = f(x);
            }
            add(&mut total, &terms);
        }
        all += across(&total).wide();
    }
    T::of(all)
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
