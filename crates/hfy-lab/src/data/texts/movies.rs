use hfy_io::texts;
use hfy_nn::text::Targets;
use serde_json::Value;

use super::{Corpus, Marked, file};
use crate::data::{Place, bytes};
use crate::error::{Error, Result};

/// No file is larger.
const MOST: u64 = 1 << 28;

/// Long film reviews. Marks are kept of those to test with.
pub(super) fn load(place: &Place) -> Result<Corpus> {
    let path = file(place, "movies", "rationales_1999.jsonl.gz")?;
    let lines = bytes(&path, MOST)?;
    let wrong = |what: String| Error::format(&path, what);
    let mut corpus = Corpus {
        texts: Vec::new(),
        targets: Targets::Numbers(Vec::new()),
        train: Vec::new(),
        validation: Vec::new(),
        test: Vec::new(),
        marked: Vec::new(),
    };
    let mut classes = Vec::new();
    // As lists of words, since the spans count words.
    let mut lists = String::new();
    for (number, line) in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).enumerate() {
        let mut object: Value =
            serde_json::from_slice(line).map_err(|error| wrong(format!("line {}: {error}", number + 1)))?;
        let part = object["split"].as_str().unwrap_or_default().to_owned();
        match part.as_str() {
            "train" => corpus.train.push(number),
            "val" => corpus.validation.push(number),
            "test" => corpus.test.push(number),
            other => return Err(wrong(format!("line {}: '{other}' is no split", number + 1))),
        }
        let words: Vec<&str> =
            object["text"].as_str().unwrap_or_default().split(' ').filter(|word| !word.is_empty()).collect();
        object["tokens"] = words.into();
        object.as_object_mut().map(|object| object.remove("text"));
        lists += &object.to_string();
        lists.push('\n');
    }
    let options = texts::Options { text: Some("tokens".into()), ..texts::Options::default() };
    let found =
        texts::read_bytes(lists.as_bytes(), "movies.jsonl", &options).map_err(|error| wrong(error.to_string()))?;
    for (number, label) in found.labels().unwrap_or_default().iter().enumerate() {
        let (words, marks) = super::marked_words(&found, number);
        classes.push(super::imdb::class(label)?);
        corpus.texts.push(words);
        // Agreement is for texts that are not trained with; those to test with are marked more fully.
        if corpus.test.contains(&number) {
            corpus.marked.push(Marked { text: number, words: marks });
        }
    }
    corpus.targets = Targets::Classes { classes: 2, of: classes };
    Ok(corpus)
}
