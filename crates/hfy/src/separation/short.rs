//! Short rows, many at once: one row in each lane of vectors.
//!
//! A row of a few numbers leaves vectors half empty, and what there is to decide about it takes longer than its sums.
//! Here all rows of a group take the same steps, and a row that is done keeps its threshold while others go on: its
//! weights depend on nothing but its scores.

use pulp::{Scalar, Simd, WithSimd};

use super::{Solve, rewrite_by};
use crate::convex::{Outcome, check_gradient, check_scores};
use crate::error::Result;
use crate::real::{Real, Rewrite, Vectors, transpose, with_zeros};

/// The most entries of a short row. From here on the solver of single rows is as fast: `make bench CASES=sparsemax`.
pub(crate) const SHORT: usize = 512;

/// A map that solves rows in lanes.
pub trait InLanes: Sync {
    /// Whether rows of this length are solved so.
    fn takes(&self, width: usize) -> bool;

    /// Whether rows with masked entries are solved one by one.
    fn leaves_masked_rows(&self) -> bool {
        false
    }

    /// Makes weights of scores, in place, given the best and the lowest of each row. A row that is masked entirely has
    /// the best score minus infinity, and comes out as zeros.
    fn solve<T: Real, S: Vectors<T>>(&self, simd: S, z: &mut [S::V], best: S::V, lowest: S::V);

    /// `g ← J g` from weights, and a sum that is not finite where a gradient that matters is not. What is not finite
    /// where there is no weight does not matter.
    fn pull<T: Real, S: Vectors<T>>(&self, simd: S, y: &[S::V], g: &mut [S::V]) -> S::V;
}

/// [`InLanes::pull`] where the Jacobian is `diag(s) - s sᵀ / Σs` for slopes `s` of the weights.
#[inline(always)]
pub(super) fn pull<T: Real, S: Vectors<T>>(simd: S, y: &[S::V], g: &mut [S::V], slope: impl Fn(S::V) -> S::V) -> S::V {
    let zero = simd.splat(T::zero());
    let (mut total, mut along) = (zero, zero);
    for (&y, &g) in y.iter().zip(&*g) {
        let s = slope(y);
        total = simd.add(total, s);
        along = simd.add(along, simd.where_greater(s, zero, simd.mul(s, g), zero));
    }
    let mean = simd.where_greater(total, zero, simd.div(along, total), zero);
    for (g, &y) in g.iter_mut().zip(y) {
        let s = slope(y);
        *g = simd.where_greater(s, zero, simd.mul(s, simd.sub(*g, mean)), zero);
    }
    along
}

/// A type of numbers whose short rows are solved in lanes.
pub trait ShortRows: Sized {
    /// `y ← ŷ(θ)` for rows of `width` entries, of which the outcomes are reported up to the first row at fault.
    fn solve_short<M: InLanes>(
        map: &M,
        rows: (&[Self], &mut [Self]),
        width: usize,
        report: &mut dyn FnMut(Outcome),
    ) -> Result<()>
    where
        Self: Solve<M>;

    /// `out ← J g` for rows of weights and gradients of `width` entries; calls `done` for each up to the first row at
    /// fault.
    fn pull_short<M: InLanes>(
        map: &M,
        rows: (&[Self], &[Self], &mut [Self]),
        width: usize,
        done: &mut dyn FnMut(),
    ) -> Result<()>;
}

/// The most entries of rows that are pulled in lanes. Gradients take two passes: rows that fill a few vectors need no
/// lanes.
const PULLED: usize = 32;

/// Whether gradients of rows of this length are pulled in lanes.
pub(super) fn is_pulled(map: &impl InLanes, width: usize) -> bool {
    width <= PULLED && is_short(map, width)
}

/// Whether the map solves rows of this length in lanes.
pub(super) fn is_short(map: &impl InLanes, width: usize) -> bool {
    (1..=SHORT).contains(&width) && map.takes(width)
}

