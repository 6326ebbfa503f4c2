//! The entry points, compiled once for each type of numbers.

use crate::lanes::{LaneMap, NextRow};
use crate::power::{Exponent, MOST_SUMS, Offset, Scores};
use crate::weights::{Slope, Weight};
use crate::{InOut, Number, compact, dots, exponential, lanes, maxima, power, product, sums, weights};

/// Declares the trait and implements it for both types: every function forwards to the one behind the arrow.
macro_rules! kernels {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? => $path:path;)*) => {
        /// Vector code for rows of one type of numbers.
        pub trait Kernels: Number {
            $($(#[$doc])* fn $name($($argument: $type),*) $(-> $result)?;)*
        }

        kernels!(@for f32: $(fn $name($($argument: $type),*) $(-> $result)? => $path;)*);
        kernels!(@for f64: $(fn $name($($argument: $type),*) $(-> $result)? => $path;)*);
    };
    (@for $t:ident: $(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? => $path:path;)*) => {
        impl Kernels for $t {
            $(fn $name($($argument: $type),*) $(-> $result)? { $path($($argument),*) })*
        }
    };
}

kernels! {
    /// `Σ y`.
    fn total(y: &[Self]) -> f64 => sums::total;

    /// `Σ (z - τ)` and `Σ (z - τ)²`.
    fn distances(z: &[Self], tau: Self) -> [Self; 2] => sums::distances;

    /// `Σ clip(x - τ, 0, 1)`, and how many entries the bounds leave as they are.
    fn clipped(x: &[Self], tau: Self) -> [Self; 2] => sums::clipped;

    /// How many `d = (x - anchor) - τ` lie strictly between 0 and 1, the sum of their `x - anchor`, and how many reach
    /// 1.
    fn pieces(x: &[Self], anchor: Self, tau: Self) -> [Self; 3] => sums::pieces;

    /// `Σ s` and `Σ s g`, where `g` may be anything at an `s` of zero.
    fn sums_along(s: &[Self], g: &[Self]) -> [f64; 2] => sums::sums_along;

    /// The greatest entry; minus infinity for none.
    fn maximum(row: &[Self]) -> Self => maxima::maximum;

    /// The least entry; infinity for none.
    fn minimum(row: &[Self]) -> Self => maxima::minimum;

    /// Writes the maximum of each block of [`BLOCK`](crate::BLOCK) entries, and a copy of the row where there is room,
    /// and returns the maximum; with it false where an entry is NaN or plus infinity, or so large that it could be.
    fn block_maxima(row: &[Self], copy: &mut [Self], blocks: &mut Vec<Self>) -> (Self, bool) => maxima::block_maxima;

    /// About what share of a row has `(x - shift) scale` above the level, by a sample.
    fn share_above(row: &[Self], by: (Self, Self), level: Self) -> f64 => maxima::share_above;

    /// Moves `(x - shift) scale` of every entry where that exceeds `level` into `kept` and returns their number. Blocks
    /// whose maximum stays below are not read.
    fn gather(row: &[Self], blocks: &[Self], by: (Self, Self), level: Self, kept: &mut Vec<Self>) -> usize
        => compact::Compact::gather;

    /// Moves the entries above `level` to the front and returns their number; the others may become anything.
    fn retain(values: &mut [Self], level: Self) -> usize => compact::Compact::retain;

    /// The first `count` of `Σ t^p, Σ t^(p-1), …` over `t = (z - τ)₊`, where positive; `p` above `count - 1`, or whole.
    fn power_sums(z: Scores<'_, Self>, at: Offset<Self>, p: Exponent<Self>, count: usize) -> [f64; MOST_SUMS]
        => power::power_sums;

    /// `y ← ((x - shift) scale - τ)₊^p`.
    fn raise(row: InOut<'_, Self>, by: (Self, Self), at: Offset<Self>, p: Exponent<Self>) => power::raise;

    /// `s ← y^p` for numbers from zero to one, zero for zero.
    fn powers(y: &[Self], p: Self, s: &mut [Self]) => power::powers;

    /// `y ← exp(rate (x - shift))`, and the sum; `rate (x - shift)` must stay below 50.
    fn exponentials(row: InOut<'_, Self>, shift: Self, rate: Self) -> f64 => exponential::exponentials;

    /// `y ← factor y`.
    fn scale(y: &mut [Self], factor: Self) => exponential::scale;

    /// Makes weights of scores.
    fn weigh(row: InOut<'_, Self>, weight: Weight<Self>) => weights::weigh;

    /// Writes slopes of weights.
    fn slopes(y: &[Self], slope: Slope<Self>, s: &mut [Self]) => weights::slopes;

    /// `out ← s ∘ (g - mean)` for slopes `s`, where `g` may be anything at an `s` of zero.
    fn pull(s: InOut<'_, Self>, g: &[Self], mean: Self) => weights::pull;

    /// `g ← g - factor y`.
    fn subtract(y: &[Self], g: &mut [Self], factor: Self) => weights::subtract;

    /// Makes weights of many short rows at once.
    fn solve_lanes(
        map: LaneMap<Self>,
        theta: &[Self],
        y: &mut [Self],
        width: usize,
        next: &mut NextRow<'_, Self>
    ) => lanes::solve;

    /// `out ← J g` for many short rows at once.
    fn pull_lanes(
        map: LaneMap<Self>,
        y: &[Self],
        g: &[Self],
        out: &mut [Self],
        width: usize,
        next: &mut dyn FnMut(&[Self], Self) -> bool
    ) => lanes::pull_rows;

    /// `to ← a bᵀ` for matrices of rows of `width` entries, row after row, in this thread.
    fn products(a: &[Self], b: &[Self], width: usize, to: &mut [Self]) => product::products;

    /// `out[k] ← rows[entries[k]] · x`, for rows as long as `x`, row after row.
    fn dots(rows: &[Self], x: &[Self], entries: &[u32], out: &mut [Self]) => dots::dots;
}
