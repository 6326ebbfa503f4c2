//! The training loop.

use std::ops::ControlFlow;
use std::path::Path;

use burn::module::Module;
use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::checkpoint::Checkpoint;
use super::{Optimiser, Schedule};
use crate::error::{Error, Result, ensure};
use crate::random::{Phase, Random};

/// What a module is trained for: examples with a loss, and a measure of how good it is.
///
/// ```
/// use burn::tensor::{Device, Tensor};
/// use hfy_nn::layers::Linear;
/// use hfy_nn::train::{Task, Validation};
/// use hfy_nn::{Phase, Random, Result};
///
/// /// `y = 2 x - 1` at four points.
/// struct Line(Device);
///
/// impl Line {
///     /// The mean square of the errors.
///     fn error(&self, module: &Linear, points: &[usize]) -> Result<Tensor<1>> {
///         let x: Vec<[f32; 1]> = points.iter().map(|&point| [point as f32]).collect();
///         let y: Vec<[f32; 1]> = x.iter().map(|&[x]| [2.0 * x - 1.0]).collect();
///         let column = |values: Vec<[f32; 1]>| Tensor::<1>::from_data(values.as_flattened(), &self.0).reshape([points.len(), 1]);
///         let apart: Tensor<2> = module.forward(column(x))? - column(y);
///         Ok((apart.clone() * apart).mean())
///     }
/// }
///
/// impl Task<Linear> for Line {
///     fn examples(&self) -> usize {
///         4
///     }
///
///     fn loss(&self, module: &Linear, examples: &[usize], _: Phase<'_>) -> Result<Tensor<1>> {
///         self.error(module, examples)
///     }
///
///     fn validate(&self, module: &Linear) -> Result<Option<Validation>> {
///         let loss = f64::from(self.error(module, &[4, 5])?.into_scalar::<f32>());
///         Ok(Some(Validation { score: -loss, loss }))
///     }
/// }
///
/// let device = Device::flex().autodiff();
/// let line = Linear::new(1, 1, &mut Random::new(0, 0), &device);
/// assert!(Line(device).validate(&line)?.is_some_and(|found| found.loss > 0.0));
/// # Ok::<(), hfy_nn::Error>(())
/// ```
///
/// [`fit`] trains it; [`BagTask`](crate::mil::BagTask) is a task of bags with labels.
pub trait Task<M> {
    /// How many examples there are to train with.
    fn examples(&self) -> usize;

    /// The mean loss of some examples.
    fn loss(&self, module: &M, examples: &[usize], phase: Phase<'_>) -> Result<Tensor<1>>;

    /// How good the module is on examples that it is not trained with; `None` where there are none.
    fn validate(&self, module: &M) -> Result<Option<Validation>>;
}

/// How good a module is on examples that it was not trained with.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// The higher the better: the best epoch is chosen by it.
    pub score: f64,
    /// The mean loss.
    pub loss: f64,
}

/// Which weights a run ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Keep {
    /// Those of the first epoch with the best score.
    Best,
    /// Those of the epoch with the lowest validation loss among those with the best score. A score of ranks, such as
    /// the area under the curve, may be perfect long before the decisions are.
    #[serde(rename = "best-loss")]
    BestLoss,
    /// Those of the last epoch.
    Last,
}

/// How long and in what order is trained.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FitConfig {
    /// The most epochs, each over all examples in a random order.
    pub epochs: usize,
    /// Examples a step.
    pub batch: usize,
    /// After so many epochs that are no better training ends.
    pub patience: Option<usize>,
    /// Which weights are kept.
    pub keep: Keep,
    /// Decides the order of the examples and what dropouts leave out.
    pub seed: u64,
}

impl Default for FitConfig {
    fn default() -> Self {
        FitConfig { epochs: 50, batch: 1, patience: Some(5), keep: Keep::Best, seed: 0 }
    }
}

/// What happened in an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// The mean loss of the examples, each when it was trained with.
    pub loss: f64,
    /// The mean norm of the gradient, before it was clipped.
    pub norm: f64,
    /// The learning rate.
    pub rate: f64,
    /// How good the module was after it.
    pub validation: Option<Validation>,
}

