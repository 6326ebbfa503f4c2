use std::collections::HashMap;

use hfy_io::texts;
use hfy_nn::text::Targets;

use super::{Corpus, Marked, file, read, words};
use crate::data::{Place, bytes};
use crate::error::{Error, Result};

/// No file is larger.
const MOST: u64 = 1 << 28;

/// The number of the best score; scores are divided by it.
const BEST: f32 = 5.0;

/// Reviews with the score of an aspect: of every ten, seven to train with, one for validation, two to test with.
/// People's marks are in other reviews, which have no score.
pub(super) fn load(place: &Place, aspect: &str) -> Result<Corpus> {
    let options = texts::Options { label: Some(aspect.into()), ..texts::Options::default() };
    let scored = read(place, "beer", "train_2467.jsonl.gz", &options)?;
    let score = |label: &String| {
        let score = label.parse::<f32>().ok().filter(|score| (0.0..=BEST).contains(score));
        score.map(|score| score / BEST).ok_or_else(|| Error::Data(format!("beer: '{label}' is no score up to {BEST}")))
    };
    let mut numbers = scored.labels().unwrap_or_default().iter().map(score).collect::<Result<Vec<f32>>>()?;
    // The marked reviews are in lower case.
    let mut all: Vec<Vec<String>> = (0..scored.len()).map(|text| words(&scored.text(text).to_lowercase())).collect();
    let part = |some: &[usize]| (0..scored.len()).filter(|at| some.contains(&(at % 10))).collect();
    let (train, validation, test) = (part(&[0, 1, 2, 3, 4, 5, 6]), part(&[7]), part(&[8, 9]));
    let mut marked = Vec::new();
    for (words, marks) in marked_reviews(place, aspect)? {
        marked.push(Marked { text: all.len(), words: marks });
        all.push(words);
        numbers.push(0.0);
    }
    Ok(Corpus { texts: all, targets: Targets::Numbers(numbers), train, validation, test, marked })
}

/// The words of a review, and whether each is about an aspect.
type MarkedReview = (Vec<String>, Vec<Option<bool>>);

/// The reviews in which people marked sentences.
fn marked_reviews(place: &Place, aspect: &str) -> Result<Vec<MarkedReview>> {
    let id = texts::Options { label: Some("id".into()), ..texts::Options::default() };
    let reviews = read(place, "beer", "reviews_994.jsonl", &id)?;
    let by_id: HashMap<&str, usize> =
        reviews.labels().unwrap_or_default().iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
    let path = file(place, "beer", "human_rationales_990.jsonl")?;
    let wrong = |what: String| Error::format(&path, what);
    let mut found = Vec::new();
    for (number, line) in bytes(&path, MOST)?.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).enumerate() {
        let object: HashMap<String, serde_json::Value> =
            serde_json::from_slice(line).map_err(|error| wrong(format!("line {}: {error}", number + 1)))?;
        let id = object.get("id").map(ToString::to_string).unwrap_or_default();
        let review = by_id.get(id.as_str()).ok_or_else(|| wrong(format!("there is no review {id}")))?;
        let words: Vec<String> = reviews
            .words(*review)
            .unwrap_or_default()
            .iter()
            .map(|word| reviews.text(*review)[word.clone()].to_owned())
            .collect();
        let spans = |name: &str| {
            let spans = object.get(name).cloned().unwrap_or_default();
            serde_json::from_value::<Vec<(usize, usize)>>(spans)
                .map_err(|error| wrong(format!("line {}, {name}: {error}", number + 1)))
        };
        let mut marks = vec![Some(false); words.len()];
        for (name, mark) in [(aspect, Some(true)), ("unclear", None)] {
            for (start, end) in spans(name)? {
                marks
                    .get_mut(start..end)
                    .ok_or_else(|| wrong(format!("line {}: [{start}, {end})", number + 1)))?
                    .fill(mark);
            }
        }
        found.push((words, marks));
    }
    Ok(found)
}
