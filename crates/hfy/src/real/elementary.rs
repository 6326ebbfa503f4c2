//! `exp` and `ln` as straight-line arithmetic on bits, which compilers turn into vector code.
//!
//! They reduce the argument to a short interval and sum a truncated series there; the terms are as many as
//! keep the truncation below one rounding. Multiply-adds are one instruction on every machine that `vectorised`
//! has wide vectors for. Relative error is below 2 ulp for `exp` and, away from 1, for `ln`.

use super::{Real, Scratch, scratch::Lend};

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

macro_rules! elementary {
    (
        $t:ident, $bits:ident, mantissa: $mantissa:literal, bias: $bias:literal, round: $round:literal,
        ln2: ($ln2_high:literal, $ln2_low:literal), least: $least:literal, most: $most:literal,
        exp_terms: $exp_terms:literal, ln_terms: $ln_terms:literal,
        exp2: $exp2:expr, atanh: $atanh:expr
    ) => {
        impl Real for $t {
            #[inline(always)]
            fn of(x: f64) -> Self {
                x as $t
            }

            #[inline(always)]
            fn wide(self) -> f64 {
                f64::from(self)
            }

            fn products(a: &[Self], b: &[Self], width: usize, to: &mut [Self]) {
                super::product::products(a, b, width, to);
            }

            fn dots(rows: &[Self], x: &[Self], entries: &[u32], out: &mut [Self]) {
                <$t as super::dots::Dots>::dots(rows, x, entries, out);
            }

            #[inline(always)]
            fn exp_lanes(self) -> Self {
                const INVERSE_FACTORIALS: [$t; $exp_terms] = {
                    let mut terms = [1.0; $exp_terms];
                    let mut i = 1;
                    while i < $exp_terms {
                        terms[i] = terms[i - 1] / i as $t;
                        i += 1;
                    }
                    terms
                };
                let x = if self > $least { self } else { $least };
                let x = if x < $most { x } else { $most };
                // Adding 1.5 * 2^mantissa rounds to an integer and leaves it in the low bits.
                let shifted = x.mul_add(std::$t::consts::LOG2_E, $round);
                let k = shifted - $round;
                let r = k.mul_add(-$ln2_low, k.mul_add(-$ln2_high, x));
                let sum = polynomial!($t, &INVERSE_FACTORIALS, r);
                // 2^k in two factors reaches the denormals.
                const ROUND: $t = $round;
                let k = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(2 * $bias);
                let half = k >> 1;
                let scaled = sum * $t::from_bits(half << $mantissa) * $t::from_bits((k - half) << $mantissa);
                if self < $least { 0.0 } else { scaled }
            }

            #[inline(always)]
            fn ln_lanes(self) -> Self {
                const LIFT: $t = ((1 as $bits) << ($mantissa + 1)) as $t;
                let denormal = self < $t::MIN_POSITIVE;
                let x = if denormal { self * LIFT } else { self };
                let lifted: $t = if denormal { ($mantissa + 1) as $t } else { 0.0 };
                const ONE: $bits = $bias << $mantissa;
                const OFFSET: $bits = ONE - std::$t::consts::FRAC_1_SQRT_2.to_bits();
                let bits = x.to_bits();
                let exponent = bits.wrapping_add(OFFSET) >> $mantissa;
                let m = $t::from_bits(bits.wrapping_sub(exponent << $mantissa).wrapping_add(ONE));
                // The exponent as a float, through the low bits of 1.5 * 2^mantissa.
                const ROUND: $t = $round;
                let e = ($t::from_bits(ROUND.to_bits().wrapping_add(exponent)) - ROUND) - $bias as $t - lifted;
                // ln m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172.
                let s = (m - 1.0) / (m + 1.0);
                let square = s * s;
                let mut sum = 1.0 / (2 * $ln_terms - 1) as $t;
                let mut i = $ln_terms - 1;
                while i > 0 {
                    i -= 1;
                    sum = sum.mul_add(square, 1.0 / (2 * i + 1) as $t);
                }
                e.mul_add($ln2_high, e.mul_add($ln2_low, 2.0 * s * sum))
            }

            #[inline(always)]
            fn log2_lanes(self, lost: Self) -> Self {
                const ATANH: &[$t] = &$atanh;
                const ONE: $bits = $bias << $mantissa;
                const OFFSET: $bits = ONE - std::$t::consts::FRAC_1_SQRT_2.to_bits();
                const ROUND: $t = $round;
                // log2 self = e + (2 / ln 2) atanh(s), s = (m - 1) / (m + 1).
                let bits = self.to_bits();
                let exponent = bits.wrapping_add(OFFSET) >> $mantissa;
                let m = $t::from_bits(bits.wrapping_sub(exponent << $mantissa).wrapping_add(ONE));
                let e = $t::from_bits(ROUND.to_bits().wrapping_add(exponent)) - (ROUND + $bias as $t);
                // Far from one the logarithm is large and the lost digits are nothing beside it.
                let lost = if self > std::$t::consts::FRAC_1_SQRT_2 { lost } else { 0.0 };
                let s = ((m - 1.0) + lost) / (m + 1.0);
                polynomial!($t, ATANH, s * s).mul_add(2.0 * std::$t::consts::LOG2_E * s, e)
            }

            #[inline(always)]
            fn exp2_lanes(self) -> Self {
                const EXP2: &[$t] = &$exp2;
                const ROUND: $t = $round;
                // Two to this power rounds to zero. So it is not computed: numbers below the normal ones cost many times as much.
                const LEAST: $t = -(($bias + $mantissa + 2) as $t);
                let x = if self > LEAST { self } else { 0.0 };
                let shifted = x + ROUND;
                let r = x - (shifted - ROUND);
                // 2^k by way of 2^(k + lift) reaches the denormals.
                const LIFT: $bits = $mantissa + 8;
                const LOWER: $t = $t::from_bits(($bias - LIFT) << $mantissa);
                let k = shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add($bias + LIFT);
                let power = polynomial!($t, EXP2, r) * $t::from_bits(k << $mantissa) * LOWER;
                if self > LEAST { power } else { 0.0 }
            }

            fn with_scratch<R>(work: impl FnOnce(&mut Scratch<Self>) -> R) -> R {
                <$t as Lend>::lend(work)
            }
        }
    };
}

