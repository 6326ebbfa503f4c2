//! Powers through logarithm and exponential.

use super::{Distance, Raise, add_chain, add_one, add_run};
use crate::maxima::BLOCK;
use crate::sums::RUN;
use crate::{InOut, Kernel, Number, Vectors, greater, vectorised};

/// Entries whose powers are computed together. A power is a long chain of operations; logarithms of many, then
/// exponentials, are twice as many chains of half the length, and more of them fit into a processor's window.
const MANY: usize = 256;

/// Powers by `p` of the numbers whose powers are normal.
#[derive(Clone, Copy)]
pub(crate) struct LogExp<T> {
    distance: Distance<T>,
    p: T,
}

impl<T: Number> LogExp<T> {
    pub(crate) fn new(distance: Distance<T>, p: T) -> Self {
        LogExp { distance, p }
    }

    /// `t`, zero where it weighs nothing, and the logarithm of its power, anything there.
    #[inline(always)]
    fn logarithm(self, x: T) -> (T, T) {
        let (d, least) = (self.distance.of(x), T::min_positive_value());
        let sum = self.distance.base + d;
        let lost = d - (sum - self.distance.base);
        let log = greater(sum, least).log2_times_with(lost, self.p);
        let weighs = (sum > least) & (log > T::least_exponent());
        (if weighs { sum } else { T::zero() }, log)
    }

    /// Turns scores into powers, in room as large as they are, which gets `t`.
    #[inline(always)]
    pub(crate) fn each(self, y: &mut [T], t: &mut [T]) {
        for (y, t) in y.iter_mut().zip(&mut *t) {
            (*t, *y) = self.logarithm(*y);
        }
        for (y, &t) in y.iter_mut().zip(&*t) {
            let power = y.exp2_branchless();
            *y = if t > T::zero() { power } else { T::zero() };
        }
    }
}

impl<T: Number> Raise<T> for LogExp<T> {
    const DENSE: f64 = 0.05;

    fn sums<const K: usize>(&self, row: &[T]) -> [f64; K] {
        let mut total = [0.0; K];
        let (mut y, mut t) = ([T::zero(); MANY], [T::zero(); MANY]);
        for part in row.chunks(MANY) {
            // Whole blocks, so that loops need no remainder: a score that is missing weighs nothing.
            let room = part.len().next_multiple_of(BLOCK);
            y[..part.len()].copy_from_slice(part);
            y[part.len()..room].fill(T::neg_infinity());
            vectorised(
                #[inline(always)]
                || self.each(&mut y[..room], &mut t[..room]),
            );
            T::dispatch(Moments { t: &t[..part.len()], y: &y[..part.len()], total: &mut total });
        }
        total
    }

    fn raise(&self, row: InOut<'_, T>, is_sparse: bool) {
        vectorised(
            #[inline(always)]
            || {
                let mut t = [T::zero(); MANY];
                if is_sparse {
                    row.blocks::<BLOCK>(
                        #[inline(always)]
                        |block| {
                            let best = block.read().iter().copied().fold(T::neg_infinity(), greater);
                            if self.weighs(best) {
                                self.each(block.copied_output(), &mut t[..BLOCK]);
                            } else {
                                block.output().fill(T::zero());
                            }
                        },
                    );
                } else {
                    row.chunks(
                        MANY,
                        #[inline(always)]
                        |part| {
                            let y = part.copied_output();
                            let count = y.len();
                            self.each(y, &mut t[..count]);
                        },
                    );
                }
            },
        );
    }

    #[inline(always)]
    fn weighs(&self, x: T) -> bool {
        self.logarithm(x).0 > T::zero()
    }
}

/// `total[K-1-k] ← total[K-1-k] + Σ y t^k`.
struct Moments<'w, T, const K: usize> {
    t: &'w [T],
    y: &'w [T],
    total: &'w mut [f64; K],
}

impl<T: Number, const K: usize> Kernel<T> for Moments<'_, T, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Vectors<T>>(self, simd: S) {
        let ((t_head, t_rest), (y_head, y_rest)) = (S::vectors(self.t), S::vectors(self.y));
        for (t, y) in t_head.chunks(RUN).zip(y_head.chunks(RUN)) {
            let mut sums = [simd.splat(T::zero()); K];
            for (&t, &y) in t.iter().zip(y) {
                add_chain(simd, &mut sums, y, t);
            }
            add_run(simd, self.total, sums);
        }
        for (&t, &y) in t_rest.iter().zip(y_rest) {
            add_one(self.total, y, t);
        }
    }
}
