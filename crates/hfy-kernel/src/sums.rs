//! Sums over a row of a few terms of each entry, added up in double precision after every few vectors.

use crate::{Kernel, Number, Vectors};

/// Vectors that are added up in their own precision before their sum joins the total.
pub(crate) const RUN: usize = 32;

/// Terms of one entry.
trait Terms<T, const N: usize> {
    /// An entry whose terms are zero: it fills up the last vector of a row.
    fn neutral(&self) -> T;

    fn of<S: Vectors<T>>(&self, simd: S, x: S::V) -> [S::V; N];
}

/// The sum of each term over a row.
struct Sum<'w, T, F, const N: usize>(&'w [T], F);

impl<T: Number, F: Terms<T, N>, const N: usize> Kernel<T> for Sum<'_, T, F, N> {
    type Output = [f64; N];

    #[inline(always)]
    fn run<S: Vectors<T>>(self, simd: S) -> [f64; N] {
        let Sum(row, terms) = self;
        let (head, rest) = S::vectors(row);
        let zero = simd.splat(T::zero());
        let mut totals = [0.0; N];
        for run in head.chunks(2 * RUN) {
            // Two of each, so that additions do not wait for one another.
            let mut sums = [[zero; N]; 2];
            let (pairs, one) = run.as_chunks::<2>();
            for pair in pairs {
                for i in 0..2 {
                    let terms = terms.of(simd, pair[i]);
                    for k in 0..N {
                        sums[i][k] = simd.add(sums[i][k], terms[k]);
                    }
                }
            }
            for &x in one {
                let terms = terms.of(simd, x);
                for k in 0..N {
                    sums[0][k] = simd.add(sums[0][k], terms[k]);
                }
            }
            for k in 0..N {
                totals[k] += simd.reduce_sum(simd.add(sums[0][k], sums[1][k])).to_double();
            }
        }
        if !rest.is_empty() {
            let mut last = [terms.neutral(); MOST_LANES];
            last[..rest.len()].copy_from_slice(rest);
            let sums = terms.of(simd, S::vectors(&last[..S::LANES]).0[0]);
            for k in 0..N {
                totals[k] += simd.reduce_sum(sums[k]).to_double();
            }
        }
        totals
    }
}

/// The most numbers of a vector.
pub(crate) const MOST_LANES: usize = 16;

struct Itself;

impl<T: Number> Terms<T, 1> for Itself {
    fn neutral(&self) -> T {
        T::zero()
    }

    #[inline(always)]
    fn of<S: Vectors<T>>(&self, _simd: S, x: S::V) -> [S::V; 1] {
        [x]
    }
}

/// `Σ y`.
pub(crate) fn total<T: Number>(y: &[T]) -> f64 {
    T::dispatch(Sum(y, Itself))[0]
}

/// `d` and `d²` of the distance `d = z - τ`.
struct Distance<T>(T);

impl<T: Number> Terms<T, 2> for Distance<T> {
    fn neutral(&self) -> T {
        self.0
    }

    #[inline(always)]
    fn of<S: Vectors<T>>(&self, simd: S, z: S::V) -> [S::V; 2] {
        let d = simd.sub(z, simd.splat(self.0));
        [d, simd.mul(d, d)]
    }
}

/// `Σ (z - τ)` and `Σ (z - τ)²`.
pub(crate) fn distances<T: Number>(z: &[T], tau: T) -> [T; 2] {
    T::dispatch(Sum(z, Distance(tau))).map(T::from_double)
}

/// `clip(x - τ, 0, 1)`, and one where that is `x - τ` itself.
struct Clipped<T>(T);

impl<T: Number> Terms<T, 2> for Clipped<T> {
    fn neutral(&self) -> T {
        T::neg_infinity()
    }

    #[inline(always)]
    fn of<S: Vectors<T>>(&self, simd: S, x: S::V) -> [S::V; 2] {
        let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
        let d = simd.sub(x, simd.splat(self.0));
        let is_free = simd.where_greater(zero, d, zero, simd.where_greater(d, one, zero, one));
        [simd.min(simd.max(d, zero), one), is_free]
    }
}

/// `Σ clip(x - τ, 0, 1)`, and how many entries the bounds leave as they are.
pub(crate) fn clipped<T: Number>(x: &[T], tau: T) -> [T; 2] {
    T::dispatch(Sum(x, Clipped(tau))).map(T::from_double)
}

/// The pieces that `d = (x - anchor) - τ` may lie in: one and `x - anchor` strictly between 0 and 1, one from 1 on.
struct Pieces<T>(T, T);

impl<T: Number> Terms<T, 3> for Pieces<T> {
    fn neutral(&self) -> T {
        T::neg_infinity()
    }

