//! Texts as lines of JSON.

use serde_json::{Map, Value};

use super::{LABEL, Options, RATIONALE, TEXT, Texts, marks};
use crate::text::visible;
use crate::{Error, Result};

pub(super) fn read(text: &str, file: &str, options: &Options) -> Result<Texts> {
    let mut texts = Texts::default();
    let (mut labels, mut marked) = (Vec::new(), Vec::new());
    let (mut labelled, mut any_marked) = (0, false);
    for (line, record) in (1..).zip(text.lines()).filter(|(_, record)| !record.trim().is_empty()) {
        let wrong = |what: String| Error::in_row(file, line, what);
        let object: Map<String, Value> =
            serde_json::from_str(record).map_err(|error| wrong(format!("is no object of JSON: {error}")))?;
        let key = |given: &Option<String>, known: &[&str]| {
            let known = known.iter().map(|name| (*name).to_owned()).collect();
            let names = given.clone().map_or(known, |name| vec![name]);
            names.into_iter().find(|name| object.contains_key(name))
        };
        let there = || {
            let keys: Vec<String> = object.keys().map(|key| format!("'{}'", visible(key))).collect();
            format!("the keys are {}", keys.join(", "))
        };
        let missing = |what: &str, given: &Option<String>, known: &[&str]| match given {
            Some(name) => wrong(format!("{what} = '{}': there is no such key; {}", visible(name), there())),
            None => wrong(format!("no key is called {}: the option {what} gives it; {}", known.join(", "), there())),
        };
        let name = key(&options.text, &TEXT).ok_or_else(|| missing("text", &options.text, &TEXT))?;
        let (text, words) = match &object[&name] {
            Value::String(text) => (text.clone(), None),
            Value::Array(words) => {
                let rule = || wrong(format!("'{}': a list of words holds strings, none of them empty", visible(&name)));
                let (text, places) = marks::joined(words).ok_or_else(rule)?;
                (text, Some(places))
            }
            _ => return Err(wrong(format!("'{}' is neither a text nor a list of words", visible(&name)))),
        };
        match key(&options.label, &LABEL).map(|name| &object[&name]) {
            Some(Value::String(label)) => labels.push(label.clone()),
            Some(label @ (Value::Number(_) | Value::Bool(_))) => labels.push(label.to_string()),
            Some(_) => return Err(wrong("a label is a string or a number".to_owned())),
            None if options.unlabelled => labels.push(String::new()),
            None => return Err(missing("label", &options.label, &LABEL)),
        }
        labelled += usize::from(!labels[labels.len() - 1].is_empty());
        let found = key(&options.rationale, &RATIONALE);
        if found.is_none() && options.rationale.is_some() {
            return Err(missing("rationale", &options.rationale, &RATIONALE));
        }
        any_marked |= found.is_some();
        let marks = found.map_or(Ok(Vec::new()), |name| marks::read(&object[&name], &text, words.as_deref()));
        marked.push(marks.map_err(wrong)?);
        texts.texts.push(text);
        texts.words.push(words);
        texts.lines.push(line);
    }
    texts.labels = (labelled == labels.len()).then_some(labels);
    texts.marked = any_marked.then_some(marked);
    Ok(texts)
}