/// `(ln 2)^i / i!`.
const fn exp2_series<const N: usize>() -> [f64; N] {
    let mut terms = [1.0; N];
    let mut i = 1;
    while i < N {
        terms[i] = terms[i - 1] * std::f64::consts::LN_2 / i as f64;
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

elementary!(
    f32, u32, mantissa: 23, bias: 127, round: 12_582_912.0,
    ln2: (0.693_359_4, -2.121_944_4e-4), least: -103.9, most: 88.7,
    exp_terms: 8, ln_terms: 6,
    // Least maximum of the relative error: 2e-9 on [-1/2, 1/2], and 7e-10 up to the square of 0.172.
    exp2: [1.0, std::f32::consts::LN_2, 0.240_226_47, 0.055_503_29, 0.009_618_489, 0.001_339_993_1, 0.000_153_458_12],
    atanh: [1.0, 0.333_334_1, 0.199_873_72, 0.149_635_26]
);
elementary!(
    f64, u64, mantissa: 52, bias: 1023, round: 6_755_399_441_055_744.0,
    ln2: (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10), least: -745.1, most: 709.7,
    exp_terms: 14, ln_terms: 12,
    exp2: exp2_series::<14>(), atanh: atanh_series::<12>()
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_agrees_with_the_standard_library() {
        for i in -7450..=7090 {
            let x = i as f64 * 0.1 + 0.0123;
            let (ours, theirs) = (x.exp_lanes(), x.exp());
            assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs + 1e-323, "exp({x}): {ours} {theirs}");
            let x = (x / 8.1) as f32;
            let (ours, theirs) = (x.exp_lanes(), x.exp());
            assert!((ours - theirs).abs() <= 4.0 * f32::EPSILON * theirs + 1e-44, "exp({x}): {ours} {theirs}");
        }
        assert_eq!(f64::NEG_INFINITY.exp_lanes(), 0.0);
        assert_eq!(0f32.exp_lanes(), 1.0);
        assert_eq!(0f64.exp_lanes(), 1.0);
    }

    #[test]
    fn powers_agree_with_the_standard_library() {
        for i in 1..4000 {
            for p in [0.3, 1.0, 1.7, 7.3, 40.0] {
                let t = f64::from(i) / 4000.0;
                let (ours, theirs) = ((p * t.log2_lanes(0.0)).exp2_lanes(), t.powf(p));
                let slack = 4.0 * f64::EPSILON * (1.0 + (p * t.ln()).abs());
                assert!((ours - theirs).abs() <= slack * theirs, "{t}^{p}: {ours} {theirs}");
                let (t, p) = (t as f32, p as f32);
                let (ours, theirs) = ((p * t.log2_lanes(0.0)).exp2_lanes(), t.powf(p));
                let slack = 4.0 * f32::EPSILON * (1.0 + (p * t.ln()).abs());
                assert!((ours - theirs).abs() <= slack * theirs + 1e-44, "{t}^{p}: {ours} {theirs}");
            }
        }
    }

    #[test]
    fn ln_agrees_with_the_standard_library() {
        for i in -7440..7000 {
            let x = (i as f64 * 0.1 + 0.0377).exp();
            let (ours, theirs) = (x.ln_lanes(), x.ln());
            assert!((ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs.abs().max(1e-2), "ln({x}): {ours} {theirs}");
            let x = ((i as f64 * 0.1 + 0.0377) / 8.3).exp() as f32;
            if x > 0.0 {
                let (ours, theirs) = (x.ln_lanes(), x.ln());
                assert!(
                    (ours - theirs).abs() <= 4.0 * f32::EPSILON * theirs.abs().max(1e-2),
                    "ln({x}): {ours} {theirs}"
                );
            }
        }
        assert_eq!(1f32.ln_lanes(), 0.0);
        assert_eq!(1f64.ln_lanes(), 0.0);
    }
}
