//! Every threshold map is a function of one score once its threshold is known.

use hfy_kernel::BLOCK;

use crate::real::{Exponent, InOut, Offset, Real, Weight, greater};
use crate::support::Support;

/// A solved row: the weight of an entry as a function of its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Solution<T> {
    /// A few operations on each entry.
    Each(Weight<T>),
    /// `factor ((x - shift) scale - τ)₊^exponent`: entmax below 2, normmax.
    Power { shift: T, scale: T, at: Offset<T>, exponent: Exponent<T>, factor: T },
    /// `((x - shift) scale - lowest + least^scale)^(1/scale)` from `lowest` on, where it is `least`: entmax above 2.
    Root { shift: T, scale: T, lowest: T, least: T },
}

impl<T: Real> Solution<T> {
    /// Makes weights of scores.
    pub(crate) fn fill(self, row: InOut<'_, T>) {
        match self {
            Solution::Each(weight) => T::weigh(row, weight),
            Solution::Power { shift, scale, at, exponent, factor } => {
                let mut row = row;
                T::raise(row.reborrow(), (shift, scale), at, exponent);
                if factor != T::one() {
                    T::scale(row.output(), factor);
                }
            }
            Solution::Root { shift, scale, lowest, least } => {
                let (root, power) = (least.powf(scale), T::one() / scale);
                let mut blocks = T::with_buffers(|buffers| std::mem::take(&mut buffers.bends));
                T::block_maxima(row.read(), &mut [], &mut blocks);
                let mut tops = blocks.iter();
                row.chunks(BLOCK, |part| {
                    if tops.next().is_some_and(|top| (*top - shift) * scale < lowest) {
                        part.output().fill(T::zero());
                        return;
                    }
                    part.each(|x| {
                        let d = (x - shift) * scale - lowest;
                        if d > T::zero() {
                            // A power and its root may round below where they came from; order must not suffer.
                            greater((d + root).powf(power), least)
                        } else if d == T::zero() {
                            least
                        } else {
                            T::zero()
                        }
                    });
                });
                T::with_buffers(|buffers| buffers.bends = blocks);
            }
        }
    }

    /// Writes the indices and weights of the support, given the block maxima, which are lost. Only blocks that hold a
    /// part of it are read: weights rise with scores, so a block whose maximum weighs nothing holds none.
    pub(crate) fn collect(self, theta: &[T], blocks: &mut [T], support: &mut Support<T>) {
        support.clear();
        self.fill(InOut::in_place(blocks));
        for (number, (block, &top)) in theta.chunks(BLOCK).zip(&*blocks).enumerate() {
            if top > T::zero() {
                let mut weights = [T::neg_infinity(); BLOCK];
                weights[..block.len()].copy_from_slice(block);
                self.fill(InOut::in_place(&mut weights));
                for (offset, &weight) in weights[..block.len()].iter().enumerate() {
                    if weight > T::zero() {
                        support.push(number * BLOCK + offset, weight);
                    }
                }
            }
        }
    }
}
