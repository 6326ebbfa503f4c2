//! Exponents and thresholds of powers, each in the form that keeps its digits.

use crate::{Number, greater};

/// An exponent, and with it the way that powers are computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Exponent<T> {
    /// A whole number: multiplications only.
    Whole(u32),
    /// Any number, through logarithm and exponential.
    Plain(T),
    /// A large number, or a negative one: the rounding of `1 + d` is made good, without which nothing would be left of
    /// the approach of entmax to softmax.
    Precise(T),
}

/// Exponents above this are large.
const LARGE: u32 = 24;

impl<T: Number> Exponent<T> {
    /// The cheapest form of an exponent.
    pub fn of(p: T) -> Self {
        let (whole, large) = (p.round(), T::from_double(f64::from(LARGE)));
        if whole >= T::one() && whole <= large && (p - whole).abs() <= T::from_double(16.0) * T::epsilon() * whole {
            Exponent::Whole(whole.to_double() as u32)
        } else if p > large || p < T::zero() {
            Exponent::Precise(p)
        } else {
            Exponent::Plain(p)
        }
    }

    /// The next whole exponent, where powers of that are cheaper.
    pub fn above(p: T) -> Option<u32> {
        let next = p.ceil();
        (p > T::from_double(4.0) && next <= T::from_double(f64::from(LARGE))).then(|| next.to_double() as u32)
    }

    /// Whether the rounding of `1 + d` is made good.
    #[inline(always)]
    pub fn is_precise(self) -> bool {
        matches!(self, Exponent::Precise(_))
    }

    /// The exponent less `n`; a whole one not below zero.
    #[inline(always)]
    pub(crate) fn less(self, n: u32) -> Self {
        let real = T::from_double(f64::from(n));
        match self {
            Exponent::Whole(k) => Exponent::Whole(k.saturating_sub(n)),
            Exponent::Plain(p) => Exponent::Plain(p - real),
            Exponent::Precise(p) => Exponent::Precise(p - real),
        }
    }
}

/// A threshold `τ` as what is taken from the scores: `τ` itself, which keeps its digits as it approaches zero, or, for
/// large exponents, `ω = 1 + τ`, which keeps them as entmax approaches softmax.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offset<T> {
    /// What is taken from the scores.
    pub value: T,
    /// One for precise exponents, else zero: `t = base + (z - value)`.
    pub base: T,
}

impl<T: Number> Offset<T> {
    /// The threshold `tau`, in the form for an exponent.
    #[inline(always)]
    pub fn at(tau: T, exponent: Exponent<T>) -> Self {
        let base = if exponent.is_precise() { T::one() } else { T::zero() };
        Offset { value: tau + base, base }
    }

    /// A threshold no greater than `tau`.
    #[inline(always)]
    pub fn left_of(tau: T, exponent: Exponent<T>) -> Self {
        let (one, slack) = (T::one(), T::from_double(16.0) * T::epsilon());
        if exponent.is_precise() {
            Offset { value: greater(tau + one - slack, T::zero()), base: one }
        } else {
            Offset { value: greater(tau - slack, -one), base: T::zero() }
        }
    }

    /// The threshold of `n` equal scores, the greatest that there is: `-n^(-1/p)`.
    #[inline(always)]
    pub fn upper(self, n: usize, inverse: T) -> T {
        let log = -inverse * T::from_double(n as f64).ln();
        if self.base == T::one() { -log.exp_m1() } else { -log.exp() }
    }

    /// `τ`.
    #[inline(always)]
    pub fn tau(self) -> T {
        self.value - self.base
    }
}