/// Lends zeros for so many vectors of any instruction set, or of one lane: one row has no use for more. Before the
/// instruction set is chosen, since closures within that are not always compiled for it.
fn with_vectors<T: Real, R>(vectors: usize, is_one: bool, work: impl FnOnce(&mut [T]) -> R) -> R {
    const MOST_LANES: usize = 16;
    with_zeros(if is_one { vectors } else { vectors * MOST_LANES }, work)
}

struct Work<'w, M, T> {
    map: &'w M,
    theta: &'w [T],
    y: &'w mut [T],
    width: usize,
    room: &'w mut [T],
    report: &'w mut dyn FnMut(Outcome),
}

macro_rules! short_rows {
    ($($t:ident),*) => {$(
        impl<M: InLanes> WithSimd for Work<'_, M, $t>
        where
            $t: Solve<M>,
        {
            type Output = Result<()>;

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) -> Result<()> {
                self.solve(simd)
            }
        }

        impl ShortRows for $t {
            fn solve_short<M: InLanes>(
                map: &M,
                (theta, y): (&[Self], &mut [Self]),
                width: usize,
                report: &mut dyn FnMut(Outcome),
            ) -> Result<()>
            where
                Self: Solve<M>,
            {
                let is_one = theta.len() == width;
                with_vectors(width + 2, is_one, |room| {
                    let work = Work { map, theta, y, width, room, report };
                    if is_one { work.solve(Scalar) } else { pulp::Arch::new().dispatch(work) }
                })
            }

            fn pull_short<M: InLanes>(
                map: &M,
                (y, g, out): (&[Self], &[Self], &mut [Self]),
                width: usize,
                done: &mut dyn FnMut(),
            ) -> Result<()> {
                let is_one = y.len() == width;
                with_vectors(2 * width + 1, is_one, |room| {
                    let work = Pull { map, y, g, out, width, room, done };
                    if is_one { work.pull(Scalar) } else { pulp::Arch::new().dispatch(work) }
                })
            }
        }

        impl<M: InLanes> WithSimd for Pull<'_, M, $t> {
            type Output = Result<()>;

            #[inline(always)]
            fn with_simd<S: Simd>(self, simd: S) -> Result<()> {
                self.pull(simd)
            }
        }
    )*};
}

short_rows!(f32, f64);

impl<M: InLanes, T: Real + Solve<M>> Work<'_, M, T> {
    #[inline(always)]
    fn solve<S: Vectors<T>>(self, simd: S) -> Result<()> {
        let Work { map, theta, y, width, room, report } = self;
        let entries = width * S::LANES;
        let (z, known) = room[..entries + 2 * S::LANES].split_at_mut(entries);
        for (theta, y) in theta.chunks(entries).zip(y.chunks_mut(entries)) {
            let count = theta.len() / width;
            if count < S::LANES {
                z.fill(T::zero());
            }
            transpose(S::LANES, (theta, width), (&mut *z, S::LANES), (count, width));
            let (best, lowest, is_sound) = survey(simd, S::vectors(z));
            if !is_sound {
                for (row, scores) in theta.chunks(width).enumerate() {
                    if let Err(error) = check_scores(scores) {
                        (0..row).for_each(|_| report(Outcome::Solved));
                        return Err(error);
                    }
                }
            }
            S::vectors(known).copy_from_slice(&[best, lowest]);
            map.solve(simd, S::vectors(z), best, lowest);
            transpose(S::LANES, (&*z, S::LANES), (&mut *y, width), (width, count));
            let (best, lowest) = known.split_at(S::LANES);
            let alone = |lowest: T| lowest == T::neg_infinity() && map.leaves_masked_rows();
            for (row, (theta, y)) in theta.chunks(width).zip(y.chunks_mut(width)).enumerate() {
                report(if alone(lowest[row]) {
                    rewrite_by(map, Rewrite::into("y", theta, y)?)?
                } else if best[row] == T::neg_infinity() {
                    Outcome::Empty
                } else {
                    Outcome::Solved
                });
            }
        }
        Ok(())
    }
}

