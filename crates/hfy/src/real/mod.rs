//! Numbers: `f32` and `f64` compute, half types only store.

mod compact;
mod dots;
mod element;
mod elementary;
mod maxima;
mod moments;
mod near;
mod powers;
mod product;
mod ramps;
mod rewrite;
mod scratch;
mod tables;
mod transpose;
mod vectors;

pub(crate) use compact::SLACK;
pub use element::Element;
pub(crate) use near::Near;
pub(crate) use powers::Affine;
pub(crate) use rewrite::Rewrite;
pub use scratch::Scratch;
pub(crate) use scratch::{from_copy, with_copy, with_zeros};
pub(crate) use tables::Bins;
pub(crate) use transpose::{Transpose, transpose};
pub(crate) use vectors::Vectors;

use std::fmt::{Debug, Display, LowerExp};
use std::iter::Sum;

use num_traits::{Float, NumAssign};

use crate::compiled::Compiled;
use crate::separation::{Entmax, Normmax, ShortRows, Solve, Subsets, Weigh};

/// A floating-point type that maps are computed in: `f32` or `f64`.
pub trait Real:
    Float
    + NumAssign
    + Sum
    + Default
    + Debug
    + Display
    + LowerExp
    + faer::traits::RealField
    + Solve<Entmax>
    + Solve<Normmax>
    + Solve<Subsets>
    + Weigh
    + ShortRows
    + Transpose
    + Compiled
    + Send
    + Sync
    + 'static
{
    /// The nearest number of this type.
    fn of(x: f64) -> Self;

    /// The same number in double precision.
    fn wide(self) -> f64;

    /// `exp(self)` for `self` below 50 without branches, so that a loop over a row becomes vector code.
    fn exp_lanes(self) -> Self;

    /// `p log2(self)` for a normal `self > 0`, without branches. Anything for others.
    fn log2_times(self, p: Self) -> Self;

    /// `p log2(self + lost)` for a normal `self > 0` and `lost` below its last digit, without branches. Anything for others.
    fn log2_times_with(self, lost: Self, p: Self) -> Self;

    /// `2^self` for `self` from `least_exponent` to 64, without branches. Anything for others.
    fn exp2_lanes(self) -> Self;

    /// The least base whose power by `p`, from -1 on, `exp2_lanes` can compute.
    fn least_base(p: Self) -> Self;

    /// The least whole number whose power of two, and what is near it, is a normal number.
    fn least_exponent() -> Self;

    /// `exp(self) - 1`, in single precision cheaper than `exp_m1`.
    fn exp_less_one(self) -> Self;

    /// `log(1 + self)`, likewise.
    fn log_one_plus(self) -> Self;

    /// Lends this thread's buffers, so that no row allocates.
    fn with_scratch<R>(work: impl FnOnce(&mut Scratch<Self>) -> R) -> R;

    /// `to ← a bᵀ` for matrices of rows of `width` entries, row after row, in this thread.
    fn products(a: &[Self], b: &[Self], width: usize, to: &mut [Self]);

    /// `total[K-1-k] ← total[K-1-k] + Σ y t^k` for k below K.
    fn add_moments<const K: usize>(t: &[Self], y: &[Self], total: &mut [f64; K]);

    /// `Σ y`.
    fn total(y: &[Self]) -> f64;

    /// `Σ s` and `Σ s g`, where `g` may be anything at an `s` of zero.
    fn sums_along(s: &[Self], g: &[Self]) -> [f64; 2];

    /// The sums of `z - tau` and of its square, and the least of it.
    fn distances(z: &[Self], tau: Self) -> [Self; 3];

    /// The sum of `x - tau` clipped to [0, 1], and how many are not changed by that.
    fn clipped(x: &[Self], tau: Self) -> [Self; 2];

    /// How many `d = (x - anchor) - tau` lie strictly between 0 and 1, the sum of their `x - anchor`, and how many reach 1.
    fn pieces(x: &[Self], anchor: Self, tau: Self) -> [Self; 3];

    /// Writes over the scores `t^k`, where `t = d`, the distance of a score, weighs something, else zero.
    fn raise_whole(scores: Rewrite<'_, Self>, affine: Affine<Self>, k: u32);

    /// `Σ t^(k+K-1), …, Σ t^k` for the same `t`.
    fn whole_sums<const K: usize>(row: &[Self], affine: Affine<Self>, k: u32) -> [f64; K];

    /// Writes powers over scores that are near.
    fn raise_near(scores: Rewrite<'_, Self>, near: Near<Self>);

    /// `Σ y t^(K-1), …, Σ y` over such powers `y` of `t`.
    fn near_sums<const K: usize>(row: &[Self], near: Near<Self>) -> [f64; K];

    /// Lends the table of bins for powers by `p`, where this machine has such.
    fn with_bins<R>(p: Self, work: impl FnOnce(Option<&Bins>) -> R) -> R;

    /// Writes powers of the numbers, `base` plus the distances, over scores, which come in whole blocks, of which many weigh nothing
    /// where they are sparse.
    fn raise_tabled(bins: &Bins, affine: Affine<Self>, base: Self, is_sparse: bool, scores: Rewrite<'_, Self>);

    /// `Σ y t^(K-1), …, Σ y` over numbers `t` and their powers `y`.
    fn tabled_sums<const K: usize>(bins: &Bins, affine: Affine<Self>, base: Self, row: &[Self]) -> [f64; K];

    /// Moves `(x - shift) scale` of the entries where that exceeds `level` to the front of `room`, part after part, and returns
    /// their number. There must be room for them and a few more.
    fn gather<'p>(parts: impl Iterator<Item = &'p [Self]>, by: (Self, Self), level: Self, room: &mut [Self]) -> usize;

    /// Moves the entries above `level` to the front and returns their number; what lies behind them may be anything.
    fn retain(values: &mut [Self], level: Self) -> usize;

    /// Writes the maximum of each block of `BLOCK` entries, a copy of the row, where there is room for it, and the least entry, where that
    /// is asked for; false where an entry is NaN or plus infinity, or so large that it could be.
    fn block_maxima<const BLOCK: usize>(
        row: &[Self],
        copy: &mut [Self],
        blocks: &mut Vec<Self>,
        least: Option<&mut Self>,
    ) -> bool;

    /// The least entry; infinity for none.
    fn minimum(row: &[Self]) -> Self;

    /// `out[k] ← rows[entries[k]] · x`, for rows as long as `x`, row after row.
    fn dots(rows: &[Self], x: &[Self], entries: &[u32], out: &mut [Self]);

    /// Sums within this distance of a constraint count as meeting it.
    fn domain_tolerance() -> Self {
        Self::epsilon().sqrt()
    }
}

/// Runs `work` compiled for the widest vector instructions that this machine has.
#[inline(always)]
pub(crate) fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// `a * b` where a zero weight silences an infinite score.
#[inline(always)]
pub(crate) fn weighted<T: Real>(weight: T, score: T) -> T {
    if weight == T::zero() { T::zero() } else { weight * score }
}

/// A slope that is unbounded at the edge of a support, made finite: what matters is that no NaN comes of it.
#[inline(always)]
pub(crate) fn lesser_finite<T: Real>(x: T) -> T {
    x.min(T::max_value().sqrt())
}

/// The greater of two numbers that are not NaN, as one instruction.
#[inline(always)]
pub(crate) fn greater<T: Real>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The lesser of two numbers that are not NaN, as one instruction.
#[inline(always)]
pub(crate) fn lesser<T: Real>(a: T, b: T) -> T {
    if a < b { a } else { b }
}
