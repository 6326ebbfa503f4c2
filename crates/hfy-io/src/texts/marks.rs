//! What people marked in a text.

use std::ops::Range;

use serde_json::Value;

/// The marked passages of a text in bytes, from spans of characters, or of words where they are given; or from a 0 or 1
/// for each word.
pub(super) fn read(marks: &Value, text: &str, words: Option<&[Range<usize>]>) -> Result<Vec<Range<usize>>, String> {
    let wrong = || {
        let flags = if words.is_some() { ", or a 0 or 1 for each word" } else { "" };
        format!("a rationale is a list of [start, end) pairs{flags}")
    };
    if marks.is_null() {
        return Ok(Vec::new());
    }
    let marks = marks.as_array().ok_or_else(wrong)?;
    if let (Some(words), false) = (words, marks.iter().any(Value::is_array)) {
        let flag = |value: &Value| match value {
            Value::Bool(flag) => Some(*flag),
            Value::Number(number) => Some(number.as_f64()? > 0.0),
            _ => None,
        };
        let flags = marks.iter().map(flag).collect::<Option<Vec<bool>>>().ok_or_else(wrong)?;
        if flags.len() != words.len() && !flags.is_empty() {
            return Err(format!("a rationale of {} numbers for {} words", flags.len(), words.len()));
        }
        let chosen = words.iter().zip(flags).filter(|(_, flag)| *flag);
        return Ok(chosen.map(|(word, _)| word.clone()).collect());
    }
    // Where each character begins, and the end.
    let characters: Vec<usize> = match words {
        Some(_) => Vec::new(),
        None => text.char_indices().map(|(at, _)| at).chain([text.len()]).collect(),
    };
    let count = words.map_or(characters.len().saturating_sub(1), <[_]>::len);
    let span = |pair: &Value| {
        let pair = pair.as_array().filter(|pair| pair.len() == 2).ok_or_else(wrong)?;
        let [start, end] = [&pair[0], &pair[1]].map(Value::as_u64);
        let (Some(start), Some(end)) = (start, end) else { return Err(wrong()) };
        let (start, end) = (start as usize, end as usize);
        if start > end || end > count {
            return Err(format!("the span [{start}, {end}) does not lie in a text of {count}"));
        }
        Ok(match words {
            Some(_) if start == end => 0..0,
            Some(words) => words[start].start..words[end - 1].end,
            None => characters[start]..characters[end],
        })
    };
    let spans = marks.iter().map(span).collect::<Result<Vec<_>, String>>()?;
    Ok(spans.into_iter().filter(|span| !span.is_empty()).collect())
}

/// Words joined by spaces, and where they are.
pub(super) fn joined(words: &[Value]) -> Option<(String, Vec<Range<usize>>)> {
    let (mut text, mut places) = (String::new(), Vec::with_capacity(words.len()));
    for word in words {
        let word = word.as_str().filter(|word| !word.is_empty())?;
        if !text.is_empty() {
            text.push(' ');
        }
        places.push(text.len()..text.len() + word.len());
        text.push_str(word);
    }
    Some((text, places))
}
