//! Powers of many numbers at once, a block at a time, so that every loop is vector code.

use super::scan::{BLOCK, LANES};
use crate::real::{Real, greater};

/// An exponent, and with it the way that powers are computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Exponent<T> {
    /// A small whole number: multiplications only.
    Whole(u32),
    /// Any number, through logarithm and exponential.
    Plain(T),
    /// A large number: the rounding of `base + d` is made good, without which nothing would be left of the
    /// approach of entmax to softmax.
    Precise(T),
}

impl<T: Real> Exponent<T> {
    pub(crate) fn of(p: T) -> Self {
        let whole = p.round();
        if whole >= T::one() && whole <= T::of(16.0) && (p - whole).abs() <= T::of(16.0) * T::epsilon() * whole {
            Exponent::Whole(whole.wide() as u32)
        } else if p > T::of(4.0) {
            Exponent::Precise(p)
        } else {
            Exponent::Plain(p)
        }
    }

    /// The exponent less `n`; a whole one not below zero.
    fn less(self, n: u32) -> Self {
        match self {
            Exponent::Whole(k) => Exponent::Whole(k.saturating_sub(n)),
            Exponent::Plain(p) => Exponent::Plain(p - T::of(f64::from(n))),
            Exponent::Precise(p) => Exponent::Precise(p - T::of(f64::from(n))),
        }
    }
}

/// Turns distances `d` into `t₊` for `t = base + d`, and writes its power, zero where `t` is not positive.
trait Raise<T> {
    fn raise<const B: usize>(&self, base: T, d: &mut [T; B], y: &mut [T; B]);
}

struct Whole(u32);
struct Plain<T>(T);
struct Precise<T>(T);

impl<T: Real> Raise<T> for Whole {
    #[inline(always)]
    fn raise<const B: usize>(&self, base: T, d: &mut [T; B], y: &mut [T; B]) {
        // Two vectors at a time, and in variables of their own, which stay in registers.
        const WIDTH: usize = 2 * LANES;
        let (zero, one) = (T::zero(), T::one());
        for (d, y) in d.as_chunks_mut::<WIDTH>().0.iter_mut().zip(y.as_chunks_mut::<WIDTH>().0) {
            let (mut power, mut product) = ([zero; WIDTH], [zero; WIDTH]);
            for i in 0..WIDTH {
                power[i] = greater(base + d[i], zero);
                product[i] = if power[i] > zero { one } else { zero };
            }
            *d = power;
            let mut k = self.0;
            while k > 0 {
                if k & 1 == 1 {
                    for i in 0..WIDTH {
                        product[i] *= power[i];
                    }
                }
                k >>= 1;
                for i in 0..WIDTH {
                    power[i] *= power[i];
                }
            }
            *y = product;
        }
    }
}

impl<T: Real> Raise<T> for Plain<T> {
    #[inline(always)]
    fn raise<const B: usize>(&self, base: T, d: &mut [T; B], y: &mut [T; B]) {
        for i in 0..B {
            let t = base + d[i];
            (d[i], y[i]) = logarithm(t, T::zero(), self.0);
        }
        exponentials(y);
    }
}

impl<T: Real> Raise<T> for Precise<T> {
    #[inline(always)]
    fn raise<const B: usize>(&self, base: T, d: &mut [T; B], y: &mut [T; B]) {
        for i in 0..B {
            let t = base + d[i];
            (d[i], y[i]) = logarithm(t, d[i] - (t - base), self.0);
        }
        exponentials(y);
    }
}

/// `t₊` and the logarithm of its power; minus infinity, or so much that it makes no difference, where `t` is not positive.
#[inline(always)]
fn logarithm<T: Real>(t: T, lost: T, p: T) -> (T, T) {
    let log = p * t.log2_lanes(lost);
    if t > T::min_positive_value() { (t, log) } else { (T::zero(), T::neg_infinity()) }
}

#[inline(always)]
fn exponentials<T: Real>(y: &mut [T]) {
    for y in y.iter_mut() {
        *y = y.exp2_lanes();
    }
}

/// Entries whose powers are computed together, through logarithm and exponential. A power is a long chain of operations;
/// logarithms of many, then exponentials, are twice as many chains of half the length, and more of them fit into a
/// processor's window.
const MANY: usize = 256;

