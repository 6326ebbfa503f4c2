//! Texts in tables.

use super::{LABEL, Options, RATIONALE, TEXT, Texts, marks};
use crate::names::{default, find};
use crate::text::visible;
use crate::{Error, Result};

pub(super) fn read(text: &str, file: &str, delimiter: u8, options: &Options) -> Result<Texts> {
    let mut reader = ::csv::ReaderBuilder::new();
    // Texts between tabs often hold single quotation marks; only a whole cell between them is quoted.
    let quotes = delimiter != b'\t' || text.contains("\t\"") || text.starts_with('"');
    let mut reader = reader.has_headers(false).delimiter(delimiter).quoting(quotes).from_reader(text.as_bytes());
    let mut records = reader.records();
    let mut next = || match records.next() {
        None => Ok(None),
        Some(Ok(record)) => Ok(Some(record)),
        Some(Err(error)) => {
            let line = error.position().map_or(0, |position| position.line() as usize);
            let what = match error.kind() {
                ::csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                    format!(
                        "{len} cells where the first record has {expected_len}; a cell with commas or line breaks is quoted"
                    )
                }
                _ => error.to_string(),
            };
            Err(Error::in_row(file, line, what))
        }
    };
    let Some(first) = next()? else { return Err(Error::data(file, "holds no texts")) };
    let names: Vec<String> = first.iter().map(|name| name.trim().to_owned()).collect();
    let columns = Columns::find(&names, options).map_err(|what| Error::data(file, what))?;
    let mut texts = Texts { labels: columns.label.map(|_| Vec::new()), ..Texts::default() };
    texts.marked = columns.rationale.map(|_| Vec::new());
    let mut record = if columns.header { next()? } else { Some(first) };
    while let Some(cells) = record {
        let line = cells.position().map_or(0, |position| position.line() as usize);
        let text = cells[columns.text].to_owned();
        if let (Some(labels), Some(label)) = (&mut texts.labels, columns.label) {
            labels.push(cells[label].trim().to_owned());
        }
        if let (Some(marked), Some(column)) = (&mut texts.marked, columns.rationale) {
            let wrong = |what: String| Error::at(file, line, column + 1, what);
            let cell = Some(cells[column].trim()).filter(|cell| !cell.is_empty()).unwrap_or("[]");
            let value = serde_json::from_str(cell)
                .map_err(|_| wrong(format!("'{}' is no list of [start, end) pairs", visible(cell))))?;
            marked.push(marks::read(&value, &text, None).map_err(wrong)?);
        }
        texts.texts.push(text);
        texts.words.push(None);
        texts.lines.push(line);
        record = next()?;
    }
    Ok(texts)
}

struct Columns {
    header: bool,
    text: usize,
    label: Option<usize>,
    rationale: Option<usize>,
}

impl Columns {
    fn find(names: &[String], options: &Options) -> std::result::Result<Self, String> {
        let given = [&options.text, &options.label, &options.rationale];
        let is_number = |name: &&Option<String>| name.as_ref().is_some_and(|name| name.parse::<usize>().is_ok());
        let header = !given.iter().any(is_number);
        let owned = names.to_vec();
        let there = || {
            let shown: Vec<String> = names.iter().map(|name| format!("'{}'", visible(name))).collect();
            let first = if header { "the columns are" } else { "the file names no columns; its first record is" };
            format!("{first} {}", shown.join(", "))
        };
        let column = |option: &str, wanted: &Option<String>, known: &[&str]| match wanted {
            Some(wanted) => find(header.then_some(&owned), names.len(), wanted)
                .map(Some)
                .map_err(|what| format!("{option} = '{}': {what}; {}", visible(wanted), there())),
            None if header => known.iter().find_map(|name| default(names, name).transpose()).transpose(),
            None => Ok(None),
        };
        let missing = |option: &str, known: &[&str]| {
            let rule = format!("the option {option} gives its name, or its number where the file names none");
            format!("no column is called {}: {rule}; {}", known.join(", "), there())
        };
        let text = column("text", &options.text, &TEXT)?.ok_or_else(|| missing("text", &TEXT))?;
        let label = column("label", &options.label, &LABEL);
        let label = if options.unlabelled { label.unwrap_or(None) } else { label? };
        if label.is_none() && !options.unlabelled {
            return Err(missing("label", &LABEL));
        }
        if label == Some(text) {
            return Err(format!("'{}' cannot be both the text and the label", visible(&names[text])));
        }
        let rationale = column("rationale", &options.rationale, &RATIONALE)?;
        Ok(Columns { header, text, label, rationale })
    }
}
