//! Whether a prediction rests on the words that were chosen.

use serde::{Deserialize, Serialize};

use super::read::read_with;
use super::{Rationaliser, Read, Texts, Vocabulary};
use crate::error::Result;

/// By how much the probability of the predicted class falls, in the mean, or by how much the predicted number changes.
///
/// Reference: DeYoung et al., *ERASER: A Benchmark to Evaluate Rationalized NLP Models*, 2020.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Faithfulness {
    /// From the whole text to the chosen words alone: small where they suffice.
    pub sufficiency: f64,
    /// From the whole text to all other words: large where the chosen ones are needed.
    pub comprehensiveness: f64,
}

/// The faithfulness of what a network made of some texts. What is left of a text is read with the budget of the whole;
/// where no word is left, there is one that is unknown.
pub fn faithfulness(
    network: &Rationaliser,
    vocabulary: &Vocabulary,
    texts: &Texts,
    which: &[usize],
    found: &[Read],
) -> Result<Faithfulness> {
    let erased = |keep: bool| {
        Texts::new(which.iter().zip(found).map(|(&text, read)| {
            let words = texts.text(text).iter().zip(read.rationale());
            let left: Vec<u32> = words.filter(|(_, chosen)| *chosen == keep).map(|(word, _)| *word).collect();
            if left.is_empty() { vec![Vocabulary::UNKNOWN] } else { left }
        }))
    };
    let change = |keep: bool| -> Result<f64> {
        let texts = erased(keep)?;
        let all: Vec<usize> = (0..texts.len()).collect();
        let lengths: Vec<usize> = found.iter().map(|read| read.weights.len()).collect();
        let now = read_with(network, vocabulary, &texts, &all, Some(&lengths))?;
        let fall = |(whole, part): (&Read, &Read)| match whole.outputs.len() {
            1 => f64::from((whole.outputs[0] - part.outputs[0]).abs()),
            _ => whole.probabilities()[whole.class()] - part.probabilities()[whole.class()],
        };
        Ok(found.iter().zip(&now).map(fall).sum::<f64>() / found.len().max(1) as f64)
    };
    Ok(Faithfulness { sufficiency: change(true)?, comprehensiveness: change(false)? })
}