/// The choice of how powers are computed, and of how many at a time, made outside of the loops.
macro_rules! raising {
    ($exponent:expr, $by:ident, $size:ident => $call:expr) => {
        match $exponent {
            Exponent::Whole(k) => {
                const $size: usize = BLOCK;
                let $by = &Whole(k);
                $call
            }
            Exponent::Plain(p) => {
                const $size: usize = MANY;
                let $by = &Plain(p);
                $call
            }
            Exponent::Precise(p) => {
                const $size: usize = MANY;
                let $by = &Precise(p);
                $call
            }
        }
    };
}

/// A threshold `τ` as what is taken from the scores: `τ` itself, which keeps its digits as it approaches zero, or, for
/// the large exponents of the precise form, `ω = 1 + τ`, which keeps them as entmax approaches softmax.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Offset<T> {
    pub(crate) value: T,
    /// One for the precise form, else zero: `t = base + (z - value)`.
    pub(crate) base: T,
}

impl<T: Real> Offset<T> {
    /// A threshold no greater than `tau`.
    #[inline(always)]
    pub(crate) fn left_of(tau: T, exponent: Exponent<T>) -> Self {
        let slack = T::of(16.0) * T::epsilon();
        match exponent {
            Exponent::Precise(_) => Offset { value: greater(tau + T::one() - slack, T::zero()), base: T::one() },
            _ => Offset { value: greater(tau - slack, -T::one()), base: T::zero() },
        }
    }

    /// The threshold of `n` equal scores, the greatest that there is: `-n^(-1/p)`.
    #[inline(always)]
    pub(crate) fn upper(self, n: usize, inverse: T) -> T {
        let log = -inverse * T::of(n as f64).ln();
        if self.base == T::one() { -log.exp_m1() } else { -log.exp() }
    }

    /// `τ`.
    #[inline(always)]
    pub(crate) fn tau(self) -> T {
        self.value - self.base
    }
}

/// Scores as they lie, and what makes `z = (x - shift) scale` of them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scores<'a, T> {
    pub(crate) row: &'a [T],
    pub(crate) shift: T,
    pub(crate) scale: T,
}

impl<'a, T: Real> Scores<'a, T> {
    /// Scores that are shifted and scaled already.
    #[inline(always)]
    pub(crate) fn plain(z: &'a [T]) -> Self {
        Scores { row: z, shift: T::zero(), scale: T::one() }
    }

    /// Calls `take` with the distances `z - value` of a block at a time; what is missing of the last lies infinitely far
    /// below.
    #[inline(always)]
    fn for_blocks<const B: usize>(self, value: T, mut take: impl FnMut(&mut [T; B])) {
        let (blocks, rest) = self.row.as_chunks::<B>();
        let mut d = [T::neg_infinity(); B];
        for block in blocks {
            for i in 0..B {
                d[i] = (block[i] - self.shift) * self.scale - value;
            }
            take(&mut d);
        }
        if !rest.is_empty() {
            d = [T::neg_infinity(); B];
            for (d, &x) in d.iter_mut().zip(rest) {
                *d = (x - self.shift) * self.scale - value;
            }
            take(&mut d);
        }
    }
}

/// Entries that are added up in working precision before their sum joins the total.
const RUN: usize = 1 << 11;

/// `Σ t^p, Σ t^(p-1), …, Σ t^(p-K+1)` over `t = (z_i - τ)₊`, where positive; `p` above `K - 1`, or whole.
#[inline(always)]
pub(crate) fn moments<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, p: Exponent<T>) -> [T; K] {
    raising!(p.less(K as u32 - 1), by, SIZE => sums::<T, K, SIZE>(z, at, by))
}

#[inline(always)]
fn sums<T: Real, const K: usize, const B: usize>(z: Scores<'_, T>, at: Offset<T>, by: &impl Raise<T>) -> [T; K] {
    let mut total = [0.0; K];
    for row in z.row.chunks(RUN) {
        let mut part = [[T::zero(); LANES]; K];
        // What does not fill many is filled up to a block.
        let (many, rest) = row.split_at(row.len() / B * B);
        add_up::<T, K, B>(Scores { row: many, ..z }, at, by, &mut part);
        add_up::<T, K, BLOCK>(Scores { row: rest, ..z }, at, by, &mut part);
        for k in 0..K {
            total[k] += lane_sum(&part[k]).wide();
        }
    }
    total.map(T::of)
}

