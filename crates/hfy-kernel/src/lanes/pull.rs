//! Derivatives of short rows, many at once.

use super::LaneMap;
use crate::power::{Distance, LogExp};
use crate::sums::MOST_LANES;
use crate::transpose::transpose;
use crate::{Kernel, Number, Vectors, with_zeros};

/// `out ← J g` for rows of `width` weights and gradients. Calls `next` with the gradients of each row, and with a sum
/// that is not finite where one that matters is not; stops where that returns false.
pub(crate) fn pull_rows<T: Number>(
    map: LaneMap<T>,
    y: &[T],
    g: &[T],
    out: &mut [T],
    width: usize,
    next: &mut dyn FnMut(&[T], T) -> bool,
) {
    let is_one = y.len() == width;
    // Room for weights, gradients and powers, and for a sum a row.
    with_zeros((3 * width + 1) * if is_one { 1 } else { MOST_LANES }, |room| {
        let pull = Pull { map, y, g, out, width, room, next };
        if is_one { T::dispatch_one_lane(pull) } else { T::dispatch(pull) }
    });
}

struct Pull<'w, T> {
    map: LaneMap<T>,
    y: &'w [T],
    g: &'w [T],
    out: &'w mut [T],
    width: usize,
    room: &'w mut [T],
    next: &'w mut dyn FnMut(&[T], T) -> bool,
}

impl<T: Number> Kernel<T> for Pull<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Vectors<T>>(self, simd: S) {
        let Pull { map, y, g, out, width, room, next } = self;
        let entries = width * S::LANES;
        let (y_lanes, room) = room.split_at_mut(entries);
        let (g_lanes, room) = room.split_at_mut(entries);
        let (sums, room) = room.split_at_mut(S::LANES);
        for ((y, g), out) in y.chunks(entries).zip(g.chunks(entries)).zip(out.chunks_mut(entries)) {
            let count = y.len() / width;
            if count < S::LANES {
                y_lanes.fill(T::zero());
            }
            transpose(S::LANES, (y, width), (&mut *y_lanes, S::LANES), (count, width));
            transpose(S::LANES, (g, width), (&mut *g_lanes, S::LANES), (count, width));
            S::vectors_mut(sums).0[0] = pull(simd, map, y_lanes, g_lanes, room);
            for (&sum, g) in sums.iter().zip(g.chunks(width)) {
                if !next(g, sum) {
                    return;
                }
            }
            transpose(S::LANES, (&*g_lanes, S::LANES), (&mut *out, width), (width, count));
        }
    }
}

/// `g ← J g` for a group of rows, and a sum of each that is not finite where a gradient that matters is not.
#[inline(always)]
fn pull<T: Number, S: Vectors<T>>(simd: S, map: LaneMap<T>, y: &mut [T], g: &mut [T], room: &mut [T]) -> S::V {
    let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
    match map {
        LaneMap::Normmax { .. } => return pull_norm(simd, S::vectors(y).0, S::vectors_mut(g).0),
        LaneMap::Sparsemax => {
            S::vectors_mut(y).0.iter_mut().for_each(|y| *y = simd.where_greater(*y, zero, one, zero));
        }
        LaneMap::Entmax15 => S::vectors_mut(y).0.iter_mut().for_each(|y| *y = simd.sqrt(*y)),
        LaneMap::Entmax { scale, .. } => {
            let power = LogExp::new(Distance::from_base(T::zero()), T::one() - scale);
            power.each(y, &mut room[..y.len()]);
        }
        LaneMap::Subsets(_) => {
            let below = |y| simd.where_greater(one, y, one, zero);
            S::vectors_mut(y).0.iter_mut().for_each(|y| *y = simd.where_greater(*y, zero, below(*y), zero));
        }
    }
    pull_sloped(simd, S::vectors(y).0, S::vectors_mut(g).0)
}

/// Where the Jacobian is `diag(s) - s sᵀ / Σs` for slopes `s`.
#[inline(always)]
fn pull_sloped<T: Number, S: Vectors<T>>(simd: S, s: &[S::V], g: &mut [S::V]) -> S::V {
    let zero = simd.splat(T::zero());
    let (mut total, mut along) = (zero, zero);
    for (&s, &g) in s.iter().zip(&*g) {
        total = simd.add(total, s);
        along = simd.add(along, simd.where_greater(s, zero, simd.mul(s, g), zero));
    }
    let mean = simd.where_greater(total, zero, simd.div(along, total), zero);
    for (g, &s) in g.iter_mut().zip(s) {
        *g = simd.where_greater(s, zero, simd.mul(s, simd.sub(*g, mean)), zero);
    }
    along
}

/// For 2-normmax: with `P = I - 1yᵀ` the Jacobian is `Pᵀ diag(‖y‖) P` on the support.
#[inline(always)]
fn pull_norm<T: Number, S: Vectors<T>>(simd: S, y: &[S::V], g: &mut [S::V]) -> S::V {
    let zero = simd.splat(T::zero());
    let (mut squares, mut along, mut total) = (zero, zero, zero);
    for (&y, &g) in y.iter().zip(&*g) {
        squares = simd.add(squares, simd.mul(y, y));
        along = simd.add(along, simd.where_greater(y, zero, simd.mul(y, g), zero));
    }
    let norm = simd.sqrt(squares);
    for (g, &y) in g.iter_mut().zip(y) {
        *g = simd.where_greater(y, zero, simd.mul(norm, simd.sub(*g, along)), zero);
        total = simd.add(total, *g);
    }
    for (g, &y) in g.iter_mut().zip(y) {
        *g = simd.sub(*g, simd.mul(y, total));
    }
    along
}
