//! How well texts are predicted, and how far chosen words agree with those that people marked.

use serde::{Deserialize, Serialize};

use super::{Read, Targets};

/// Predictions beside targets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Evaluation {
    /// Of classes.
    Classes {
        /// The mean over the classes of F1.
        macro_f1: f64,
        /// The share that is right.
        accuracy: f64,
        /// The mean cross entropy.
        loss: f64,
    },
    /// Of numbers.
    Numbers {
        /// The mean of the squared errors.
        squared_error: f64,
        /// The mean of the absolute errors.
        absolute_error: f64,
    },
}

impl Evaluation {
    /// What was made of texts, beside the targets of these texts.
    pub fn new(read: &[Read], targets: &Targets, which: &[usize]) -> Self {
        let count = read.len().max(1) as f64;
        match targets {
            Targets::Classes { classes, of } => {
                let wanted: Vec<usize> = which.iter().map(|&text| of[text]).collect();
                let found: Vec<usize> = read.iter().map(Read::class).collect();
                let right = found.iter().zip(&wanted).filter(|(found, wanted)| found == wanted).count();
                let loss = |(read, wanted): (&Read, &usize)| -read.probabilities()[*wanted].max(1e-30).ln();
                let loss = read.iter().zip(&wanted).map(loss).sum::<f64>() / count;
                let macro_f1 = macro_f1(&found, &wanted, *classes);
                Evaluation::Classes { macro_f1, accuracy: right as f64 / count, loss }
            }
            Targets::Numbers(numbers) => {
                let errors = read.iter().zip(which).map(|(read, &text)| f64::from(read.outputs[0] - numbers[text]));
                let (squares, sizes) = errors.fold((0.0, 0.0), |(s, a), error| (s + error * error, a + error.abs()));
                Evaluation::Numbers { squared_error: squares / count, absolute_error: sizes / count }
            }
        }
    }

    /// The higher the better: macro F1, or the squared error with its sign turned.
    pub fn quality(&self) -> f64 {
        match self {
            Evaluation::Classes { macro_f1, .. } => *macro_f1,
            Evaluation::Numbers { squared_error, .. } => -squared_error,
        }
    }

    /// The lower the better: the cross entropy, or the squared error.
    pub fn loss(&self) -> f64 {
        match self {
            Evaluation::Classes { loss, .. } => *loss,
            Evaluation::Numbers { squared_error, .. } => *squared_error,
        }
    }
}

/// The mean over the classes of F1; a class that is neither there nor found has F1 zero.
///
/// ```
/// assert_eq!(hfy_nn::text::macro_f1(&[0, 0, 1, 1], &[0, 1, 1, 1], 2), (2.0 / 3.0 + 4.0 / 5.0) / 2.0);
/// ```
pub fn macro_f1(found: &[usize], wanted: &[usize], classes: usize) -> f64 {
    let f1 = |class: usize| {
        let count = |list: &[usize]| list.iter().filter(|one| **one == class).count();
        let both = found.iter().zip(wanted).filter(|(a, b)| **a == class && **b == class).count();
        let sum = count(found) + count(wanted);
        if sum == 0 { 0.0 } else { 2.0 * both as f64 / sum as f64 }
    };
    (0..classes).map(f1).sum::<f64>() / classes.max(1) as f64
}

/// Chosen words beside words that people marked, over all texts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// F1 of all words of all texts together.
    pub f1: f64,
    /// Which share of the chosen words people marked.
    pub precision: f64,
    /// Which share of the words that people marked was chosen.
    pub recall: f64,
    /// The harmonic mean of the means over the texts of precision and recall, which the paper reports.
    pub macro_f1: f64,
}

/// How far chosen words agree with marked ones. For each text: whether each word was chosen, and whether people marked
/// it; `None` for a word that does not count. Texts without marked words do not count; `None` where none does.
///
/// ```
/// let chosen = vec![vec![true, true, false, true]];
/// let marked = vec![vec![Some(true), Some(false), Some(true), None]];
/// let found = hfy_nn::text::agreement(chosen.iter().zip(&marked)).unwrap();
/// assert_eq!((found.precision, found.recall, found.f1), (0.5, 0.5, 0.5));
/// ```
pub fn agreement<'a>(texts: impl Iterator<Item = (&'a Vec<bool>, &'a Vec<Option<bool>>)>) -> Option<Agreement> {
    let (mut both, mut chosen, mut marked) = (0, 0, 0);
    let (mut precisions, mut recalls, mut counted) = (0.0, 0.0, 0);
    for (words, people) in texts {
        let pairs = || words.iter().zip(people).filter_map(|(chosen, marked)| Some((*chosen, (*marked)?)));
        let count = |test: fn((bool, bool)) -> bool| pairs().filter(|pair| test(*pair)).count();
        let of_text = [count(|(c, m)| c && m), count(|(c, _)| c), count(|(_, m)| m)];
        if of_text[2] == 0 {
            continue;
        }
        counted += 1;
        both += of_text[0];
        chosen += of_text[1];
        marked += of_text[2];
        precisions += of_text[0] as f64 / of_text[1].max(1) as f64;
        recalls += of_text[0] as f64 / of_text[2] as f64;
    }
    (counted > 0).then(|| {
        let harmonic = |a: f64, b: f64| if a + b == 0.0 { 0.0 } else { 2.0 * a * b / (a + b) };
        let (precision, recall) = (both as f64 / chosen.max(1) as f64, both as f64 / marked as f64);
        let macro_f1 = harmonic(precisions / f64::from(counted), recalls / f64::from(counted));
        Agreement { f1: harmonic(precision, recall), precision, recall, macro_f1 }
    })
}

/// How many runs of neighbours chosen words come in.
pub fn runs(chosen: &[bool]) -> usize {
    (0..chosen.len()).filter(|&at| chosen[at] && (at == 0 || !chosen[at - 1])).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_counts_words_of_texts_that_people_marked() {
        let chosen = [vec![true, false], vec![true, true], vec![true]];
        let marked = [vec![Some(true), Some(true)], vec![Some(false), Some(false)], vec![Some(true)]];
        let found = agreement(chosen.iter().zip(&marked)).unwrap();
        assert_eq!((found.precision, found.recall), (1.0, 2.0 / 3.0));
        assert_eq!(found.macro_f1, 2.0 * 0.75 / 1.75);
        assert_eq!(agreement(chosen[1..2].iter().zip(&marked[1..2])), None);
        let none = agreement([vec![false]].iter().zip(&[vec![Some(true)]])).unwrap();
        assert_eq!((none.f1, none.precision, none.macro_f1), (0.0, 0.0, 0.0));
    }

    #[test]
    fn runs_of_neighbours() {
        assert_eq!(runs(&[true, true, false, true, false, true]), 3);
        assert_eq!(runs(&[false]), 0);
    }

    #[test]
    fn a_class_that_is_nowhere_has_f1_zero() {
        assert_eq!(macro_f1(&[0, 1], &[0, 1], 4), 0.5);
    }
}