/// A trained module, and how it came about.
#[derive(Debug, Clone)]
pub struct Fitted<M> {
    /// With the weights that were asked for.
    pub module: M,
    /// All epochs.
    pub epochs: Vec<Epoch>,
    /// The epoch whose weights the module has, from 0.
    pub kept: usize,
}

/// How far a run is.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The epoch, from 0.
    pub epoch: usize,
    /// Steps that are done in it.
    pub step: usize,
    /// Steps of an epoch.
    pub steps: usize,
    /// The most epochs.
    pub epochs: usize,
    /// The epochs that are finished.
    pub finished: &'a [Epoch],
}

impl Progress<'_> {
    /// The share of the steps that are done, if no epoch is spared.
    pub fn share(&self) -> f64 {
        (self.epoch as f64 + self.step as f64 / self.steps.max(1) as f64) / self.epochs.max(1) as f64
    }
}

/// Hears how far a run is, and may stop it.
pub type Observer<'a> = &'a mut dyn FnMut(Progress<'_>) -> ControlFlow<()>;

/// Who follows a run, and where it is kept.
#[derive(Default)]
pub struct Watch<'a> {
    /// Called before every step; may stop the run, which is [`Error::Interrupted`].
    pub observer: Option<Observer<'a>>,
    /// A file that is written after every epoch. Where it is there already, the run goes on from it, to the same result
    /// as if it had not been stopped.
    ///
    /// ```
    /// use burn::lr_scheduler::exponential::ExponentialLrSchedulerConfig;
    /// use burn::tensor::{Device, Tensor};
    /// use hfy_nn::layers::Linear;
    /// use hfy_nn::train::{AdamW, AdamWConfig, FitConfig, Task, Validation, Watch, fit};
    /// use hfy_nn::{Error, Phase, Random, Result, state};
    /// use std::ops::ControlFlow;
    ///
    /// /// Brings the sum of the outputs to one.
    /// struct One(Device);
    ///
    /// impl Task<Linear> for One {
    ///     fn examples(&self) -> usize {
    ///         2
    ///     }
    ///     fn loss(&self, module: &Linear, _: &[usize], _: Phase<'_>) -> Result<Tensor<1>> {
    ///         Ok(module.forward(Tensor::ones([1, 3], &self.0))?.sum().sub_scalar(1.0).square())
    ///     }
    ///     fn validate(&self, _: &Linear) -> Result<Option<Validation>> {
    ///         Ok(None)
    ///     }
    /// }
    ///
    /// let device = Device::flex().autodiff();
    /// let config = FitConfig { epochs: 4, ..FitConfig::default() };
    /// let run = |watch: Watch<'_>| {
    ///     let module = Linear::new(3, 2, &mut Random::new(0, 0), &device);
    ///     let rate = ExponentialLrSchedulerConfig::new(1e-2, 0.9).init().expect("a valid rate");
    ///     fit(module, &One(device.clone()), &mut AdamW::new(AdamWConfig::default()), rate, &config, watch)
    /// };
    ///
    /// let folder = tempfile::tempdir().expect("a folder");
    /// let path = folder.path().join("run");
    /// let mut killed = |progress: hfy_nn::train::Progress<'_>| {
    ///     if progress.epoch == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// };
    /// let first = run(Watch { observer: Some(&mut killed), checkpoint: Some(&path) });
    /// assert_eq!(first.unwrap_err(), Error::Interrupted);
    ///
    /// let second = run(Watch { checkpoint: Some(&path), ..Watch::default() })?;
    /// let whole = run(Watch::default())?;
    /// assert_eq!(second.epochs, whole.epochs);
    /// assert_eq!(state::of(&second.module), state::of(&whole.module));
    /// # Ok::<(), hfy_nn::Error>(())
    /// ```
    pub checkpoint: Option<&'a Path>,
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("checkpoint", &self.checkpoint).finish_non_exhaustive()
    }
}

