//! Powers of many numbers at once, a few lanes at a time, so that everything stays in vector registers.

use super::scan::{BLOCK, LANES};
use crate::real::{Real, greater};

type Lanes<T> = [T; LANES];

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

/// `t₊` and its power, zero where `t` is not positive, for `t = base + d`.
trait Raise<T> {
    fn raise(&self, base: T, d: &Lanes<T>) -> (Lanes<T>, Lanes<T>);
}

struct Whole(u32);
struct Plain<T>(T);
struct Precise<T>(T);

impl<T: Real> Raise<T> for Whole {
    #[inline(always)]
    fn raise(&self, base: T, d: &Lanes<T>) -> (Lanes<T>, Lanes<T>) {
        let (zero, one) = (T::zero(), T::one());
        let (mut t, mut y) = ([zero; LANES], [zero; LANES]);
        for i in 0..LANES {
            t[i] = greater(base + d[i], zero);
            y[i] = if t[i] > zero { one } else { zero };
        }
        let (mut power, mut k) = (t, self.0);
        while k > 0 {
            if k & 1 == 1 {
                for i in 0..LANES {
                    y[i] *= power[i];
                }
            }
            k >>= 1;
            for i in 0..LANES {
                power[i] *= power[i];
            }
        }
        (t, y)
    }
}

impl<T: Real> Raise<T> for Plain<T> {
    #[inline(always)]
    fn raise(&self, base: T, d: &Lanes<T>) -> (Lanes<T>, Lanes<T>) {
        let (zero, one) = (T::zero(), T::one());
        let (mut t, mut y) = ([zero; LANES], [zero; LANES]);
        for i in 0..LANES {
            let sum = base + d[i];
            let positive = sum > zero;
            let power = if positive { sum } else { one }.powf_lanes(zero, self.0);
            t[i] = if positive { sum } else { zero };
            y[i] = if positive { power } else { zero };
        }
        (t, y)
    }
}

impl<T: Real> Raise<T> for Precise<T> {
    #[inline(always)]
    fn raise(&self, base: T, d: &Lanes<T>) -> (Lanes<T>, Lanes<T>) {
        let (zero, one) = (T::zero(), T::one());
        let (mut t, mut y) = ([zero; LANES], [zero; LANES]);
        for i in 0..LANES {
            let sum = base + d[i];
            let positive = sum > zero;
            let power = if positive { sum } else { one }.powf_lanes(d[i] - (sum - base), self.0);
            t[i] = if positive { sum } else { zero };
            y[i] = if positive { power } else { zero };
        }
        (t, y)
    }
}

/// The choice of how powers are computed, made outside of the loops.
macro_rules! raising {
    ($exponent:expr, $by:ident => $call:expr) => {
        match $exponent {
            Exponent::Whole(k) => {
                let $by = &Whole(k);
                $call
            }
            Exponent::Plain(p) => {
                let $by = &Plain(p);
                $call
            }
            Exponent::Precise(p) => {
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

    /// Calls `take` with the distances `z - value` of a few entries at a time; what is missing of the last few lies
    /// infinitely far below.
    #[inline(always)]
    fn for_lanes(self, value: T, mut take: impl FnMut(&Lanes<T>)) {
        let (parts, rest) = self.row.as_chunks::<LANES>();
        let mut d = [T::neg_infinity(); LANES];
        for part in parts {
            for i in 0..LANES {
                d[i] = (part[i] - self.shift) * self.scale - value;
            }
            take(&d);
        }
        if !rest.is_empty() {
            d = [T::neg_infinity(); LANES];
            for (d, &x) in d.iter_mut().zip(rest) {
                *d = (x - self.shift) * self.scale - value;
            }
            take(&d);
        }
    }
}

/// Entries that are added up in working precision before their sum joins the total.
const RUN: usize = 1 << 11;

/// `Σ t^p, Σ t^(p-1), …, Σ t^(p-K+1)` over `t = (z_i - τ)₊`, where positive; `p` above `K - 1`, or whole.
#[inline(always)]
pub(crate) fn moments<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, p: Exponent<T>) -> [T; K] {
    raising!(p.less(K as u32 - 1), by => sums(z, at, by))
}

#[inline(always)]
fn sums<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, by: &impl Raise<T>) -> [T; K] {
    let mut total = [0.0; K];
    for row in z.row.chunks(RUN) {
        let mut part = [[T::zero(); LANES]; K];
        Scores { row, ..z }.for_lanes(
            at.value,
            #[inline(always)]
            |d| {
                let (t, mut y) = by.raise(at.base, d);
                for k in (0..K).rev() {
                    for i in 0..LANES {
                        part[k][i] += y[i];
                    }
                    for i in 0..LANES {
                        y[i] *= t[i];
                    }
                }
            },
        );
        for k in 0..K {
            total[k] += lane_sum(&part[k]).wide();
        }
    }
    total.map(T::of)
}

/// Kept out of line: its shuffles would spread into the loop before it.
#[inline(never)]
fn lane_sum<T: Real>(lanes: &Lanes<T>) -> T {
    lanes.iter().copied().sum()
}

/// `row ← factor (z - τ)₊^p`; blocks that weigh nothing cost no powers.
#[inline(always)]
pub(crate) fn fill<T: Real>(row: &mut [T], (shift, scale): (T, T), at: Offset<T>, (p, factor): (Exponent<T>, T)) {
    raising!(p, by => fill_by(row, (shift, scale), at, by, factor))
}

#[inline(always)]
fn fill_by<T: Real>(row: &mut [T], (shift, scale): (T, T), at: Offset<T>, by: &impl Raise<T>, factor: T) {
    let (blocks, rest) = row.as_chunks_mut::<BLOCK>();
    for block in blocks {
        let mut top = [T::neg_infinity(); LANES];
        for part in block.as_chunks_mut::<LANES>().0 {
            for i in 0..LANES {
                part[i] = (part[i] - shift) * scale - at.value;
                top[i] = greater(part[i], top[i]);
            }
        }
        if top.iter().any(|&top| top > -at.base) {
            for part in block.as_chunks_mut::<LANES>().0 {
                let (_, y) = by.raise(at.base, part);
                for i in 0..LANES {
                    part[i] = y[i] * factor;
                }
            }
        } else {
            *block = [T::zero(); BLOCK];
        }
    }
    for part in rest.chunks_mut(LANES) {
        let mut d = [T::neg_infinity(); LANES];
        for (d, &x) in d.iter_mut().zip(&*part) {
            *d = (x - shift) * scale - at.value;
        }
        let (_, y) = by.raise(at.base, &d);
        for (x, &y) in part.iter_mut().zip(&y) {
            *x = y * factor;
        }
    }
}
