//! Powers of many numbers at once, a block at a time, so that every loop is vector code.
//!
//! A power below the least normal number counts as zero: smaller ones would take many times as long.

use super::exponent::{Exponent, Offset};
use super::scan::{BLOCK, maximum, share};
use crate::real::{Affine, Bins, Near, Real, Rewrite, greater};

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

/// Turns scores into powers of their `t`, zero where they weigh nothing, in room as large, where those that are not whole leave
/// `t`, or anything for what weighs nothing.
trait Raise<T: Real> {
    fn raise(&self, affine: Affine<T>, scores: Rewrite<'_, T>, t: &mut [T]);

    /// Whether powers cost little more than to find out where they are zero.
    #[inline(always)]
    fn is_cheap(&self) -> bool {
        false
    }

    /// What does all of this, where there is one, and the base of its numbers.
    #[inline(always)]
    fn table(&self) -> Option<(&Bins, T)> {
        None
    }
}

struct Whole(u32);
/// By a table where there is one.
struct Plain<'b, T>(T, Option<&'b Bins>);
struct Precise<'b, T>(T, Option<&'b Bins>);

impl<T: Real> Raise<T> for Whole {
    #[inline(always)]
    fn raise(&self, affine: Affine<T>, scores: Rewrite<'_, T>, _t: &mut [T]) {
        T::raise_whole(scores, affine, self.0);
    }

    #[inline(always)]
    fn is_cheap(&self) -> bool {
        true
    }
}

impl<T: Real> Raise<T> for Plain<'_, T> {
    #[inline(always)]
    fn raise(&self, affine: Affine<T>, scores: Rewrite<'_, T>, t: &mut [T]) {
        let (&Plain(p, _), least, y) = (self, affine.least, scores.placed());
        for (y, t) in y.iter_mut().zip(&mut *t) {
            *t = greater(affine.distance(*y), T::zero());
            *y = (if *t > least { *t } else { T::one() }).log2_times(p);
        }
        for (y, &t) in y.iter_mut().zip(&*t) {
            let power = y.exp2_lanes();
            *y = if t > least { power } else { T::zero() };
        }
    }

    #[inline(always)]
    fn table(&self) -> Option<(&Bins, T)> {
        self.1.map(|table| (table, T::zero()))
    }
}

impl<T: Real> Raise<T> for Precise<'_, T> {
    #[inline(always)]
    fn raise(&self, affine: Affine<T>, scores: Rewrite<'_, T>, t: &mut [T]) {
        let (&Precise(p, _), one, least, y) = (self, T::one(), T::least_exponent(), scores.placed());
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

    #[inline(always)]
    fn table(&self) -> Option<(&Bins, T)> {
        self.1.map(|table| (table, T::one()))
    }
}

/// Entries whose powers are computed together, through logarithm and exponential. A power is a long chain of operations;
/// logarithms of many, then exponentials, are twice as many chains of half the length, and more of them fit into a
/// processor's window.
const MANY: usize = 256;

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
    let total = match p.fitted(at, z.least).less(K as u32 - 1) {
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
        Exponent::Near(p, middle) => T::with_bins(
            p,
            #[inline(always)]
            |bins| match bins {
                Some(_) => sums::<T, K>(z, large, &Precise(p, bins)),
                None => T::near_sums(z.row, Near::new(large, p, middle)),
            },
        ),
    };
    total.map(T::of)
}

/// `Σ t^(k+K-1), …, Σ t^k` over `t = (z_i - τ)₊`, but for what is too small for the greatest of these powers.
#[inline(always)]
pub(crate) fn whole_sums<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, k: u32) -> [f64; K] {
    T::whole_sums(z.row, whole_affine::<T, K>(z, at, k), k)
}

#[inline(always)]
fn whole_affine<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, k: u32) -> Affine<T> {
    let least = T::of(0.5).powi(-T::least_exponent().wide() as i32 / (k as i32 + K as i32));
    Affine::to((z.shift, z.scale), at, least)
}

