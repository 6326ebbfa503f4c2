//! Recall of pictures of which one half is hidden: what Figures 11, 12 and 14 share.
//!
//! Every memory is its own cue: noise, if any, then the lower half of the rows set to zero. After five updates it
//! counts as retrieved if its cosine with its memory is above 0.9. The rate is the share of the cues.

mod curves;
mod method;
mod model;
pub(super) mod overview;
mod published;
mod scene;
mod spanned;

pub(super) use curves::{Curves, TABLE_SIZES};
pub(super) use method::{Method, beta_name};
pub(super) use model::Model;

use std::ops::ControlFlow;

use hfy::retrieval::{Retriever, Settings, Stop};
use hfy::{Map, Network, Post, Scaled};
use ndarray::{ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::experiment::{Bench, Cell, Pictures};
use model::Weights;
use scene::{Scene, matches};
use spanned::Spanned;

/// Updates of every cue.
const STEPS: usize = 5;

/// So many memories, and noise of this deviation on the cues.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Trial {
    pub(super) memories: usize,
    pub(super) noise: f64,
}

/// A cell of work: some models that share most of it, over all trials of one seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) pictures: Pictures,
    pub(super) seed: u64,
    pub(super) trials: Vec<Trial>,
    pub(super) models: Vec<Model>,
}

/// Rates of retrieval: a row for each model, a number for each trial.
pub(super) type Rates = Vec<Vec<f64>>;

/// The cells for some models, over the trials of one set of pictures.
pub(super) fn cells(pictures: Pictures, seeds: u64, trials: &[Trial], models: Vec<Model>) -> Vec<Cell> {
    let bundles = Model::bundles(models);
    let keys = bundles.iter().flat_map(|models| {
        (0..seeds).map(|seed| Key { pictures, seed, trials: trials.to_vec(), models: models.clone() })
    });
    keys.map(|key| Cell::new(&key, cost(&key)).with([pictures])).collect()
}

/// About how many seconds a cell takes on one core, by the products that it computes.
fn cost(key: &Key) -> f64 {
    const OPERATIONS: f64 = 6e10; // in a second
    let width = match key.pictures {
        Pictures::Mnist | Pictures::MnistTest => 784.0,
        Pictures::Cifar10 => 3072.0,
        Pictures::TinyImagenet => 12288.0,
    };
    let over_trials = |of: &dyn Fn(f64) -> f64| key.trials.iter().map(|trial| of(trial.memories as f64)).sum::<f64>();
    // So many updates of distinct states, as if every cue took them, each with two products.
    let updates = |count: f64| count * over_trials(&|n| 4.0 * width * n * n);
    let operations = match &key.models[0] {
        Model::Published { weights: Weights::Scores, .. } => updates(2.5),
        Model::Published { weights: Weights::TenthPower, .. } => updates(3.5),
        Model::Published { weights: Weights::Exponential { .. }, .. } => updates(6.0),
        Model::Saturating { .. } => updates(4.0),
        Model::Spanned { .. } => {
            let noises = key.trials.iter().filter(|trial| trial.noise > 0.0).count().max(1) as f64;
            let most = key.trials.iter().map(|trial| trial.memories as f64).fold(0.0, f64::max);
            let step = |model: &Model, n: f64| if model.is_dense() { 10.0 * n.min(2.0 * width) } else { 2000.0 };
            let one = |model: &Model| over_trials(&|n| n * n * step(model, n));
            noises * 4.0 * width * most * most + key.models.iter().map(one).sum::<f64>()
        }
        Model::Rounded => 0.0,
    };
    // A normal number for every pixel takes longer than anything else where memories are few.
    let drawn: f64 =
        key.trials.iter().filter(|trial| trial.noise > 0.0).map(|trial| trial.memories as f64 * width).sum();
    0.02 + 4e-8 * drawn + operations / OPERATIONS
}

/// The value of a cell.
pub(super) fn compute(key: &Key, bench: &Bench<'_>) -> Result<Rates> {
    let most = key.trials.iter().map(|trial| trial.memories).max().unwrap_or(0);
    let scene = Scene::new(bench.images(key.pictures)?, key.seed, most);
    let mut rates: Rates = vec![vec![f64::NAN; key.trials.len()]; key.models.len()];
    let mut work = Work { bench, done: 0.0, all: key.trials.iter().map(weight).sum() };
    // Trials of one noise have their cues, and what is computed of them, in common.
    for (number, trial) in key.trials.iter().enumerate() {
        if key.trials[..number].iter().any(|before| before.noise == trial.noise) {
            continue;
        }
        let alike: Vec<usize> =
            (number..key.trials.len()).filter(|&other| key.trials[other].noise == trial.noise).collect();
        let cues = scene.cues(trial.noise);
        let part = Part { scene: &scene, cues: cues.view(), key };
        part.compute(&alike, &mut work, &mut rates)?;
    }
    Ok(rates)
}

