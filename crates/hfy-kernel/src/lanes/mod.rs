//! Short rows, many at once: one row in each lane of vectors.
//!
//! A row of a few numbers leaves vectors half empty, and the decisions about it take longer than its sums. Here all
//! rows of a group take the same steps, and a row that is done keeps its threshold while others go on: its weights
//! depend on nothing but its scores.

mod closed;
mod power;
mod pull;

pub(crate) use pull::pull_rows;

use crate::power::Exponent;
use crate::sums::MOST_LANES;
use crate::transpose::transpose;
use crate::{Kernel, Number, Vectors, with_zeros};
use power::PowerRoot;

/// The most entries of a row that is solved in lanes. From here on the solver of single rows is as fast: `make bench
/// CASES=sparsemax`.
pub const MOST_WIDTH: usize = 512;

/// A map that is solved in lanes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LaneMap<T> {
    /// `(z - τ)₊`, of sum one.
    Sparsemax,
    /// `(z/2 - τ)₊²`, of sum one.
    Entmax15,
    /// `(scale z - τ)₊^p`, of sum one.
    Entmax {
        /// The exponent.
        p: Exponent<T>,
        /// What scores are multiplied by.
        scale: T,
    },
    /// `(z - τ)₊^q` over its sum, where the sum of `(z - τ)₊^p` is one.
    Normmax {
        /// The exponent of the equation.
        p: Exponent<T>,
        /// One less, with its own digits.
        q: Exponent<T>,
    },
    /// `clip(z - τ, 0, 1)`, of this sum.
    Subsets(T),
}

/// How a row came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneOutcome {
    /// Its weights are there.
    Solved,
    /// Every entry is masked: the weights are zeros.
    Empty,
    /// Some entry is no score.
    Unsound,
    /// Some entries are masked, and the map must know how many: the weights are not there.
    Masked,
}

/// Takes the scores, the weights and the outcome of a row, or of several that are solved, and says whether to go on.
pub type NextRow<'n, T> = dyn FnMut(&[T], &mut [T], LaneOutcome) -> bool + 'n;

/// Makes weights of rows of `width` scores, one after the other. Calls `next` with the scores, the weights and the
/// outcome of rows, in order; stops where that returns false.
pub(crate) fn solve<T: Number>(map: LaneMap<T>, theta: &[T], y: &mut [T], width: usize, next: &mut NextRow<'_, T>) {
    let is_one = theta.len() == width;
    // Room for the scores, for t and its power, and for two numbers a row.
    with_zeros((3 * width + 2) * if is_one { 1 } else { MOST_LANES }, |room| {
        let solve = Solve { map, theta, y, width, room, next };
        if is_one { T::dispatch_one_lane(solve) } else { T::dispatch(solve) }
    });
}

struct Solve<'w, T> {
    map: LaneMap<T>,
    theta: &'w [T],
    y: &'w mut [T],
    width: usize,
    room: &'w mut [T],
    next: &'w mut NextRow<'w, T>,
}

impl<T: Number> Kernel<T> for Solve<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Vectors<T>>(self, simd: S) {
        let Solve { map, theta, y, width, room, next } = self;
        let entries = width * S::LANES;
        let (z, room) = room.split_at_mut(entries);
        let (known, room) = room.split_at_mut(2 * S::LANES);
        for (theta, y) in theta.chunks(entries).zip(y.chunks_mut(entries)) {
            let count = theta.len() / width;
            if count < S::LANES {
                z.fill(T::zero());
            }
            transpose(S::LANES, (theta, width), (&mut *z, S::LANES), (count, width));
            let Survey { best, lowest, is_sound } = Survey::of(simd, S::vectors(z).0);
            S::vectors_mut(known).0.copy_from_slice(&[best, lowest]);
            weigh(simd, map, z, room, (best, lowest));
            transpose(S::LANES, (&*z, S::LANES), (&mut *y, width), (width, count));
            let bottom = T::neg_infinity();
            let counts_masks = matches!(map, LaneMap::Subsets(_));
            let least = if counts_masks { lowest } else { best };
            if is_sound && simd.reduce_min(least) > bottom {
                if !next(theta, y, LaneOutcome::Solved) {
                    return;
                }
                continue;
            }
            for (lane, (theta, y)) in theta.chunks(width).zip(y.chunks_mut(width)).enumerate() {
                let outcome = if !is_sound && theta.iter().any(|&x| !(x < T::infinity())) {
                    LaneOutcome::Unsound
                } else if counts_masks && known[S::LANES + lane] == bottom {
                    LaneOutcome::Masked
                } else if known[lane] == bottom {
                    LaneOutcome::Empty
                } else {
                    LaneOutcome::Solved
                };
                if !next(theta, y, outcome) {
                    return;
                }
            }
        }
    }
}

/// Makes weights of a group of rows in place, given the best and the lowest score of each. A row that is masked
/// entirely has the best score minus infinity, and comes out as zeros.
#[inline(always)]
fn weigh<T: Number, S: Vectors<T>>(
    simd: S,
    map: LaneMap<T>,
    z: &mut [T],
    room: &mut [T],
    (best, lowest): (S::V, S::V),
) {
    let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
    if let LaneMap::Subsets(mass) = map {
        return closed::capped(simd, S::vectors_mut(z).0, (lowest, best), mass);
    }
    let scale = match map {
        LaneMap::Entmax15 => T::from_double(0.5),
        LaneMap::Entmax { scale, .. } => scale,
        _ => T::one(),
    };
    let lanes = S::vectors_mut(z).0;
    let shift = simd.where_greater(best, simd.splat(T::neg_infinity()), best, zero);
    for z in &mut *lanes {
        *z = simd.mul(simd.sub(*z, shift), simd.splat(scale));
    }
    match map {
        LaneMap::Sparsemax | LaneMap::Subsets(_) => {
            let tau = closed::linear(simd, lanes, best);
            closed::above(simd, lanes, tau);
        }
        LaneMap::Entmax15 => {
            let tau = closed::quadratic(simd, lanes, best);
            closed::above(simd, lanes, tau);
            lanes.iter_mut().for_each(|y| *y = simd.mul(*y, *y));
        }
        LaneMap::Entmax { p, .. } => {
            let root = PowerRoot::find(simd, (p, best), z, room);
            root.raise(simd, p, z, room);
        }
        LaneMap::Normmax { p, q } => {
            let root = PowerRoot::find(simd, (p, best), z, room);
            root.raise(simd, q, z, room);
            let lanes = S::vectors_mut(z).0;
            let total = closed::total(simd, lanes);
            let factor = simd.div(one, simd.where_greater(total, zero, total, one));
            lanes.iter_mut().for_each(|y| *y = simd.mul(*y, factor));
        }
    }
}

/// The best and the lowest score of each row, and whether all scores are sound.
struct Survey<V> {
    best: V,
    lowest: V,
    is_sound: bool,
}

impl<V: Copy> Survey<V> {
    #[inline(always)]
    fn of<T: Number, S: Vectors<T, V = V>>(simd: S, z: &[V]) -> Self {
        let (zero, top) = (simd.splat(T::zero()), simd.splat(T::infinity()));
        let (mut best, mut lowest, mut total) = (simd.splat(T::neg_infinity()), top, zero);
        for &x in z {
            best = simd.max(x, best);
            lowest = simd.min(x, lowest);
            total = simd.add(total, x);
        }
        // A sum is less than infinity only if each of its terms is.
        let unsound = simd.where_greater(top, total, zero, simd.splat(T::one()));
        Survey { best, lowest, is_sound: !simd.any_greater(unsound, zero) }
    }
}
