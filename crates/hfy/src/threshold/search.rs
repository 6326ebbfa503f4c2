//! The search for the root of `Σ (z_i - τ)₊^p = 1`.
//!
//! For `p > 1` the sum is convex and falling in τ, and so is its p-th root, the p-norm of `(z - τ)₊`, which is nearly
//! straight: Newton steps on the norm approach the root from the left and take few rounds. [Longer steps](Step) take
//! still fewer. For `p < 0` every score has weight, and the same steps approach the root from the other side.

use super::plan;
use super::step::Step;
use crate::real::{Exponent, Offset, Real, Scores, lesser};

/// The root, in the form that keeps its digits. `start` must lie left of it; `sample` is room to work in.
pub(crate) fn search<T: Real>(z: Scores<'_, T>, p: T, start: T, sample: &mut Vec<T>) -> Offset<T> {
    let exponent = Exponent::of(p);
    if p < T::zero() {
        return heavy(z, exponent, p);
    }
    let left = Offset::left_of(start, exponent);
    match plan::sums(p) {
        3 => search_by::<T, 3>(z, (exponent, p), left, sample),
        5 => search_by::<T, 5>(z, (exponent, p), left, sample),
        _ => search_by::<T, 7>(z, (exponent, p), left, sample),
    }
}

fn search_by<T: Real, const K: usize>(
    z: Scores<'_, T>,
    (exponent, p): (Exponent<T>, T),
    left: Offset<T>,
    sample: &mut Vec<T>,
) -> Offset<T> {
    let mut at = from_sample::<T, K>(z, (exponent, p), left, sample);
    let mut bracket = Bracket::new(p, left, z.row.len());
    for _ in 0..160 {
        let (next, last) = bracket.next(at.value, &sums::<T, K>(z, at, exponent));
        at.value = next;
        if last {
            break;
        }
    }
    at
}

/// `Σ t^p, Σ t^(p-1), …, Σ t^(p-K+1)` over `t = (z_i - τ)₊`, where positive.
fn sums<T: Real, const K: usize>(z: Scores<'_, T>, at: Offset<T>, p: Exponent<T>) -> [T; K] {
    let sums = T::power_sums(z, at, p, K);
    std::array::from_fn(|k| T::of(sums[k]))
}

/// Long steps where they are tame, Newton's otherwise, and halving of the bracket if both leave it.
struct Bracket<T> {
    p: T,
    low: T,
    high: T,
    last_step: T,
    /// How small the first term left out must be for a step to be the last.
    close: T,
    count: usize,
    rounds: u32,
}

/// Rounds after which every other halves the bracket, whatever the steps say.
const PATIENCE: u32 = 12;

impl<T: Real> Bracket<T> {
    /// From an offset left of the root.
    fn new(p: T, left: Offset<T>, n: usize) -> Self {
        // For one entry, and for rounding, the upper end may fall below the lower.
        let high = left.upper(n, T::one() / p).max(left.value);
        Bracket {
            p,
            low: left.value,
            high,
            last_step: T::infinity(),
            close: T::of(0.6) * T::epsilon(),
            count: n,
            rounds: 0,
        }
    }

    /// In a sample, which is off by some hundredths: no use in coming closer.
    fn in_sample(p: T, left: Offset<T>, n: usize) -> Self {
        Bracket { close: T::of(0.003), count: 0, ..Bracket::new(p, left, n) }
    }

    /// Whether a step leads to the root: all that it leaves out is less than rounding, and it does not go so far to the
    /// left that entries which were not in the sum could matter.
    fn is_met(&self, step: &Step<T>) -> bool {
        let unseen = T::of(self.count as f64) * (-step.delta).max(T::zero()).powf(self.p);
        step.error <= self.close && !(unseen > T::of(0.1) * T::epsilon())
    }

