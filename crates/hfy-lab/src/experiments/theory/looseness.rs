//! How many associations come back, and how many of them each condition promises.

use serde::{Deserialize, Serialize};

use super::problem::{on_sphere, scores};
use super::structures::Set;
use crate::experiment::Random;

/// Patterns on the unit sphere, and how many of them an association has.
pub(super) const PATTERNS: usize = 8;
pub(super) const WIDTH: usize = 32;
pub(super) const SIZE: usize = 2;
/// Inverse temperatures.
pub(super) const BETAS: usize = 25;

/// The β at a place of the axis: from 0.5 to 128, three a factor of two.
pub(super) fn beta(place: usize) -> f64 {
    0.5 * 2_f64.powf(place as f64 / 3.0)
}

/// Conditions, in the order in which they are counted: the structure, and what is asked.
pub(super) const CONDITIONS: [(&str, &str); 5] = [
    (SUBSETS, COMES_BACK),
    (SUBSETS, AS_PRINTED),
    (SEQUENCES, COMES_BACK),
    (SEQUENCES, "promised by Δ ≥ 2k/β"),
    (SEQUENCES, AS_PRINTED),
];
const SUBSETS: &str = "k-subsets (printed: Δ ≥ k/β)";
const SEQUENCES: &str = "sequences (printed: Δ ≥ 6k/β)";
const COMES_BACK: &str = "comes back";
const AS_PRINTED: &str = "promised as printed";

/// How many associations satisfy each condition at each β.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) associations: u64,
    /// For each condition, for each β.
    pub(super) satisfied: Vec<Vec<u64>>,
}

impl Counts {
    pub(super) fn new() -> Self {
        Counts { associations: 0, satisfied: vec![vec![0; BETAS]; CONDITIONS.len()] }
    }

    pub(super) fn join(&mut self, other: &Counts) {
        self.associations += other.associations;
        for (all, some) in self.satisfied.iter_mut().zip(&other.satisfied) {
            all.iter_mut().zip(some).for_each(|(all, some)| *all += some);
        }
    }

    pub(super) fn share(&self, condition: usize, place: usize) -> f64 {
        self.satisfied[condition][place] as f64 / self.associations.max(1) as f64
    }

    /// The β at which half of the associations satisfy a condition, between neighbours in a straight line over the
    /// logarithm.
    pub(super) fn half(&self, condition: usize) -> Option<f64> {
        let place = (1..BETAS).find(|&place| self.share(condition, place) >= 0.5)?;
        let (low, high) = (self.share(condition, place - 1), self.share(condition, place));
        let part = if high > low { (0.5 - low) / (high - low) } else { 1.0 };
        Some(beta(place - 1) * (beta(place) / beta(place - 1)).powf(part))
    }

    /// All associations of one random set of patterns, without transition scores.
    pub(super) fn count(&mut self, random: &mut Random) {
        let patterns = on_sphere(random, PATTERNS, WIDTH, 1.0);
        let sets = Set::all(PATTERNS, SIZE);
        let k = SIZE as f64;
        for chosen in &sets {
            let mut state = vec![0.0; WIDTH];
            for index in chosen.members() {
                state.iter_mut().zip(patterns.row(index)).for_each(|(s, x)| *s += x);
            }
            let theta = scores(&patterns, &state);
            let others = || sets.iter().filter(|set| *set != chosen);
            let separation = others().map(|other| chosen.lead(other, &theta)).fold(f64::INFINITY, f64::min);
            // The least β of each condition; none where the separation is not positive.
            let over = |need: f64| if separation > 0.0 { need / separation } else { f64::INFINITY };
            let pairwise = others().map(|other| match chosen.lead(other, &theta) {
                lead if lead > 0.0 => chosen.apart(other) as f64 / lead,
                _ => f64::INFINITY,
            });
            let least = [over(1.0), over(k), pairwise.fold(0.0, f64::max), over(2.0 * k), over(6.0 * k)];
            self.associations += 1;
            for (satisfied, least) in self.satisfied.iter_mut().zip(least) {
                let places = satisfied.iter_mut().enumerate();
                places.filter(|(place, _)| beta(*place) >= least).for_each(|(_, count)| *count += 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_imply_one_another() {
        let mut counts = Counts::new();
        (0..20).for_each(|seed| counts.count(&mut Random::new(seed, 0)));
        assert_eq!(counts.associations, 20 * 28);
        for place in 0..BETAS {
            let share = |condition| counts.share(condition, place);
            assert!(share(0) >= share(1) && share(2) >= share(3) && share(3) >= share(4));
            assert!(share(0) >= share(2), "both states regularised ask for more");
        }
        // The conditions of k-subsets differ by a factor k, and those that are sufficient for sequences by 3.
        let ratio = |a: usize, b: usize| counts.half(a).unwrap() / counts.half(b).unwrap();
        assert!((ratio(1, 0) / 2.0 - 1.0).abs() < 0.05 && (ratio(4, 3) / 3.0 - 1.0).abs() < 0.05);
    }
}
