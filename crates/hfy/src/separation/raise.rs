//! Powers of many numbers at once, a block at a time, so that every loop is vector code.

use super::scan::{BLOCK, LANES, block_maximum};
use crate::real::{Affine, Real, greater};

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
        } else if p > T::of(16.0) {
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

/// What makes `t = base + ((x - shift) scale - value)` of a score.
#[derive(Debug, Clone, Copy)]
struct Distance<T> {
    shift: T,
    scale: T,
    at: Offset<T>,
}

impl<T: Real> Distance<T> {
    #[inline(always)]
    fn of(self, x: T) -> T {
        (x - self.shift) * self.scale - self.at.value
    }

    /// Whether a score weighs something.
    #[inline(always)]
    fn weighs(self, x: T) -> bool {
        self.of(x) > -self.at.base
    }
}

/// Turns scores `y` into powers of their `t`, zero where `t` is not positive, and writes `t`, or as good as zero there.
trait Raise<T> {
    fn raise<const B: usize>(&self, distance: Distance<T>, y: &mut [T; B], t: &mut [T; B]);
}

struct Whole(u32);
/// An exponent and a base whose power is as good as zero.
struct Plain<T> {
    p: T,
    least: T,
}
struct Precise<T>(T);

impl<T: Real> Raise<T> for Whole {
    #[inline(always)]
    fn raise<const B: usize>(&self, distance: Distance<T>, y: &mut [T; B], t: &mut [T; B]) {
        // Two vectors at a time, and in variables of their own, which stay in registers.
        const WIDTH: usize = 2 * LANES;
        let (zero, one) = (T::zero(), T::one());
        for (y, t) in y.as_chunks_mut::<WIDTH>().0.iter_mut().zip(t.as_chunks_mut::<WIDTH>().0) {
            let (mut power, mut product) = ([zero; WIDTH], [zero; WIDTH]);
            for i in 0..WIDTH {
                power[i] = greater(distance.at.base + distance.of(y[i]), zero);
                product[i] = if power[i] > zero { one } else { zero };
            }
            *t = power;
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
    fn raise<const B: usize>(&self, distance: Distance<T>, y: &mut [T; B], t: &mut [T; B]) {
        let &Plain { p, least } = self;
        for i in 0..B {
            t[i] = greater(distance.at.base + distance.of(y[i]), T::zero());
        }
        // Powers that round to zero are not computed: numbers below the normal ones cost many times as much.
        for i in 0..B {
            let base = if t[i] > least { t[i] } else { T::one() };
            y[i] = base.log2_times(p);
        }
        for i in 0..B {
            let power = y[i].exp2_lanes();
            y[i] = if t[i] > least { power } else { T::zero() };
        }
    }
}

impl<T: Real> Raise<T> for Precise<T> {
    #[inline(always)]
    fn raise<const B: usize>(&self, distance: Distance<T>, y: &mut [T; B], t: &mut [T; B]) {
        let (&Precise(p), base, least) = (self, distance.at.base, T::least_exponent());
        for i in 0..B {
            let d = distance.of(y[i]);
            let sum = base + d;
            t[i] = greater(sum, T::min_positive_value());
            y[i] = t[i].log2_times_with(d - (sum - base), p);
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

/// The choice of how powers are computed, made outside of the loops.
macro_rules! raising {
    ($exponent:expr, $by:ident => $call:expr) => {
        match $exponent {
            Exponent::Whole(k) => {
                let $by = &Whole(k);
                $call
            }
            Exponent::Plain(p) => {
                let $by = &Plain { p, least: T::least_base(p) };
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

    /// Calls `take` with a copy of a block at a time; what is missing of the last lies infinitely far below.
    #[inline(always)]
    fn for_blocks<const B: usize>(self, mut take: impl FnMut(&mut [T; B])) {
        let (blocks, rest) = self.row.as_chunks::<B>();
        for block in blocks {
            take(&mut { *block });
        }
        if !rest.is_empty() {
            let mut block = [T::neg_infinity(); B];
            block[..rest.len()].copy_from_slice(rest);
            take(&mut block);
        }
    }
}

/// `Σ t^p, Σ t^(p-1), …, Σ t^(p-K+1)` over `t = (z_i - τ)₊`, where positive; `p` above `K - 1`, or whole.
#[inline(always)]
pub(crate) fn moments<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, p: Exponent<T>) -> [T; K] {
    let total = match p.less(K as u32 - 1) {
        Exponent::Whole(first) => whole_sums_above(z, at, first, T::zero()),
        Exponent::Plain(p) => sums::<T, K>(z, at, &Plain { p, least: T::least_base(p) }),
        Exponent::Precise(p) => sums::<T, K>(z, at, &Precise(p)),
    };
    total.map(T::of)
}

/// `Σ t^(first+K-1), …, Σ t^first` over `t = (z_i - τ)₊`, but for what is too small for the greatest of these powers.
#[inline(always)]
pub(crate) fn whole_sums<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, first: u32) -> [f64; K] {
    whole_sums_above(z, at, first, T::min_positive_value().powf(T::of(1.0 / (first as usize + K) as f64)))
}

/// The same over what exceeds `least`.
#[inline(always)]
fn whole_sums_above<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, first: u32, least: T) -> [f64; K] {
    let mut total = [0.0; K];
    let affine = Affine { shift: z.shift, scale: z.scale, value: at.value, base: at.base, least };
    T::add_powers(z.row, affine, first, &mut total);
    total
}

#[inline(always)]
fn sums<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, by: &impl Raise<T>) -> [f64; K] {
    let mut total = [0.0; K];
    // What does not fill many is filled up to a block.
    let (many, rest) = z.row.split_at(z.row.len() / MANY * MANY);
    add_up::<T, K, MANY>(Scores { row: many, ..z }, at, by, &mut total);
    add_up::<T, K, BLOCK>(Scores { row: rest, ..z }, at, by, &mut total);
    total
}

#[inline(always)]
fn add_up<T: Real, const K: usize, const B: usize>(
    z: Scores<'_, T>,
    at: Offset<T>,
    by: &impl Raise<T>,
    total: &mut [f64; K],
) {
    let distance = Distance { shift: z.shift, scale: z.scale, at };
    let mut t = [T::zero(); B];
    z.for_blocks(
        #[inline(always)]
        |y: &mut [T; B]| {
            by.raise(distance, y, &mut t);
            T::add_moments(&t, y, total);
        },
    );
}

/// `row ← factor (z - τ)₊^p`; blocks that weigh nothing cost no powers.
#[inline(always)]
pub(crate) fn fill<T: Real>(row: &mut [T], (shift, scale): (T, T), at: Offset<T>, (p, factor): (Exponent<T>, T)) {
    let distance = Distance { shift, scale, at };
    raising!(p, by => fill_by(row, distance, by));
    if factor != T::one() {
        for y in row.iter_mut() {
            *y *= factor;
        }
    }
}

#[inline(always)]
fn fill_by<T: Real>(row: &mut [T], distance: Distance<T>, by: &impl Raise<T>) {
    let (many, rest) = row.as_chunks_mut::<MANY>();
    let mut t = [T::zero(); MANY];
    for many in many {
        // Powers of many together are cheaper than those of a block after the other, where few weigh nothing.
        if many[..LANES].iter().any(|&x| distance.weighs(x)) {
            by.raise(distance, many, &mut t);
        } else {
            for block in many.as_chunks_mut::<BLOCK>().0 {
                fill_block(block, distance, by);
            }
        }
    }
    for rest in rest.chunks_mut(BLOCK) {
        let mut block = [T::neg_infinity(); BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        fill_block(&mut block, distance, by);
        rest.copy_from_slice(&block[..rest.len()]);
    }
}

/// The weights of a block; zeros without a power where nothing weighs.
#[inline(always)]
fn fill_block<T: Real>(block: &mut [T; BLOCK], distance: Distance<T>, by: &impl Raise<T>) {
    if distance.weighs(block_maximum(block)) {
        by.raise(distance, block, &mut [T::zero(); BLOCK]);
    } else {
        *block = [T::zero(); BLOCK];
    }
}
