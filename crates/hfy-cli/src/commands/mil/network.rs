//! What is trained, and how.

use clap::Args;
use hfy::{Convex, Map, Post};
use hfy_io::Bags;
use hfy_nn::OmegaParameter;
use hfy_nn::layers::HopfieldConfig;
use hfy_nn::mil::{BagLoss, ClassifierConfig, TrainConfig};
use hfy_nn::train::{FitConfig, Keep};

use super::source::check_missing;
use crate::cli::positive;
use crate::error::{Error, Result};
use crate::terminal;

/// The pooling, the network around it, and the training.
#[derive(Debug, Clone, Args)]
pub(super) struct Network {
    /// Separation of the pooling: softmax, sparsemax, entmax:1.5, normmax:5, subsets:2, sequence:2:t=0.5, ...
    #[arg(long, short = 'm', visible_alias = "map", default_value = "entmax:1.5", help_heading = "Network")]
    omega: String,
    /// Learn the parameter of `entmax`, `normmax` or `sequence:K` for each head, from this value on
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, help_heading = "Network")]
    learn: Option<f64>,
    /// Post-transformation: identity, l2, layernorm, tanh
    #[arg(long, visible_alias = "post", default_value = "identity", help_heading = "Network")]
    psi: String,
    /// Heads of the pooling
    #[arg(long, value_name = "N", default_value = "4", value_parser = count, help_heading = "Network")]
    heads: usize,
    /// Width of a head
    #[arg(long, value_name = "N", default_value = "16", value_parser = count, help_heading = "Network")]
    hidden: usize,
    /// Inverse temperatures to choose from by the validation bags [default: one over the root of the width of a head]
    #[arg(long, short, value_name = "BETA,...", value_delimiter = ',', value_parser = positive, allow_negative_numbers = true, help_heading = "Network")]
    beta: Vec<f64>,
    /// Widths of the layers before the pooling [default: 64,64; of pictures 64, after two convolutions]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = count, help_heading = "Network")]
    embedding: Vec<usize>,
    /// Share of the weights of the pooling that training leaves out
    #[arg(long, value_name = "SHARE", default_value = "0", allow_negative_numbers = true, help_heading = "Network")]
    dropout: f64,
    /// Decide by the energy of the instances' scores, which evidence can only raise (heads and β as given, β = 1 by
    /// default)
    #[arg(long, help_heading = "Network")]
    energy: bool,
    /// Features as they are, and not brought to mean 0 and deviation 1
    #[arg(long, help_heading = "Network")]
    unscaled: bool,
    /// The most epochs
    #[arg(long, value_name = "N", default_value = "100", value_parser = count, help_heading = "Training")]
    epochs: usize,
    /// Stop after so many epochs that are no better on the validation bags
    #[arg(long, value_name = "N", default_value = "15", value_parser = count, help_heading = "Training")]
    patience: usize,
    /// Learning rate
    #[arg(long, value_name = "RATE", default_value = "0.001", value_parser = positive, allow_negative_numbers = true, help_heading = "Training")]
    rate: f64,
    /// Its factor from one epoch to the next
    #[arg(long, value_name = "FACTOR", default_value = "0.98", value_parser = positive, allow_negative_numbers = true, help_heading = "Training")]
    decay: f64,
    /// Bags a step
    #[arg(long, value_name = "N", default_value = "1", value_parser = count, help_heading = "Training")]
    batch: usize,
    /// Let positive and negative bags weigh the same together, however many there are of each
    #[arg(long, help_heading = "Training")]
    balanced: bool,
    /// The first seed, which decides folds, first weights and orders
    #[arg(long, value_name = "SEED", default_value = "0", help_heading = "Training")]
    pub(super) seed: u64,
}

fn count(text: &str) -> std::result::Result<usize, String> {
    let within = text.trim().parse::<usize>().ok().filter(|count| (1..=100_000).contains(count));
    within.ok_or_else(|| "must lie in 1..=100000".to_owned())
}

