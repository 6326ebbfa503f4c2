//! A long step towards a threshold.

use hfy_kernel::MOST_SUMS;

use crate::real::Real;

/// One step towards the root of `S(τ) = Σ t^p = 1`, `t = (z - τ)₊`, from the sums of `t^p`, `t^(p-1)`, … at hand.
///
/// With weights `t^p/S`, the mean `m` of `1/t`, and `e = 1/(t m) - 1`, a step `δ` makes of the sum
///
/// ```text
/// S(τ + δ) = S (1 - δm)^p E[(1 - ηe)^p],   η = δm/(1 - δm),   E[(1 - ηe)^p] = 1 + p(p-1)/2 η² E[e²] - …
/// ```
///
/// The first factor alone is Newton's step on the p-norm, which is nearly straight; the moments of `e` are small, and
/// with them the step is of the order of how many there are.
pub(super) struct Step<T> {
    /// What to add to the threshold.
    pub(super) delta: T,
    /// The same without the moments: never past the root from the left.
    pub(super) newton: T,
    /// The logarithm of the sum.
    pub(super) log: T,
    /// The size of the first term left out, relative to the sum; infinity where the series is not to be trusted.
    pub(super) error: T,
}

impl<T: Real> Step<T> {
    pub(super) fn new<const K: usize>(p: T, s: &[T; K]) -> Self {
        let (one, log) = (T::one(), s[0].ln());
        let mean = s[1] / s[0];
        let moments = central_moments(s, mean);
        // log S + p a + log(1 + Σ terms) = 0 in a = log(1 - δm), by Newton's method from where the terms are left out.
        let (mut a, newton) = (-log / p, -(-log / p).exp_less_one() / mean);
        // The length of the step, the last term, how much rounding adds to the terms, and how far from settled `a` is.
        let (mut length, mut last, mut noise, mut unsettled) = (T::zero(), T::zero(), T::zero(), T::zero());
        for round in 0..4 {
            let eta = (-a).exp_less_one();
            if eta == T::zero() {
                break;
            }
            // p(p-1)/2 η² E[e²], -p(p-1)(p-2)/6 η³ E[e³], …, multiplied in an order that does not overflow.
            let (mut factor, mut sum, mut weighted) = (p * eta, T::zero(), T::zero());
            (length, noise) = ((p * eta).abs(), T::zero());
            for k in 0..K - 2 {
                let degree = T::of(k as f64 + 2.0);
                factor *= -(p - degree + one) * eta / degree;
                last = -factor * moments[k];
                sum += last;
                weighted += degree * last;
                // Central moments are differences of numbers near one.
                noise += factor.abs() * T::of((1 << (k + 1)) as f64) * T::epsilon();
            }
            if !(sum.abs() < T::of(0.5)) {
                return Step { delta: newton, newton, log, error: T::infinity() };
            }
            let residual = log + p * a + sum.log_one_plus();
            if residual.abs() <= T::of(0.5) * T::epsilon() * (one + log.abs()) {
                break;
            }
            // A term of degree k in η has slope k/η, and dη/da = -(1 + η).
            let slope = -weighted / eta * (one + eta);
            let change = residual / (p + slope / (one + sum));
            a -= change;
            // Where this does not settle nothing is known of the error.
            if round == 3 {
                unsettled = (p * change).abs();
            }
        }
        let mut error = left_out::<T, K>(p, length, last.abs(), moments[K - 3].abs()) + noise + unsettled;
        let delta = -a.exp_less_one() / mean;
        // A sum of negative powers tells how close to the threshold an entry may be: one that the step passes is not in
        // the series.
        let negative = T::of(K as f64 - 1.0) - p;
        if negative > T::zero() && delta > T::of(0.5) * s[K - 1].powf(-one / negative) {
            error = T::infinity();
        }
        Step { delta, newton, log, error }
    }
}

/// `E[e²]`, `E[e³]`, …, as far as the sums reach.
fn central_moments<T: Real, const K: usize>(s: &[T; K], mean: T) -> [T; MOST_SUMS - 2] {
    let mut raw = [T::one(); K];
    let mut power = s[0];
    for k in 1..K {
        power *= mean;
        raw[k] = s[k] / power;
    }
    let mut central = [T::zero(); MOST_SUMS - 2];
    for k in 2..K {
        for j in (0..=k).rev() {
            central[k - 2] += T::of(BINOMIALS[k][j]) * raw[j];
        }
    }
    central
}

/// Pascal's triangle, with alternating signs, from the last term of a row on.
const BINOMIALS: [[f64; MOST_SUMS]; MOST_SUMS] = {
    let mut rows = [[0.0; MOST_SUMS]; MOST_SUMS];
    let mut k = 0;
    while k < MOST_SUMS {
        rows[k][k] = 1.0;
        let mut j = k;
        while j > 0 {
            rows[k][j - 1] = -rows[k][j] * j as f64 / (k - j + 1) as f64;
            j -= 1;
        }
        k += 1;
    }
    rows
};

/// The size of the first term left out, from the last one at hand and its moment.
fn left_out<T: Real, const K: usize>(p: T, length: T, last: T, moment: T) -> T {
    if K >= 5 && p < T::of((K + 1) as f64) {
        // Entries near the threshold may make up all of the last term.
        return last;
    }
    let next = length * moment.powf(T::one() / T::of((K - 1) as f64));
    if K < 5 { last * next } else { last * next.min(T::one()) }
}
