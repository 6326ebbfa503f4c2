//! Medians and quarters.

/// The value below which a share of the values lies, between neighbours in a straight line, as NumPy has it.
///
/// Not a number where there is none.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share.clamp(0.0, 1.0) * last as f64;
    let low = place.floor() as usize;
    let high = (low + 1).min(last);
    sorted[low] + (place - low as f64) * (sorted[high] - sorted[low])
}

/// The middle of repetitions and the quarters beside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quartiles {
    /// A quarter of the values lies below.
    pub q25: f64,
    /// The middle.
    pub median: f64,
    /// A quarter of the values lies above.
    pub q75: f64,
}

impl Quartiles {
    /// Of values.
    pub fn of(values: &[f64]) -> Self {
        Quartiles { q25: quantile(values, 0.25), median: quantile(values, 0.5), q75: quantile(values, 0.75) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_numpy() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!([0.0, 0.25, 0.5, 0.75, 1.0].map(|share| quantile(&values, share)), [1.0, 1.75, 2.5, 3.25, 4.0]);
        assert_eq!(quantile(&[7.0], 0.3), 7.0);
        assert!(quantile(&[], 0.5).is_nan());
    }
}
