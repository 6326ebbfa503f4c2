//! Exponentials and logarithms as straight-line arithmetic on bits, which compilers turn into vector code.
//!
//! They reduce the argument to a short interval and sum a truncated series there; the terms are as many as
//! keep the truncation below one rounding. Multiply-adds are one instruction on every machine that `vectorised`
//! has wide vectors for. Relative error is below 2 ulp.

/// Elementary functions without branches, so that a loop over a row becomes vector code, and two that keep small
/// results.
pub trait Elementary: Sized {
    /// `exp(self)` for `self` below 50.
    fn exp_branchless(self) -> Self;

    /// `p log2(self)` for a normal `self > 0`; anything for others.
    fn log2_times(self, p: Self) -> Self;

    /// `p log2(self + lost)` for a normal `self > 0` and `lost` below its last digit; anything for others.
    fn log2_times_with(self, lost: Self, p: Self) -> Self;

    /// `2^self` for `self` from `least_exponent` to 64; anything for others.
    fn exp2_branchless(self) -> Self;

    /// The least base whose power by `p`, from -1 on, `exp2_branchless` can compute.
    fn least_base(p: Self) -> Self;

    /// The least whole number whose power of two, and the numbers near that, are normal.
    fn least_exponent() -> Self;

    /// `exp(self) - 1` for `self` below 50.
    fn exp_less_one_branchless(self) -> Self;

    /// `exp(self) - 1`, in single precision cheaper than `exp_m1`.
    fn exp_less_one(self) -> Self;

    /// `log(1 + self)`, likewise.
    fn log_one_plus(self) -> Self;
}

/// A polynomial by halves (Estrin): a shorter chain of operations than one term after the other.
macro_rules! polynomial {
    ($t:ident, $coefficients:expr, $x:expr) => {{
        let (c, x): (&[$t], $t) = ($coefficients, $x);
        let square = x * x;
        let mut i = (c.len() - 1) / 2 * 2;
        let mut sum = if i + 1 < c.len() { c[i + 1].mul_add(x, c[i]) } else { c[i] };
        while i > 0 {
            i -= 2;
            sum = sum.mul_add(square, c[i + 1].mul_add(x, c[i]));
        }
        sum
    }};
}

/// `1 / (i + 1)!`.
macro_rules! exp_less_one_terms {
    ($t:ident) => {{
        let (mut terms, mut i) = ([1.0 as $t; 14], 1);
        while i < terms.len() {
            terms[i] = terms[i - 1] / (i + 1) as $t;
            i += 1;
        }
        terms
    }};
}

/// The steps of powers and logarithms on bits.
trait Lanes: Sized {
    /// Adding this rounds to an integer and leaves that, lifted so far that its power of two is a normal number, in the
    /// low bits: 1.5 * 2^mantissa and a little more.
    const ROUND: Self;
    /// Two to this power rounds to zero.
    const LEAST_EXPONENT: i32;

    /// `self 2^k`, where `shifted` is `k` plus `ROUND`.
    fn scaled_by(self, shifted: Self) -> Self;

    /// A normal number as `m 2^e`, `m` in [√½, √2].
    fn split(self) -> (Self, Self);

    /// `p (e + log2 m) = p (e + (2 / ln 2) atanh(s))`, `s = (m - 1) / (m + 1)`, from `m - 1` and `m`.
    fn log2_joined(m: (Self, Self), e: Self, p: Self) -> Self;
}