fn weight(trial: &Trial) -> f64 {
    (trial.memories as f64).powi(2)
}

/// How far a cell is.
struct Work<'a> {
    bench: &'a Bench<'a>,
    done: f64,
    all: f64,
}

impl Work<'_> {
    /// Tells that a share of a piece of work is done.
    fn hear(&self, share: f64, of: f64) -> ControlFlow<()> {
        const WHOLE: usize = 1_000_000;
        self.bench.hear((WHOLE as f64 * ((self.done + share * of) / self.all).min(1.0)) as usize, WHOLE)
    }

    fn tell(&self, share: f64, of: f64) -> Result<()> {
        if self.hear(share, of).is_break() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// Cues of one noise.
struct Part<'a> {
    scene: &'a Scene,
    cues: ArrayView2<'a, f32>,
    key: &'a Key,
}

impl Part<'_> {
    fn compute(&self, trials: &[usize], work: &mut Work<'_>, rates: &mut Rates) -> Result<()> {
        let count = |trial: usize| self.key.trials[trial].memories;
        let share = |successes: usize, count: usize| successes as f64 / count as f64;
        let spanned = match &self.key.models[0] {
            Model::Spanned { psi, .. } => Some(psi.parse::<Post>()?),
            _ => None,
        };
        let most = trials.iter().map(|&trial| count(trial)).max().unwrap_or(0);
        let first = |rows: usize| {
            let memories = self.scene.memories.slice_axis(Axis(0), (..rows).into());
            (memories, self.cues.slice_axis(Axis(0), (..rows).into()))
        };
        let spanned = match &spanned {
            Some(psi) => Some(Spanned::new(psi, first(most).0, first(most).1)?),
            None => None,
        };
        for &trial in trials {
            let (count, of) = (count(trial), weight(&self.key.trials[trial]));
            let (memories, cues) = first(count);
            let right = |states: ArrayView2<'_, f32>| {
                let pairs = memories.rows().into_iter().zip(states.rows());
                pairs.filter(|(m, s)| matches(m.as_slice().unwrap_or(&[]), s.as_slice().unwrap_or(&[]))).count()
            };
            match &self.key.models[0] {
                Model::Published { weights, .. } => {
                    let betas: Vec<f64> = self.key.models.iter().map(Model::beta).collect();
                    let tell = |done: f64| work.tell(done, of);
                    let ends = published::retrieve(memories, cues, *weights, &betas, &tell)?;
                    ends.iter()
                        .zip(rates.iter_mut())
                        .for_each(|(end, rates)| rates[trial] = share(right(end.view()), count));
                }
                Model::Saturating { omega, beta } => {
                    let network = Network::from_text(omega, &format!("tanh:{beta}"), 1.0, memories)?;
                    let settings = Settings { stop: Stop::Steps(STEPS), ..Settings::default() };
                    let retriever = Retriever::new(&network)?.with_settings(settings)?.without_energy();
                    let hear = |done: usize, total: usize| work.hear(done as f64 / total as f64, of);
                    rates[0][trial] = share(right(retriever.retrieve_with(cues, &hear)?.states.view()), count);
                }
                Model::Spanned { .. } => {
                    let network = spanned.as_ref().expect("it was made for these models").first(count);
                    let models = self.key.models.len() as f64;
                    for (number, model) in self.key.models.iter().enumerate() {
                        let Model::Spanned { omega, beta, .. } = model else { continue };
                        let map = Scaled::with_beta(omega.parse::<Map>()?, *beta)?;
                        let tell = |done: f64| work.tell((number as f64 + done) / models, of);
                        rates[number][trial] = share(network.retrieved(&map, &tell)?, count);
                    }
                }
                Model::Rounded => {
                    rates[0][trial] = share(right(memories.mapv(f32::signum).view()), count);
                }
            }
            work.done += of;
        }
        Ok(())
    }
}
