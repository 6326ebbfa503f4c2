//! Texts as numbers of words.

use super::Vocabulary;
use crate::error::{Error, Result, ensure};

/// Texts one after the other, each at least a word long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    words: Vec<u32>,
    offsets: Vec<usize>,
}

impl Texts {
    /// The numbers that a vocabulary has for the words of texts.
    pub fn encode<T: AsRef<[S]>, S: AsRef<str>>(
        vocabulary: &Vocabulary,
        texts: impl IntoIterator<Item = T>,
    ) -> Result<Self> {
        let number = |text: T| text.as_ref().iter().map(|word| vocabulary.find(word.as_ref())).collect::<Vec<u32>>();
        Texts::new(texts.into_iter().map(number))
    }

    /// Texts of numbered words.
    pub fn new(texts: impl IntoIterator<Item = Vec<u32>>) -> Result<Self> {
        let (mut words, mut offsets) = (Vec::new(), vec![0]);
        for (at, text) in texts.into_iter().enumerate() {
            ensure(!text.is_empty(), || Error::argument("texts", format!("text {at}"), "it has no words"))?;
            words.extend(text);
            offsets.push(words.len());
        }
        Ok(Texts { words, offsets })
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The words of a text.
    pub fn text(&self, text: usize) -> &[u32] {
        &self.words[self.offsets[text]..self.offsets[text + 1]]
    }

    /// All words, text after text.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The words of some texts one after the other, and where each begins.
    pub(super) fn batch(&self, texts: &[usize]) -> (Vec<u32>, Vec<usize>) {
        let (mut words, mut offsets) = (Vec::new(), vec![0]);
        for &text in texts {
            words.extend_from_slice(self.text(text));
            offsets.push(words.len());
        }
        (words, offsets)
    }
}
