//! Exponents and thresholds of powers, each in the form that keeps its digits.

use crate::real::{Near, Real, greater};

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
}

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
        matches!(self, Exponent::Precise(_) | Exponent::Near(..))
    }

    /// Whether the least score may make powers cheaper.
    #[inline(always)]
    pub(crate) fn may_fit(self) -> bool {
        self.is_large() && Near::<T>::suffices()
    }

    /// The cheapest way for scores of which none lies below the least, as `z`, at a threshold.
    #[inline(always)]
    pub(crate) fn fitted(self, threshold: Offset<T>, least: T) -> Self {
        match self {
            Exponent::Precise(p) => {
                Near::middle(threshold.value, p, least).map_or(self, |middle| Exponent::Near(p, middle))
            }
            other => other,
        }
    }

    /// The exponent less `n`; a whole one not below zero.
    #[inline(always)]
    pub(super) fn less(self, n: u32) -> Self {
        let real = T::of(f64::from(n));
        match self {
            Exponent::Whole(k) => Exponent::Whole(k.saturating_sub(n)),
            Exponent::Plain(p) => Exponent::Plain(p - real),
            Exponent::Precise(p) => Exponent::Precise(p - real),
            Exponent::Near(p, middle) => Exponent::Near(p - real, middle),
        }
    }
}

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