/// Trains a module. The same seed gives the same weights, whatever else the machine does.
///
/// The schedule, one of Burn's schedulers or a [`Plateau`](super::Plateau), gives the learning rate of each epoch.
///
/// ```
/// use burn::lr_scheduler::exponential::ExponentialLrSchedulerConfig;
/// use burn::tensor::{Device, Tensor};
/// use hfy_nn::layers::{HopfieldConfig, HopfieldPooling, Patterns};
/// use hfy_nn::train::{AdamW, AdamWConfig, FitConfig, Task, Validation, Watch, fit};
/// use hfy_nn::{Phase, Random, Result};
///
/// /// Four bags of two rows; the pooled number should be that of the bag.
/// struct Bags(Device);
///
/// impl Task<HopfieldPooling> for Bags {
///     fn examples(&self) -> usize {
///         4
///     }
///
///     fn loss(&self, pooling: &HopfieldPooling, examples: &[usize], phase: Phase<'_>) -> Result<Tensor<1>> {
///         let rows: Vec<f32> = examples.iter().flat_map(|&bag| [bag as f32, 1.0, 0.0, 1.0]).collect();
///         let rows = Tensor::<1>::from_data(&rows[..], &self.0).reshape([2 * examples.len(), 2]);
///         let offsets: Vec<usize> = (0..=examples.len()).map(|bag| 2 * bag).collect();
///         let wanted: Vec<f32> = examples.iter().map(|&bag| bag as f32).collect();
///         let wanted = Tensor::<1>::from_data(&wanted[..], &self.0).reshape([examples.len(), 1]);
///         Ok((pooling.forward(Patterns::bags(rows, &offsets)?, phase)? - wanted).square().mean())
///     }
///
///     fn validate(&self, _: &HopfieldPooling) -> Result<Option<Validation>> {
///         Ok(None)
///     }
/// }
///
/// let device = Device::flex().autodiff();
/// let config = HopfieldConfig {
///     output_size: Some(1),
///     normalize_stored_pattern: None,
///     normalize_pattern_projection: None,
///     ..HopfieldConfig::new(2)
/// };
/// let pooling = HopfieldPooling::new(&config, 1, true, &mut Random::new(0, 0), &device)?;
/// let rate = ExponentialLrSchedulerConfig::new(3e-2, 0.99).init().expect("a valid rate");
/// let mut adamw = AdamW::new(AdamWConfig { clip: Some(1.0), ..AdamWConfig::default() });
/// let epochs = FitConfig { epochs: 60, patience: None, ..FitConfig::default() };
/// let fitted = fit(pooling, &Bags(device), &mut adamw, rate, &epochs, Watch::default())?;
/// assert!(fitted.epochs[59].loss < 0.1 * fitted.epochs[0].loss);
/// # Ok::<(), hfy_nn::Error>(())
/// ```
pub fn fit<M: Module, O: Optimiser>(
    module: M,
    task: &impl Task<M>,
    optimiser: &mut O,
    mut schedule: impl Schedule,
    config: &FitConfig,
    mut watch: Watch<'_>,
) -> Result<Fitted<M>> {
    let examples = task.examples();
    for (argument, value) in [("epochs", config.epochs), ("batch", config.batch), ("examples", examples)] {
        ensure(value > 0, || Error::argument(argument, value, "it must be at least 1"))?;
    }
    let random = Random::new(config.seed, FIT);
    let mut run = Checkpoint { best: module.clone(), module, random, epochs: Vec::new(), kept: 0 };
    if let Some(path) = watch.checkpoint.filter(|path| path.exists()) {
        run = run.resume(path, config, optimiser)?;
        (0..run.epochs.len()).for_each(|done| _ = schedule.rate(&run.epochs[..done]));
    }
    while !has_ended(&run.epochs, run.kept, config) {
        let rate = schedule.rate(&run.epochs);
        run = epoch(run, task, optimiser, rate, config, &mut watch)?;
        if let Some(path) = watch.checkpoint {
            run.write(path, config, optimiser)?;
        }
    }
    let Checkpoint { module, best, epochs, kept, .. } = run;
    Ok(match config.keep {
        Keep::Best | Keep::BestLoss => Fitted { module: best, epochs, kept },
        Keep::Last => Fitted { module, kept: epochs.len() - 1, epochs },
    })
}

