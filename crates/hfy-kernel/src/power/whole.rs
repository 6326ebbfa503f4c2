//! Whole powers, by multiplications.

use super::{Distance, Raise, add_chain, add_run};
use crate::maxima::BLOCK;
use crate::sums::MOST_LANES;
use crate::{InOut, Kernel, Number, Vectors};

/// Vectors that are raised together: they share the loop over the bits of the exponent.
const TOGETHER: usize = 4;

/// With so many registers powers and their sums are kept in them side by side.
const MANY_REGISTERS: usize = 32;

/// Groups of vectors whose powers wait in room for their sums where registers do not hold both.
const ROOM: usize = 16;

/// The `k`-th power of `t = d` where that is more than `least`, else of zero.
#[derive(Clone, Copy)]
pub(super) struct Whole<T> {
    distance: Distance<T>,
    k: u32,
    least: T,
}

impl<T: Number> Whole<T> {
    /// For powers up to `highest`: numbers whose power by that is not normal weigh nothing.
    pub(super) fn new(distance: Distance<T>, k: u32, highest: u32) -> Self {
        Whole { distance, k, least: T::least_base(T::from_double(f64::from(highest))) }
    }

    /// `t` and its power.
    #[inline(always)]
    fn of<S: Vectors<T>, const N: usize>(self, simd: S, scores: &[S::V; N]) -> [[S::V; N]; 2] {
        let Whole { distance, k, least } = self;
        let zero = simd.splat(T::zero());
        let mut t = [zero; N];
        for i in 0..N {
            let shifted = simd.sub(scores[i], simd.splat(distance.shift));
            // Rounded twice, so that a score at the threshold has no distance.
            let d = simd.sub(simd.mul(shifted, simd.splat(distance.scale)), simd.splat(distance.value));
            t[i] = simd.where_greater(d, simd.splat(least), d, zero);
        }
        if k == 0 {
            return [t, t.map(|t| simd.where_greater(t, zero, simd.splat(T::one()), zero))];
        }
        [t, multiply(simd, t, k)]
    }
}

/// `t^k`; one for `k = 0`.
#[inline(always)]
pub(crate) fn multiply<T: Number, S: Vectors<T>, const N: usize>(simd: S, t: [S::V; N], mut k: u32) -> [S::V; N] {
    if k == 0 {
        return [simd.splat(T::one()); N];
    }
    // The power of the odd factor of the exponent, then its squares.
    let twos = k.trailing_zeros();
    k >>= twos;
    let (mut square, mut power) = (t, t);
    while k > 1 {
        k >>= 1;
        for i in 0..N {
            square[i] = simd.mul(square[i], square[i]);
        }
        if k & 1 == 1 {
            for i in 0..N {
                power[i] = simd.mul(power[i], square[i]);
            }
        }
    }
    for _ in 0..twos {
        for i in 0..N {
            power[i] = simd.mul(power[i], power[i]);
        }
    }
    power
}

impl<T: Number> Raise<T> for Whole<T> {
    const DENSE: f64 = 0.005;

    fn sums<const K: usize>(&self, row: &[T]) -> [f64; K] {
        T::dispatch(Sums::<T, K>(row, *self))
    }

    fn raise(&self, row: InOut<'_, T>, is_sparse: bool) {
        T::dispatch(Powers(row, *self, is_sparse));
    }

    #[inline(always)]
    fn weighs(&self, x: T) -> bool {
        self.distance.of(x) > self.least
    }
}

struct Powers<'w, T>(InOut<'w, T>, Whole<T>, bool);

impl<T: Number> Kernel<T> for Powers<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Vectors<T>>(self, simd: S) {
        let Powers(row, whole, is_sparse) = self;
        row.blocks::<BLOCK>(
            #[inline(always)]
            |block| {
                if is_sparse {
                    let (scores, _) = S::vectors(block.read());
                    let mut best = scores[0];
                    for &x in scores {
                        best = simd.max(x, best);
                    }
                    if !whole.weighs(simd.reduce_max(best)) {
                        return block.output().fill(T::zero());
                    }
                }
                let (y, _) = S::vectors_mut(block.to);
                match block.from {
                    Some(from) => {
                        for (y, x) in y.chunks_mut(TOGETHER).zip(S::vectors(from).0.chunks(TOGETHER)) {
                            raise_group(simd, whole, x, y);
                        }
                    }
                    None => {
                        for y in y.chunks_mut(TOGETHER) {
                            let mut scores = [simd.splat(T::zero()); TOGETHER];
                            scores[..y.len()].copy_from_slice(y);
                            raise_group(simd, whole, &scores[..y.len()], y);
                        }
                    }
                }
            },
        );
    }
}

