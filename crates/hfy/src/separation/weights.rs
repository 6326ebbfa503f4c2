//! Every threshold map is a function of one score once its threshold is known.

use super::Support;
use super::scan::BLOCK;
use super::threshold::{power, precise};
use crate::real::{Real, greater, lesser};

/// A solved row: the weight of an entry as a function of its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Weights<T> {
    /// `clip((x - shift) - tau, 0, cap)`: sparsemax, k-subsets.
    Ramp { shift: T, tau: T, cap: T },
    /// `((x - shift)/2 - tau)₊²`: 1.5-entmax.
    Square { shift: T, tau: T },
    /// `factor ((x - shift) - tau)₊`: 2-normmax.
    Line { shift: T, tau: T, factor: T },
    /// `factor (1 + (x - shift) scale - omega)₊^exponent`: entmax up to 2, normmax.
    Power { shift: T, scale: T, omega: T, exponent: T, factor: T },
    /// `((x - shift) scale - lowest + least^scale)^(1/scale)` from `lowest` on, where it is `least`: entmax above 2.
    Root { shift: T, scale: T, lowest: T, least: T },
    /// `share` above `level`: the uniform weights of infinite normmax.
    Above { shift: T, level: T, share: T },
    /// `share` at the maximum: argmax.
    Maximum { max: T, share: T },
    /// `exp(x - shift) / total`: softmax.
    Exponential { shift: T, factor: T },
}

impl<T: Real> Weights<T> {
    /// Writes the weights over the scores.
    #[inline(always)]
    pub(crate) fn fill(self, row: &mut [T]) {
        let zero = T::zero();
        match self {
            Weights::Ramp { shift, tau, cap } => {
                row.iter_mut().for_each(|x| *x = lesser(greater((*x - shift) - tau, zero), cap));
            }
            Weights::Square { shift, tau } => {
                let half = T::of(0.5);
                row.iter_mut().for_each(|x| {
                    let t = greater((*x - shift) * half - tau, zero);
                    *x = t * t;
                });
            }
            Weights::Line { shift, tau, factor } => {
                row.iter_mut().for_each(|x| *x = greater((*x - shift) - tau, zero) * factor);
            }
            Weights::Power { shift, scale, omega, exponent, factor } => {
                let correct = precise(exponent);
                let weigh = |x: T| power((x - shift) * scale - omega, exponent, correct).0 * factor;
                let level = omega - T::one();
                let (parts, rest) = row.as_chunks_mut::<8>();
                for part in parts {
                    let mut any = false;
                    for l in 0..8 {
                        any |= (part[l] - shift) * scale > level;
                    }
                    if any {
                        part.iter_mut().for_each(|x| *x = weigh(*x));
                    } else {
                        part.fill(zero);
                    }
                }
                rest.iter_mut().for_each(|x| *x = weigh(*x));
            }
            Weights::Exponential { shift, factor } => {
                row.iter_mut().for_each(|x| *x = (*x - shift).exp_lanes() * factor);
            }
            Weights::Root { .. } | Weights::Above { .. } | Weights::Maximum { .. } => {
                row.iter_mut().for_each(|x| *x = self.weight(*x));
            }
        }
    }

    /// The weight of one score.
    #[inline(always)]
    pub(crate) fn weight(self, x: T) -> T {
        match self {
            Weights::Root { shift, scale, lowest, least } => {
                let d = (x - shift) * scale - lowest;
                if d > T::zero() {
                    // A power and its root may round below where they came from; order must not suffer from it.
                    greater((d + least.powf(scale)).powf(T::one() / scale), least)
                } else if d == T::zero() {
                    least
                } else {
                    T::zero()
                }
            }
            Weights::Above { shift, level, share } => {
                if x - shift > level {
                    share
                } else {
                    T::zero()
                }
            }
            Weights::Maximum { max, share } => {
                if x == max {
                    share
                } else {
                    T::zero()
                }
            }
            smooth => {
                let mut one = [x];
                smooth.fill(&mut one);
                one[0]
            }
        }
    }

    /// The indices and weights of the support; blocks whose maximum weighs nothing are not read.
    #[inline(always)]
    pub(crate) fn collect(self, theta: &[T], blocks: &[T], support: &mut Support<T>) {
        support.clear();
        for (number, (block, &top)) in theta.chunks(BLOCK).zip(blocks).enumerate() {
            if self.weight(top) > T::zero() {
                for (offset, &x) in block.iter().enumerate() {
                    let weight = self.weight(x);
                    if weight > T::zero() {
                        support.push(number * BLOCK + offset, weight);
                    }
                }
            }
        }
    }
}