macro_rules! elementary {
    (
        $t:ident, $signed:ident, number: $number:expr,
        mantissa: $mantissa:literal, bias: $bias:literal, round: $round:literal,
        ln2: ($ln2_high:literal, $ln2_low:literal), exp: $exp:expr, exp2: $exp2:expr, atanh: $atanh:expr,
        exp_less_one: $exp_less_one:expr, log_one_plus: $log_one_plus:expr
    ) => {
        impl Lanes for $t {
            const ROUND: $t = $round + ($mantissa + 8) as $t;
            const LEAST_EXPONENT: i32 = -($bias + $mantissa + 2);

            #[inline(always)]
            fn scaled_by(self, shifted: Self) -> Self {
                // By way of 2^(k + lift), which reaches the denormals.
                const LOWER: $t = $t::from_bits(($bias - ($mantissa + 8)) << $mantissa);
                $t::from_bits(self.to_bits().wrapping_add(shifted.to_bits() << $mantissa)) * LOWER
            }

            #[inline(always)]
            fn split(self) -> (Self, Self) {
                // The exponent that leaves a mantissa from √½ on, and that as a number.
                const LEAST: $signed = std::$t::consts::FRAC_1_SQRT_2.to_bits().cast_signed();
                let exponent = self.to_bits().cast_signed().wrapping_sub(LEAST) >> $mantissa;
                let bits = self.to_bits().wrapping_sub(exponent.cast_unsigned() << $mantissa);
                let number: fn($signed) -> $t = $number;
                ($t::from_bits(bits), number(exponent))
            }

            #[inline(always)]
            fn log2_joined((numerator, m): (Self, Self), e: Self, p: Self) -> Self {
                const ATANH: &[$t] = &$atanh;
                let s = numerator / (m + 1.0);
                // Once for all of a loop.
                let mut terms = $atanh;
                for (term, atanh) in terms.iter_mut().zip(ATANH) {
                    *term = atanh * (2.0 * std::$t::consts::LOG2_E * p);
                }
                polynomial!($t, &terms, s * s).mul_add(s, e * p)
            }
        }

        impl Elementary for $t {
            #[inline(always)]
            fn exp_branchless(self) -> Self {
                const EXP: &[$t] = &$exp;
                const ROUND: $t = <$t as Lanes>::ROUND;
                const LEAST: $t = <$t>::LEAST_EXPONENT as $t * std::$t::consts::LN_2;
                // What rounds to zero is not computed: numbers below the normal ones cost many times as much.
                let x = if self > LEAST { self } else { 0.0 };
                let shifted = x.mul_add(std::$t::consts::LOG2_E, ROUND);
                let k = shifted - ROUND;
                let r = k.mul_add(-$ln2_low, k.mul_add(-$ln2_high, x));
                let power = polynomial!($t, EXP, r).scaled_by(shifted);
                if self > LEAST { power } else { 0.0 }
            }

            #[inline(always)]
            fn log2_times(self, p: Self) -> Self {
                let (m, e) = self.split();
                <$t>::log2_joined((m - 1.0, m), e, p)
            }

            #[inline(always)]
            fn log2_times_with(self, lost: Self, p: Self) -> Self {
                let (m, e) = self.split();
                // 2^-e, which took the number to its mantissa.
                let unit =
                    <$t>::from_bits((1.0 as $t).to_bits().wrapping_add(m.to_bits().wrapping_sub(self.to_bits())));
                <$t>::log2_joined((lost.mul_add(unit, m - 1.0), m), e, p)
            }

            #[inline(always)]
            fn exp2_branchless(self) -> Self {
                const EXP2: &[$t] = &$exp2;
                let shifted = self + $round;
                let r = self - (shifted - $round);
                let power = polynomial!($t, EXP2, r);
                $t::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << $mantissa))
            }

            #[inline(always)]
            fn least_base(p: Self) -> Self {
                // A base must be a normal number, and so must its power.
                let least = <$t>::least_exponent();
                if p < 0.0 { (least / 2.0).exp2() } else { (least / p.max(1.0)).exp2() }
            }

            #[inline(always)]
            fn least_exponent() -> Self {
                (2 - $bias) as $t
            }

            #[inline(always)]
            fn exp_less_one_branchless(self) -> Self {
                // Near zero the difference would lose digits, and a few terms of the series do.
                const TERMS: [$t; 14] = exp_less_one_terms!($t);
                let near = polynomial!($t, &TERMS, self) * self;
                if self.abs() < 0.35 { near } else { self.exp_branchless() - 1.0 }
            }

            #[inline(always)]
            fn exp_less_one(self) -> Self {
                let exp_less_one: fn($t) -> $t = $exp_less_one;
                exp_less_one(self)
            }

            #[inline(always)]
            fn log_one_plus(self) -> Self {
                let log_one_plus: fn($t) -> $t = $log_one_plus;
                log_one_plus(self)
            }
        }
    };
}

/// A small whole number as one of floating point. There is no vector instruction for that: through the low bits of
/// 1.5 * 2^mantissa.
#[inline(always)]
fn rounded(k: i64) -> f64 {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    f64::from_bits(ROUND.to_bits().wrapping_add(k.cast_unsigned())) - ROUND
}

/// `rate^i / i!`.
const fn exp_series<const N: usize>(rate: f64) -> [f64; N] {
    let mut terms = [1.0; N];
    let mut i = 1;
    while i < N {
        terms[i] = terms[i - 1] * rate / i as f64;
        i += 1;
    }
    terms
}

/// `1 / (2 i + 1)`.
const fn atanh_series<const N: usize>() -> [f64; N] {
    let mut terms = [1.0; N];
    let mut i = 1;
    while i < N {
        terms[i] = 1.0 / (2 * i + 1) as f64;
        i += 1;
    }
    terms
}

/// `2^x`: least maximum of the relative error, 4e-9 on [-1/2, 1/2].
const EXP2_TERMS: [f32; 7] =
    [1.0, std::f32::consts::LN_2, 0.240_226_48, 0.055_503_62, 0.009_618_526, 0.001_339_016_1, 0.000_153_211_54];

