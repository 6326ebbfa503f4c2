//! The learning rate from epoch to epoch.

use burn::lr_scheduler::module_lr_scheduler::ModuleLrScheduler;

use super::Epoch;
use crate::error::{Error, Result, ensure};

/// The learning rate of each epoch: one of Burn's schedulers, or a [`Plateau`].
pub trait Schedule {
    /// The learning rate of the next epoch. It is asked once an epoch, from the first one on, and depends on nothing
    /// but what was asked before and on the epochs that are finished.
    fn rate(&mut self, finished: &[Epoch]) -> f64;
}

impl Schedule for ModuleLrScheduler {
    fn rate(&mut self, _: &[Epoch]) -> f64 {
        self.step().base()
    }
}

/// A learning rate that falls by a factor when the validation score has not grown for some epochs.
///
/// ```
/// use hfy_nn::train::{Epoch, Plateau, Schedule, Validation};
///
/// let epoch = |score| Epoch { loss: 1.0, norm: 1.0, rate: 1.0, validation: Some(Validation { score, loss: 1.0 }) };
/// let mut plateau = Plateau::new(0.1, 0.5, 1)?;
/// assert_eq!(plateau.rate(&[epoch(0.7), epoch(0.6)]), 0.1);
/// assert_eq!(plateau.rate(&[epoch(0.7), epoch(0.6), epoch(0.7)]), 0.05);
/// # Ok::<(), hfy_nn::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plateau {
    rate: f64,
    factor: f64,
    patience: usize,
}

impl Plateau {
    /// A first learning rate, by what it is multiplied, and after how many more epochs than this without a better
    /// score.
    pub fn new(rate: f64, factor: f64, patience: usize) -> Result<Self> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        ensure(positive(rate), || Error::argument("rate", rate, "it must be a finite number above 0"))?;
        ensure(positive(factor) && factor <= 1.0, || Error::argument("factor", factor, "it must lie in (0, 1]"))?;
        Ok(Plateau { rate, factor, patience })
    }
}

impl Schedule for Plateau {
    fn rate(&mut self, finished: &[Epoch]) -> f64 {
        let (mut best, mut waited, mut rate) = (f64::NEG_INFINITY, 0, self.rate);
        for score in finished.iter().filter_map(|epoch| epoch.validation).map(|found| found.score) {
            if score > best {
                (best, waited) = (score, 0);
            } else {
                waited += 1;
            }
            if waited > self.patience {
                (rate, waited) = (rate * self.factor, 0);
            }
        }
        rate
    }
}
