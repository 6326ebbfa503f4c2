//! Cases of a statement, counted.

use serde::{Deserialize, Serialize};

/// How a statement fared.
///
/// The slack of a case is what the statement leaves over, relative to the numbers in it: at least zero where it holds.
/// Of an equality it is minus the difference.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    pub(super) cases: u64,
    /// Cases whose slack is below zero by more than the tolerance, which is there for rounding.
    pub(super) violated: u64,
    /// The least slack.
    pub(super) least: Option<f64>,
    /// The case of the least slack, if it is violated.
    pub(super) example: Option<String>,
}

impl Tally {
    /// Takes in a case. A slack that is no number is a violation.
    pub(super) fn take(&mut self, tolerance: f64, slack: f64, tell: impl FnOnce() -> String) {
        let slack = if slack.is_nan() { f64::MIN } else { slack.clamp(f64::MIN, f64::MAX) };
        let least = self.least.is_none_or(|least| slack < least);
        self.cases += 1;
        if least {
            self.least = Some(slack);
        }
        if slack < -tolerance {
            self.violated += 1;
            if least {
                self.example = Some(tell());
            }
        }
    }

    /// Takes in all the cases of another.
    pub(super) fn join(&mut self, other: Tally) {
        self.cases += other.cases;
        self.violated += other.violated;
        if self.least.is_none() || other.least.is_some_and(|slack| Some(slack) < self.least) {
            self.least = other.least;
            self.example = other.example;
        }
    }

    /// By how much the worst case fails; zero where all hold.
    pub(super) fn worst(&self) -> f64 {
        (-self.least.unwrap_or(0.0)).max(0.0)
    }

    /// Whether there were cases and all of them hold.
    pub(super) fn holds(&self) -> bool {
        self.cases > 0 && self.violated == 0
    }

    /// What decides, in words.
    pub(super) fn because(&self) -> String {
        match (self.violated, &self.example) {
            (0, _) if self.worst() == 0.0 => format!("{} cases, exactly", self.cases),
            (0, _) => format!(
                "{} cases, off by {:.1e} at most, within rounding or the step of differences",
                self.cases,
                self.worst()
            ),
            (violated, example) => {
                let example = example.as_ref().map_or(String::new(), |example| format!("; the worst: {example}"));
                format!("{violated} of {} cases fail{example}", self.cases)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_case_is_kept() {
        let mut tally = Tally::default();
        assert!(!tally.holds(), "nothing was tried");
        tally.take(1e-12, 0.5, || unreachable!());
        tally.take(1e-12, -1e-14, || unreachable!());
        assert!(tally.holds() && tally.worst() == 1e-14);
        let mut other = Tally::default();
        other.take(1e-12, -0.25, || "a".into());
        other.take(1e-12, f64::NAN, || "b".into());
        tally.join(other);
        assert_eq!((tally.cases, tally.violated, tally.example.as_deref()), (4, 2, Some("b")));
        assert!(!tally.holds());
    }
}
