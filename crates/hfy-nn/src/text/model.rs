//! A trained network, as it is kept in a file and used.

use std::path::Path;

use burn::tensor::Device;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::{Rationaliser, RationaliserConfig, Read, Texts, Vocabulary, read, runs};
use crate::error::{Error, Result, ensure};
use crate::random::Random;
use crate::state::{self, Tensors, write_whole};

/// What the numbers that a network gives are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Labels {
    /// The logits of classes of these names.
    Classes(Vec<String>),
    /// A number, from which a mean was taken and which was divided by a deviation.
    Number {
        /// The mean.
        mean: f64,
        /// The deviation.
        deviation: f64,
    },
}

/// A trained network with the words that it knows.
///
/// ```
/// use burn::tensor::Device;
/// use hfy_nn::Random;
/// use hfy_nn::text::{Labels, Rationaliser, RationaliserConfig, Selector, TextModel, Vocabulary};
///
/// let vocabulary = Vocabulary::new(vec!["fine".into(), "ale".into()], ndarray::array![[1.0, 0.0], [0.0, 1.0]])?;
/// let selector = Selector { omega: "subsets:50%".into(), temperature: 0.1 };
/// let config = RationaliserConfig { hidden: 4, head: 4, ..RationaliserConfig::new(2, 2, selector) };
/// // As it begins; `text::train` makes trained ones.
/// let network = Rationaliser::new(&config, &mut Random::new(0, 0), &Device::flex())?;
/// let model = TextModel::new(&network, Labels::Classes(vec!["bad".into(), "good".into()]), vocabulary)?;
///
/// let folder = tempfile::tempdir().expect("a folder");
/// let path = folder.path().join("reviews.safetensors");
/// model.save(&path)?;
/// let model = TextModel::read(&path)?;
/// let rationale = &model.explain(&[["a", "fine", "cool", "ale"]])?[0];
/// assert_eq!(rationale.chosen().len(), 2);
/// assert!((rationale.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
/// # Ok::<(), hfy_nn::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TextModel {
    trained: Rationaliser,
    network: Rationaliser,
    labels: Labels,
    vocabulary: Vocabulary,
}

/// What a model says of a text, and the words that it says it by.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rationale {
    /// The number of the class; 0 where a number is predicted.
    pub class: usize,
    /// The probability of each class; none where a number is predicted.
    pub probabilities: Vec<f64>,
    /// The number, where one is predicted.
    pub number: Option<f64>,
    /// The weight of each word.
    pub weights: Vec<f32>,
    /// Whether each word has a vector.
    pub known: Vec<bool>,
}

impl Rationale {
    /// The words with weight.
    pub fn chosen(&self) -> Vec<usize> {
        (0..self.weights.len()).filter(|&word| self.weights[word] > 0.0).collect()
    }

    /// The share of the words that have weight.
    pub fn share(&self) -> f64 {
        self.chosen().len() as f64 / self.weights.len().max(1) as f64
    }

    /// How many runs of neighbours the words with weight come in.
    pub fn runs(&self) -> usize {
        runs(&self.weights.iter().map(|weight| *weight > 0.0).collect::<Vec<_>>())
    }
}

const KIND: &str = "model of texts";

#[derive(Serialize, Deserialize)]
struct Notes {
    kind: String,
    version: String,
    config: RationaliserConfig,
    labels: Labels,
    words: Vec<String>,
}

impl TextModel {
    /// A trained network, what its numbers are, and the words that it knows.
    pub fn new(network: &Rationaliser, labels: Labels, vocabulary: Vocabulary) -> Result<Self> {
        let outputs = match &labels {
            Labels::Classes(names) => names.len(),
            Labels::Number { .. } => 1,
        };
        let config = network.config();
        ensure(outputs == config.outputs, || {
            Error::argument("labels", format!("{outputs} names"), format!("there are {} outputs", config.outputs))
        })?;
        ensure(vocabulary.width() == config.vectors, || {
            let rule = format!("the network reads vectors of {} numbers", config.vectors);
            Error::argument("vocabulary", format!("vectors of {} numbers", vocabulary.width()), rule)
        })?;
        Ok(TextModel { trained: network.clone(), network: network.for_use()?, labels, vocabulary })
    }

    /// The settings of the network.
    pub fn config(&self) -> &RationaliserConfig {
        self.trained.config()
    }

    /// What is predicted.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The words that it knows.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The network with the selector for use.
    pub fn network(&self) -> &Rationaliser {
        &self.network
    }

    /// Writes a safetensors file, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut tensors = Tensors::default();
        tensors.insert_under("network.", state::of(&self.trained));
        let vectors = self.vocabulary.vectors();
        tensors.insert("vectors".into(), vectors.shape().to_vec(), vectors.iter().copied().collect());
        let notes = Notes {
            kind: KIND.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            config: self.config().clone(),
            labels: self.labels.clone(),
            words: self.vocabulary.words().to_vec(),
        };
        tensors.note("model", serde_json::to_string(&notes).expect("notes are plain"));
        write_whole(path, &tensors.to_bytes()?)
    }

    /// Reads such a file.
    pub fn read(path: &Path) -> Result<Self> {
        let wrong = |rule: String| Error::File { path: path.to_owned(), rule };
        let mut tensors = state::read(path)?;
        let notes = tensors.noted("model").ok_or_else(|| wrong("is no model that hfy text train wrote".into()))?;
        let notes: Notes =
            serde_json::from_str(notes).map_err(|error| wrong(format!("its notes cannot be read: {error}")))?;
        ensure(notes.kind == KIND, || wrong(format!("is no {KIND}")))?;
        let vectors = tensors.take("vectors").filter(|(shape, _)| shape.len() == 2);
        let (shape, values) = vectors.ok_or_else(|| wrong("has no vectors of words".into()))?;
        let vectors = Array2::from_shape_vec((shape[0], shape[1]), values).map_err(|error| wrong(error.to_string()))?;
        let said = |error: Error| wrong(error.to_string());
        let empty = Rationaliser::new(&notes.config, &mut Random::new(0, 0), &Device::flex()).map_err(said)?;
        let network = state::load(empty, tensors.under("network.")).map_err(said)?;
        TextModel::new(&network, notes.labels, Vocabulary::new(notes.words, vectors).map_err(said)?).map_err(said)
    }

    /// What the model says of texts, each a list of words.
    pub fn explain<T: AsRef<[S]>, S: AsRef<str>>(&self, texts: &[T]) -> Result<Vec<Rationale>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let texts = Texts::encode(&self.vocabulary, texts)?;
        let all: Vec<usize> = (0..texts.len()).collect();
        let found = read(&self.network, &self.vocabulary, &texts, &all)?;
        let known = |text: usize| texts.text(text).iter().map(|word| *word != Vocabulary::UNKNOWN).collect();
        Ok(found.into_iter().enumerate().map(|(text, read)| self.rationale(read, known(text))).collect())
    }

    fn rationale(&self, read: Read, known: Vec<bool>) -> Rationale {
        let (probabilities, number) = match self.labels {
            Labels::Classes(_) => (read.probabilities(), None),
            Labels::Number { mean, deviation } => (Vec::new(), Some(mean + deviation * f64::from(read.outputs[0]))),
        };
        Rationale { class: read.class(), probabilities, number, weights: read.weights, known }
    }
}
