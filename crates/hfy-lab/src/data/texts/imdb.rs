use std::collections::HashSet;

use hfy_nn::text::Targets;

use super::{Corpus, Marked, column, every_tenth, marked_words, read, words};
use crate::data::Place;
use crate::error::{Error, Result};
use hfy_io::texts;

/// Film reviews. Those with marks are not trained with; every tenth of the others is for validation.
pub(super) fn load(place: &Place) -> Result<Corpus> {
    let marks = texts::Options { rationale: Some("rationale_chars".into()), ..texts::Options::default() };
    let marked = read(place, "imdb", "human_rationales_855.jsonl.gz", &marks)?;
    let plain = |text: &str| text.replace("<br />", " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let known: HashSet<String> = (0..marked.len()).map(|text| plain(marked.text(text))).collect();
    let (mut all, mut classes) = (Vec::new(), Vec::new());
    let mut parts = Vec::new();
    for name in ["train_25000.tsv.gz", "test_25000.tsv.gz"] {
        let found = read(place, "imdb", name, &column(4, 1))?;
        let mut part = Vec::new();
        for (text, label) in found.labels().unwrap_or_default().iter().enumerate() {
            if name.starts_with("train") && known.contains(&plain(found.text(text))) {
                continue;
            }
            part.push(all.len());
            all.push(words(found.text(text)));
            classes.push(class(label)?);
        }
        parts.push(part);
    }
    let mut people = Vec::new();
    for (number, label) in marked.labels().unwrap_or_default().iter().enumerate() {
        let (found, words) = marked_words(&marked, number);
        people.push(Marked { text: all.len(), words });
        all.push(found);
        classes.push(class(label)?);
    }
    let (validation, train) = every_tenth(parts[0].len());
    let of = |places: Vec<usize>| places.into_iter().map(|place| parts[0][place]).collect();
    Ok(Corpus {
        train: of(train),
        validation: of(validation),
        test: parts[1].clone(),
        texts: all,
        targets: Targets::Classes { classes: 2, of: classes },
        marked: people,
    })
}

pub(super) fn class(label: &str) -> Result<usize> {
    match label {
        "0" => Ok(0),
        "1" => Ok(1),
        other => Err(Error::Data(format!("'{other}' is no label: 0 is negative, 1 is positive"))),
    }
}