#[inline(always)]
fn sums<T: Real, const K: usize>(z: Scores<'_, T>, affine: Affine<T>, by: &impl Raise<T>) -> [f64; K] {
    if let Some((table, base)) = by.table() {
        return T::tabled_sums(table, affine, base, z.row);
    }
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
        by.raise(affine, Rewrite::in_place(y), t);
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

/// `factor (z - τ)₊^p`; blocks that weigh nothing cost no powers.
#[inline(always)]
pub(crate) fn fill<T: Real>(mut row: Rewrite<'_, T>, by: (T, T), at: Offset<T>, (p, factor): (Exponent<T>, T)) {
    raised(row.again(), by, at, p);
    if factor != T::one() {
        for y in row.place() {
            *y *= factor;
        }
    }
}

/// `powers ← y^p` for numbers from zero to one, zero for zero.
#[inline(always)]
pub(super) fn powers<T: Real>(y: &[T], p: T, powers: &mut [T]) {
    let affine = Affine { shift: T::zero(), scale: T::one(), value: T::zero(), least: T::least_base(p) };
    let row = Rewrite { from: Some(y), to: powers };
    // Nearly all weights that are pulled back weigh something: blocks without weight were left out.
    T::with_bins(
        p,
        #[inline(always)]
        |bins| fill_part(row, affine, &Plain(p, bins), 1.0),
    );
}

#[inline(always)]
fn raised<T: Real>(row: Rewrite<'_, T>, by: (T, T), at: Offset<T>, p: Exponent<T>) {
    match p {
        Exponent::Whole(k) => fill_by(row, Affine::to(by, at, T::least_base(T::of(f64::from(k)))), &Whole(k)),
        Exponent::Plain(p) => T::with_bins(
            p,
            #[inline(always)]
            |bins| fill_by(row, Affine::to(by, at, T::least_base(p)), &Plain(p, bins)),
        ),
        Exponent::Precise(p) => T::with_bins(
            p,
            #[inline(always)]
            |bins| fill_by(row, Affine::beyond_one(by, at, least_beyond_one(p)), &Precise(p, bins)),
        ),
        Exponent::Near(p, middle) => T::with_bins(
            p,
            #[inline(always)]
            |bins| match bins {
                Some(_) => fill_by(row, Affine::beyond_one(by, at, least_beyond_one(p)), &Precise(p, bins)),
                None => fill_near(row, Near::new(Affine::beyond_one(by, at, -T::one()), p, middle)),
            },
        ),
    }
}

/// The least distance beyond one that has a normal power.
#[inline(always)]
fn least_beyond_one<T: Real>(p: T) -> T {
    (T::of(std::f64::consts::LN_2) * T::least_exponent() / p).exp_m1()
}

#[inline(always)]
fn fill_by<T: Real>(row: Rewrite<'_, T>, affine: Affine<T>, by: &impl Raise<T>) {
    let weighing = share(
        row.read(),
        #[inline(always)]
        |x| affine.weighs(x),
    );
    fill_part(row, affine, by, weighing);
}

/// The same, where about such a share of the entries weighs something.
#[inline(always)]
fn fill_part<T: Real>(row: Rewrite<'_, T>, affine: Affine<T>, by: &impl Raise<T>, weighing: f64) {
    let blocks = row.len() / BLOCK * BLOCK;
    let (whole, rest) = row.split_at(blocks);
    let dense = if by.is_cheap() { DENSE_IF_CHEAP } else { DENSE };
    if let Some((table, base)) = by.table() {
        T::raise_tabled(table, affine, base, weighing <= DENSE, whole);
    } else if weighing > dense {
        let mut t = [T::zero(); MANY];
        whole.chunks(
            MANY,
            #[inline(always)]
            |many| {
                let room = &mut t[..many.len()];
                by.raise(affine, many, room);
            },
        );
    } else {
        whole.blocks::<BLOCK>(
            #[inline(always)]
            |block| fill_block(block, affine, by),
        );
    }
    as_block(
        rest,
        #[inline(always)]
        |block| fill_block(block, affine, by),
    );
}

#[inline(always)]
fn fill_near<T: Real>(row: Rewrite<'_, T>, near: Near<T>) {
    let blocks = row.len() / BLOCK * BLOCK;
    let (whole, rest) = row.split_at(blocks);
    T::raise_near(whole, near);
    as_block(
        rest,
        #[inline(always)]
        |block| T::raise_near(block, near),
    );
}

/// Works on part of a block as on a whole one, so that equal scores get equal weights.
#[inline(always)]
fn as_block<T: Real>(rest: Rewrite<'_, T>, work: impl FnOnce(Rewrite<'_, T>)) {
    if rest.len() == 0 {
        return;
    }
    let mut block = [T::neg_infinity(); BLOCK];
    block[..rest.len()].copy_from_slice(rest.read());
    work(Rewrite::in_place(&mut block));
    let rest = rest.place();
    rest.copy_from_slice(&block[..rest.len()]);
}

/// The share of entries that weigh something from which on few blocks are without any: powers of many together are cheaper than those
/// of a block after the other.
const DENSE: f64 = 0.05;
/// The same for powers that cost little.
const DENSE_IF_CHEAP: f64 = 0.005;

/// The weights of a block; zeros without a power where nothing weighs.
#[inline(always)]
fn fill_block<T: Real>(block: Rewrite<'_, T>, affine: Affine<T>, by: &impl Raise<T>) {
    if !affine.weighs(maximum(block.read())) {
        block.place().fill(T::zero());
    } else if let Some((table, base)) = by.table() {
        T::raise_tabled(table, affine, base, false, block);
    } else {
        by.raise(affine, block, &mut [T::zero(); BLOCK]);
    }
}
