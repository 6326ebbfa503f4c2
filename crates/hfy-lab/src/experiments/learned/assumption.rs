//! Unit tests of the assumption of multiple-instance learning: a bag is positive because of what it holds, and never
//! because of what it lacks or of how often it holds something else. The training bags offer evidence of the wrong
//! kind, and the test bags turn it around.
//!
//! After Raff and Holt, *Reproducibility in multiple instance learning: a case for algorithmic unit tests*, 2023; the
//! distributions here are our own.

use hfy_nn::Random;
use hfy_nn::mil::{self, Bags, TrainConfig};
use hfy_nn::train::Watch;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{brief, mean};
use crate::error::{Error, Result};
use crate::experiment::Bench;

/// What is offered as wrong evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Test {
    /// Positive bags hold an A. In training, negative bags hold a decoy; in the test positive ones do.
    Decoy,
    /// Positive bags hold an A and a B, negative ones one of them. The decoy is as before.
    Both,
    /// Positive bags hold an A. In training they hold many C and negative bags few; in the test it is the other way
    /// round.
    Frequency,
}

impl Test {
    pub(super) const ALL: [Test; 3] = [Test::Decoy, Test::Both, Test::Frequency];

    pub(super) fn title(self) -> &'static str {
        match self {
            Test::Decoy => "One kind, with a decoy",
            Test::Both => "Two kinds, with a decoy",
            Test::Frequency => "One kind, with a frequency",
        }
    }

    /// What a bag holds beside its background: how many A, B, C and decoys.
    fn holds(self, positive: bool, turned: bool, first: bool) -> [usize; 4] {
        let decoy = usize::from(positive == turned);
        match self {
            Test::Decoy => [usize::from(positive), 0, 0, decoy],
            Test::Both => [usize::from(positive || first), usize::from(positive || !first), 0, decoy],
            Test::Frequency => [usize::from(positive), 0, if positive == turned { 1 } else { 4 }, 0],
        }
    }
}

/// Numbers of an instance. A kind lies this far along an axis of its own, with less noise than the background has.
const DEPTH: usize = 8;
const FAR: f64 = 5.0;
const BACKGROUND: usize = 6;

/// Bags in a pool of their own.
struct Drawn {
    pool: Array2<f32>,
    offsets: Vec<usize>,
    positive: Vec<bool>,
}

impl Drawn {
    fn new(test: Test, count: usize, turned: bool, random: &mut Random) -> Self {
        let (mut values, mut offsets, mut labels) = (Vec::new(), vec![0], Vec::new());
        for bag in 0..count {
            let positive = bag % 2 == 0;
            let holds = test.holds(positive, turned, random.uniform() < 0.5);
            let size = BACKGROUND + holds.iter().sum::<usize>();
            let kinds = holds.iter().enumerate().flat_map(|(kind, &times)| std::iter::repeat_n(Some(kind), times));
            for kind in kinds.chain(std::iter::repeat_n(None, BACKGROUND)) {
                let spread = if kind.is_some() { 0.3 } else { 1.0 };
                let center = |axis: usize| if kind == Some(axis) { FAR } else { 0.0 };
                values.extend((0..DEPTH).map(|axis| (center(axis) + spread * random.normal()) as f32));
            }
            offsets.push(offsets[bag] + size);
            labels.push(positive);
        }
        let pool = Array2::from_shape_vec((offsets[count], DEPTH), values).expect("instances have one depth");
        Drawn { pool, offsets, positive: labels }
    }

    fn bags(&self) -> Result<Bags<'_>> {
        Ok(Bags::consecutive(self.pool.view(), &self.offsets, &self.positive)?)
    }
}

/// What came of a test, by seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Value {
    /// Areas under the curve on new bags of the kind that was trained with.
    pub(super) alike: Vec<f64>,
    /// Areas under the curve where the wrong evidence is turned around.
    pub(super) turned: Vec<f64>,
}

impl Value {
    /// Whether the area falls where the wrong evidence is turned around.
    pub(super) fn is_misled(&self) -> bool {
        mean(&self.turned) < mean(&self.alike) - 0.1
    }

    /// Whether the right evidence was learned, and the wrong one was not, from every seed.
    pub(super) fn passes(&self) -> bool {
        self.turned.iter().all(|auc| *auc > 0.9)
    }
}

/// How many numbers an instance has.
pub(super) const FEATURES: usize = DEPTH;

/// Trains from some seeds, and tests.
pub(super) fn compute(
    test: Test,
    config: &TrainConfig,
    (train, tested): (usize, usize),
    seeds: u64,
    bench: &Bench<'_>,
) -> Result<Value> {
    let mut value = Value { alike: Vec::new(), turned: Vec::new() };
    for seed in 0..seeds {
        let mut random = Random::new(seed, 0x6d696c);
        let draw = |count, turned, random: &mut Random| Drawn::new(test, count, turned, random);
        let training = draw(train, false, &mut random);
        let mut config = config.clone();
        config.fit.seed = seed;
        let module = mil::train(&config, training.bags()?, None, Watch::default())?.module;
        for turned in [false, true] {
            let bags = draw(tested, turned, &mut random);
            let auc = mil::roc_auc(&mil::logits(&module, &bags.bags()?)?, &bags.positive);
            let auc = brief(auc.ok_or_else(|| Error::Cell("the area under the curve has no value".into()))?);
            if turned { value.turned.push(auc) } else { value.alike.push(auc) }
        }
        bench.done(seed as usize + 1, seeds as usize)?;
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_evidence_stays_and_the_wrong_one_is_turned_around() {
        for test in Test::ALL {
            for (positive, first) in [(false, false), (false, true), (true, false), (true, true)] {
                let (trained, turned) = (test.holds(positive, false, first), test.holds(positive, true, first));
                assert_eq!(trained[..2], turned[..2], "{test:?}");
                assert_eq!(turned[2..], test.holds(!positive, false, first)[2..], "{test:?}");
                assert_ne!(turned[2..], trained[2..], "{test:?}");
                let kinds = if test == Test::Both { 2 } else { 1 };
                assert_eq!(trained[..kinds].iter().all(|&times| times > 0), positive, "{test:?}");
            }
        }
    }

    #[test]
    fn drawn_bags_hold_what_they_should() {
        let drawn = Drawn::new(Test::Frequency, 100, false, &mut Random::new(1, 2));
        assert_eq!(drawn.positive.iter().filter(|positive| **positive).count(), 50);
        for (bag, bounds) in drawn.offsets.windows(2).enumerate() {
            let near = |axis: usize| {
                let rows = drawn.pool.rows().into_iter().skip(bounds[0]).take(bounds[1] - bounds[0]);
                rows.filter(|row| f64::from(row[axis]) > FAR - 1.5).count()
            };
            assert_eq!((near(0), near(2)), if drawn.positive[bag] { (1, 4) } else { (0, 1) }, "bag {bag}");
        }
    }
}