#[inline(always)]
fn add_up<T: Real, const K: usize, const B: usize>(
    z: Scores<'_, T>,
    at: Offset<T>,
    by: &impl Raise<T>,
    part: &mut [[T; LANES]; K],
) {
    let mut y = [T::zero(); B];
    z.for_blocks(
        at.value,
        #[inline(always)]
        |t: &mut [T; B]| {
            by.raise(at.base, t, &mut y);
            for (t, y) in t.as_chunks::<LANES>().0.iter().zip(y.as_chunks_mut::<LANES>().0) {
                for k in (0..K).rev() {
                    for i in 0..LANES {
                        part[k][i] += y[i];
                    }
                    for i in 0..LANES {
                        y[i] *= t[i];
                    }
                }
            }
        },
    );
}

/// Kept out of line: its shuffles would spread into the loop before it.
#[inline(never)]
fn lane_sum<T: Real>(lanes: &[T; LANES]) -> T {
    lanes.iter().copied().sum()
}

/// `row ← factor (z - τ)₊^p`; blocks that weigh nothing cost no powers.
#[inline(always)]
pub(crate) fn fill<T: Real>(row: &mut [T], (shift, scale): (T, T), at: Offset<T>, (p, factor): (Exponent<T>, T)) {
    raising!(p, by, SIZE => fill_by::<T, SIZE>(row, (shift, scale), at, by, factor))
}

#[inline(always)]
fn fill_by<T: Real, const B: usize>(
    row: &mut [T],
    (shift, scale): (T, T),
    at: Offset<T>,
    by: &impl Raise<T>,
    factor: T,
) {
    let (many, rest) = row.as_chunks_mut::<B>();
    let (mut d, mut y) = ([T::zero(); B], [T::zero(); B]);
    for many in many {
        let mut weighing = [false; MANY / BLOCK];
        let mut count = 0;
        let blocks = many.as_chunks::<BLOCK>().0.iter().zip(d.as_chunks_mut::<BLOCK>().0);
        for ((block, d), weighs) in blocks.zip(&mut weighing) {
            *weighs = distances(block, (shift, scale), at, d);
            count += usize::from(*weighs);
        }
        if count * BLOCK == B {
            by.raise(at.base, &mut d, &mut y);
            for i in 0..B {
                many[i] = y[i] * factor;
            }
        } else {
            let blocks = many.as_chunks_mut::<BLOCK>().0.iter_mut().zip(d.as_chunks_mut::<BLOCK>().0);
            for ((block, d), &weighs) in blocks.zip(&weighing) {
                fill_block(block, weighs.then_some(d), at.base, by, factor);
            }
        }
    }
    for rest in rest.chunks_mut(BLOCK) {
        let (mut block, mut d) = ([T::neg_infinity(); BLOCK], [T::zero(); BLOCK]);
        block[..rest.len()].copy_from_slice(rest);
        let weighs = distances(&block, (shift, scale), at, &mut d);
        fill_block(&mut block, weighs.then_some(&mut d), at.base, by, factor);
        rest.copy_from_slice(&block[..rest.len()]);
    }
}

/// The weights of a block from its distances; zeros where it has none.
#[inline(always)]
fn fill_block<T: Real>(block: &mut [T; BLOCK], d: Option<&mut [T; BLOCK]>, base: T, by: &impl Raise<T>, factor: T) {
    let mut y = [T::zero(); BLOCK];
    if let Some(d) = d {
        by.raise(base, d, &mut y);
        for y in &mut y {
            *y *= factor;
        }
    }
    *block = y;
}

/// Writes the distances of a block from the offset; whether any entry weighs something.
#[inline(always)]
fn distances<T: Real>(block: &[T; BLOCK], (shift, scale): (T, T), at: Offset<T>, d: &mut [T; BLOCK]) -> bool {
    let mut top = [T::neg_infinity(); LANES];
    for (block, d) in block.as_chunks::<LANES>().0.iter().zip(d.as_chunks_mut::<LANES>().0) {
        for i in 0..LANES {
            d[i] = (block[i] - shift) * scale - at.value;
            top[i] = greater(d[i], top[i]);
        }
    }
    top.iter().any(|&top| top > -at.base)
}
