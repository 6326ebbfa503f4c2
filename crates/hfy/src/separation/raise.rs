//! Powers of many numbers at once, stretch by stretch, so that every loop is vector code.

use super::scan::{LANES, STRETCH, across, add};
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

    /// The exponent less two; defined for exponents above one, where two is not given as a whole number.
    fn less_two(self) -> Self {
        match self {
            Exponent::Whole(k) => Exponent::Whole(k.saturating_sub(2)),
            Exponent::Plain(p) => Exponent::Plain(p - T::of(2.0)),
            Exponent::Precise(p) => Exponent::Precise(p - T::of(2.0)),
        }
    }

    /// `out ← (base + d)₊^self`.
    #[inline(always)]
    pub(crate) fn raise(self, base: T, d: &[T; STRETCH], out: &mut [T; STRETCH]) {
        let (zero, one) = (T::zero(), T::one());
        match self {
            Exponent::Whole(mut k) => {
                let mut power = [zero; STRETCH];
                for i in 0..STRETCH {
                    let t = greater(base + d[i], zero);
                    power[i] = t;
                    out[i] = if t > zero { one } else { zero };
                }
                while k > 0 {
                    if k & 1 == 1 {
                        for i in 0..STRETCH {
                            out[i] *= power[i];
                        }
                    }
                    k >>= 1;
                    for i in 0..STRETCH {
                        power[i] *= power[i];
                    }
                }
            }
            Exponent::Plain(p) => {
                for i in 0..STRETCH {
                    let t = base + d[i];
                    let positive = t > zero;
                    let y = if positive { t } else { one }.powf_lanes(p, zero);
                    out[i] = if positive { y } else { zero };
                }
            }
            Exponent::Precise(p) => {
                for i in 0..STRETCH {
                    let t = base + d[i];
                    let positive = t > zero;
                    let safe = if positive { t } else { one };
                    let lost = if positive { d[i] - (t - base) } else { zero };
                    let y = safe.powf_lanes(p, lost / safe);
                    out[i] = if positive { y } else { zero };
                }
            }
        }
    }
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

/// `Σ t^p`, `Σ t^(p-1)`, `Σ t^(p-2)` over `t = (z_i - τ)₊`, where positive.
#[inline(always)]
pub(crate) fn moments<T: Real>(z: &[T], at: Offset<T>, p: Exponent<T>) -> (T, T, T) {
    let outside = T::of(-2.0);
    let less = p.less_two();
    let (mut s0, mut s1, mut s2) = ([T::zero(); STRETCH], [T::zero(); STRETCH], [T::zero(); STRETCH]);
    let mut d = [outside; STRETCH];
    let mut y = [T::zero(); STRETCH];
    for part in z.chunks(STRETCH) {
        if part.len() < STRETCH {
            d = [outside; STRETCH];
        }
        for (d, &z) in d.iter_mut().zip(part) {
            *d = z - at.value;
        }
        less.raise(at.base, &d, &mut y);
        add(&mut s2, &y);
        for i in 0..STRETCH {
            d[i] = greater(at.base + d[i], T::zero());
            y[i] *= d[i];
        }
        add(&mut s1, &y);
        for i in 0..STRETCH {
            y[i] *= d[i];
        }
        add(&mut s0, &y);
    }
    (across(&s0), across(&s1), across(&s2))
}

/// `y_i ← (z_i - τ)₊^p`.
#[inline(always)]
pub(crate) fn powers<T: Real>(z: &[T], at: Offset<T>, p: Exponent<T>, y: &mut [T]) {
    let mut d = [T::of(-2.0); STRETCH];
    let mut terms = [T::zero(); STRETCH];
    for (part, y) in z.chunks(STRETCH).zip(y.chunks_mut(STRETCH)) {
        for (d, &z) in d.iter_mut().zip(part) {
            *d = z - at.value;
        }
        p.raise(at.base, &d, &mut terms);
        y.copy_from_slice(&terms[..part.len()]);
    }
}

/// `Σ (z_i - τ)₊^p`.
#[inline(always)]
pub(crate) fn power_sum<T: Real>(z: &[T], at: Offset<T>, p: Exponent<T>) -> T {
    let mut total = [T::zero(); STRETCH];
    let mut y = [T::zero(); STRETCH];
    for part in z.chunks(STRETCH) {
        let mut d = [T::of(-2.0); STRETCH];
        for (d, &z) in d.iter_mut().zip(part) {
            *d = z - at.value;
        }
        p.raise(at.base, &d, &mut y);
        add(&mut total, &y);
    }
    across(&total)
}

/// `row ← factor ((row - shift) - τ)₊^p`; stretches that weigh nothing cost no powers.
#[inline(always)]
pub(crate) fn fill<T: Real>(row: &mut [T], shift: T, at: Offset<T>, (p, factor): (Exponent<T>, T)) {
    let mut d = [T::of(-2.0); STRETCH];
    let mut y = [T::zero(); STRETCH];
    for part in row.chunks_mut(STRETCH) {
        for (d, &x) in d.iter_mut().zip(part.iter()) {
            *d = (x - shift) - at.value;
        }
        let mut top = [T::neg_infinity(); LANES];
        for eight in d.as_chunks::<LANES>().0 {
            for l in 0..LANES {
                top[l] = greater(eight[l], top[l]);
            }
        }
        if top.iter().any(|&top| top > -at.base) {
            p.raise(at.base, &d, &mut y);
            for (x, &y) in part.iter_mut().zip(&y) {
                *x = y * factor;
            }
        } else {
            part.fill(T::zero());
        }
    }
}
