//! A run of training on texts, with tests of predictions and of chosen words.

use std::ops::ControlFlow;

use hfy_nn::text::{
    self, Agreement, Evaluation, Faithfulness, Rationaliser, RationaliserConfig, Read, Selector, TextTrainConfig,
    Texts, agreement, faithfulness, runs, tokens,
};
use hfy_nn::train::{Epoch, FitConfig, Keep, Progress, Watch};
use serde::{Deserialize, Serialize};

use super::super::{brief, brief_epoch, mean};
use super::own;
use crate::data::{EncodedCorpus, TextSet};
use crate::error::Result;
use crate::experiment::{Bench, Cell, Mode};

/// What chooses words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Chooser {
    /// A share of the words.
    Subsets,
    /// A share of the words, neighbours rather than others.
    Sequence,
    /// Neighbours, at most a share of the words.
    Spans,
    /// Any words, by sparsemax.
    Sparsemax,
    /// All words.
    Softmax,
}

impl Chooser {
    /// All of them, in the order of figures.
    pub(super) const ALL: [Chooser; 5] =
        [Chooser::Softmax, Chooser::Sparsemax, Chooser::Spans, Chooser::Subsets, Chooser::Sequence];

    /// The name in figures and tables.
    pub(super) fn title(self) -> &'static str {
        match self {
            Chooser::Subsets => "k-subsets",
            Chooser::Sequence => "seq. k-subsets",
            Chooser::Spans => "span of at most k",
            Chooser::Sparsemax => "sparsemax",
            Chooser::Softmax => "softmax",
        }
    }

    fn has_budget(self) -> bool {
        !matches!(self, Chooser::Sparsemax | Chooser::Softmax)
    }

    /// The map, with a transition of neighbours.
    fn omega(self, budget: &str, transition: f64) -> String {
        match self {
            Chooser::Subsets => format!("subsets:{budget}"),
            Chooser::Sequence => format!("sequence:{budget}:t={transition}"),
            Chooser::Spans => format!("spans:{budget}"),
            Chooser::Sparsemax => "sparsemax".to_owned(),
            Chooser::Softmax => "softmax".to_owned(),
        }
    }
}

/// What a neighbour that is chosen too adds to a score.
const TRANSITION: f64 = 0.001;
/// The temperature in use.
const USED: f64 = 1e-3;
/// Texts for which sufficiency and comprehensiveness are computed.
const ERASED: usize = 500;
/// Marked texts whose chosen words are kept.
const SHOWN: usize = 3;

/// A run of training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) set: TextSet,
    pub(super) chooser: Chooser,
    pub(super) mode: Mode,
    pub(super) seed: u64,
    /// The most texts to train with, and the most words of a text that is trained with.
    texts: Option<usize>,
    words: usize,
    epochs: usize,
    patience: usize,
    rate: f64,
    /// The most texts to test with, or `None` for all.
    tests: Option<usize>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Value {
    pub(super) test: Evaluation,
    pub(super) epochs: Vec<Epoch>,
    pub(super) kept: usize,
    /// Beside the words that people marked, where there are any.
    pub(super) people: Option<Agreement>,
    pub(super) faithfulness: Faithfulness,
    /// The mean share of the test words that are chosen, and the mean number of runs that they come in.
    pub(super) share: f64,
    pub(super) runs: f64,
    /// The marked texts that are shown: the number among the marked ones, and which words are chosen.
    pub(super) shown: Vec<(usize, Vec<usize>)>,
    /// Which words are chosen in the reviews that we wrote, and the score that is predicted.
    pub(super) own: Vec<(Vec<usize>, f64)>,
}

impl Value {
    /// Macro F1, or the squared error.
    pub(super) fn quality(&self) -> f64 {
        self.test.quality().abs()
    }

    /// F1 beside people's marks, as the paper counts it.
    pub(super) fn overlap(&self) -> Option<f64> {
        self.people.map(|people| people.macro_f1)
    }
}

