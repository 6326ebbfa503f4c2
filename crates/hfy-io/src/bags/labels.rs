//! Labels of bags from the texts in a file.

use std::collections::HashMap;

use super::listed;
use crate::text::visible;

/// Texts that occur many times, each kept once.
#[derive(Debug, Default)]
pub(super) struct Names {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Names {
    /// The number of a text: texts are counted from 0 in the order in which they are first met.
    pub(super) fn number(&mut self, text: &str) -> usize {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len();
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// All texts, each in the place of its number.
    pub(super) fn texts(&self) -> &[String] {
        &self.texts
    }

    pub(super) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

/// Words for two labels, in lower case, the negative one first.
const PAIRS: [[&str; 2]; 6] =
    [["0", "1"], ["-1", "1"], ["false", "true"], ["no", "yes"], ["negative", "positive"], ["neg", "pos"]];

/// A label as it is compared: `1`, `+1` and `1.0` are one label, and so are `True` and `true`.
pub(super) fn canonical(text: &str) -> String {
    let word = text.to_ascii_lowercase();
    match text.parse::<f64>() {
        // Zero has two signs.
        Ok(value) if value.is_finite() => (value + 0.0).to_string(),
        _ if PAIRS.iter().flatten().any(|known| *known == word) => word,
        _ => text.to_owned(),
    }
}

/// Whether each of the different labels of a file, of which there are at most two, is positive; or the rule that they
/// break.
pub(super) fn positives(labels: &[String], positive: Option<&str>) -> Result<Vec<bool>, String> {
    let all = listed(labels.iter().map(String::as_str));
    if let Some(positive) = positive {
        let wanted = canonical(positive.trim());
        if labels.len() > 1 && !labels.contains(&wanted) {
            return Err(format!("positive = '{}': the labels are {all}", visible(positive)));
        }
        return Ok(labels.iter().map(|label| *label == wanted).collect());
    }
    match PAIRS.iter().find(|pair| labels.iter().all(|label| pair.contains(&label.as_str()))) {
        Some([_, positive]) => Ok(labels.iter().map(|label| label == positive).collect()),
        None => Err(format!("the labels are {all}: say which is positive with the option positive, or use 0 and 1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(labels: &[&str], positive: Option<&str>) -> Result<Vec<bool>, String> {
        let mut names = Names::default();
        labels.iter().for_each(|label| _ = names.number(&canonical(label)));
        positives(names.texts(), positive)
    }

    #[test]
    fn two_kinds_are_told_apart() {
        assert_eq!(read(&["0", "1"], None), Ok(vec![false, true]));
        assert_eq!(read(&["+1", "-1.0", "1"], None), Ok(vec![true, false]));
        assert_eq!(read(&["TRUE", "False", "true"], None), Ok(vec![true, false]));
        assert_eq!(read(&["No", "YES"], None), Ok(vec![false, true]));
        assert_eq!(read(&["Positive", "negative"], None), Ok(vec![true, false]));
        assert_eq!(read(&["-0.0", "0"], None), Ok(vec![false]));
        assert_eq!(read(&["well", "ill"], Some("ill")), Ok(vec![false, true]));
        assert_eq!(read(&["1", "2.0"], Some("2")), Ok(vec![false, true]));
        assert_eq!(read(&["well"], Some("ill")), Ok(vec![false]));
        assert_eq!(read(&["0", "1"], Some("0")), Ok(vec![true, false]));
    }

    #[test]
    fn other_labels_are_refused() {
        for (labels, positive, said) in [
            (&["well", "ill"][..], None, "the labels are 'well', 'ill': say which is positive"),
            (&["well", "ill"], Some("Ill"), "positive = 'Ill': the labels are 'well', 'ill'"),
            (&["0", "-1"], None, "the labels are '0', '-1': say"),
            (&["1", "true"], None, "the labels are '1', 'true': say"),
            (&["2"], None, "the labels are '2': say"),
        ] {
            let error = read(labels, positive).unwrap_err();
            assert!(error.starts_with(said), "{error}");
        }
    }
}
