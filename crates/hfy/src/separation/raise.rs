//! Powers of many numbers at once, stretch by stretch, so that every loop is vector code.

use super::scan::{LANES, STRETCH, across, add};
use crate::real::{Real, greater};

/// An exponent, and with it the way that powers of `t = 1 + d` are computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Exponent<T> {
    /// A small whole number: multiplications only.
    Whole(u32),
    /// Any number, through logarithm and exponential.
    Plain(T),
    /// A large number: the rounding of `1 + d` is made good, without which nothing would be left of the
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

    /// `out ← (1 + d)₊^self`.
    #[inline(always)]
    pub(crate) fn raise(self, d: &[T; STRETCH], out: &mut [T; STRETCH]) {
        let (zero, one) = (T::zero(), T::one());
        match self {
            Exponent::Whole(mut k) => {
                let mut base = [zero; STRETCH];
                for i in 0..STRETCH {
                    let t = greater(one + d[i], zero);
                    base[i] = t;
                    out[i] = if t > zero { one } else { zero };
                }
                while k > 0 {
                    if k & 1 == 1 {
                        for i in 0..STRETCH {
                            out[i] *= base[i];
                        }
                    }
                    k >>= 1;
                    for i in 0..STRETCH {
                        base[i] *= base[i];
                    }
                }
            }
            Exponent::Plain(p) => {
                for i in 0..STRETCH {
                    let t = one + d[i];
                    let positive = t > zero;
                    let y = if positive { t } else { one }.powf_lanes(p, zero);
                    out[i] = if positive { y } else { zero };
                }
            }
            Exponent::Precise(p) => {
                for i in 0..STRETCH {
                    let t = one + d[i];
                    let positive = t > zero;
                    let (safe, d) = if positive { (t, d[i]) } else { (one, zero) };
                    let y = safe.powf_lanes(p, (d - (safe - one)) / safe);
                    out[i] = if positive { y } else { zero };
                }
            }
        }
    }
}

/// `Σ t^p`, `Σ t^(p-1)`, `Σ t^(p-2)` over `t = (1 + z_i - ω)₊`, where positive.
#[inline(always)]
pub(crate) fn moments<T: Real>(z: &[T], omega: T, p: Exponent<T>) -> (T, T, T) {
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
            *d = z - omega;
        }
        less.raise(&d, &mut y);
        add(&mut s2, &y);
        for i in 0..STRETCH {
            d[i] = greater(T::one() + d[i], T::zero());
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

/// `Σ (1 + z_i - ω)₊^p`.
#[inline(always)]
pub(crate) fn power_sum<T: Real>(z: &[T], omega: T, p: Exponent<T>) -> T {
    let mut total = [T::zero(); STRETCH];
    let mut y = [T::zero(); STRETCH];
    for part in z.chunks(STRETCH) {
        let mut d = [T::of(-2.0); STRETCH];
        for (d, &z) in d.iter_mut().zip(part) {
            *d = z - omega;
        }
        p.raise(&d, &mut y);
        add(&mut total, &y);
    }
    across(&total)
}

/// `row ← factor (1 + (row - shift) scale - ω)₊^p`; stretches that weigh nothing cost no powers.
#[inline(always)]
pub(crate) fn fill<T: Real>(row: &mut [T], (shift, scale): (T, T), omega: T, (p, factor): (Exponent<T>, T)) {
    let mut d = [T::of(-2.0); STRETCH];
    let mut y = [T::zero(); STRETCH];
    for part in row.chunks_mut(STRETCH) {
        for (d, &x) in d.iter_mut().zip(part.iter()) {
            *d = (x - shift) * scale - omega;
        }
        let mut top = [T::neg_infinity(); LANES];
        for eight in d.as_chunks::<LANES>().0 {
            for l in 0..LANES {
                top[l] = greater(eight[l], top[l]);
            }
        }
        if top.iter().any(|&top| top > -T::one()) {
            p.raise(&d, &mut y);
            for (x, &y) in part.iter_mut().zip(&y) {
                *x = y * factor;
            }
        } else {
            part.fill(T::zero());
        }
    }
}
