//! Powers of distances to a threshold, and their sums.
//!
//! Three ways to raise a number: multiplications for a [whole](Whole) exponent; a [table](table) for other exponents,
//! where a processor looks sixteen numbers up at once; else [logarithm and exponential](LogExp). A power below the
//! least normal number counts as zero: smaller ones would take many times as long.

mod exponent;
mod log_exp;
#[cfg(target_arch = "x86_64")]
mod lookup;
mod table;
mod whole;

pub use exponent::{Exponent, Offset};
pub use table::Tabled;

use crate::maxima::BLOCK;
use crate::{InOut, Number, Vectors};
pub(crate) use log_exp::LogExp;
use table::ByTable;
use whole::Whole;
pub(crate) use whole::multiply;

/// The most sums of powers that are taken together.
pub const MOST_SUMS: usize = 7;

/// Scores as they lie, and the shift and scale that make `z = (x - shift) scale` of them.
#[derive(Debug, Clone, Copy)]
pub struct Scores<'a, T> {
    /// The scores `x`.
    pub row: &'a [T],
    /// Taken from them first.
    pub shift: T,
    /// What the differences are multiplied by.
    pub scale: T,
}

impl<'a, T: Number> Scores<'a, T> {
    /// Scores that are shifted and scaled already.
    #[inline(always)]
    pub fn plain(z: &'a [T]) -> Self {
        Scores { row: z, shift: T::zero(), scale: T::one() }
    }
}

/// `t = base + d`, `d = (x - shift) scale - value`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance<T> {
    shift: T,
    scale: T,
    value: T,
    base: T,
}

impl<T: Number> Distance<T> {
    /// Of numbers that are distances already: `t = base + x`.
    #[inline(always)]
    pub(crate) fn from_base(base: T) -> Self {
        Distance { shift: T::zero(), scale: T::one(), value: T::zero(), base }
    }

    /// For an exponent that needs the digits that `1 + d` rounds away, or one that does not.
    #[inline(always)]
    fn new((shift, scale): (T, T), at: Offset<T>, p: Exponent<T>) -> Self {
        let base = if p.is_precise() { T::one() } else { T::zero() };
        // The threshold itself, where it has the same base: a difference would round it.
        let value = if base == at.base { at.value } else { at.tau() + base };
        Distance { shift, scale, value, base }
    }

    #[inline(always)]
    fn of(self, x: T) -> T {
        (x - self.shift) * self.scale - self.value
    }
}

/// A way to raise numbers to a power.
trait Raise<T: Number> {
    /// `Σ t^(K-1) y, …, Σ y` over the powers `y` of `t`.
    fn sums<const K: usize>(&self, row: &[T]) -> [f64; K];

    /// Powers over scores, in whole blocks; where few weigh something, of the blocks that hold one.
    fn raise(&self, row: InOut<'_, T>, is_sparse: bool);

    /// Whether a score weighs something.
    fn weighs(&self, x: T) -> bool;

    /// The share of entries that weigh something from which on it costs more to look for blocks without any than it
    /// spares: `make bench CASES=entmax` at scores times 5.
    const DENSE: f64;
}

/// Runs `$work` with the way that suits the exponent as `$by`, for powers up to `$more` higher.
macro_rules! with_raise {
    ($t:ident, $by:ident, $distance:expr, $p:expr, $more:expr, $work:expr) => {
        match $p {
            Exponent::Whole(k) => {
                let $by = Whole::new($distance, k, k + $more);
                $work
            }
            Exponent::Plain(p) | Exponent::Precise(p) => $t::with_table(p, |table| match table {
                Some(table) => {
                    let $by = ByTable(table, $distance);
                    $work
                }
                None => {
                    let $by = LogExp::new($distance, p);
                    $work
                }
            }),
        }
    };
}

/// The first `count` of `Σ t^p, Σ t^(p-1), …` over `t = (z - τ)₊`, where positive; `p` above `count - 1`, or whole.
pub(crate) fn power_sums<T: Number + Tabled>(
    z: Scores<'_, T>,
    at: Offset<T>,
    p: Exponent<T>,
    count: usize,
) -> [f64; MOST_SUMS] {
    let (distance, least) = (Distance::new((z.shift, z.scale), at, p), p.less(count as u32 - 1));
    let mut sums = [0.0; MOST_SUMS];
    macro_rules! counts {
        ($($count:literal),*) => {
            match count {
                $($count => with_raise!(T, by, distance, least, $count - 1, {
                    sums[..$count].copy_from_slice(&by.sums::<$count>(z.row));
                }),)*
                _ => unreachable!("{count} sums are not taken together"),
            }
        };
    }
    counts!(1, 2, 3, 5, 7);
    sums
}

/// `y ← ((x - shift) scale - τ)₊^p`.
pub(crate) fn raise<T: Number + Tabled>(row: InOut<'_, T>, by: (T, T), at: Offset<T>, p: Exponent<T>) {
    let distance = Distance::new(by, at, p);
    with_raise!(T, way, distance, p, 0, {
        let weighing = crate::maxima::share(row.read(), |x| way.weighs(x));
        fill(row, &way, weighing)
    });
}

/// `s ← y^p` for numbers from zero to one, zero for zero.
pub(crate) fn powers<T: Number + Tabled>(y: &[T], p: T, s: &mut [T]) {
    let distance = Distance::from_base(T::zero());
    // Nearly all weights that are pulled back weigh something: blocks without weight were left out.
    with_raise!(T, by, distance, Exponent::Plain(p), 0, fill(InOut::new(y, s), &by, 1.0));
}

/// Powers over scores, of which about such a share weighs something.
#[inline(always)]
fn fill<T: Number, R: Raise<T>>(row: InOut<'_, T>, by: &R, weighing: f64) {
    let blocks = row.len() / BLOCK * BLOCK;
    let (whole, rest) = row.split_at(blocks);
    by.raise(whole, weighing <= R::DENSE);
    if !rest.is_empty() {
        // Part of a block is raised as a whole one is, so that equal scores get equal weights.
        let mut block = [T::neg_infinity(); BLOCK];
        block[..rest.len()].copy_from_slice(rest.read());
        by.raise(InOut::in_place(&mut block), true);
        let rest = rest.output();
        rest.copy_from_slice(&block[..rest.len()]);
    }
}

/// `sums[k] ← sums[k] + y t^k`: two sums a step, so that the chain of products is half as long.
#[inline(always)]
fn add_chain<T: Number, S: Vectors<T>, const K: usize>(simd: S, sums: &mut [S::V; K], y: S::V, t: S::V) {
    let (mut power, square) = (y, simd.mul(t, t));
    let (pairs, last) = sums.as_chunks_mut::<2>();
    for [even, odd] in pairs {
        *even = simd.add(*even, power);
        *odd = simd.mul_add(power, t, *odd);
        power = simd.mul(power, square);
    }
    for last in last {
        *last = simd.add(*last, power);
    }
}

/// Adds sums of a run, the lowest power first, to totals, the highest first.
#[inline(always)]
fn add_run<T: Number, S: Vectors<T>, const K: usize>(simd: S, totals: &mut [f64; K], sums: [S::V; K]) {
    for (total, sum) in totals.iter_mut().rev().zip(sums) {
        *total += simd.reduce_sum(sum).to_double();
    }
}

/// `total[K-1-k] ← total[K-1-k] + y t^k` for one entry.
fn add_one<T: Number, const K: usize>(total: &mut [f64; K], y: T, t: T) {
    let (mut power, t) = (y.to_double(), t.to_double());
    for total in total.iter_mut().rev() {
        *total += power;
        power *= t;
    }
}
