//! Powers of many numbers at once, a block at a time, so that every loop is vector code.
//!
//! A power below the least normal number counts as zero: smaller ones would take many times as long.

use super::scan::{BLOCK, maximum, share};
use crate::real::{Affine, Near, Real, Table, greater};

/// An exponent, and with it the way that powers are computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Exponent<T> {
    /// A whole number: multiplications only.
    Whole(u32),
    /// Any number, through logarithm and exponential.
    Plain(T),
    /// A large number: the rounding of `1 + d` is made good, without which nothing would be left of the approach of
    /// entmax to softmax.
    Precise(T),
    /// The same for numbers that lie near one another, around a middle.
    Near(T, T),
    /// The same for many that lie between bounds, the best score and this one as `z`, by a table.
    Cells(T, T),
}

/// Entries that a table pays for itself in.
const WORTH_A_TABLE: usize = 2048;

/// Exponents above this are large.
const LARGE: u32 = 24;

impl<T: Real> Exponent<T> {
    pub(crate) fn of(p: T) -> Self {
        let (whole, large) = (p.round(), T::of(f64::from(LARGE)));
        if whole >= T::one() && whole <= large && (p - whole).abs() <= T::of(16.0) * T::epsilon() * whole {
            Exponent::Whole(whole.wide() as u32)
        } else if p > large {
            Exponent::Precise(p)
        } else {
            Exponent::Plain(p)
        }
    }

    /// The next whole exponent, where powers of that are cheaper.
    pub(crate) fn above(p: T) -> Option<u32> {
        let next = p.ceil();
        (p > T::of(4.0) && next <= T::of(f64::from(LARGE))).then(|| next.wide() as u32)
    }

    /// Whether rounding of `1 + d` matters.
    #[inline(always)]
    pub(crate) fn is_large(self) -> bool {
        matches!(self, Exponent::Precise(_) | Exponent::Near(..) | Exponent::Cells(..))
    }

    /// Whether the least score may make powers cheaper.
    #[inline(always)]
    pub(crate) fn may_fit(self) -> bool {
        self.is_large() && Near::<T>::suffices()
    }

    /// The cheapest way for so many scores, of which none lies below the least, as `z`, at a threshold.
    #[inline(always)]
    pub(crate) fn fitted(self, threshold: Offset<T>, least: T, entries: usize) -> Self {
        match self {
            Exponent::Precise(p) if entries >= WORTH_A_TABLE && T::has_cells(threshold.value, p, least) => {
                Exponent::Cells(p, least)
            }
            Exponent::Precise(p) => {
                Near::middle(threshold.value, p, least).map_or(self, |middle| Exponent::Near(p, middle))
            }
            other => other,
        }
    }

    /// The exponent less `n`; a whole one not below zero.
    fn less(self, n: u32) -> Self {
        let real = T::of(f64::from(n));
        match self {
            Exponent::Whole(k) => Exponent::Whole(k.saturating_sub(n)),
            Exponent::Plain(p) => Exponent::Plain(p - real),
            Exponent::Precise(p) => Exponent::Precise(p - real),
            Exponent::Near(p, middle) => Exponent::Near(p - real, middle),
            Exponent::Cells(p, least) => Exponent::Cells(p - real, least),
        }
    }
}

impl<T: Real> Affine<T> {
    /// Distances `t` themselves: normmax weighs by a power one less than that of its threshold, which may be large where it is not.
    #[inline(always)]
    fn to((shift, scale): (T, T), at: Offset<T>, least: T) -> Self {
        Affine { shift, scale, value: at.tau(), least }
    }

    /// Distances `t - 1`, for large exponents.
    #[inline(always)]
    fn beyond_one((shift, scale): (T, T), at: Offset<T>, least: T) -> Self {
        Affine { shift, scale, value: at.value, least }
    }

    #[inline(always)]
    fn distance(self, x: T) -> T {
        (x - self.shift) * self.scale - self.value
    }

    /// Whether a score weighs something.
    #[inline(always)]
    fn weighs(self, x: T) -> bool {
        self.distance(x) > self.least
    }
}

/// Turns scores `y` into powers of their `t`, zero where they weigh nothing, in room as large, where those that are not whole leave
/// `t`, or anything for what weighs nothing.
trait Raise<T> {
    fn raise(&self, affine: Affine<T>, y: &mut [T], t: &mut [T]);
}

struct Whole(u32);
/// By a table where there is one.
struct Plain<'b, T>(T, Option<Table<'b>>);
struct Precise<'b, T>(T, Option<Table<'b>>);

impl<T: Real> Raise<T> for Whole {
    #[inline(always)]
    fn raise(&self, affine: Affine<T>, y: &mut [T], _t: &mut [T]) {
        T::raise_whole(y, affine, self.0);
    }
}

