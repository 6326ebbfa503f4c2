//! Which states of a variable are regularised.

use std::borrow::Cow;

/// A variable is on or off. The regulariser counts one state or both.
///
/// `Both` is `On` at other scores, `ŷ_both(θ, η) = ŷ_on((θ + 1)/2, η/2)`: where the number of variables that are on is
/// fixed, simply half of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Regulariser {
    /// `Ω(y) = Σ y²/2`.
    #[default]
    On,
    /// `Ω(y) = Σ (y² + (1 - y)²)/2`, as for a node with two states: the paper's convention for sequences.
    Both,
}

impl Regulariser {
    /// The scores for which `On` gives the same.
    pub(super) fn scores<'a>(self, unary: &'a [f64], higher: &'a [f64]) -> (Cow<'a, [f64]>, Cow<'a, [f64]>) {
        match self {
            Regulariser::On => (Cow::Borrowed(unary), Cow::Borrowed(higher)),
            // A sum first would round small scores; adding halves of both would too, but only scores below one.
            Regulariser::Both => {
                (unary.iter().map(|s| 0.5 * s + 0.5).collect(), higher.iter().map(|s| 0.5 * s).collect())
            }
        }
    }

    /// `Ω(y)` in the hull.
    pub(super) fn value(self, y: &[f64]) -> f64 {
        let square = y.iter().map(|v| v * v).sum::<f64>() / 2.0;
        match self {
            Regulariser::On => square,
            Regulariser::Both => square + y.iter().map(|v| (1.0 - v) * (1.0 - v)).sum::<f64>() / 2.0,
        }
    }

    /// The derivative of the map over the projection onto its face.
    pub(super) fn slope(self) -> f64 {
        match self {
            Regulariser::On => 1.0,
            Regulariser::Both => 0.5,
        }
    }
}
