//! A trained classifier of bags, as it is kept in a file and used.

use std::path::Path;

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use super::{BagClassifier, Bags, ClassifierConfig, explain};
use crate::error::{Error, Result};
use crate::random::Random;
use crate::state::{self, Tensors, write_whole};

/// One classifier or several of one kind, trained from different seeds, with what is needed to use them.
///
/// ```
/// use burn::tensor::Device;
/// use hfy_nn::Random;
/// use hfy_nn::layers::HopfieldConfig;
/// use hfy_nn::mil::{BagClassifier, BagModel, Bags, ClassifierConfig};
/// use ndarray::array;
///
/// let config = ClassifierConfig {
///     features: 1,
///     picture: None,
///     embedding: vec![4],
///     pooling: HopfieldConfig { num_heads: 2, omega: "sparsemax".into(), ..HopfieldConfig::new(4) },
///     rectified: false,
///     scaled: false,
///     energy: false,
/// };
/// // Two members, as they begin; `mil::train` makes trained ones.
/// let member = |seed: u64| BagClassifier::new(&config, &mut Random::new(seed, 0), &Device::flex());
/// let model = BagModel::new(config.clone(), vec!["heat".into()], vec![member(0)?, member(1)?]);
///
/// let folder = tempfile::tempdir().expect("a folder");
/// let path = folder.path().join("machines.safetensors");
/// model.save(&path)?;
/// let model = BagModel::read(&path)?;
///
/// let pool = array![[0.5], [2.0], [-1.0]];
/// let bags = Bags::consecutive(pool.view(), &[0, 2, 3], &[true, false])?;
/// let predictions = model.predict(&bags)?;
/// let (lowest, highest) = predictions[0].between; // of the members; the probability is their mean
/// assert!(lowest <= predictions[0].probability && predictions[0].probability <= highest);
///
/// let evidence = model.explain(&bags)?;
/// assert_eq!(evidence[0].prediction, predictions[0]);
/// assert_eq!(evidence[0].heads.len(), 4); // two of each member
/// assert!((evidence[0].share(0) + evidence[0].share(1) - 1.0).abs() < 1e-6);
/// # Ok::<(), hfy_nn::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BagModel {
    config: ClassifierConfig,
    features: Vec<String>,
    members: Vec<BagClassifier>,
}

/// What a model says of a bag.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// The probability that the bag is positive: the mean over the classifiers.
    pub probability: f64,
    /// The lowest and the highest of theirs.
    pub between: (f64, f64),
}

/// What the heads of a model looked at in a bag.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evidence {
    /// What the model says of the bag.
    pub prediction: Prediction,
    /// For each head of each classifier the weights of the instances. Those that are not in the support are zero.
    pub heads: Vec<Vec<f32>>,
}

impl Evidence {
    /// The mean share of an instance in the weight of the heads: between 0 and 1, together 1.
    pub fn share(&self, instance: usize) -> f64 {
        let of = |weights: &Vec<f32>| f64::from(weights[instance]) / f64::from(weights.iter().sum::<f32>());
        self.heads.iter().map(of).sum::<f64>() / self.heads.len() as f64
    }

    /// How many heads give an instance weight.
    pub fn heads_on(&self, instance: usize) -> usize {
        self.heads.iter().filter(|weights| weights[instance] > 0.0).count()
    }
}

const KIND: &str = "classifier of bags";

#[derive(Serialize, Deserialize)]
struct Notes {
    kind: String,
    version: String,
    config: ClassifierConfig,
    features: Vec<String>,
    members: usize,
}

impl BagModel {
    /// Trained classifiers of one configuration; `features` names what an instance has.
    pub fn new(config: ClassifierConfig, features: Vec<String>, members: Vec<BagClassifier>) -> Self {
        BagModel { config, features, members }
    }

    /// The configuration of the classifiers.
    pub fn config(&self) -> &ClassifierConfig {
        &self.config
    }

    /// The names of the features.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The classifiers.
    pub fn members(&self) -> &[BagClassifier] {
        &self.members
    }

    /// Writes a safetensors file, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut tensors = Tensors::default();
        for (at, member) in self.members.iter().enumerate() {
            tensors.insert_under(&format!("{at}."), state::of(member));
        }
        let notes = Notes {
            kind: KIND.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            config: self.config.clone(),
            features: self.features.clone(),
            members: self.members.len(),
        };
        tensors.note("model", serde_json::to_string(&notes).expect("notes are plain"));
        write_whole(path, &tensors.to_bytes()?)
    }

    /// Reads such a file.
    pub fn read(path: &Path) -> Result<Self> {
        let wrong = |rule: String| Error::File { path: path.to_owned(), rule };
        let tensors = state::read(path)?;
        let notes = tensors.noted("model").ok_or_else(|| wrong("is no model that hfy mil train wrote".into()))?;
        let notes: Notes =
            serde_json::from_str(notes).map_err(|error| wrong(format!("its notes cannot be read: {error}")))?;
        if notes.kind != KIND || notes.members == 0 || notes.features.len() != notes.config.features {
            return Err(wrong(format!("is no {KIND}")));
        }
        let device = Device::flex();
        let members = (0..notes.members).map(|at| {
            let empty = BagClassifier::new(&notes.config, &mut Random::new(0, 0), &device)?;
            state::load(empty, tensors.under(&format!("{at}."))).map_err(|error| wrong(error.to_string()))
        });
        Ok(BagModel { members: members.collect::<Result<_>>()?, config: notes.config, features: notes.features })
    }

    /// What the model says of every bag. A bag is computed alone, so that its neighbours do not change the last bits.
    pub fn predict(&self, bags: &Bags<'_>) -> Result<Vec<Prediction>> {
        let one = |bag: usize| {
            let bag = bags.select(&[bag]);
            let logits = self.members.iter().map(|member| Ok(super::logits(member, &bag)?[0]));
            Ok(prediction(logits.collect::<Result<Vec<f32>>>()?.into_iter()))
        };
        (0..bags.len()).map(one).collect()
    }

    /// What the model says of every bag, and what its heads looked at.
    pub fn explain(&self, bags: &Bags<'_>) -> Result<Vec<Evidence>> {
        let one = |bag: usize| {
            let bag = bags.select(&[bag]);
            let (mut logits, mut heads) = (Vec::new(), Vec::new());
            for member in &self.members {
                let (logit, report) = explain(member, &bag)?;
                logits.extend(logit);
                heads.extend((0..report.heads()).map(|head| report.weights(0, head, 0).to_vec()));
            }
            Ok(Evidence { prediction: prediction(logits.into_iter()), heads })
        };
        (0..bags.len()).map(one).collect()
    }
}

fn prediction(logits: impl ExactSizeIterator<Item = f32>) -> Prediction {
    let (count, mut sum, mut between) = (logits.len() as f64, 0.0, (1.0_f64, 0.0_f64));
    for logit in logits {
        let probability = 1.0 / (1.0 + (-f64::from(logit)).exp());
        sum += probability;
        between = (between.0.min(probability), between.1.max(probability));
    }
    Prediction { probability: sum / count, between }
}
