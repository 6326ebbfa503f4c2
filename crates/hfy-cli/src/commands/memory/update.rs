//! `hfy memory update`: other patterns or texts under the same ids.

use clap::Args;
use hfy_store::Memory;
use serde::Serialize;

use super::ids::IdRange;
use super::texts::{Into, TextFiles, put_rows, read_for};
use crate::cli::{Common, Files};
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};

const EXAMPLES: &str = "\
Examples:
  hfy memory update letters.hfy 3 --with z.png                  another pattern, the same label
  hfy memory update letters.hfy 3 --label z                     another label, the same pattern
  hfy memory update digits.hfy 10-12 40 --with four.npy --labels four.txt";

/// Replace patterns, labels or metadata
///
/// Ids stay, and so does what is not given. All patterns are changed, or none.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The memory
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// Ids, or ranges of them as in 10-12
    #[arg(value_name = "ID", required = true)]
    ids: Vec<IdRange>,
    /// Files of as many patterns as ids, in their order
    #[arg(long = "with", value_name = "SOURCE")]
    sources: Vec<String>,
    /// The same label for each of them; an empty one takes the label away
    #[arg(long, value_name = "TEXT", conflicts_with = "labels")]
    label: Option<String>,
    #[command(flatten)]
    texts: TextFiles,
    #[command(flatten)]
    files: Files,
}

#[derive(Serialize)]
struct Document {
    memory: String,
    updated: Vec<u64>,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let memory = Memory::open(&arguments.memory)?;
    let now = memory.snapshot()?;
    let mut ids = Vec::new();
    for range in &arguments.ids {
        ids.extend(range.present(&now)?);
    }
    let mut texts = arguments.texts.read(ids.len())?;
    if let Some(label) = &arguments.label {
        texts.labels = vec![Some(label.clone()); ids.len()];
    }
    if !arguments.sources.is_empty() {
        let rows = read_for(&memory, &arguments.memory, &arguments.sources, &arguments.files)?;
        if rows.dim.0 != ids.len() {
            let what = format!("has {} patterns, but {} ids are named", rows.dim.0, ids.len());
            return Err(Error::data(rows.file(), what));
        }
        put_rows(&memory, &rows, &texts, Into::Update(&ids))?;
    } else if texts.labels.is_empty() && texts.metadata.is_empty() {
        return Err(Error::Usage("nothing to change: give --with, --label, --labels or --metadata".to_owned()));
    } else {
        memory.set_texts(&ids, &texts)?;
    }
    let document = Document { memory: arguments.memory.clone(), updated: ids };
    if common.json {
        return print_json(&document);
    }
    print_bytes(format!("{}: {} updated\n", document.memory, document.updated.len()).as_bytes())
}
