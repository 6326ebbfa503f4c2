//! The threshold that makes powers sum to one, of one row in each lane.

use super::closed::{ROUNDS, linear, quadratic};
use crate::power::{Distance, Exponent, LogExp, multiply};
use crate::sums::MOST_LANES;
use crate::{Number, Vectors};

/// The threshold of each row, as what is taken from its scores before the power: `t = base + (z - value)`, where the base
/// is one for precise exponents, else zero.
pub(super) struct PowerRoot<V> {
    value: V,
    is_precise: bool,
}

/// `Σ t^p`, `Σ t^(p-1)`, `Σ t^(p-2)`.
type Sums<V> = [V; 3];

impl<V: Copy> PowerRoot<V> {
    /// The root of `Σ t^p = 1` for scores `z` whose best is zero; `room` is for twice as many numbers.
    ///
    /// The p-norm of `t` is nearly straight in the threshold. Halley's method on it starts between the roots for the
    /// whole exponents on both sides of `p`, whose powers are multiplications, or, for exponents that are not between
    /// two small whole ones, from the left end.
    #[inline(always)]
    pub(super) fn find<T: Number, S: Vectors<T, V = V>>(
        simd: S,
        (exponent, best): (Exponent<T>, V),
        z: &[T],
        room: &mut [T],
    ) -> Self {
        let lanes = S::vectors(z).0;
        let value = match exponent {
            Exponent::Whole(k) => whole(simd, lanes, k, simd.splat(-T::one()), best),
            Exponent::Plain(p) => {
                let (below, above) = (p.floor(), p.ceil());
                let high_power = above.to_double() as u32;
                let start = whole(simd, lanes, high_power, simd.splat(-T::one()), best);
                let other = whole(simd, lanes, high_power - 1, start, best);
                // Roots rise with the exponent's inverse about as straight as they do anywhere.
                let share = (above - p) / (above - below) * (below / p);
                let start = simd.add(simd.mul(simd.sub(other, start), simd.splat(share)), start);
                Self::refine(simd, (p, T::zero(), best), start, z, room)
            }
            Exponent::Precise(p) => Self::refine(simd, (p, T::one(), best), simd.splat(T::zero()), z, room),
        };
        PowerRoot { value, is_precise: exponent.is_precise() }
    }

    #[inline(always)]
    fn refine<T: Number, S: Vectors<T, V = V>>(
        simd: S,
        (p, base, best): (T, T, V),
        mut value: V,
        z: &[T],
        room: &mut [T],
    ) -> V {
        // Sums of `t^(p-2)` are no help where the least `t` dominates them.
        let less = if p < T::from_double(2.0) && p > T::zero() { 1 } else { 2 };
        let power = LogExp::new(Distance::from_base(base), p - T::from_double(f64::from(less)));
        let (y, t) = room[..2 * z.len()].split_at_mut(z.len());
        let mut last = awake(simd, best);
        for _ in 0..ROUNDS {
            for (y, &z) in S::vectors_mut(y).0.iter_mut().zip(S::vectors(z).0) {
                *y = simd.sub(z, value);
            }
            power.each(y, t);
            let sums = sums(simd, S::vectors(y).0, S::vectors(t).0, less);
            let top = simd.sub(simd.splat(base), value);
            (value, last) = step::<T, S>((p, less == 2), (value, top, last), sums);
            if !simd.any_greater(last, simd.splat(T::zero())) {
                break;
            }
        }
        value
    }

    /// `z ← t^p`.
    #[inline(always)]
    pub(super) fn raise<T: Number, S: Vectors<T, V = V>>(&self, simd: S, p: Exponent<T>, z: &mut [T], room: &mut [T]) {
        let (zero, one) = (simd.splat(T::zero()), simd.splat(T::one()));
        // The power may have another base than the equation.
        let value = match (self.is_precise, p.is_precise()) {
            (true, false) => simd.sub(self.value, one),
            (false, true) => simd.add(self.value, one),
            _ => self.value,
        };
        let lanes = S::vectors_mut(z).0;
        for z in &mut *lanes {
            *z = simd.sub(*z, value);
        }
        match p {
            Exponent::Whole(k) => {
                for z in lanes {
                    let [power] = multiply(simd, [simd.max(*z, zero)], k);
                    *z = simd.where_greater(*z, zero, power, zero);
                }
            }
            Exponent::Plain(p) => LogExp::new(Distance::from_base(T::zero()), p).each(z, &mut room[..z.len()]),
            Exponent::Precise(p) => LogExp::new(Distance::from_base(T::one()), p).each(z, &mut room[..z.len()]),
        }
    }
}

/// The largest number for rows that are not masked entirely, else zero.
#[inline(always)]
fn awake<T: Number, S: Vectors<T>>(simd: S, best: S::V) -> S::V {
    simd.where_greater(best, simd.splat(T::neg_infinity()), simd.splat(T::max_value()), simd.splat(T::zero()))
}

