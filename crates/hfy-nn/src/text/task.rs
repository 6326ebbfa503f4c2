//! What a network is trained for.

use burn::tensor::{Device, Tensor, TensorData, activation};
use serde::{Deserialize, Serialize};

use super::{Evaluation, Rationaliser, Texts, Vocabulary, read};
use crate::error::{Error, Result, ensure};
use crate::random::Phase;
use crate::train::{Task, Validation};

/// What texts are labelled with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Targets {
    /// One of some classes.
    Classes {
        /// How many classes there are.
        classes: usize,
        /// The class of each text.
        of: Vec<usize>,
    },
    /// A number.
    Numbers(Vec<f32>),
}

impl Targets {
    /// How many texts have one.
    pub fn len(&self) -> usize {
        match self {
            Targets::Classes { of, .. } => of.len(),
            Targets::Numbers(numbers) => numbers.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many numbers a network gives for a text.
    pub fn outputs(&self) -> usize {
        match self {
            Targets::Classes { classes, .. } => *classes,
            Targets::Numbers(_) => 1,
        }
    }

    fn check(&self, texts: usize) -> Result<()> {
        ensure(self.len() == texts, || {
            Error::argument("targets", self.len(), format!("there must be one for each of {texts} texts"))
        })?;
        match self {
            Targets::Classes { classes, of } => {
                ensure(*classes > 1, || Error::argument("classes", classes, "there must be two or more"))?;
                let outside = of.iter().find(|class| *class >= classes);
                ensure(outside.is_none(), || {
                    Error::argument("targets", format!("class {outside:?}"), format!("there are {classes} classes"))
                })
            }
            Targets::Numbers(numbers) => ensure(numbers.iter().all(|number| number.is_finite()), || {
                Error::argument("targets", "a number that is not finite", "all must be finite")
            }),
        }
    }
}

/// Texts to train with, and texts to choose the best epoch by.
///
/// The loss is the cross entropy of classes or the squared error of numbers; the score of an epoch is macro F1, or the
/// squared error with its sign turned, of the selector for use.
#[derive(Debug, Clone)]
pub struct TextTask<'a> {
    vocabulary: &'a Vocabulary,
    texts: &'a Texts,
    targets: &'a Targets,
    train: &'a [usize],
    validation: &'a [usize],
    device: Device,
}

impl<'a> TextTask<'a> {
    /// Texts by their numbers: to train with, and for validation, which may be none.
    pub fn new(
        vocabulary: &'a Vocabulary,
        texts: &'a Texts,
        targets: &'a Targets,
        [train, validation]: [&'a [usize]; 2],
        device: &Device,
    ) -> Result<Self> {
        targets.check(texts.len())?;
        for (argument, some) in [("train", train), ("validation", validation)] {
            let outside = some.iter().find(|text| **text >= texts.len());
            ensure(outside.is_none(), || {
                Error::argument(argument, format!("{outside:?}"), format!("there are {} texts", texts.len()))
            })?;
        }
        Ok(TextTask { vocabulary, texts, targets, train, validation, device: device.clone() })
    }
}

impl Task<Rationaliser> for TextTask<'_> {
    fn examples(&self) -> usize {
        self.train.len()
    }

    fn loss(&self, module: &Rationaliser, examples: &[usize], phase: Phase<'_>) -> Result<Tensor<1>> {
        let texts: Vec<usize> = examples.iter().map(|&at| self.train[at]).collect();
        let (words, offsets) = self.texts.batch(&texts);
        let outputs = module.forward(vectors(self.vocabulary, &words, &self.device), &offsets, phase)?;
        let wanted = |values: Vec<f32>, width| {
            Tensor::<2>::from_data(TensorData::new(values, [texts.len(), width]), &self.device)
        };
        Ok(match self.targets {
            Targets::Classes { classes, of } => {
                let mut hot = vec![0.0; texts.len() * classes];
                texts.iter().enumerate().for_each(|(row, &text)| hot[row * classes + of[text]] = 1.0);
                let likely = activation::log_softmax(outputs, 1) * wanted(hot, *classes);
                likely.sum().mul_scalar(-1.0 / texts.len() as f64)
            }
            Targets::Numbers(numbers) => {
                let apart = outputs - wanted(texts.iter().map(|&text| numbers[text]).collect(), 1);
                (apart.clone() * apart).mean()
            }
        })
    }

    fn validate(&self, module: &Rationaliser) -> Result<Option<Validation>> {
        if self.validation.is_empty() {
            return Ok(None);
        }
        let read = read(&module.for_use()?, self.vocabulary, self.texts, self.validation)?;
        let found = Evaluation::new(&read, self.targets, self.validation);
        ensure(found.loss().is_finite(), || {
            Error::argument("loss", found.loss(), "the model has diverged; a smaller learning rate may help")
        })?;
        Ok(Some(Validation { score: found.quality(), loss: found.loss() }))
    }
}

/// The vectors of words, one a row.
pub(super) fn vectors(vocabulary: &Vocabulary, words: &[u32], device: &Device) -> Tensor<2> {
    Tensor::from_data(TensorData::new(vocabulary.rows(words), [words.len(), vocabulary.width()]), device)
}