    #[inline(always)]
    fn of<S: Vectors<T>>(&self, simd: S, x: S::V) -> [S::V; 3] {
        let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
        let distance = simd.sub(x, simd.splat(self.0));
        let d = simd.sub(distance, simd.splat(self.1));
        let full = simd.where_greater(one, d, zero, one);
        let free = simd.where_greater(d, zero, simd.sub(one, full), zero);
        [free, simd.where_greater(free, zero, distance, zero), full]
    }
}

/// How many `d = (x - anchor) - τ` lie strictly between 0 and 1, the sum of their `x - anchor`, and how many reach 1.
pub(crate) fn pieces<T: Number>(x: &[T], anchor: T, tau: T) -> [T; 3] {
    T::dispatch(Sum(x, Pieces(anchor, tau))).map(T::from_double)
}

/// `Σ s` and `Σ s g`, where `g` may be anything at an `s` of zero.
pub(crate) fn sums_along<T: Number>(s: &[T], g: &[T]) -> [f64; 2] {
    struct Along<'w, T>(&'w [T], &'w [T]);

    impl<T: Number> Kernel<T> for Along<'_, T> {
        type Output = [f64; 2];

        #[inline(always)]
        fn run<S: Vectors<T>>(self, simd: S) -> [f64; 2] {
            let Along(s, g) = self;
            let ((s_head, s_rest), (g_head, g_rest)) = (S::vectors(s), S::vectors(g));
            let zero = simd.splat(T::zero());
            let mut result = [0.0; 2];
            for (s, g) in s_head.chunks(RUN).zip(g_head.chunks(RUN)) {
                let (mut total, mut along) = ([zero; 2], [zero; 2]);
                for (s, g) in s.chunks(2).zip(g.chunks(2)) {
                    for (i, (&s, &g)) in s.iter().zip(g).enumerate() {
                        total[i] = simd.add(total[i], s);
                        along[i] = simd.add(along[i], simd.where_greater(s, zero, simd.mul(s, g), zero));
                    }
                }
                result[0] += simd.reduce_sum(simd.add(total[0], total[1])).to_double();
                result[1] += simd.reduce_sum(simd.add(along[0], along[1])).to_double();
            }
            for (&s, &g) in s_rest.iter().zip(g_rest) {
                result[0] += s.to_double();
                result[1] += if s > T::zero() { (s * g).to_double() } else { 0.0 };
            }
            result
        }
    }

    T::dispatch(Along(s, g))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: [usize; 7] = [0, 1, 7, 16, 33, 131, 5003];

    fn numbers(n: usize) -> Vec<f64> {
        (0..n).map(|i| ((i * 7919) % 1009) as f64 / 256.0 - 2.0).collect()
    }

    fn agree(ours: &[f64], exact: &[f64], n: usize) {
        for (ours, exact) in ours.iter().zip(exact) {
            assert!((ours - exact).abs() <= 1e-12 * (n as f64 + exact.abs()), "{n}: {ours} {exact}");
        }
    }

    #[test]
    fn sums_are_those_of_their_terms() {
        for n in LENGTHS {
            let x = numbers(n);
            let sum = |f: &dyn Fn(f64) -> f64| x.iter().map(|&x| f(x)).sum::<f64>();
            agree(&[total(&x)], &[sum(&|x| x)], n);
            agree(&distances(&x, -3.0), &[sum(&|x| x + 3.0), sum(&|x| (x + 3.0).powi(2))], n);
            let is_free = |d: f64| f64::from((0.0..=1.0).contains(&d));
            agree(&clipped(&x, 0.25), &[sum(&|x| (x - 0.25).clamp(0.0, 1.0)), sum(&|x| is_free(x - 0.25))], n);
            let between = |d: f64| f64::from(d > 0.0 && d < 1.0);
            let exact = [
                sum(&|x| between(x - 0.5)),
                sum(&|x| between(x - 0.5) * (x - 0.125)),
                sum(&|x| f64::from(x - 0.5 >= 1.0)),
            ];
            agree(&pieces(&x, 0.125, 0.375), &exact, n);
        }
    }

    #[test]
    fn a_gradient_without_weight_is_not_looked_at() {
        for n in LENGTHS {
            let s: Vec<f64> = numbers(n).into_iter().map(|x| x.max(0.0)).collect();
            let g: Vec<f64> = s.iter().map(|&s| if s > 0.0 { 2.0 * s - 1.0 } else { f64::NAN }).collect();
            let exact = [s.iter().sum::<f64>(), s.iter().map(|s| s * (2.0 * s - 1.0)).sum::<f64>()];
            agree(&sums_along(&s, &g), &exact, n);
        }
    }
}
