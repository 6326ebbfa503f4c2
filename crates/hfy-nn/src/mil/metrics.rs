//! Measures of a classifier of bags, from one score or logit a bag.

/// Area under the receiver operating characteristic: the probability that a random positive bag has a higher score than
/// a random negative one, where equal scores count half (the statistic of Mann and Whitney).
///
/// `None` without a bag of each class, where a score is NaN, or where the lengths differ.
pub fn roc_auc(scores: &[f32], positive: &[bool]) -> Option<f64> {
    if scores.len() != positive.len() || scores.iter().any(|score| score.is_nan()) {
        return None;
    }
    let positives = positive.iter().filter(|&&positive| positive).count();
    let negatives = positive.len() - positives;
    if positives == 0 || negatives == 0 {
        return None;
    }
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    // Counted in halves of a pair, so that all is exact.
    let (mut below, mut halves) = (0_u64, 0_u64);
    for tied in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let of_class = |class: bool| tied.iter().filter(|&&bag| positive[bag] == class).count() as u64;
        let (positive, negative) = (of_class(true), of_class(false));
        halves += positive * (2 * below + negative);
        below += negative;
    }
    Some(halves as f64 / (2 * positives as u64 * negatives as u64) as f64)
}

/// The share of bags whose score is at least `threshold` where they are positive, and below it where they are negative.
///
/// A score of NaN is wrong for either class. `None` for no bags, or where the lengths differ.
pub fn accuracy(scores: &[f32], positive: &[bool], threshold: f32) -> Option<f64> {
    if scores.is_empty() || scores.len() != positive.len() {
        return None;
    }
    let right = |(&score, &positive): (&f32, &bool)| if positive { score >= threshold } else { score < threshold };
    let count = scores.iter().zip(positive).filter(|&pair| right(pair)).count();
    Some(count as f64 / scores.len() as f64)
}

/// The mean binary cross-entropy of the labels, with probabilities kept in `clamp..=1 - clamp` (the paper: 1e-5).
///
/// `None` for no bags, or where the lengths differ; NaN where a logit is.
pub fn log_loss(logits: &[f32], positive: &[bool], clamp: f64) -> Option<f64> {
    if logits.is_empty() || logits.len() != positive.len() {
        return None;
    }
    let loss = |(&logit, &positive): (&f32, &bool)| {
        let toward = if positive { f64::from(logit) } else { -f64::from(logit) };
        // -ln of the probability of the right class, which itself may be too small for a number.
        let loss = (-toward).max(0.0) + (-toward.abs()).exp().ln_1p();
        loss.clamp(-(-clamp).ln_1p(), -clamp.ln())
    };
    Some(logits.iter().zip(positive).map(loss).sum::<f64>() / logits.len() as f64)
}

/// The mean and the population standard deviation (divided by `n`, not `n - 1`); `None` for no values.
pub fn mean_and_deviation(values: &[f64]) -> Option<(f64, f64)> {
    if values.is_empty() {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    Some((mean, variance.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs, one by one.
    fn slow_auc(scores: &[f32], positive: &[bool]) -> f64 {
        let (mut sum, mut pairs) = (0.0, 0.0);
        for (a, _) in positive.iter().enumerate().filter(|(_, positive)| **positive) {
            for (b, _) in positive.iter().enumerate().filter(|(_, positive)| !**positive) {
                pairs += 1.0;
                sum += if scores[a] > scores[b] { 1.0 } else { 0.0 };
                sum += if scores[a] == scores[b] { 0.5 } else { 0.0 };
            }
        }
        sum / pairs
    }

    #[test]
    fn auc_counts_pairs() {
        assert_eq!(roc_auc(&[0.1, 0.4, 0.35, 0.8], &[false, false, true, true]), Some(0.75));
        assert_eq!(roc_auc(&[1.0, 2.0], &[false, true]), Some(1.0));
        assert_eq!(roc_auc(&[2.0, 1.0], &[false, true]), Some(0.0));
        assert_eq!(roc_auc(&[0.5; 6], &[true, false, false, true, false, false]), Some(0.5));
        assert_eq!(roc_auc(&[0.0, -0.0], &[true, false]), Some(0.5), "zeros of either sign are equal");
        assert_eq!(roc_auc(&[f32::NEG_INFINITY, f32::INFINITY], &[false, true]), Some(1.0));
        let mut state = 1_u32;
        for bags in 2..60 {
            let mut next = |below: u32| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 16) % below
            };
            let scores: Vec<f32> = (0..bags).map(|_| next(7) as f32 / 3.0).collect();
            let positive: Vec<bool> = (0..bags).map(|bag| bag == 0 || (bag > 1 && next(2) == 0)).collect();
            let auc = roc_auc(&scores, &positive).unwrap();
            assert!((auc - slow_auc(&scores, &positive)).abs() < 1e-12, "{scores:?} {positive:?}");
        }
    }

    #[test]
    fn auc_needs_both_classes() {
        assert_eq!(roc_auc(&[0.1, 0.2], &[true, true]), None);
        assert_eq!(roc_auc(&[0.1, 0.2], &[false, false]), None);
        assert_eq!(roc_auc(&[], &[]), None);
        assert_eq!(roc_auc(&[f32::NAN, 0.2], &[false, true]), None);
        assert_eq!(roc_auc(&[0.2], &[false, true]), None);
    }

    #[test]
    fn accuracy_counts_the_threshold_as_positive() {
        assert_eq!(accuracy(&[0.5, 0.4, 0.6, 0.5], &[true, true, true, false], 0.5), Some(0.5));
        assert_eq!(accuracy(&[f32::NAN, f32::NAN], &[true, false], 0.0), Some(0.0));
        assert_eq!(accuracy(&[], &[], 0.0), None);
        assert_eq!(accuracy(&[1.0], &[], 0.0), None);
    }

    #[test]
    fn log_loss_is_the_cross_entropy() {
        let loss = log_loss(&[0.0, 2.0, -1.0], &[true, true, false], 1e-5).unwrap();
        let expected = (2_f64.ln() + (1.0 + (-2_f64).exp()).ln() + (1.0 + (-1_f64).exp()).ln()) / 3.0;
        assert!((loss - expected).abs() < 1e-12, "{loss} {expected}");
        let worst = log_loss(&[1000.0, -1000.0], &[false, true], 1e-5).unwrap();
        assert!((worst + 1e-5_f64.ln()).abs() < 1e-12, "{worst}");
        let best = log_loss(&[1000.0], &[true], 1e-5).unwrap();
        assert!((best + (1.0 - 1e-5_f64).ln()).abs() < 1e-15, "{best}");
        assert!(log_loss(&[f32::NAN], &[true], 1e-5).unwrap().is_nan());
        assert_eq!(log_loss(&[], &[], 1e-5), None);
    }

    #[test]
    fn deviation_is_that_of_the_population() {
        assert_eq!(mean_and_deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), Some((5.0, 2.0)));
        assert_eq!(mean_and_deviation(&[3.0]), Some((3.0, 0.0)));
        assert_eq!(mean_and_deviation(&[]), None);
    }
}