impl Key {
    pub(super) fn new(set: TextSet, chooser: Chooser, mode: Mode, seed: u64, quick: bool) -> Self {
        let (texts, epochs) = match set {
            TextSet::Sst => (None, 10),
            TextSet::AgNews => (None, 4),
            TextSet::Imdb => (Some(8000), 4),
            TextSet::Movies => (None, 8),
            _ => (None, 12),
        };
        let key = Key { set, chooser, mode, seed, texts, words: 256, epochs, patience: 3, rate: 1e-3, tests: None };
        if quick { Key { texts: Some(64), words: 32, epochs: 1, tests: Some(32), ..key } } else { key }
    }

    /// Whether it is a run of Table 6, which other experiments look at, too.
    fn is_of_table6(&self) -> bool {
        matches!(self.chooser, Chooser::Subsets | Chooser::Sequence) && self.set != TextSet::Movies
    }

    pub(super) fn cell(&self) -> Cell {
        // Texts, words a text, and seconds a word, forward and backward.
        let (texts, words) = match self.set {
            TextSet::Sst => (6920, 19),
            TextSet::AgNews => (18_789, 44),
            TextSet::Imdb => (25_000, 190),
            TextSet::Movies => (1600, 256),
            _ => (1727, 150),
        };
        let trained = (texts.min(self.texts.unwrap_or(texts)) * words.min(self.words)) as f64;
        let cell = Cell::new(self, 1e-4 * self.epochs as f64 * trained).with_texts([self.set]).training();
        if self.is_of_table6() { cell.kept_by("table6") } else { cell }
    }

    fn config(&self, vectors: usize, outputs: usize) -> TextTrainConfig {
        let printed = self.mode == Mode::Printed;
        let budget = if matches!(self.set, TextSet::Sst | TextSet::AgNews) { "20%" } else { "10%" };
        let temperature = if printed && self.set != TextSet::Sst { 0.05 } else { 0.1 };
        let omega = |transition: f64| self.chooser.omega(budget, transition);
        // Without a budget a low temperature would choose one word.
        let used = if self.chooser.has_budget() { USED } else { temperature };
        // The published code divides the transition by the temperature twice in use.
        let twice = if printed { USED } else { 1.0 };
        let beer_subsets = self.set.aspect().is_some() && self.chooser == Chooser::Subsets;
        let bag_dropout = if self.set == TextSet::AgNews || beer_subsets { 0.0 } else { 0.5 };
        TextTrainConfig {
            model: RationaliserConfig {
                head: if printed { 400 } else { 200 },
                used: Selector { omega: omega(TRANSITION / twice), temperature: used },
                bag_dropout: if printed { bag_dropout } else { 0.0 },
                head_dropout: if printed { 0.0 } else { 0.5 },
                padding: printed && self.chooser.has_budget(),
                ..RationaliserConfig::new(vectors, outputs, Selector { omega: omega(TRANSITION), temperature })
            },
            rate: self.rate,
            fit: FitConfig {
                epochs: self.epochs,
                batch: 32,
                patience: Some(self.patience),
                keep: Keep::Best,
                seed: self.seed,
            },
            ..TextTrainConfig::default()
        }
    }

