//! Bags of MNIST digits: a bag is positive if it holds at least K pictures of the target digit.
//!
//! This is the K-MIL benchmark of the paper. K = 1 is the task of Ilse, Tomczak and Welling ("Attention-based deep
//! multiple instance learning", ICML 2018). [`bags`] makes bags of indices into a set of pictures, from the labels of
//! the set alone.

use crate::error::{Error, Result};
use crate::experiment::Random;

/// How bags are made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KmilSpec {
    /// The digit that decides.
    pub target: u8,
    /// How many pictures of the target make a bag positive.
    pub k: usize,
    /// The mean size of a bag, before the size is truncated to an integer.
    pub mean: f64,
    /// The standard deviation of the size of a bag.
    pub deviation: f64,
}

impl KmilSpec {
    /// The setting of the paper for K = 1, 2, 3 or 5; the target is the digit 9.
    pub fn paper(k: usize) -> Result<Self> {
        let (mean, deviation) = match k {
            1 => (10.0, 1.0),
            2 => (11.0, 2.0),
            3 => (12.0, 3.0),
            5 => (14.0, 5.0),
            _ => return Err(setting("k", k, "the paper has K = 1, 2, 3 and 5")),
        };
        Ok(KmilSpec { target: 9, k, mean, deviation })
    }

    fn check(&self) -> Result<()> {
        if self.k == 0 {
            return Err(setting("k", self.k, "at least one picture of the target makes a bag positive"));
        }
        if !self.mean.is_finite() {
            return Err(setting("mean", self.mean, "the mean size of a bag must be finite"));
        }
        if !(self.deviation.is_finite() && self.deviation >= 0.0) {
            return Err(setting(
                "deviation",
                self.deviation,
                "the deviation of the size must be finite and not negative",
            ));
        }
        Ok(())
    }

    /// The size of a bag: a normal number truncated to an integer, and at least K.
    fn size(&self, random: &mut Random) -> usize {
        // Negative numbers become 0 in the conversion.
        self.k.max((self.mean + self.deviation * random.normal()) as usize)
    }
}

/// A bag of pictures of digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigitBag {
    /// Indices of the pictures: those of the target first, then the others, none twice.
    pub digits: Vec<u32>,
    /// Whether the bag holds at least K pictures of the target.
    pub positive: bool,
}

/// Pairs of a negative and a positive bag of equal size, the negative one first.
///
/// Pair `i` depends on `seed + i` alone, so the bags of fewer pairs are the first of those of more. The positive bag of
/// `L` pictures has a number of targets that is uniform in `K..=L`, the negative bag one that is uniform in `0..K`.
///
/// ```
/// use hfy_lab::data::kmil::{KmilSpec, bags};
///
/// let labels: Vec<u8> = (0..1000).map(|index| (index % 10) as u8).collect();
/// let bags = bags(&labels, KmilSpec::paper(2)?, 100, 0)?;
/// assert_eq!(bags.len(), 200);
/// let nines = |bag: usize| bags[bag].digits.iter().filter(|&&index| labels[index as usize] == 9).count();
/// assert!(!bags[0].positive && nines(0) < 2);
/// assert!(bags[1].positive && nines(1) >= 2);
/// # Ok::<(), hfy_lab::Error>(())
/// ```
pub fn bags(labels: &[u8], spec: KmilSpec, pairs: usize, seed: u64) -> Result<Vec<DigitBag>> {
    spec.check()?;
    if u32::try_from(labels.len()).is_err() {
        return Err(setting("labels", labels.len(), "at most 2^32 - 1 pictures can be counted"));
    }
    let (targets, others): (Vec<u32>, Vec<u32>) =
        (0..labels.len() as u32).partition(|&index| labels[index as usize] == spec.target);
    let mut bags = Vec::with_capacity(pairs.saturating_mul(2));
    for pair in 0..pairs as u64 {
        let mut random = Random::new(seed.wrapping_add(pair), 0);
        let size = spec.size(&mut random);
        if targets.len() < size {
            let rule = "a bag may need as many pictures of the target digit as it has pictures";
            return Err(setting("labels", format!("{} of digit {}, {size} needed", targets.len(), spec.target), rule));
        }
        if others.len() < size {
            let rule = "a bag may need as many pictures of other digits as it has pictures";
            return Err(setting("labels", format!("{} of other digits, {size} needed", others.len()), rule));
        }
        let mut bag = |positive: bool| {
            let count = if positive { spec.k + random.below(size - spec.k + 1) } else { random.below(spec.k) };
            let mut digits = draw(&targets, count, &mut random);
            digits.extend(draw(&others, size - count, &mut random));
            DigitBag { digits, positive }
        };
        let positive = bag(true);
        bags.push(bag(false));
        bags.push(positive);
    }
    Ok(bags)
}

/// `count` of the indices, none twice (Floyd's algorithm, in the order of the draws).
fn draw(from: &[u32], count: usize, random: &mut Random) -> Vec<u32> {
    let mut drawn: Vec<u32> = Vec::with_capacity(count);
    for last in from.len() - count..from.len() {
        let index = from[random.below(last + 1)];
        drawn.push(if drawn.contains(&index) { from[last] } else { index });
    }
    drawn
}