/// The purpose of the stream of random numbers: the weights of a module come from another one of the same seed.
const FIT: u64 = 0x666974;

/// Whether all epochs are done, or the score has not grown for long enough.
fn has_ended(epochs: &[Epoch], kept: usize, config: &FitConfig) -> bool {
    let scored = epochs.last().is_some_and(|epoch| epoch.validation.is_some());
    let settled = || config.patience.is_some_and(|patience| epochs.len() - 1 - kept >= patience);
    epochs.len() >= config.epochs || scored && settled()
}

/// Whether a run with these settings would have ended before its last epoch.
pub(super) fn would_have_ended(epochs: &[Epoch], config: &FitConfig) -> bool {
    let mut kept = 0;
    (1..epochs.len()).any(|done| {
        if is_better(epochs[done - 1].validation, epochs[kept].validation, config.keep) {
            kept = done - 1;
        }
        has_ended(&epochs[..done], kept, config)
    })
}

/// Whether an epoch takes the place of the best before it.
fn is_better(now: Option<Validation>, best: Option<Validation>, keep: Keep) -> bool {
    match (now, best) {
        (Some(now), Some(best)) => {
            let tie = keep == Keep::BestLoss && now.score == best.score && now.loss < best.loss;
            now.score > best.score || best.score.is_nan() || tie
        }
        _ => true,
    }
}

fn epoch<M: Module, O: Optimiser>(
    mut run: Checkpoint<M>,
    task: &impl Task<M>,
    optimiser: &mut O,
    rate: f64,
    config: &FitConfig,
    watch: &mut Watch<'_>,
) -> Result<Checkpoint<M>> {
    let order = run.random.order(task.examples());
    let (epoch, steps) = (run.epochs.len(), order.len().div_ceil(config.batch));
    let (mut losses, mut norms) = (0.0, 0.0);
    for (step, batch) in order.chunks(config.batch).enumerate() {
        if let Some(observer) = &mut watch.observer {
            let progress = Progress { epoch, step, steps, epochs: config.epochs, finished: &run.epochs };
            if observer(progress).is_break() {
                return Err(Error::Interrupted);
            }
        }
        let diverged = |quantity, value| Error::Diverged { quantity, value, epoch: epoch + 1, step: step + 1 };
        let loss = task.loss(&run.module, batch, Phase::Training(&mut run.random));
        // Before the first step it is not training that made a number overflow.
        let trained = epoch + step > 0;
        let loss = loss.map_err(|error| {
            let found = overflow(&error).filter(|_| trained);
            found.map_or(error, |(quantity, value)| diverged(quantity, value))
        })?;
        let value = f64::from(loss.clone().into_scalar::<f32>());
        ensure(value.is_finite(), || diverged("loss", value))?;
        let gradients = GradientsParams::from_grads(loss.backward(), &run.module);
        let (module, norm) = optimiser.step(run.module, gradients, rate)?;
        ensure(norm.is_finite(), || diverged("norm of the gradient", norm))?;
        run.module = module;
        losses += value * batch.len() as f64;
        norms += norm;
    }
    let validation = task.validate(&run.module).map_err(|error| match overflow(&error) {
        Some((quantity, value)) => Error::Diverged { quantity, value, epoch: epoch + 1, step: steps },
        None => error,
    })?;
    let best = run.epochs.get(run.kept).and_then(|epoch| epoch.validation);
    if is_better(validation, best, config.keep) {
        (run.best, run.kept) = (run.module.clone(), epoch);
    }
    run.epochs.push(Epoch { loss: losses / order.len() as f64, norm: norms / steps as f64, rate, validation });
    Ok(run)
}

/// The number that left its domain, where an error is about one: what comes of steps that are too large.
fn overflow(error: &Error) -> Option<(&'static str, f64)> {
    match error {
        Error::Library(hfy::Error::Entry { value, .. }) if !value.is_finite() => Some(("score", *value)),
        Error::Argument { argument: "scaling", value, .. } => Some(("scaling", value.parse().ok()?)),
        _ => None,
    }
}