struct Pull<'w, M, T> {
    map: &'w M,
    y: &'w [T],
    g: &'w [T],
    out: &'w mut [T],
    width: usize,
    room: &'w mut [T],
    done: &'w mut dyn FnMut(),
}

impl<M: InLanes, T: Real> Pull<'_, M, T> {
    #[inline(always)]
    fn pull<S: Vectors<T>>(self, simd: S) -> Result<()> {
        let Pull { map, y, g, out, width, room, done } = self;
        let entries = width * S::LANES;
        let (y_lanes, room) = room.split_at_mut(entries);
        let (g_lanes, room) = room.split_at_mut(entries);
        let sums = &mut room[..S::LANES];
        for ((y, g), out) in y.chunks(entries).zip(g.chunks(entries)).zip(out.chunks_mut(entries)) {
            let count = y.len() / width;
            if count < S::LANES {
                y_lanes.fill(T::zero());
            }
            transpose(S::LANES, (y, width), (&mut *y_lanes, S::LANES), (count, width));
            transpose(S::LANES, (g, width), (&mut *g_lanes, S::LANES), (count, width));
            S::vectors(sums)[0] = map.pull(simd, S::vectors(y_lanes), S::vectors(g_lanes));
            for (&sum, g) in sums.iter().zip(g.chunks(width)) {
                check_gradient(sum, g)?;
                done();
            }
            transpose(S::LANES, (&*g_lanes, S::LANES), (&mut *out, width), (width, count));
        }
        Ok(())
    }
}

/// The best and the lowest score of each row, and whether all are sound.
#[inline(always)]
fn survey<T: Real, S: Vectors<T>>(simd: S, z: &[S::V]) -> (S::V, S::V, bool) {
    let (zero, top) = (simd.splat(T::zero()), simd.splat(T::infinity()));
    let (mut best, mut lowest, mut total) = (simd.splat(T::neg_infinity()), top, zero);
    for &x in z {
        best = simd.greatest(x, best);
        lowest = simd.least(x, lowest);
        total = simd.add(total, x);
    }
    // A sum is not less than infinity if one of its terms is not.
    let unsound = simd.where_greater(top, total, zero, simd.splat(T::one()));
    (best, lowest, !simd.any_greater(unsound, zero))
}

/// Takes the best score off each row. What is masked entirely stays minus infinity.
#[inline(always)]
pub(super) fn less_best<T: Real, S: Vectors<T>>(simd: S, z: &mut [S::V], best: S::V) {
    let best = simd.where_greater(best, simd.splat(T::neg_infinity()), best, simd.splat(T::zero()));
    for z in z {
        *z = simd.sub(*z, best);
    }
}

/// How many sums are taken side by side: additions wait for one another.
const SIDE: usize = 4;

/// `Σ a` and `Σ b` of each row, where `terms` makes `a` and `b` of a score.
#[inline(always)]
fn sums<T: Real, S: Vectors<T>>(simd: S, z: &[S::V], terms: impl Fn(S::V) -> [S::V; 2]) -> [S::V; 2] {
    let zero = simd.splat(T::zero());
    let mut sums = [[zero; SIDE]; 2];
    let (whole, rest) = z.as_chunks::<SIDE>();
    for four in whole {
        for i in 0..SIDE {
            let [a, b] = terms(four[i]);
            sums[0][i] = simd.add(sums[0][i], a);
            sums[1][i] = simd.add(sums[1][i], b);
        }
    }
    for (i, &x) in rest.iter().enumerate() {
        let [a, b] = terms(x);
        sums[0][i] = simd.add(sums[0][i], a);
        sums[1][i] = simd.add(sums[1][i], b);
    }
    let [[a0, a1, a2, a3], [b0, b1, b2, b3]] = sums;
    [simd.add(simd.add(a0, a1), simd.add(a2, a3)), simd.add(simd.add(b0, b1), simd.add(b2, b3))]
}

