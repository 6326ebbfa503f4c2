//! Weights as functions of scores, and slopes as functions of weights, one entry at a time.

use crate::power::Tabled;
use crate::{InOut, Number, greater, lesser, vectorised};

/// The weight of a score `x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weight<T> {
    /// `clip((x - shift) - tau, 0, cap)`.
    Ramp {
        /// Taken from the scores first, so that no digits are lost.
        shift: T,
        /// The threshold.
        tau: T,
        /// The greatest weight.
        cap: T,
    },
    /// `((x - shift)/2 - tau)₊²`.
    Square {
        /// Taken from the scores.
        shift: T,
        /// The threshold.
        tau: T,
    },
    /// `factor ((x - shift) - tau)₊`.
    Line {
        /// Taken from the scores.
        shift: T,
        /// The threshold.
        tau: T,
        /// The slope.
        factor: T,
    },
    /// `share` where `x - shift` exceeds `level`.
    Above {
        /// Taken from the scores.
        shift: T,
        /// The threshold.
        level: T,
        /// The weight.
        share: T,
    },
    /// `share` at the score `max`.
    Maximum {
        /// The best score.
        max: T,
        /// The weight.
        share: T,
    },
}

/// Makes weights of scores.
pub(crate) fn weigh<T: Number>(row: InOut<'_, T>, weight: Weight<T>) {
    let zero = T::zero();
    // The choice stays outside of the loops.
    vectorised(
        #[inline(always)]
        || match weight {
            Weight::Ramp { shift, tau, cap } => row.each(
                #[inline(always)]
                |x| lesser(greater((x - shift) - tau, zero), cap),
            ),
            Weight::Square { shift, tau } => {
                let half = T::from_double(0.5);
                row.each(
                    #[inline(always)]
                    |x| {
                        let t = greater((x - shift) * half - tau, zero);
                        t * t
                    },
                );
            }
            Weight::Line { shift, tau, factor } => row.each(
                #[inline(always)]
                |x| greater((x - shift) - tau, zero) * factor,
            ),
            Weight::Above { shift, level, share } => row.each(
                #[inline(always)]
                |x| if x - shift > level { share } else { zero },
            ),
            Weight::Maximum { max, share } => row.each(
                #[inline(always)]
                |x| if x == max { share } else { zero },
            ),
        },
    );
}

/// The slope `s` of a weight `y` in its own score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Slope<T> {
    /// One where there is weight.
    Step,
    /// One strictly between zero and one.
    Between,
    /// `√y`.
    Root,
    /// `factor` where there is weight.
    Constant(T),
    /// `y^p` for `p` above zero.
    Power(T),
    /// `factor (y / reference)^p`, which must not exceed `factor`.
    Relative {
        /// The exponent, of any sign.
        p: T,
        /// The weight with the greatest slope.
        reference: T,
        /// Its slope.
        factor: T,
    },
}

/// Writes slopes: zero where weights are zero.
pub(crate) fn slopes<T: Number + Tabled>(y: &[T], slope: Slope<T>, s: &mut [T]) {
    let (zero, one) = (T::zero(), T::one());
    if let Slope::Power(p) = slope {
        return crate::power::powers(y, p, s);
    }
    vectorised(
        #[inline(always)]
        || {
            let row = InOut::new(y, s);
            match slope {
                Slope::Step | Slope::Power(_) => row.each(
                    #[inline(always)]
                    |y| if y > zero { one } else { zero },
                ),
                Slope::Between => row.each(
                    #[inline(always)]
                    |y| if (y > zero) & (y < one) { one } else { zero },
                ),
                Slope::Root => row.each(
                    #[inline(always)]
                    |y| y.sqrt(),
                ),
                Slope::Constant(factor) => row.each(
                    #[inline(always)]
                    |y| if y > zero { factor } else { zero },
                ),
                Slope::Relative { p, reference, factor } => {
                    // Weights below the normal numbers are lifted to them.
                    let (lift, least, lowest) = (T::epsilon().recip(), T::min_positive_value(), T::least_exponent());
                    let top = (reference * lift).log2_times(p);
                    row.each(
                        #[inline(always)]
                        |y| {
                            let log = greater(y * lift, least).log2_times(p) - top;
                            let power = greater(log, lowest).exp2_branchless();
                            if y > zero { power * factor } else { zero }
                        },
                    );
                }
            }
        },
    );
}

/// `out ← s ∘ (g - mean)` for slopes `s`, where `g` may be anything at an `s` of zero.
pub(crate) fn pull<T: Number>(s: InOut<'_, T>, g: &[T], mean: T) {
    vectorised(
        #[inline(always)]
        || {
            s.each_with(
                g,
                #[inline(always)]
                |s, g| {
                    let pulled = s * (g - mean);
                    if s > T::zero() { pulled } else { T::zero() }
                },
            );
        },
    );
}

/// `g ← g - factor y`.
pub(crate) fn subtract<T: Number>(y: &[T], g: &mut [T], factor: T) {
    vectorised(
        #[inline(always)]
        || g.iter_mut().zip(y).for_each(|(g, &y)| *g -= factor * y),
    );
}