    /// The next value after one where the sums are these, and whether it is the last.
    fn next<const K: usize>(&mut self, at: T, s: &[T; K]) -> (T, bool) {
        let step = Step::new(self.p, s);
        let mut next = at + step.delta;
        if self.is_met(&step) {
            return (next, true);
        }
        if step.log > T::zero() {
            self.low = at;
        } else {
            self.high = at;
        }
        // An end of the bracket was seen already: to go back there would be to go in circles.
        let (low, high) = (self.low, self.high);
        let is_new = |next: T| next == at || (next > low && next < high);
        self.rounds += 1;
        if !is_new(next) {
            next = at + step.newton;
        }
        if !is_new(next) || (self.rounds > PATIENCE && self.rounds.is_multiple_of(2)) {
            next = low + (high - low) * T::of(0.5);
        }
        // Rounding of the sum is all that is left once steps no longer shrink.
        let length = (next - at).abs();
        let blurred = step.log.abs() <= T::of(8.0) * T::epsilon() && length >= T::of(0.5) * self.last_step;
        self.last_step = length;
        (next, blurred || length <= T::of(0.5) * T::epsilon() * next.abs())
    }
}

/// A guess at the root from a sample of the entries, found with a smaller sample first; the left end where there are
/// few.
fn from_sample<T: Real, const K: usize>(
    z: Scores<'_, T>,
    (exponent, p): (Exponent<T>, T),
    left: Offset<T>,
    sample: &mut Vec<T>,
) -> Offset<T> {
    /// Neighbours, which are read at once; as many groups as there can be.
    const GROUP: usize = 8;
    let count = z.row.len();
    let mut at = left;
    let ways = [plan::rough(p), (exponent, p)];
    for ((part, rounds), (exponent, p)) in plan::SAMPLES.into_iter().zip(ways) {
        if count / part < plan::LEAST_SAMPLE {
            continue;
        }
        let size = (count / part).min(plan::MOST_SAMPLE);
        let groups = z.row.as_chunks::<GROUP>().0.iter().step_by(count / size);
        sample.clear();
        sample.extend(groups.flatten().map(|&x| (x - z.shift) * z.scale));
        // The best entry counts for itself, not for others.
        let best = T::of(sample.iter().filter(|&&z| z == T::zero()).count() as f64);
        let weight = T::of(count as f64 / sample.len() as f64);
        let mut bracket = Bracket::in_sample(p, left, count);
        for _ in 0..rounds {
            let mut s = sums::<T, K>(Scores::plain(sample), at, exponent);
            let one = sums::<T, K>(Scores::plain(&[T::zero()]), at, exponent);
            for k in 0..K {
                s[k] = (s[k] - best * one[k]) * weight + one[k];
            }
            let (next, last) = bracket.next(at.value, &s);
            at.value = next;
            if last {
                break;
            }
        }
    }
    // Where a few entries have most of the weight, and a sample misses them, the left end is closer.
    Offset { value: at.value.max(left.value), ..at }
}

/// A lower bound of the root for `p > 1` by a few Newton steps, which never pass the root.
pub(super) fn lower_bound<T: Real>(z: &[T], p: T) -> T {
    const FEW: usize = 512;
    let (exponent, p) = plan::rough(p);
    let mut at = Offset::left_of(-T::one(), exponent);
    // Where nearly all scores weigh something, some of them give a bound that is close enough; their sum tells.
    let few = &z[..z.len().min(FEW)];
    let is_flat = exponent.is_precise() && sums::<T, 1>(Scores::plain(few), at, exponent)[0] > T::of(20.0);
    let z = Scores::plain(if is_flat { few } else { z });
    for _ in 0..3 {
        let step = newton(p, sums(z, at, exponent));
        if !(step > T::zero()) {
            break;
        }
        at.value += step;
    }
    at.tau()
}

/// A step of Newton's method on the p-norm.
fn newton<T: Real>(p: T, [s0, s1]: [T; 2]) -> T {
    s0 * -(-s0.ln() / p).exp_less_one() / s1
}

/// The root for `p < 0`. The sum rises with τ, and its p-th root falls and is concave: Newton's method from the right,
/// where the best score alone weighs one, never passes the root.
fn heavy<T: Real>(z: Scores<'_, T>, exponent: Exponent<T>, p: T) -> Offset<T> {
    let mut at = Offset::at(-T::one(), exponent);
    for _ in 0..100 {
        let step = newton(p, sums(z, at, exponent));
        at.value += step;
        // `1 - value` is what the best score's weight is a power of.
        if !(-step > T::of(0.5) * T::epsilon() * lesser(T::one() - at.value, T::one() / p.abs())) {
            break;
        }
    }
    at
}
