//! Words with vectors that are not trained.

use std::collections::HashMap;

use ndarray::{Array2, ArrayView2, Axis};

use crate::error::{Error, Result, ensure};

/// The words that have a vector. A word that has none is unknown, with a vector of zeros.
///
/// ```
/// use hfy_nn::text::Vocabulary;
///
/// let vocabulary = Vocabulary::new(vec!["ale".into(), "n't".into()], ndarray::array![[1.0, 2.0], [3.0, 4.0]])?;
/// assert_eq!(vocabulary.find("Ale"), vocabulary.find("ale"));
/// assert_eq!(vocabulary.find("stout"), Vocabulary::UNKNOWN);
/// assert_eq!(vocabulary.rows(&[vocabulary.find("n’t"), Vocabulary::UNKNOWN]), [3.0, 4.0, 0.0, 0.0]);
/// # Ok::<(), hfy_nn::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Vocabulary {
    words: Vec<String>,
    vectors: Array2<f32>,
    numbers: HashMap<String, u32>,
}

impl Vocabulary {
    /// The number of every unknown word. The others are numbered from 1.
    pub const UNKNOWN: u32 = 0;

    /// Words, each with a row of numbers. Of a word that is there twice the first row counts.
    pub fn new(words: Vec<String>, vectors: Array2<f32>) -> Result<Self> {
        let shape = vectors.shape();
        ensure(words.len() == shape[0] && shape[0] > 0 && shape[1] > 0, || {
            Error::shape("vectors", shape, format!("there must be a row of numbers for each of {} words", words.len()))
        })?;
        ensure(u32::try_from(words.len()).is_ok(), || {
            Error::argument("words", words.len(), format!("there may be at most {}", u32::MAX))
        })?;
        ensure(vectors.iter().all(|value| value.is_finite()), || {
            Error::argument("vectors", "a number that is not finite", "all must be finite")
        })?;
        let mut numbers = HashMap::with_capacity(words.len());
        for (word, number) in words.iter().zip(1..) {
            numbers.entry(word.clone()).or_insert(number);
        }
        Ok(Vocabulary { words, vectors: vectors.as_standard_layout().into_owned(), numbers })
    }

    /// The words, in the order of their numbers from 1.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The vector of each word, one a row.
    pub fn vectors(&self) -> ArrayView2<'_, f32> {
        self.vectors.view()
    }

    /// How many numbers a vector has.
    pub fn width(&self) -> usize {
        self.vectors.ncols()
    }

    /// The number of a word: as it is written, else in lower case, with straight quotes.
    pub fn find(&self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let plain = word.to_lowercase().replace(['’', '‘'], "'").replace(['“', '”'], "\"");
        self.numbers.get(&plain).copied().unwrap_or(Self::UNKNOWN)
    }

    /// The vectors of words, one after the other.
    pub fn rows(&self, numbers: &[u32]) -> Vec<f32> {
        let width = self.width();
        let mut rows = vec![0.0; numbers.len() * width];
        for (row, &number) in rows.chunks_exact_mut(width).zip(numbers) {
            if number != Self::UNKNOWN {
                row.copy_from_slice(self.vectors.row(number as usize - 1).as_slice().expect("rows are contiguous"));
            }
        }
        rows
    }

    /// The vocabulary of some of the words: those that a test chooses by number.
    pub fn only(&self, keep: impl Fn(u32) -> bool) -> Result<Self> {
        let kept: Vec<usize> = (0..self.words.len()).filter(|at| keep(*at as u32 + 1)).collect();
        let words = kept.iter().map(|at| self.words[*at].clone()).collect();
        Vocabulary::new(words, self.vectors.select(Axis(0), &kept))
    }
}
