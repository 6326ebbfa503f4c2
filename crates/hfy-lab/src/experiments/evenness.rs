//! How evenly weights are spread.

/// How many weights are above a floor, and how even those are: `(Σ y)²/Σ y²` over their number, which is 1 for a plain
/// average.
pub(super) fn evenness(weights: &[f64], floor: f64) -> (usize, f64) {
    let kept = || weights.iter().filter(|weight| **weight > floor);
    let (count, sum) = (kept().count(), kept().sum::<f64>());
    let squares: f64 = kept().map(|weight| weight * weight).sum();
    (count, sum * sum / squares / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_average_is_even() {
        assert_eq!(evenness(&[0.5, 0.0, 0.5], 0.0), (2, 1.0));
        assert_eq!(evenness(&[1.0, 0.0, 1.0], 0.0), (2, 1.0));
        let (count, even) = evenness(&[0.9, 0.1, 1e-5], 0.01);
        assert!(count == 2 && (even - 1.0 / 0.82 / 2.0).abs() < 1e-12);
    }
}