/// The root for a whole exponent.
#[inline(always)]
fn whole<T: Number, S: Vectors<T>>(simd: S, z: &[S::V], k: u32, mut tau: S::V, best: S::V) -> S::V {
    let zero = simd.splat(T::zero());
    if k <= 2 {
        return if k == 2 { quadratic(simd, z, best) } else { linear(simd, z, best) };
    }
    let mut last = awake(simd, best);
    for _ in 0..ROUNDS {
        let mut sums = [[zero; 3]; 2];
        let (pairs, one) = z.as_chunks::<2>();
        for pair in pairs {
            for i in 0..2 {
                sums[i] = add(simd, sums[i], pair[i], tau, k);
            }
        }
        for &z in one {
            sums[0] = add(simd, sums[0], z, tau, k);
        }
        let sums = std::array::from_fn(|i| simd.add(sums[0][i], sums[1][i]));
        let top = simd.sub(zero, tau);
        (tau, last) = step::<T, S>((T::from_double(f64::from(k)), true), (tau, top, last), sums);
        if !simd.any_greater(last, zero) {
            break;
        }
    }
    tau
}

/// Adds the powers of one score of each row.
#[inline(always)]
fn add<T: Number, S: Vectors<T>>(simd: S, sums: Sums<S::V>, z: S::V, tau: S::V, k: u32) -> Sums<S::V> {
    let t = simd.max(simd.sub(z, tau), simd.splat(T::zero()));
    let [second] = multiply(simd, [t], k - 2);
    let first = simd.mul(second, t);
    [simd.add(sums[0], simd.mul(first, t)), simd.add(sums[1], first), simd.add(sums[2], second)]
}

/// The three sums from powers `y = t^(p - less)`.
#[inline(always)]
fn sums<T: Number, S: Vectors<T>>(simd: S, y: &[S::V], t: &[S::V], less: u32) -> Sums<S::V> {
    let zero = simd.splat(T::zero());
    let mut sums = [[zero; 3]; 2];
    for (i, (&y, &t)) in y.iter().zip(t).enumerate() {
        let sums = &mut sums[i % 2];
        let first = if less == 2 { simd.mul(y, t) } else { y };
        sums[0] = simd.add(sums[0], simd.mul(first, t));
        sums[1] = simd.add(sums[1], first);
        sums[2] = simd.add(sums[2], y);
    }
    std::array::from_fn(|i| simd.add(sums[0][i], sums[1][i]))
}

/// A step of Halley's method on `f = S^(1/p)` for `f = 1`, or of Newton's without the second derivative, for rows that
/// go on; and the changes that it makes of the best weights: zero for rows that are done, and larger than any change at
/// first.
///
/// With `n = (f - 1)/(-f')` and `c = f''/(-f') = (p - 1)(S₂/S₁ - S₁/S₀)` the step is `n / (1 - c n/2)`. It leaves an
/// error of third order; a row is done when that is below rounding.
#[inline(always)]
fn step<T: Number, S: Vectors<T>>(
    (p, is_halley): (T, bool),
    (value, top, last): (S::V, S::V, S::V),
    sums: Sums<S::V>,
) -> (S::V, S::V) {
    let mut lanes = [[T::zero(); MOST_LANES]; 6];
    for (lane, v) in lanes.iter_mut().zip([sums[0], sums[1], sums[2], top, value, last]) {
        S::vectors_mut(&mut lane[..S::LANES]).0[0] = v;
    }
    let [s0, s1, s2, top, value, last] = &mut lanes;
    let (half, one, zero, rounding) = (T::from_double(0.5), T::one(), T::zero(), T::epsilon());
    for i in 0..S::LANES {
        let log = s0[i].log2_times(-p.recip() * T::from_double(std::f64::consts::LN_2));
        let newton = -s0[i] * log.exp_less_one_branchless() / s1[i];
        let bend = half * (p - one) * (s2[i] / s1[i] - s1[i] / s0[i]) * newton;
        let is_tame = is_halley && bend.abs() < half;
        let delta = if is_tame { newton / (one - bend) } else { newton };
        // The change of the best weight, in units of the weight, and the part of it that is still to come.
        let change = (p * delta / top[i]).abs();
        let error = if is_tame { bend.abs().max(change) * bend.abs() * change } else { change };
        // Rounding of the sums is all that is left once steps no longer shrink.
        let is_blurred = change < T::from_double(64.0) * rounding && change >= half * last[i];
        let is_last = !(error > T::from_double(0.25) * rounding) || is_blurred;
        value[i] = if last[i] > zero { value[i] + delta } else { value[i] };
        last[i] = if last[i] > zero && !is_last { change } else { zero };
    }
    (S::vectors(&value[..S::LANES]).0[0], S::vectors(&last[..S::LANES]).0[0])
}
