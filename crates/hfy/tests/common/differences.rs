//! Finite differences of fourth order: with steps of 1e-5 to 1e-3, truncation and rounding both stay below 1e-10 for
//! functions whose values and derivatives are of order one.

/// The derivative of `f` at zero from both sides.
pub(crate) fn central(f: impl Fn(f64) -> f64, h: f64) -> f64 {
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

/// The derivative of `f` at zero from the right.
pub(crate) fn forward(f: impl Fn(f64) -> f64, h: f64) -> f64 {
    let [a, b, c, d, e] = [0.0, 1.0, 2.0, 3.0, 4.0].map(|k| f(k * h));
    (-25.0 * a + 48.0 * b - 36.0 * c + 16.0 * d - 3.0 * e) / (12.0 * h)
}

/// The gradient of `f`; zero in entries that are masked.
pub(crate) fn gradient(f: impl Fn(&[f64]) -> f64, at: &[f64], h: f64) -> Vec<f64> {
    let slope = |i: usize| {
        let moved = |step: f64| {
            let mut there = at.to_vec();
            there[i] += step;
            f(&there)
        };
        if at[i].is_finite() { central(moved, h) } else { 0.0 }
    };
    (0..at.len()).map(slope).collect()
}

/// Both arrays agree up to `tolerance` times the larger of one and the largest entry.
#[track_caller]
pub(crate) fn agree(what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}: lengths");
    let scale = want.iter().fold(1.0, |m: f64, w| m.max(w.abs()));
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance * scale, "{what}[{i}] = {g:e}, expected {w:e}\n{got:?}\n{want:?}");
    }
}
