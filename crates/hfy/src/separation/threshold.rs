//! The threshold that makes powers sum to one.
//!
//! Entmax and normmax both come down to `Σ (z_i - τ)₊^p = 1` for scores `z ≤ 0` whose maximum is zero. Only
//! entries above -1 can matter; callers pass those. The left side is convex and falling in τ for `p ≥ 1`, and so is
//! its p-th root, the p-norm of `(z - τ)₊`, which is nearly straight: Newton steps on the norm approach the root
//! from the left and take few rounds.

use super::blend::Blend;
use super::exponent::{Exponent, Offset};
use super::raise::{Scores, moments};
use super::scan::sum;
use super::step::{FEW, MOST, Step};
use crate::real::{Real, lesser};

/// `p = 1`: drops entries below the mean threshold until none is left to drop. Finite and exact. Returns `τ` and
/// the number of entries above it.
#[inline(always)]
pub(crate) fn linear<T: Real>(z: &mut [T]) -> (T, usize) {
    let mut count = z.len();
    loop {
        let [total, ..] = T::distances(&z[..count], T::zero());
        let tau = (total - T::one()) / T::of(count as f64);
        let left = T::retain(&mut z[..count], tau);
        if left == count || left == 0 {
            return (tau, left);
        }
        count = left;
    }
}

/// `p = 2`, from any `τ` left of the root: Newton steps shrink the set of entries, and the quadratic equation on the
/// final set gives the root. Returns `τ` and `Σ (z - τ)₊`.
#[inline(always)]
pub(crate) fn quadratic<T: Real>(z: &mut [T], mut tau: T) -> (T, T) {
    let mut count = z.len();
    for _ in 0..64 {
        count = T::retain(&mut z[..count], tau);
        let size = T::of(count as f64);
        let [first, second, least] = T::distances(&z[..count], tau);
        let discriminant = first * first - size * (second - T::one());
        if discriminant >= T::zero() {
            let step = (second - T::one()) / (first + discriminant.sqrt());
            if step < least {
                // A step from afar cancels digits in the discriminant; one of Newton's from there brings them back.
                let tau = tau + step;
                let [first, second, _] = T::distances(&z[..count], tau);
                let step = T::of(0.5) * (second - T::one()) / first;
                return (tau + step, first - size * step);
            }
        }
        let step = (second - second.sqrt()) / first;
        if tau + step == tau {
            return (tau, first);
        }
        tau += step;
    }
    let first = sum(
        &z[..count],
        #[inline(always)]
        |z| if z > tau { z - tau } else { T::zero() },
    );
    (tau, first)
}

/// The search for the root of `Σ (z_i - τ)₊^p = 1`, `p > 1`: long steps where they are tame, Newton's otherwise, and
/// halving of the bracket if both leave it.
pub(super) struct Search<T> {
    p: T,
    low: T,
    high: T,
    last_step: T,
    /// How small the first term left out must be for a step to be the last.
    close: T,
    count: usize,
    /// How far apart the entries with weight are, by the last step.
    pub(super) spread: T,
    rounds: u32,
}

/// Rounds after which every other halves the bracket, whatever the steps say.
const PATIENCE: u32 = 12;

impl<T: Real> Search<T> {
    /// From an offset left of the root.
    #[inline(always)]
    pub(super) fn new(p: T, left: Offset<T>, n: usize) -> Self {
        // For one entry, and for rounding, the upper end may fall below the lower.
        let high = left.upper(n, T::one() / p).max(left.value);
        let (last_step, close) = (T::infinity(), T::of(0.6) * T::epsilon());
        Search { p, low: left.value, high, last_step, close, count: n, spread: T::infinity(), rounds: 0 }
    }

    /// In a sample, which is off by some hundredths: no use in coming closer.
    #[inline(always)]
    pub(super) fn in_sample(p: T, left: Offset<T>, n: usize) -> Self {
        Search { close: T::of(0.003), count: 0, ..Search::new(p, left, n) }
    }

    /// Whether a step leads to the root: all that it leaves out is less than rounding, and it does not go so far to the left that entries
    /// which were not in the sum could matter.
    #[inline(always)]
    pub(super) fn is_met(&self, step: &Step<T>) -> bool {
        let unseen = T::of(self.count as f64) * (-step.delta).max(T::zero()).powf(self.p);
        step.error <= self.close && !(unseen > T::of(0.1) * T::epsilon())
    }

