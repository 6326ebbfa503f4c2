//! Every threshold map is a function of one score once its threshold is known.

use super::Support;
use super::exponent::{Exponent, Offset};
use super::raise;
use super::scan::{BLOCK, maximum};
use crate::real::{Real, Rewrite, greater, lesser};

/// A solved row: the weight of an entry as a function of its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Weights<T> {
    /// `clip((x - shift) - tau, 0, cap)`: sparsemax, k-subsets.
    Ramp { shift: T, tau: T, cap: T },
    /// `((x - shift)/2 - tau)₊²`: 1.5-entmax.
    Square { shift: T, tau: T },
    /// `factor ((x - shift) - tau)₊`: 2-normmax.
    Line { shift: T, tau: T, factor: T },
    /// `factor ((x - shift) scale - τ)₊^exponent`: entmax between 1 and 2, normmax.
    Power { shift: T, scale: T, at: Offset<T>, exponent: Exponent<T>, factor: T },
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
    /// Makes weights of scores.
    #[inline(always)]
    pub(crate) fn fill(self, row: Rewrite<'_, T>) {
        let zero = T::zero();
        match self {
            Weights::Ramp { shift, tau, cap } => row.each(
                #[inline(always)]
                |x| lesser(greater((x - shift) - tau, zero), cap),
            ),
            Weights::Square { shift, tau } => {
                let half = T::of(0.5);
                row.each(
                    #[inline(always)]
                    |x| {
                        let t = greater((x - shift) * half - tau, zero);
                        t * t
                    },
                );
            }
            Weights::Line { shift, tau, factor } => row.each(
                #[inline(always)]
                |x| greater((x - shift) - tau, zero) * factor,
            ),
            Weights::Power { shift, scale, at, exponent, factor } => {
                raise::fill(row, (shift, scale), at, (exponent, factor));
            }
            Weights::Exponential { shift, factor } => row.each(
                #[inline(always)]
                |x| (x - shift).exp_lanes() * factor,
            ),
            Weights::Above { shift, level, share } => row.each(
                #[inline(always)]
                |x| if x - shift > level { share } else { zero },
            ),
            Weights::Maximum { max, share } => row.each(
                #[inline(always)]
                |x| if x == max { share } else { zero },
            ),
            Weights::Root { shift, scale, lowest, least } => {
                let (root, power) = (least.powf(scale), T::one() / scale);
                row.chunks(
                    BLOCK,
                    #[inline(always)]
                    |part| {
                        if (maximum(part.read()) - shift) * scale < lowest {
                            part.place().fill(zero);
                            return;
                        }
                        part.each(
                            #[inline(always)]
                            |x| {
                                let d = (x - shift) * scale - lowest;
                                if d > zero {
                                    // A power and its root may round below where they came from; order must not suffer.
                                    greater((d + root).powf(power), least)
                                } else if d == zero {
                                    least
                                } else {
                                    zero
                                }
                            },
                        );
                    },
                );
            }
        }
    }

    /// The indices and weights of the support. Only blocks that hold a part of it are read: weights rise with scores,
    /// so a block whose maximum weighs nothing holds none.
    #[inline(always)]
    pub(crate) fn collect(self, theta: &[T], blocks: &mut [T], support: &mut Support<T>) {
        support.clear();
        self.fill(Rewrite::in_place(blocks));
        for (number, (block, &top)) in theta.chunks(BLOCK).zip(&*blocks).enumerate() {
            if top > T::zero() {
                let mut weights = [T::neg_infinity(); BLOCK];
                weights[..block.len()].copy_from_slice(block);
                self.fill(Rewrite::in_place(&mut weights));
                for (offset, &weight) in weights[..block.len()].iter().enumerate() {
                    if weight > T::zero() {
                        support.push(number * BLOCK + offset, weight);
                    }
                }
            }
        }
    }
}