    /// Trains and tests.
    pub(super) fn compute(&self, bench: &Bench<'_>) -> Result<Value> {
        let EncodedCorpus { corpus, vocabulary, texts } = bench.texts(self.set)?;
        // What is trained with is cut to a length; every n-th text is taken where there are too many.
        let every = corpus.train.len().div_ceil(self.texts.unwrap_or(usize::MAX));
        let train: Vec<usize> = corpus.train.iter().copied().step_by(every).collect();
        let validation: Vec<usize> = corpus.validation.iter().copied().step_by(every).collect();
        let is_trained = {
            let mut trained = vec![false; texts.len()];
            train.iter().chain(&validation).for_each(|&text| trained[text] = true);
            trained
        };
        let cut = Texts::new((0..texts.len()).map(|text| {
            let words = texts.text(text);
            if is_trained[text] { words[..words.len().min(self.words)].to_vec() } else { words.to_vec() }
        }))?;
        let config = self.config(vocabulary.width(), corpus.targets.outputs());
        let mut observer = |progress: Progress<'_>| match progress.step % 8 {
            0 => bench.hear((950.0 * progress.share()) as usize, 1000),
            _ => ControlFlow::Continue(()),
        };
        let watch = Watch { observer: Some(&mut observer), checkpoint: None };
        let fitted = text::train(&config, vocabulary, &cut, &corpus.targets, [&train, &validation], watch)?;
        let network = fitted.module.for_use()?;
        let tests: Vec<usize> = corpus.test.iter().copied().take(self.tests.unwrap_or(usize::MAX)).collect();
        let found = text::read(&network, vocabulary, texts, &tests)?;
        let marked: Vec<usize> = corpus.marked.iter().map(|marked| marked.text).collect();
        let chosen: Vec<Vec<bool>> =
            text::read(&network, vocabulary, texts, &marked)?.iter().map(Read::rationale).collect();
        let marks: Vec<Vec<Option<bool>>> = corpus.marked.iter().map(|marked| marked.words.clone()).collect();
        let test = Evaluation::new(&found, &corpus.targets, &tests);
        let some: Vec<usize> = tests.iter().copied().take(ERASED).collect();
        let erased = faithfulness(&network, vocabulary, texts, &some, &found[..some.len()])?;
        let of_words = |of: &dyn Fn(&[bool]) -> f64| {
            brief(mean(&found.iter().map(|read| of(&read.rationale())).collect::<Vec<f64>>()))
        };
        Ok(Value {
            test: brief_evaluation(test),
            epochs: fitted.epochs.iter().copied().map(brief_epoch).collect(),
            kept: fitted.kept,
            people: agreement(chosen.iter().zip(&marks)).map(brief_agreement),
            faithfulness: Faithfulness {
                sufficiency: brief(erased.sufficiency),
                comprehensiveness: brief(erased.comprehensiveness),
            },
            share: of_words(&|words| places(words).len() as f64 / words.len() as f64),
            runs: of_words(&|words| runs(words) as f64),
            shown: shown(&marks).into_iter().map(|at| (at, places(&chosen[at]))).collect(),
            own: if self.set.aspect().is_some() { read_own(&network, bench.texts(self.set)?)? } else { Vec::new() },
        })
    }
}

/// The numbers of chosen words.
fn places(chosen: &[bool]) -> Vec<usize> {
    (0..chosen.len()).filter(|&at| chosen[at]).collect()
}

/// Which marked texts are shown: the first of a length that fits, in which people marked between a tenth and a half.
pub(super) fn shown(marks: &[Vec<Option<bool>>]) -> Vec<usize> {
    let fits = |words: &Vec<Option<bool>>| {
        let share = words.iter().filter(|mark| **mark == Some(true)).count() as f64 / words.len() as f64;
        (40..=90).contains(&words.len()) && (0.1..=0.5).contains(&share)
    };
    (0..marks.len()).filter(|&at| fits(&marks[at])).take(SHOWN).collect()
}

/// The reviews that we wrote.
fn read_own(network: &Rationaliser, corpus: &EncodedCorpus) -> Result<Vec<(Vec<usize>, f64)>> {
    let words = own::REVIEWS.map(|review| {
        let plain = own::plain(review);
        tokens(&plain).into_iter().map(|place| plain[place].to_owned()).collect::<Vec<String>>()
    });
    let texts = Texts::encode(&corpus.vocabulary, &words)?;
    let all: Vec<usize> = (0..texts.len()).collect();
    let found = text::read(network, &corpus.vocabulary, &texts, &all)?;
    Ok(found.iter().map(|read| (places(&read.rationale()), brief(f64::from(read.outputs[0])))).collect())
}

fn brief_evaluation(found: Evaluation) -> Evaluation {
    match found {
        Evaluation::Classes { macro_f1, accuracy, loss } => {
            Evaluation::Classes { macro_f1: brief(macro_f1), accuracy: brief(accuracy), loss: brief(loss) }
        }
        Evaluation::Numbers { squared_error, absolute_error } => {
            Evaluation::Numbers { squared_error: brief(squared_error), absolute_error: brief(absolute_error) }
        }
    }
}

fn brief_agreement(found: Agreement) -> Agreement {
    let Agreement { f1, precision, recall, macro_f1 } = found;
    Agreement { f1: brief(f1), precision: brief(precision), recall: brief(recall), macro_f1: brief(macro_f1) }
}