impl Network {
    /// Everything for these bags, once for each β.
    pub(super) fn configs(&self, bags: &Bags, file: &str) -> Result<Vec<TrainConfig>> {
        self.check()?;
        check_missing(bags, !self.unscaled, file)?;
        let usual = if self.energy { 1.0 } else { 1.0 / (self.hidden as f64).sqrt() };
        let betas = if self.beta.is_empty() { vec![usual] } else { self.beta.clone() };
        Ok(betas.into_iter().map(|beta| self.config(bags, beta)).collect())
    }

    fn config(&self, bags: &Bags, beta: f64) -> TrainConfig {
        let embedding = match (self.embedding.is_empty(), bags.shape()) {
            (false, _) => self.embedding.clone(),
            (true, Some(_)) => vec![64],
            (true, None) => vec![64, 64],
        };
        let depth = embedding[embedding.len() - 1];
        let pooling = HopfieldConfig {
            num_heads: self.heads,
            hidden_size: Some(self.hidden),
            scaling: Some(beta.into()),
            dropout: self.dropout,
            omega: self.omega.clone(),
            omega_parameter: self.learn.map(|value| OmegaParameter::Learned(vec![value; self.heads])),
            psi: self.psi.clone(),
            ..HopfieldConfig::new(depth)
        };
        TrainConfig {
            model: ClassifierConfig {
                features: bags.features().len(),
                picture: bags.shape(),
                embedding,
                pooling,
                rectified: true,
                scaled: !self.unscaled,
                energy: self.energy,
            },
            rate: self.rate,
            decay: self.decay,
            weight_decay: 1e-4,
            clip: Some(1.0),
            loss: BagLoss { floor: 0.0, balanced: self.balanced },
            fit: FitConfig {
                epochs: self.epochs,
                batch: self.batch,
                patience: Some(self.patience),
                keep: Keep::BestLoss,
                seed: self.seed,
            },
        }
    }

    /// What no later step would say of an option.
    fn check(&self) -> Result<()> {
        let wrong = |option: &str, value: &str, rule: String| Error::Usage(format!("{option} {value}: {rule}"));
        if self.learn.is_none() {
            let map: Map =
                self.omega.parse().map_err(|error: hfy::Error| wrong("--omega", &self.omega, error.to_string()))?;
            // Shares of weight need weights that are never negative and have a sum; bounds fit bags of one size only.
            if <Map as Convex<f32>>::mass(&map).is_none() || matches!(map, Map::Bounded(_)) {
                let rule = "pooling needs weights of a fixed sum: softmax, sparsemax, entmax:ALPHA, normmax:GAMMA, subsets:K, sequence:K:t=T";
                return Err(wrong("--omega", &self.omega, rule.into()));
            }
        }
        self.psi.parse::<Post>().map_err(|error| wrong("--psi", &self.psi, error.to_string()))?;
        if !(0.0..=1.0).contains(&self.dropout) {
            return Err(wrong("--dropout", &self.dropout.to_string(), "must lie in 0..=1".into()));
        }
        match self.decay <= 1.0 && self.rate <= 1.0 {
            true => Ok(()),
            false => {
                Err(wrong("--rate and --decay", &format!("{}, {}", self.rate, self.decay), "must be at most 1".into()))
            }
        }
    }

    /// Says so where there are few bags of a label.
    pub(super) fn note_balance(&self, bags: &Bags) {
        let positive = bags.labels().unwrap_or_default().iter().filter(|positive| **positive).count();
        let (few, all) = (positive.min(bags.len() - positive), bags.len());
        if !self.balanced && 5 * few < all {
            let label = if 2 * positive < all { "positive" } else { "negative" };
            let how = "--balanced lets both labels weigh the same";
            terminal::note(&format!("only {few} of {all} bags are {label}: {how}"));
        }
    }
}

/// The labels, of which there must be both.
pub(super) fn labels<'a>(bags: &'a Bags, file: &str) -> Result<&'a [bool]> {
    let labels = bags.labels().ok_or_else(|| Error::data(file, "has no labels: --label names their column"))?;
    match labels.iter().position(|label| *label != labels[0]) {
        Some(_) => Ok(labels),
        None => {
            let label = if labels[0] { "positive" } else { "negative" };
            Err(Error::data(
                file,
                format!("all {} bags are {label}: both labels are needed to learn from", labels.len()),
            ))
        }
    }
}