    /// The next value after one where the sums are these, and whether it is the last.
    #[inline(always)]
    fn next<const K: usize>(&mut self, at: T, s: &[T; K]) -> (T, bool) {
        let step = Step::new(self.p, s);
        self.spread = step.spread;
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

/// The root of `Σ (z_i - τ)₊^p = 1` for `p > 1`, in the form that keeps its digits. `start` must lie left of it; `sample`
/// is room to work in, and `blend` what is kept from row to row.
#[inline(always)]
pub(crate) fn general<T: Real>(
    z: Scores<'_, T>,
    (exponent, p): (Exponent<T>, T),
    start: T,
    (sample, blend): (&mut Vec<T>, &mut Blend),
) -> Offset<T> {
    let left = Offset::left_of(start, exponent);
    let sums = Sums::new((exponent, p), z.row.len(), blend);
    let is_near = matches!(exponent.fitted(left, z.least), Exponent::Near(..));
    // Where the best entry has much of the weight a sample that hits or misses it is far off, and the left end is close.
    let best = p * (-left.value).log_one_plus();
    let is_heavy = is_near && best > T::of(-2.5);
    let sample = (!is_heavy).then_some(sample);
    // Weights of scores near one another are nearly exponentials, for which long steps need fewer terms; the fewer, the closer the
    // start is, which that from a sample is where even the best entry weighs little.
    if p < T::of(4.0) || is_heavy || (is_near && best < T::of(-3.0)) {
        let (start, _) = started::<T, 3>(z, (sums, p), left, sample);
        search::<T, 3>(z, (sums, p), left, start)
    } else if p <= T::of(6.5) || is_near {
        let (start, _) = started::<T, FEW>(z, (sums, p), left, sample);
        search::<T, FEW>(z, (sums, p), left, start)
    } else {
        match started::<T, MOST>(z, (sums, p), left, sample) {
            (start, true) => search::<T, FEW>(z, (Sums { of_few: true, ..sums }, p), left, start),
            (start, false) => search::<T, MOST>(z, (sums, p), left, start),
        }
    }
}

/// From a start that is thought to be close to the root.
#[inline(always)]
fn search<T: Real, const K: usize>(
    z: Scores<'_, T>,
    (mut sums, p): (Sums<'_, T>, T),
    left: Offset<T>,
    start: T,
) -> Offset<T> {
    let mut search = Search::new(p, left, z.row.len());
    let mut at = Offset { value: start, ..left };
    for _ in 0..160 {
        let (next, last) = search.next(at.value, &sums.at::<K>(z, at));
        at.value = next;
        if last {
            break;
        }
    }
    at
}

/// How sums of powers are found.
#[derive(Clone, Copy)]
pub(super) struct Sums<'b, T> {
    pub(super) exponent: Exponent<T>,
    /// What is tried first; a row that is not to be blended is not tried again.
    pub(super) blend: Option<&'b Blend>,
    pub(super) of_few: bool,
    /// Whether blends of few powers would have done so far.
    pub(super) few_do: bool,
}

impl<'b, T: Real> Sums<'b, T> {
    #[inline(always)]
    pub(super) fn new((exponent, p): (Exponent<T>, T), entries: usize, blend: &'b mut Blend) -> Self {
        let blends = matches!(exponent, Exponent::Plain(_)) && Blend::pays(p, entries);
        Sums { exponent, blend: blends.then(|| blend.set(p.wide())), of_few: false, few_do: true }
    }

    /// Those of a power that is as good for a rough start, and cheaper.
    #[inline(always)]
    pub(super) fn rough(p: T) -> (Self, T) {
        let (exponent, next) = above(p);
        (Sums { exponent, blend: None, of_few: false, few_do: true }, next)
    }

    #[inline(always)]
    fn at<const K: usize>(&mut self, z: Scores<'_, T>, at: Offset<T>) -> [T; K] {
        if let Some(blend) = self.blend {
            if let Some(blended) = blend.sums(z, at, self.of_few) {
                self.few_do &= blended.few_do;
                return blended.sums;
            }
            (self.blend, self.few_do) = (None, false);
        }
        moments::<T, K>(z, at, self.exponent)
    }
}

/// A guess at the root from a sample of the entries, found with a smaller sample first; the left end where there are few, or no sample is
/// asked for. And whether a step of few sums would reach the root from there.
#[inline(always)]
fn started<T: Real, const K: usize>(
    z: Scores<'_, T>,
    (mut sums, p): (Sums<'_, T>, T),
    left: Offset<T>,
    sample: Option<&mut Vec<T>>,
) -> (T, bool) {
    const LARGEST: usize = 4096;
    const GROUP: usize = 8;
    let Some(sample) = sample else { return (left.value, false) };
    let count = z.row.len();
    let (mut at, mut few_do) = (left, false);
    let (mut rough, next) = Sums::rough(p);
    for (size, rounds, (sums, p)) in [(count / 128, 4, (&mut rough, next)), (count / 8, 1, (&mut sums, p))] {
        if size < 64 {
            continue;
        }
        let size = size.min(LARGEST);
        // Neighbours together, which are read at once; as many groups as there can be.
        let groups = z.row.as_chunks::<GROUP>().0.iter().step_by(count / size);
        sample.resize(groups.len() * GROUP, T::zero());
        for (entries, group) in sample.as_chunks_mut::<GROUP>().0.iter_mut().zip(groups) {
            for i in 0..GROUP {
                entries[i] = (group[i] - z.shift) * z.scale;
            }
        }
        // The best entry counts for itself, not for others.
        let best = T::of(sample.iter().filter(|&&z| z == T::zero()).count() as f64);
        let mut search = Search::in_sample(p, left, count);
        let scores = Scores::plain(sample, z.least);
        at = approach::<T, K>((scores, count, Some(best)), sums, &mut search, at, rounds);
        few_do = sums.few_do && off(p, search.spread, sample.len()) < T::of(0.035);
    }
    // Where a few entries have most of the weight, and a sample misses them, the left end is closer.
    (at.value.max(left.value), few_do)
}

/// A few steps towards the root for `count` entries that a sample stands for, of which so many are the best one, which counts for itself.
#[inline(always)]
pub(super) fn approach<T: Real, const K: usize>(
    (sample, count, best): (Scores<'_, T>, usize, Option<T>),
    sums: &mut Sums<'_, T>,
    search: &mut Search<T>,
    mut at: Offset<T>,
    rounds: usize,
) -> Offset<T> {
    let weight = T::of(count as f64 / sample.row.len() as f64);
    for _ in 0..rounds {
        let mut s = sums.at::<K>(sample, at);
        let one = match best {
            Some(_) => moments::<T, K>(Scores::plain(&[T::zero()], T::zero()), at, sums.exponent),
            None => [T::zero(); K],
        };
        for k in 0..K {
            s[k] = (s[k] - best.unwrap_or(T::zero()) * one[k]) * weight + one[k];
        }
        let (next, last) = search.next(at.value, &s);
        at.value = next;
        if last {
            break;
        }
    }
    at
}

/// By how much the root of a sample is thought to be off, in the length that steps are measured in. The logarithms of weights scatter by
/// about `p √E[e²]`; if they are normal, the mean of a sample is off by this.
#[inline(always)]
pub(super) fn off<T: Real>(p: T, spread: T, size: usize) -> T {
    let scatter = (T::of(0.5) * p * p * spread).exp() / T::of(size as f64).sqrt();
    lesser(scatter, T::of(1.5)) * spread.sqrt()
}

/// A lower bound of the root of `Σ (z_i - τ)₊^p = 1` by a few Newton steps, which never pass the root.
#[inline(always)]
pub(crate) fn general_lower<T: Real>(z: &[T], p: T) -> T {
    const FEW: usize = 512;
    let (exponent, p) = above(p);
    let inverse = T::one() / p;
    let mut at = Offset::left_of(-T::one(), exponent);
    let least = if exponent.is_large() { T::minimum(z) } else { -T::one() };
    // Where nearly all scores weigh something, some of them give a bound that is close enough; their sum tells.
    let few = &z[..z.len().min(FEW)];
    let is_flat = exponent.is_large() && moments::<T, 1>(Scores::plain(few, least), at, exponent)[0] > T::of(20.0);
    let z = if is_flat { few } else { z };
    for _ in 0..3 {
        let [s0, s1] = moments(Scores::plain(z, least), at, exponent);
        let step = s0 * -(-inverse * s0.ln()).exp_less_one() / s1;
        if !(step > T::zero()) {
            break;
        }
        at.value += step;
    }
    at.tau()
}

/// The exponent, or the next whole one where that is not much more: its powers of numbers below one are less, so that its root
/// lies left of that of `p`, and they are cheaper.
#[inline(always)]
fn above<T: Real>(p: T) -> (Exponent<T>, T) {
    match Exponent::above(p) {
        Some(next) => (Exponent::Whole(next), T::of(f64::from(next))),
        None => (Exponent::of(p), p),
    }
}

/// The root for `p < 1` (alpha above 2): the smallest score in the support and its weight.
///
/// Near the root the sum has unbounded slope in `τ`, so the unknown is the smallest weight `v = (z_r - τ)^p` instead.
/// With `d_i = z_i - z_r`, `Σ (d_i + v^(1/p))^p` is a sum of (1/p)-norms of `(d_i^p, v)`: convex in `v` with slope
/// between 1 and the number of entries, so Newton's method from the right converges without safeguards.
#[inline(always)]
pub(crate) fn concave<T: Real>(z: &mut [T], p: T) -> (T, T) {
    // The support: halve the range of scores that could be its smallest.
    let mut lowest = T::zero();
    let (mut start, mut end) = (0, z.len());
    while start < end {
        let middle = start + (end - start) / 2;
        let (_, &mut pivot, _) =
            z[start..end].select_nth_unstable_by(middle - start, |a, b| b.partial_cmp(a).expect("scores are numbers"));
        let mass = sum(
            &z[..middle],
            #[inline(always)]
            |z| if z > pivot { (z - pivot).powf(p) } else { T::zero() },
        );
        if mass < T::one() {
            lowest = pivot;
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    let support = &z[..start];
    let inverse = T::one() / p;
    let mut v = T::one() / T::of(support.len() as f64);
    for _ in 0..200 {
        let root = v.powf(inverse);
        let weight = |z: T| if z == lowest { v } else { ((z - lowest) + root).powf(p) };
        let mass = sum(support, weight);
        // The slope (root/(d + root))^(1-p) in terms that do not underflow before they must.
        let slope = sum(support, |z| weight(z) / v * if z == lowest { T::one() } else { root / ((z - lowest) + root) });
        let next = (v - (mass - T::one()) / slope).max(T::zero());
        if !((next - v).abs() > T::epsilon() * T::of(0.5) * v) {
            return (lowest, next);
        }
        v = next;
        if v == T::zero() {
            break;
        }
    }
    (lowest, v)
}
