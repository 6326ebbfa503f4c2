//! Texts with the vectors of their words.

use hfy_nn::text::{Targets, Texts, Vocabulary};
use xxhash_rust::xxh3::xxh3_128;

use super::{Corpus, TextSet, load};
use crate::data::{Place, glove};
use crate::error::Result;

/// A set of texts, and the vectors of the words that they have.
#[derive(Debug, Clone)]
pub struct EncodedCorpus {
    /// The texts in words.
    pub corpus: Corpus,
    /// The words that have a vector.
    pub vocabulary: Vocabulary,
    /// The texts in numbers of words.
    pub texts: Texts,
}

impl EncodedCorpus {
    /// Reads a set and the vectors.
    pub fn load(place: &Place, set: TextSet) -> Result<Self> {
        let corpus = load(place, set)?;
        let (words, vectors) = glove::load(place)?.into_parts();
        let all = Vocabulary::new(words, vectors)?;
        let mut seen = vec![false; all.words().len() + 1];
        corpus.texts.iter().flatten().for_each(|word| seen[all.find(word) as usize] = true);
        let vocabulary = all.only(|number| seen[number as usize])?;
        let texts = Texts::encode(&vocabulary, &corpus.texts)?;
        Ok(EncodedCorpus { corpus, vocabulary, texts })
    }

    /// A number that says whether all of it is the same as another time.
    pub fn fingerprint(&self) -> u128 {
        let Corpus { texts, targets, train, validation, test, marked } = &self.corpus;
        let mut bytes = Vec::new();
        for text in texts {
            bytes.extend(text.join(" ").as_bytes());
            bytes.push(b'\n');
        }
        match targets {
            Targets::Classes { classes, of } => {
                of.iter().chain([classes]).for_each(|class| bytes.extend((*class as u64).to_le_bytes()));
            }
            Targets::Numbers(numbers) => numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes())),
        }
        for part in [train, validation, test] {
            part.iter().chain([&part.len()]).for_each(|text| bytes.extend((*text as u64).to_le_bytes()));
        }
        for one in marked {
            bytes.extend((one.text as u64).to_le_bytes());
            bytes.extend(one.words.iter().map(|mark| mark.map_or(2, u8::from)));
        }
        self.vocabulary.words().iter().for_each(|word| bytes.extend(word.as_bytes()));
        self.vocabulary.vectors().iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        xxh3_128(&bytes)
    }
}
