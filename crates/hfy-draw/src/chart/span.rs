//! From where to where an axis goes.

use super::axis::{Axis, Scale};

/// The ends of an axis: finite, in order, and positive where it is logarithmic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) scale: Scale,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Span {
    /// What the axis asks for, or what holds the data, with some room around them unless they end `tight`ly.
    pub(super) fn of(axis: &Axis, data: &[f64], tight: bool) -> Self {
        let scale = axis.scale;
        if let (Some((low, high)), Ok(())) = (axis.range, axis.check()) {
            return Span { scale, low, high };
        }
        let places = || data.iter().map(|value| scale.even(*value)).filter(|even| even.is_finite());
        let (low, high) = (places().fold(f64::INFINITY, f64::min), places().fold(f64::NEG_INFINITY, f64::max));
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let room = match high - low {
            // One value has as much room as it is large, or as a factor of 2.
            span if span <= 1e-12 * low.abs().max(high.abs()) => {
                if scale == Scale::Linear && low != 0.0 {
                    0.5 * low.abs()
                } else {
                    0.7
                }
            }
            _ if tight => 0.0,
            span => 0.04 * span,
        };
        Span { scale, low: scale.value(low - room), high: scale.value(high + room) }
    }

    /// The span that holds two of one scale.
    pub(super) fn with(self, other: Span) -> Self {
        Span { low: self.low.min(other.low), high: self.high.max(other.high), ..self }
    }

    /// 0 at the low end, 1 at the high end, NaN for a value without a place.
    pub(super) fn share(&self, value: f64) -> f64 {
        let (low, high) = (self.scale.even(self.low), self.scale.even(self.high));
        (self.scale.even(value) - low) / (high - low)
    }

    /// The value at a share.
    pub(super) fn value(&self, share: f64) -> f64 {
        let (low, high) = (self.scale.even(self.low), self.scale.even(self.high));
        self.scale.value(low + share * (high - low))
    }

    /// How long it is in its own units.
    pub(super) fn length(&self) -> f64 {
        self.high - self.low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_values_are_inverse() {
        let span = Span { scale: Scale::Log10, low: 0.01, high: 100.0 };
        assert!((span.share(1.0) - 0.5).abs() < 1e-12 && (span.value(0.25) - 0.1).abs() < 1e-12);
        assert!(span.share(0.0).is_nan() && span.share(-1.0).is_nan());
    }

    #[test]
    fn every_span_has_a_length() {
        for data in [vec![], vec![0.0], vec![3.0], vec![-3.0; 4], vec![f64::NAN], vec![1e300], vec![0.0, f64::INFINITY]]
        {
            for axis in
                [Axis::linear(""), Axis::log2(""), Axis::log10("").within(-1.0, 1.0), Axis::linear("").within(2.0, 1.0)]
            {
                let span = Span::of(&axis, &data, false);
                assert!(span.low < span.high && span.share(span.low) == 0.0, "{data:?} {axis:?} {span:?}");
            }
        }
    }
}