/// Rounds after which a row is as good as it gets.
const ROUNDS: usize = 4 * SHORT;

/// Newton's method from a threshold left of the root, which it never passes but by rounding: `step` says how far it is
/// to the next threshold. A row is done with the first step that is no more than rounding.
#[inline(always)]
fn newton<T: Real, S: Vectors<T>>(simd: S, mut tau: S::V, best: S::V, step: impl Fn(S::V) -> S::V) -> S::V {
    let (zero, one, bottom) = (simd.splat(T::zero()), simd.splat(T::one()), simd.splat(T::neg_infinity()));
    let rounding = simd.splat(T::of(2.0) * T::epsilon());
    let mut goes_on = simd.where_greater(best, bottom, one, zero);
    for _ in 0..ROUNDS {
        let step = step(tau);
        tau = simd.where_greater(goes_on, zero, simd.add(tau, step), tau);
        goes_on = simd.where_greater(step, rounding, goes_on, zero);
        if !simd.any_greater(goes_on, zero) {
            break;
        }
    }
    tau
}

/// `(z - τ)₊` with the sum one.
#[inline(always)]
pub(super) fn linear<T: Real, S: Vectors<T>>(simd: S, z: &mut [S::V], best: S::V) {
    let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
    let low = simd.sub(zero, one);
    // The mean of what reaches above -1 bounds the threshold from below.
    let [total, _] = sums(
        simd,
        z,
        #[inline(always)]
        |z| [simd.greatest(z, low), zero],
    );
    let slack = simd.splat(T::of(1.0 + 16.0 * z.len() as f64 * T::epsilon().wide()));
    let start = simd.div(simd.sub(total, slack), simd.splat(T::of(z.len() as f64)));
    let tau = newton(
        simd,
        simd.greatest(start, low),
        best,
        #[inline(always)]
        |tau| {
            let [total, count] = sums(
                simd,
                z,
                #[inline(always)]
                |z| [simd.greatest(simd.sub(z, tau), zero), simd.where_greater(z, tau, one, zero)],
            );
            simd.div(simd.sub(total, one), count)
        },
    );
    for z in z {
        *z = simd.greatest(simd.sub(*z, tau), zero);
    }
}

/// `t = (z - τ)₊` with the sum of squares one, and `Σ t`.
#[inline(always)]
pub(super) fn quadratic<T: Real, S: Vectors<T>>(simd: S, z: &mut [S::V], best: S::V) -> S::V {
    let zero = simd.splat(T::zero());
    let tau = newton(
        simd,
        simd.splat(-T::one()),
        best,
        #[inline(always)]
        |tau| {
            let [first, second] = sums(
                simd,
                z,
                #[inline(always)]
                |z| {
                    let t = simd.greatest(simd.sub(z, tau), zero);
                    [t, simd.mul(t, t)]
                },
            );
            simd.div(simd.sub(second, simd.sqrt(second)), first)
        },
    );
    for z in &mut *z {
        *z = simd.greatest(simd.sub(*z, tau), zero);
    }
    let [total, _] = sums(
        simd,
        z,
        #[inline(always)]
        |t| [t, zero],
    );
    total
}