/// The powers of up to four vectors.
#[inline(always)]
fn raise_group<T: Number, S: Vectors<T>>(simd: S, whole: Whole<T>, x: &[S::V], y: &mut [S::V]) {
    if let (Some(x), Some(y)) = (x.first_chunk::<TOGETHER>(), y.first_chunk_mut::<TOGETHER>()) {
        [_, *y] = whole.of(simd, x);
        return;
    }
    for (y, &x) in y.iter_mut().zip(x) {
        [_, [*y]] = whole.of(simd, &[x]);
    }
}

struct Sums<'w, T, const K: usize>(&'w [T], Whole<T>);

impl<T: Number, const K: usize> Kernel<T> for Sums<'_, T, K> {
    type Output = [f64; K];

    #[inline(always)]
    fn run<S: Vectors<T>>(self, simd: S) -> [f64; K] {
        let Sums(row, whole) = self;
        let (head, rest) = S::vectors(row);
        let (fours, ones) = head.as_chunks::<TOGETHER>();
        let (zero, mut total) = (simd.splat(T::zero()), [0.0; K]);
        for run in fours.chunks(ROOM) {
            let mut sums = [zero; K];
            if S::REGISTER_COUNT >= MANY_REGISTERS {
                for scores in run {
                    let [t, y] = whole.of(simd, scores);
                    for i in 0..TOGETHER {
                        add_chain(simd, &mut sums, y[i], t[i]);
                    }
                }
            } else {
                let (mut t, mut y) = ([[zero; TOGETHER]; ROOM], [[zero; TOGETHER]; ROOM]);
                for (scores, (t, y)) in run.iter().zip(t.iter_mut().zip(&mut y)) {
                    [*t, *y] = whole.of(simd, scores);
                }
                for (&t, &y) in t[..run.len()].as_flattened().iter().zip(y.as_flattened()) {
                    add_chain(simd, &mut sums, y, t);
                }
            }
            add_run(simd, &mut total, sums);
        }
        let mut last = [T::neg_infinity(); MOST_LANES];
        last[..rest.len()].copy_from_slice(rest);
        let mut sums = [zero; K];
        for &scores in ones.iter().chain(S::vectors(&last[..S::LANES]).0) {
            let [[t], [y]] = whole.of(simd, &[scores]);
            add_chain(simd, &mut sums, y, t);
        }
        add_run(simd, &mut total, sums);
        total
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Exponent, Offset, Scores, power_sums, raise};
    use super::*;
    use crate::elementary::Elementary;

    const BY: (f32, f32) = (0.25, 2.0);
    const AT: Offset<f32> = Offset { value: -0.5, base: 0.0 };

    fn scores(n: usize) -> Vec<f32> {
        (0..n).map(|i| 0.5 - ((i * 37) % n) as f32 / n as f32).collect()
    }

    fn exact(x: f32, k: u32) -> f64 {
        let t = (f64::from(x) - 0.25) * 2.0 + 0.5;
        if t > f64::from(f32::least_base(k as f32)) { t.powi(k as i32) } else { 0.0 }
    }

    #[test]
    fn whole_powers_are_powers() {
        for exponent in 0..=24 {
            let scores = scores(163);
            let mut y = scores.clone();
            raise(InOut::in_place(&mut y), BY, AT, Exponent::Whole(exponent));
            for (&x, &y) in scores.iter().zip(&y) {
                let power = exact(x, exponent);
                assert!((f64::from(y) - power).abs() <= 1e-5 * power, "{x}, {exponent}: {y} {power}");
            }
        }
    }

    #[test]
    fn sums_of_whole_powers_are_those_of_the_powers() {
        for n in [1, 7, 64, 131, 1000, 5003] {
            for k in [4, 8, 17] {
                let (scores, p) = (scores(n), Exponent::Whole(k));
                let sums = power_sums(Scores { row: &scores, shift: BY.0, scale: BY.1 }, AT, p, 5);
                for (i, sum) in sums.into_iter().take(5).enumerate() {
                    let total: f64 =
                        scores.iter().filter(|x| exact(**x, k) > 0.0).map(|&x| exact(x, k - i as u32)).sum();
                    assert!((sum - total).abs() <= 3e-6 * total, "{n}, {k} - {i}: {sum} {total}");
                }
            }
        }
    }

    #[test]
    fn powers_rise_with_scores() {
        for exponent in [3, 10, 17, 20, 24] {
            let mut y: Vec<f32> = (0..4096).map(|i| f32::from_bits((0.311_f32).to_bits() + i)).collect();
            raise(InOut::in_place(&mut y), BY, AT, Exponent::Whole(exponent));
            assert!(y.is_sorted() && y[4095] > y[0], "{exponent}");
        }
    }
}