fn setting(argument: &'static str, value: impl ToString, rule: &'static str) -> Error {
    Error::Setting { argument, value: value.to_string(), rule }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten thousand labels in a fixed order, a tenth of them each digit.
    fn labels() -> Vec<u8> {
        (0..10_000_u32).map(|index| (index * 7 % 10) as u8).collect()
    }

    fn targets(bag: &DigitBag, labels: &[u8]) -> usize {
        bag.digits.iter().filter(|&&index| labels[index as usize] == 9).count()
    }

    #[test]
    fn every_bag_follows_the_label_rule() {
        let labels = labels();
        for k in [1, 2, 3, 5] {
            let spec = KmilSpec::paper(k).unwrap();
            let bags = bags(&labels, spec, 2000, 10_000).unwrap();
            assert_eq!(bags.len(), 4000);
            for (index, bag) in bags.iter().enumerate() {
                assert_eq!(bag.positive, index % 2 == 1);
                let count = targets(bag, &labels);
                assert_eq!(bag.positive, count >= k, "K = {k}, bag {index} with {count}");
                assert!(bag.digits[..count].iter().all(|&digit| labels[digit as usize] == 9), "targets come first");
                let mut sorted = bag.digits.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), bag.digits.len(), "K = {k}, bag {index} has a picture twice");
                assert!(bag.digits.len() >= k);
            }
            assert!(bags.chunks(2).all(|pair| pair[0].digits.len() == pair[1].digits.len()));
        }
    }

    #[test]
    fn sizes_and_counts_are_drawn_as_specified() {
        let labels = labels();
        for k in [1, 2, 3, 5] {
            let spec = KmilSpec::paper(k).unwrap();
            let bags = bags(&labels, spec, 4000, 0).unwrap();
            let sizes: Vec<f64> = bags.iter().step_by(2).map(|bag| bag.digits.len() as f64).collect();
            let mean = sizes.iter().sum::<f64>() / 4000.0;
            // Truncation takes 1/2 away in the mean; max with K adds less than 0.04 (K = 5). Five standard errors
            // beside that.
            let expected = spec.mean - 0.5;
            let error = 5.0 * spec.deviation / 4000_f64.sqrt();
            assert!(mean > expected - error && mean < expected + 0.2 + error, "K = {k}: {mean}");
            // Positives are uniform in K..=L, with mean (K + L) / 2; negatives in 0..K, with mean (K - 1) / 2.
            let mut sums = [0.0; 2];
            for (index, bag) in bags.iter().enumerate() {
                let middle = if bag.positive { (k + bag.digits.len()) as f64 } else { (k - 1) as f64 } / 2.0;
                sums[index % 2] += targets(bag, &labels) as f64 - middle;
            }
            assert!(sums.iter().all(|sum| (sum / 4000.0).abs() < 0.3), "K = {k}: {sums:?}");
            if k == 3 {
                let negative = bags.iter().filter(|bag| !bag.positive);
                let mut seen: Vec<usize> = negative.map(|bag| targets(bag, &labels)).collect();
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen, [0, 1, 2]);
            }
        }
    }

    #[test]
    fn draws_are_uniform() {
        let from: Vec<u32> = (0..10).collect();
        let (mut random, mut counts) = (Random::new(1, 0), [0_u32; 10]);
        for _ in 0..10_000 {
            draw(&from, 3, &mut random).iter().for_each(|&index| counts[index as usize] += 1);
        }
        // 3,000 each, with a standard deviation of 46.
        assert!(counts.iter().all(|count| (2770..3230).contains(count)), "{counts:?}");
    }

    #[test]
    fn bags_depend_on_the_seed_alone() {
        let (labels, spec) = (labels(), KmilSpec::paper(2).unwrap());
        let all = bags(&labels, spec, 20, 5).unwrap();
        assert_eq!(bags(&labels, spec, 20, 5).unwrap(), all);
        assert_eq!(bags(&labels, spec, 10, 5).unwrap(), all[..20]);
        assert_eq!(bags(&labels, spec, 10, 15).unwrap(), all[20..], "pair i is drawn from seed + i");
        assert_ne!(bags(&labels, spec, 20, 6).unwrap(), all);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let says = |spec: KmilSpec, labels: &[u8], part: &str| {
            let error = bags(labels, spec, 1, 0).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        let spec = KmilSpec { target: 9, k: 2, mean: 5.0, deviation: 0.0 };
        says(spec, &[9; 100], "0 of other digits, 5 needed");
        says(spec, &[1; 100], "0 of digit 9, 5 needed");
        says(KmilSpec { k: 0, ..spec }, &[1; 100], "k = 0");
        says(KmilSpec { mean: f64::NAN, ..spec }, &[1; 100], "mean = NaN");
        says(KmilSpec { deviation: -1.0, ..spec }, &[1; 100], "deviation = -1");
        assert!(KmilSpec::paper(4).unwrap_err().to_string().starts_with("k = 4: the paper has"));
    }
}