impl<T: Real> Raise<T> for Plain<'_, T> {
    #[inline(always)]
    fn raise(&self, affine: Affine<T>, y: &mut [T], t: &mut [T]) {
        let (&Plain(p, table), least) = (self, affine.least);
        if let Some(table) = table {
            return T::raise_tabled(table, affine, T::zero(), y, t);
        }
        for (y, t) in y.iter_mut().zip(&mut *t) {
            *t = greater(affine.distance(*y), T::zero());
            *y = (if *t > least { *t } else { T::one() }).log2_times(p);
        }
        for (y, &t) in y.iter_mut().zip(&*t) {
            let power = y.exp2_lanes();
            *y = if t > least { power } else { T::zero() };
        }
    }
}

impl<T: Real> Raise<T> for Precise<'_, T> {
    #[inline(always)]
    fn raise(&self, affine: Affine<T>, y: &mut [T], t: &mut [T]) {
        let (&Precise(p, table), one, least) = (self, T::one(), T::least_exponent());
        if let Some(table) = table {
            return T::raise_tabled(table, affine, one, y, t);
        }
        for (t, y) in t.iter_mut().zip(&mut *y) {
            let d = affine.distance(*y);
            let sum = one + d;
            *t = greater(sum, T::min_positive_value());
            *y = t.log2_times_with(d - (sum - one), p);
        }
        // The power of the least base is far below the range of the type.
        for y in y.iter_mut() {
            let power = (if *y > least { *y } else { T::zero() }).exp2_lanes();
            *y = if *y > least { power } else { T::zero() };
        }
    }
}

/// Entries whose powers are computed together, through logarithm and exponential. A power is a long chain of operations;
/// logarithms of many, then exponentials, are twice as many chains of half the length, and more of them fit into a
/// processor's window.
const MANY: usize = 256;

/// A threshold `τ` as what is taken from the scores: `τ` itself, which keeps its digits as it approaches zero, or, for
/// large exponents, `ω = 1 + τ`, which keeps them as entmax approaches softmax.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Offset<T> {
    pub(crate) value: T,
    /// One for large exponents, else zero: `t = base + (z - value)`.
    pub(crate) base: T,
}

impl<T: Real> Offset<T> {
    /// A threshold no greater than `tau`.
    #[inline(always)]
    pub(crate) fn left_of(tau: T, exponent: Exponent<T>) -> Self {
        let (one, slack) = (T::one(), T::of(16.0) * T::epsilon());
        if exponent.is_large() {
            Offset { value: greater(tau + one - slack, T::zero()), base: one }
        } else {
            Offset { value: greater(tau - slack, -one), base: T::zero() }
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
    /// No `z` lies below this.
    pub(crate) least: T,
}

impl<'a, T: Real> Scores<'a, T> {
    /// Scores that are shifted and scaled already.
    #[inline(always)]
    pub(crate) fn plain(z: &'a [T], least: T) -> Self {
        Scores { row: z, shift: T::zero(), scale: T::one(), least }
    }
}

/// `Σ t^p, Σ t^(p-1), …, Σ t^(p-K+1)` over `t = (z_i - τ)₊`, where positive; `p` above `K - 1`, or whole.
#[inline(always)]
pub(crate) fn moments<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, p: Exponent<T>) -> [T; K] {
    let by = (z.shift, z.scale);
    let large = Affine::beyond_one(by, at, -T::one());
    let total = match p.fitted(at, z.least, z.row.len()).less(K as u32 - 1) {
        Exponent::Whole(k) => whole_sums::<T, K>(z, at, k),
        Exponent::Plain(p) => T::with_bins(
            p,
            #[inline(always)]
            |bins| sums::<T, K>(z, Affine::to(by, at, T::least_base(p)), &Plain(p, bins)),
        ),
        Exponent::Precise(p) => T::with_bins(
            p,
            #[inline(always)]
            |bins| sums::<T, K>(z, large, &Precise(p, bins)),
        ),
        Exponent::Cells(p, least) => T::with_cells(
            large,
            p,
            least,
            #[inline(always)]
            |cells| sums::<T, K>(z, large, &Precise(p, cells)),
        ),
        Exponent::Near(p, middle) => T::near_sums(z.row, Near::new(large, p, middle)),
    };
    total.map(T::of)
}

/// `Σ t^(k+K-1), …, Σ t^k` over `t = (z_i - τ)₊`, but for what is too small for the greatest of these powers.
#[inline(always)]
pub(crate) fn whole_sums<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, k: u32) -> [f64; K] {
    let least = T::of(0.5).powi(-T::least_exponent().wide() as i32 / (k as i32 + K as i32));
    T::whole_sums(z.row, Affine::to((z.shift, z.scale), at, least), k)
}

