//! A number of twice the precision, for sums whose terms differ much in size.

use std::ops::{Add, Neg};

use super::Vertex;

/// The unevaluated sum `high + low`, where `low` is what rounding `high` lost: some 106 bits.
///
/// Scores of 1e8 that all structures share would leave 8 digits to tell them apart; here they leave 24. What is not
/// finite has no low part. Minus infinity, a forbidden part, stays minus infinity whatever is added, so that no sum is
/// NaN.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Wide {
    high: f64,
    low: f64, // at most half a unit in the last place of `high`, so that numbers compare part by part
}

impl Wide {
    pub(crate) const ZERO: Wide = Wide { high: 0.0, low: 0.0 };
    pub(crate) const FORBIDDEN: Wide = Wide { high: f64::NEG_INFINITY, low: 0.0 };

    /// What structures without higher-order parts score, rounded once, so that it does not depend on the order.
    pub(crate) fn score(vertex: &Vertex, unary: &[f64]) -> f64 {
        vertex.unary().iter().fold(Wide::ZERO, |sum, (i, value)| sum + value * unary[i]).rounded()
    }

    /// The nearest `f64`.
    pub(crate) fn rounded(self) -> f64 {
        self.high
    }

    pub(crate) fn is_forbidden(self) -> bool {
        self.high == f64::NEG_INFINITY
    }

    /// `a + b` without rounding (Knuth's TwoSum), where that is finite.
    fn two_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        if !high.is_finite() {
            let forbidden = a == f64::NEG_INFINITY || b == f64::NEG_INFINITY;
            return Wide { high: if forbidden { f64::NEG_INFINITY } else { high }, low: 0.0 };
        }
        let b_part = high - a;
        let low = (a - (high - b_part)) + (b - b_part);
        Wide { high, low: if low.is_finite() { low } else { 0.0 } }
    }
}

impl From<f64> for Wide {
    fn from(value: f64) -> Self {
        Wide { high: value, low: 0.0 }
    }
}

impl Add<f64> for Wide {
    type Output = Wide;

    fn add(self, term: f64) -> Wide {
        let sum = Wide::two_sum(self.high, term);
        Wide::two_sum(sum.high, sum.low + self.low)
    }
}

impl Add for Wide {
    type Output = Wide;

    fn add(self, other: Wide) -> Wide {
        let (high, low) = (Wide::two_sum(self.high, other.high), Wide::two_sum(self.low, other.low));
        let sum = Wide::two_sum(high.high, high.low + low.high);
        Wide::two_sum(sum.high, sum.low + low.low)
    }
}

impl Neg for Wide {
    type Output = Wide;

    fn neg(self) -> Wide {
        Wide { high: -self.high, low: -self.low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_terms_leave_small_ones_alone() {
        let sum = [1e8, 0.1, 1e16, -1e16, -1e8].into_iter().fold(Wide::ZERO, |sum, term| sum + term);
        assert_eq!(sum.rounded(), 0.1);
        assert!(Wide::from(1e16) + 0.25 > Wide::from(1e16) + 0.125);
        assert!(Wide::from(1e16) + -0.25 < Wide::from(1e16));
        assert_eq!((Wide::from(1e16) + 0.3 + -(Wide::from(1e16) + 0.1)).rounded(), 0.3 - 0.1);
    }

    #[test]
    fn representations_are_unique() {
        let ulp = f64::EPSILON;
        assert_eq!(Wide::from(1.0) + ulp / 2.0 + ulp / 2.0, Wide::from(1.0 + ulp));
        assert_eq!(Wide::from(1e8) + 0.1 + 0.2, Wide::from(1e8) + (Wide::from(0.1) + 0.2));
    }

    #[test]
    fn forbidden_stays_forbidden_and_nothing_is_nan() {
        let huge = Wide::from(f64::MAX) + f64::MAX;
        assert_eq!(huge.rounded(), f64::INFINITY);
        for other in [Wide::ZERO, huge, Wide::FORBIDDEN, Wide::from(-1.0)] {
            assert_eq!(other + Wide::FORBIDDEN, Wide::FORBIDDEN);
            assert_eq!(Wide::FORBIDDEN + other, Wide::FORBIDDEN);
        }
        assert!(Wide::FORBIDDEN < Wide::from(f64::MIN) && (Wide::FORBIDDEN + 1.0).is_forbidden());
    }
}
