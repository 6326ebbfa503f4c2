//! The two functions of recurrent layers, in a form that compilers turn into vector instructions.

/// `eˣ` within 2e-7 of its value, for x in [-87, 87], and its value at the nearer bound outside.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    // Adding it rounds to a whole number, which then lies in the lowest bits.
    const SHIFT: f32 = 12_582_912.0;
    // ln 2 in two parts, the first of them with few bits, so that its products are exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = x.clamp(-87.0, 87.0);
    let shifted = x * LOG2_E + SHIFT;
    let whole = shifted - SHIFT;
    let r = x - whole * LN_2[0] - whole * LN_2[1];
    // Taylor's polynomial: |r| is at most ln 2 / 2.
    let high = 1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0 + r * (1.0 / 5040.0)));
    let p = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * high)));
    p * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}

/// `1 / (1 + e⁻ˣ)`
#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// `tanh x = 1 - 2 / (e²ˣ + 1)` within 1e-6 of its value; near zero, where that cancels, its series.
#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    let far = 1.0 - 2.0 / (exp(2.0 * x) + 1.0);
    let s = x * x;
    let near = x * (1.0 + s * (-1.0 / 3.0 + s * (2.0 / 15.0 + s * (-17.0 / 315.0 + s * (62.0 / 2835.0)))));
    if s < 0.04 { near } else { far }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_agree_with_double_precision() {
        for step in -40_000..=40_000 {
            let x = step as f32 * 1e-3;
            let wide = f64::from(x);
            let expected = 1.0 / (1.0 + (-wide).exp());
            assert!((f64::from(sigmoid(x)) - expected).abs() <= 4e-7 * expected, "σ({x}) = {}", sigmoid(x));
            let expected = wide.tanh();
            assert!((f64::from(tanh(x)) - expected).abs() <= 1e-6 * expected.abs(), "tanh({x}) = {}", tanh(x));
        }
    }

    #[test]
    fn both_are_bounded_everywhere_and_nan_stays() {
        for x in [f32::NEG_INFINITY, -1e30, -100.0, -0.0, 0.0, 100.0, 1e30, f32::INFINITY] {
            assert!((0.0..=1.0).contains(&sigmoid(x)) && (-1.0..=1.0).contains(&tanh(x)), "{x}");
        }
        assert_eq!((tanh(f32::INFINITY), tanh(f32::NEG_INFINITY)), (1.0, -1.0));
        assert!(sigmoid(f32::NAN).is_nan() && tanh(f32::NAN).is_nan());
    }
}
