//! The weight of disagreement.

/// The bounds of the penalty, over that of the first round.
const RANGE: f64 = 1e8;
/// One residual is so many times the other before anything changes.
const IMBALANCE: f64 = 5.0;
/// The penalty changes by at most this factor at once.
const STEP: f64 = 8.0;
/// After so many turns the penalty stays.
const TURNS: usize = 12;

/// The penalty `ρ`, which grows while the factors disagree more than the variables move, and falls in the other case.
///
/// Every turn, from growing to falling or back, doubles the time to the next change, and the number of turns is
/// bounded. So it changes finitely often, and the method converges as with a constant one.
#[derive(Debug)]
pub(super) struct Penalty {
    pub(super) value: f64,
    first: f64,
    grew: Option<bool>,
    turns: usize,
    interval: usize,
    next: usize,
}

impl Penalty {
    pub(super) fn new(value: f64) -> Self {
        let interval = 8;
        Penalty { value, first: value, grew: None, turns: 0, interval, next: interval }
    }

    /// After so many rounds, with these residuals: by what it was divided, if it changed.
    pub(super) fn adapt(&mut self, rounds: usize, primal: f64, dual: f64) -> Option<f64> {
        if rounds < self.next || self.turns >= TURNS {
            return None;
        }
        let grow = primal > IMBALANCE * dual;
        if !grow && !(dual > IMBALANCE * primal) {
            self.next = rounds + 1;
            return None;
        }
        if self.grew.is_some_and(|grew| grew != grow) {
            self.turns += 1;
            self.interval *= 2;
        }
        self.grew = Some(grow);
        self.next = rounds + self.interval;
        let old = self.value;
        let factor = (primal / dual).sqrt().clamp(1.0 / STEP, STEP);
        self.value = (factor * old).clamp(self.first / RANGE, self.first * RANGE);
        Some(old / self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_follows_the_residuals_and_comes_to_rest() {
        let mut growing = Penalty::new(1.0);
        for round in 1..1000 {
            let _ = growing.adapt(round, 1.0, 1e-9);
        }
        assert_eq!(growing.value, RANGE);
        let mut calm = Penalty::new(2.0);
        assert!((1..100).all(|round| calm.adapt(round, 1.0, 2.0).is_none()));

        let mut swinging = Penalty::new(1.0);
        let changes: Vec<usize> = (1..1_000_000)
            .filter(|&round| {
                let high = swinging.value > 1.0;
                let (primal, dual) = if high { (1e-9, 1.0) } else { (1.0, 1e-9) };
                swinging.adapt(round, primal, dual).is_some()
            })
            .collect();
        assert!(changes.len() <= 2 * TURNS && changes.last().is_some_and(|&last| last < 100_000), "{changes:?}");
    }
}