/// `z - τ` clipped to [0, 1] with the sum `mass`, less than the number of entries.
///
/// The threshold lies among the scores, which may be far from the best and from zero: where digits are lost there, they
/// are not once a score near the threshold is taken off.
#[inline(always)]
pub(super) fn capped<T: Real, S: Vectors<T>>(simd: S, z: &mut [S::V], (lowest, best): (S::V, S::V), mass: T) {
    let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
    let rough = level(simd, z, (simd.sub(lowest, one), best), mass);
    let near = simd.add(rough, simd.splat(T::of(0.5)));
    let (mut below, mut above) = (lowest, best);
    for &z in &*z {
        below = simd.greatest(simd.where_greater(z, near, lowest, z), below);
        above = simd.least(simd.where_greater(z, near, z, best), above);
    }
    let anchor = simd.where_greater(simd.sub(near, below), simd.sub(above, near), above, below);
    for z in &mut *z {
        *z = simd.sub(*z, anchor);
    }
    let ends = (simd.sub(simd.sub(lowest, anchor), one), simd.sub(best, anchor));
    let tau = level(simd, z, ends, mass);
    // The threshold of what is neither zero nor one there, without what else would be rounded.
    let [free, ones] = sums(
        simd,
        z,
        #[inline(always)]
        |z| {
            let t = simd.sub(z, tau);
            [is_between(simd, t), simd.where_greater(one, t, zero, one)]
        },
    );
    let [inside, _] = sums(
        simd,
        z,
        #[inline(always)]
        |z| [simd.where_greater(is_between(simd, simd.sub(z, tau)), zero, z, zero), zero],
    );
    let exact = simd.div(simd.sub(inside, simd.sub(simd.splat(mass), ones)), free);
    let tau = simd.where_greater(free, zero, exact, tau);
    for z in z {
        *z = simd.least(simd.greatest(simd.sub(*z, tau), zero), one);
    }
}

/// `|x|`.
#[inline(always)]
fn size<T: Real, S: Vectors<T>>(simd: S, x: S::V) -> S::V {
    simd.greatest(x, simd.sub(simd.splat(T::zero()), x))
}

/// One strictly between zero and one, else zero.
#[inline(always)]
pub(super) fn is_between<T: Real, S: Vectors<T>>(simd: S, t: S::V) -> S::V {
    let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
    simd.where_greater(t, zero, simd.where_greater(one, t, one, zero), zero)
}

/// The root of `Σ clip(z - τ, 0, 1) = mass` between two ends: a step of Newton's where that stays between them, else
/// the middle. From zero, if that lies between.
#[inline(always)]
fn level<T: Real, S: Vectors<T>>(simd: S, z: &[S::V], (mut low, mut high): (S::V, S::V), mass: T) -> S::V {
    let (zero, one, half) = (simd.splat(T::zero()), simd.splat(T::one()), simd.splat(T::of(0.5)));
    let (mass, rounding) = (simd.splat(mass), simd.splat(T::of(2.0) * T::epsilon()));
    let mut tau = simd.least(simd.greatest(zero, low), high);
    let mut goes_on = one;
    for _ in 0..ROUNDS {
        let [clipped, free] = sums(
            simd,
            z,
            #[inline(always)]
            |z| {
                let t = simd.sub(z, tau);
                [simd.least(simd.greatest(t, zero), one), is_between(simd, t)]
            },
        );
        let excess = simd.sub(clipped, mass);
        low = simd.where_greater(excess, zero, tau, low);
        high = simd.where_greater(zero, excess, tau, high);
        let step = simd.div(excess, free);
        let next = simd.add(tau, step);
        let middle = simd.add(simd.mul(low, half), simd.mul(high, half));
        let inside = simd.where_greater(next, low, simd.where_greater(high, next, next, middle), middle);
        // A step that is no more than rounding is the last; where the sum is right nothing moves.
        let least = simd.mul(rounding, simd.greatest(size(simd, tau), one));
        let next = simd.where_greater(size(simd, step), least, inside, next);
        let next = simd.where_greater(size(simd, excess), zero, next, tau);
        let moved = size(simd, simd.sub(next, tau));
        tau = simd.where_greater(goes_on, zero, next, tau);
        goes_on = simd.where_greater(moved, least, goes_on, zero);
        if !simd.any_greater(goes_on, zero) {
            break;
        }
    }
    tau
}