#[inline(always)]
fn sums<T: Real, const K: usize>(z: Scores<'_, T>, affine: Affine<T>, by: &impl Raise<T>) -> [f64; K] {
    // Room for more than there is would take longer to clear than a few powers do.
    if z.row.len() <= BLOCK {
        sums_in::<T, K, BLOCK>(z.row, affine, by)
    } else {
        sums_in::<T, K, MANY>(z.row, affine, by)
    }
}

#[inline(always)]
fn sums_in<T: Real, const K: usize, const ROOM: usize>(row: &[T], affine: Affine<T>, by: &impl Raise<T>) -> [f64; K] {
    let mut total = [0.0; K];
    let (mut y, mut t) = ([T::zero(); ROOM], [T::zero(); ROOM]);
    for part in row.chunks(ROOM) {
        let (y, t) = (padded(part, &mut y), &mut t[..part.len().next_multiple_of(BLOCK)]);
        by.raise(affine, y, t);
        T::add_moments(&t[..part.len()], &y[..part.len()], &mut total);
    }
    total
}

/// A copy of some scores; what is missing of the last block lies infinitely far below.
#[inline(always)]
fn padded<'r, T: Real>(scores: &[T], room: &'r mut [T]) -> &'r mut [T] {
    let copy = &mut room[..scores.len().next_multiple_of(BLOCK)];
    copy[..scores.len()].copy_from_slice(scores);
    copy[scores.len()..].fill(T::neg_infinity());
    copy
}

/// `row ← factor (z - τ)₊^p`; blocks that weigh nothing cost no powers.
#[inline(always)]
pub(crate) fn fill<T: Real>(row: &mut [T], by: (T, T), at: Offset<T>, (p, factor): (Exponent<T>, T)) {
    match p {
        Exponent::Whole(k) => fill_by(row, Affine::to(by, at, T::least_base(T::of(f64::from(k)))), &Whole(k)),
        Exponent::Plain(p) => T::with_bins(
            p,
            #[inline(always)]
            |bins| fill_by(row, Affine::to(by, at, T::least_base(p)), &Plain(p, bins)),
        ),
        Exponent::Precise(p) => {
            let least = (T::of(std::f64::consts::LN_2) * T::least_exponent() / p).exp_m1();
            T::with_bins(
                p,
                #[inline(always)]
                |bins| fill_by(row, Affine::beyond_one(by, at, least), &Precise(p, bins)),
            );
        }
        Exponent::Cells(p, least) => {
            let affine = Affine::beyond_one(by, at, -T::one());
            T::with_cells(
                affine,
                p,
                least,
                #[inline(always)]
                |cells| fill_by(row, affine, &Precise(p, cells)),
            );
        }
        Exponent::Near(p, middle) => fill_near(row, Near::new(Affine::beyond_one(by, at, -T::one()), p, middle)),
    }
    if factor != T::one() {
        for y in row.iter_mut() {
            *y *= factor;
        }
    }
}

#[inline(always)]
fn fill_by<T: Real>(row: &mut [T], affine: Affine<T>, by: &impl Raise<T>) {
    let weighing = share(
        row,
        #[inline(always)]
        |x| affine.weighs(x),
    );
    let (whole, rest) = row.split_at_mut(row.len() / BLOCK * BLOCK);
    if weighing > DENSE {
        let mut t = [T::zero(); MANY];
        for many in whole.chunks_mut(MANY) {
            by.raise(affine, many, &mut t[..many.len()]);
        }
    } else {
        for block in whole.as_chunks_mut::<BLOCK>().0 {
            fill_block(block, affine, by);
        }
    }
    if !rest.is_empty() {
        as_block(
            rest,
            #[inline(always)]
            |block| fill_block(block, affine, by),
        );
    }
}

#[inline(always)]
fn fill_near<T: Real>(row: &mut [T], near: Near<T>) {
    let (whole, rest) = row.split_at_mut(row.len() / BLOCK * BLOCK);
    T::raise_near(whole, near);
    as_block(
        rest,
        #[inline(always)]
        |block| T::raise_near(block, near),
    );
}

/// Works on part of a block as on a whole one, so that equal scores get equal weights.
#[inline(always)]
fn as_block<T: Real>(rest: &mut [T], work: impl FnOnce(&mut [T; BLOCK])) {
    let mut block = [T::neg_infinity(); BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    work(&mut block);
    rest.copy_from_slice(&block[..rest.len()]);
}

/// The share of entries that weigh something from which on few blocks are without any: powers of many together are cheaper than those
/// of a block after the other.
const DENSE: f64 = 0.05;

/// The weights of a block; zeros without a power where nothing weighs.
#[inline(always)]
fn fill_block<T: Real>(block: &mut [T; BLOCK], affine: Affine<T>, by: &impl Raise<T>) {
    if affine.weighs(maximum(block)) {
        by.raise(affine, block, &mut [T::zero(); BLOCK]);
    } else {
        *block = [T::zero(); BLOCK];
    }
}