elementary!(
    f32, i32, number: |k| k as f32, mantissa: 23, bias: 127, round: 12_582_912.0, ln2: (0.693_359_4, -2.121_944_4e-4),
    // Least maximum of the relative error: 4e-9 on [-1/2, 1/2] times ln 2, and 7e-10 up to the square of 0.172.
    exp: [1.0, 1.0, 0.499_999_94, 0.166_665_2, 0.041_668_393, 0.008_368_781, 0.001_381_446_7],
    exp2: EXP2_TERMS,
    atanh: [1.0, 0.333_334_1, 0.199_873_72, 0.149_635_26],
    // Exponential and logarithm of doubles leave digits enough, but for numbers so small that two terms of the series
    // do.
    exp_less_one: |x| if x.abs() < 1e-4 { x + 0.5 * x * x } else { (f64::from(x).exp() - 1.0) as f32 },
    log_one_plus: |x| if x.abs() < 1e-4 { x - 0.5 * x * x } else { (1.0 + f64::from(x)).ln() as f32 }
);
elementary!(
    f64, i64, number: rounded, mantissa: 52, bias: 1023, round: 6_755_399_441_055_744.0,
    ln2: (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10),
    exp: exp_series::<14>(1.0), exp2: exp_series::<14>(std::f64::consts::LN_2), atanh: atanh_series::<12>(),
    exp_less_one: f64::exp_m1, log_one_plus: f64::ln_1p
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_the_standard_library() {
        for i in -7450..=400 {
            let x = i as f64 * 0.1 + 0.0123;
            let (ours, theirs) = (x.exp_branchless(), x.exp());
            assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs + 1e-323, "exp({x}): {ours} {theirs}");
            let x = (x / 8.1) as f32;
            let (ours, theirs) = (x.exp_branchless(), x.exp());
            assert!((ours - theirs).abs() <= 4.0 * f32::EPSILON * theirs + 1e-44, "exp({x}): {ours} {theirs}");
        }
        assert_eq!(f64::NEG_INFINITY.exp_branchless(), 0.0);
        assert_eq!(0f32.exp_branchless(), 1.0);
        assert_eq!(0f64.exp_branchless(), 1.0);
    }

    #[test]
    fn powers_agree_with_the_standard_library() {
        for i in 1..4000 {
            for p in [0.3, 1.0, 1.7, 7.3, 10.0] {
                let t = f64::from(i) / 4000.0;
                let (ours, theirs) = (t.log2_times(p).exp2_branchless(), t.powf(p));
                let slack = 4.0 * f64::EPSILON * (1.0 + (p * t.ln()).abs());
                assert!((ours - theirs).abs() <= slack * theirs, "{t}^{p}: {ours} {theirs}");
                let (t, p) = (t as f32, p as f32);
                let (ours, theirs) = (t.log2_times(p).exp2_branchless(), t.powf(p));
                let slack = 4.0 * f32::EPSILON * (1.0 + (p * t.ln()).abs());
                assert!((ours - theirs).abs() <= slack * theirs + 1e-44, "{t}^{p}: {ours} {theirs}");
            }
        }
    }

    #[test]
    fn logarithms_take_lost_digits_into_account() {
        for lost in [3e-8_f32, -2e-8, 0.0] {
            for t in [0.3_f32, 0.75, 0.9, 1.0 - f32::EPSILON, 1.0, 1.2, 8.0] {
                let exact = (f64::from(t) + f64::from(lost)).log2();
                let ours = f64::from(t.log2_times_with(lost, 1.0));
                assert!((ours - exact).abs() <= 2e-7 * exact.abs(), "{t} + {lost}: {ours} {exact}");
            }
        }
    }

    #[test]
    fn small_exponentials_and_logarithms_keep_their_digits() {
        for exponent in -40..=3 {
            for x in [1.3, -0.7].map(|x: f32| x * 2f32.powi(exponent)) {
                let (ours, exact) = (f64::from(x.exp_less_one()), f64::from(x).exp_m1());
                assert!((ours / exact - 1.0).abs() < 1.2e-7, "exp({x}) - 1: {ours} {exact}");
                if x > -1.0 {
                    let (ours, exact) = (f64::from(x.log_one_plus()), f64::from(x).ln_1p());
                    assert!((ours / exact - 1.0).abs() < 1.2e-7, "log(1 + {x}): {ours} {exact}");
                }
            }
        }
    }

    #[test]
    fn the_power_of_the_least_base_is_computed() {
        for p in [-0.9_f32, 1e-6, 0.2, 1.0, 1.7, 7.3, 16.0] {
            let base = f32::least_base(p);
            assert!(base.is_normal() && base < 0.01, "{p}: {base}");
            let (ours, exact) = (f64::from(base.log2_times(p).exp2_branchless()), f64::from(base).powf(f64::from(p)));
            assert!((ours - exact).abs() <= 1e-4 * exact + 1e-45, "{p}: {base}, {ours} {exact}");
        }
    }
}
