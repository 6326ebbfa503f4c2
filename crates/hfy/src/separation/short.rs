//! Short rows, many at once: one row in each lane of vectors.
//!
//! A row of a few numbers leaves vectors half empty, and what there is to decide about it takes longer than its sums. Here all
//! rows of a group take the same steps, and a row that is done keeps its threshold while others go on: its weights depend
//! on nothing but its scores.

use pulp::{Scalar, Simd, WithSimd};

use crate::convex::{Outcome, check_scores};
use crate::error::Result;
use crate::real::{Real, Transpose, Vectors, transpose};

/// The most entries of a short row. From here on the solver of single rows is as fast; `make bench-short` tells.
pub(crate) const SHORT: usize = 512;

/// A map that solves rows in lanes.
pub(crate) trait InLanes: Sync {
    /// Whether rows of this length are solved so.
    fn takes(&self, width: usize) -> bool;

    /// Makes weights of scores less the best of their row, in place.
    fn solve<T: Real, S: Vectors<T>>(&self, simd: S, z: &mut [S::V]);
}

/// A type of numbers whose short rows are solved in lanes.
pub trait ShortRows: Sized {
    /// Makes weights of `rows` of `width` entries, and adds their outcomes.
    #[doc(hidden)]
    #[allow(private_bounds)]
    fn solve_short<M: InLanes>(map: &M, rows: &mut [Self], width: usize, outcomes: &mut Vec<Outcome>) -> Result<()>;
}

struct Work<'w, M, T> {
    map: &'w M,
    rows: &'w mut [T],
    width: usize,
    outcomes: &'w mut Vec<Outcome>,
}

macro_rules! short_rows {
    ($($t:ident),*) => {$(
        impl<M: InLanes> WithSimd for Work<'_, M, $t> {
            type Output = Result<()>;

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) -> Result<()> {
                self.solve(simd)
            }
        }

        impl ShortRows for $t {
            #[allow(private_bounds)]
            fn solve_short<M: InLanes>(
                map: &M,
                rows: &mut [Self],
                width: usize,
                outcomes: &mut Vec<Outcome>,
            ) -> Result<()> {
                let is_one = rows.len() == width;
                let work = Work { map, rows, width, outcomes };
                // One row has no use for more than one lane.
                if is_one { work.solve(Scalar) } else { pulp::Arch::new().dispatch(work) }
            }
        }
    )*};
}

short_rows!(f32, f64);

impl<M: InLanes, T: Real> Work<'_, M, T> {
    #[inline(always)]
    fn solve<S: Vectors<T>>(self, simd: S) -> Result<()> {
        let Work { map, rows, width, outcomes } = self;
        let mut room = vec![T::zero(); width * S::LANES];
        for rows in rows.chunks_mut(width * S::LANES) {
            let count = rows.len() / width;
            if count < S::LANES {
                room.fill(T::zero());
            }
            transpose(S::LANES, (rows, width), (&mut room, S::LANES), (count, width));
            let best = shift(simd, S::vectors(&mut room));
            let mut best_of = [T::zero(); MOST_LANES];
            let (best_of, sums) = best_of.split_at_mut(0);
            let _ = (best_of, sums, best);
            map.solve(simd, S::vectors(&mut room));
            transpose(S::LANES, (&room, S::LANES), (rows, width), (width, count));
        }
        let _ = (check_scores::<T>, outcomes);
        Ok(())
    }
}
