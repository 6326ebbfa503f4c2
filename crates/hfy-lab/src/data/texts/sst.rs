use hfy_io::texts;
use hfy_nn::text::Targets;

use super::{Corpus, Marked, file, marked_words, read};
use crate::data::Place;
use crate::error::{Error, Result};

/// Sentences that are negative or positive. Neutral ones are left out.
pub(super) fn load(place: &Place) -> Result<Corpus> {
    let mut corpus = Corpus {
        texts: Vec::new(),
        targets: Targets::Classes { classes: 2, of: Vec::new() },
        train: Vec::new(),
        validation: Vec::new(),
        test: Vec::new(),
        marked: Vec::new(),
    };
    let mut classes = Vec::new();
    // The place of each line of the file for validation.
    let mut places = Vec::new();
    for part in ["train", "dev", "test"] {
        let path = file(place, "sst", &format!("{part}.txt"))?;
        let text = std::fs::read_to_string(&path).map_err(Error::io("read", &path))?;
        for (number, line) in text.lines().enumerate() {
            let (grade, words) = leaves(line).ok_or_else(|| {
                Error::format(&path, format!("line {} is no tree with grades from 0 to 4", number + 1))
            })?;
            let at = (grade != 2).then_some(corpus.texts.len());
            if part == "dev" {
                places.push(at);
            }
            let Some(at) = at else { continue };
            match part {
                "train" => corpus.train.push(at),
                "dev" => corpus.validation.push(at),
                _ => corpus.test.push(at),
            }
            classes.push(usize::from(grade > 2));
            corpus.texts.push(words);
        }
    }
    let options = texts::Options { label: Some("line".into()), ..texts::Options::default() };
    let marks = read(place, "sst", "human_rationales_250.jsonl", &options)?;
    for (number, line) in marks.labels().unwrap_or_default().iter().enumerate() {
        let line: usize = line.parse().map_err(|_| Error::Data(format!("sst: '{line}' is no line of dev.txt")))?;
        let Some(Some(text)) = places.get(line).copied() else { continue };
        let (found, words) = marked_words(&marks, number);
        if found.len() != corpus.texts[text].len() {
            return Err(Error::Data(format!("sst: the marks of line {line} are of another sentence")));
        }
        corpus.marked.push(Marked { text, words });
    }
    corpus.targets = Targets::Classes { classes: 2, of: classes };
    Ok(corpus)
}

/// The grade of a sentence and its words, from its tree.
fn leaves(line: &str) -> Option<(u8, Vec<String>)> {
    let grade = line.strip_prefix('(')?.bytes().next()?.wrapping_sub(b'0');
    let leaf = |part: &str| {
        let word = part.trim_end_matches(')');
        let plain = match word {
            "-LRB-" => "(",
            "-RRB-" => ")",
            other => other,
        };
        plain.replace("\\/", "/").replace("\\*", "*")
    };
    let words: Vec<String> =
        line.split(' ').filter(|part| part.ends_with(')') && !part.starts_with('(')).map(leaf).collect();
    (grade <= 4 && !words.is_empty()).then_some((grade, words))
}

#[cfg(test)]
mod tests {
    use super::leaves;

    #[test]
    fn trees_are_read() {
        let (grade, words) = leaves("(3 (2 It) (4 (2 's) (4 (3 lovely) (2 (2 -LRB-) (2 1\\/2)))))").unwrap();
        assert_eq!((grade, words.join(" ")), (3, "It 's lovely ( 1/2".into()));
        assert_eq!(leaves("no tree"), None);
        assert_eq!(leaves("(7 (2 a))"), None);
    }
}
