//! `hfy memory remove`: patterns out of a memory.

use clap::Args;
use hfy_store::Memory;
use serde::Serialize;

use super::ids::IdRange;
use crate::cli::Common;
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::patterns::Chosen;

const EXAMPLES: &str = "\
Examples:
  hfy memory remove letters.hfy 3 10-12
  hfy memory remove letters.hfy --label q
  hfy memory remove news.hfy --where 'year < 2015'";

/// Remove patterns from a memory
///
/// An id that was removed is never given out again. If one id is unknown, nothing is removed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The memory
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// Ids, or ranges of them as in 10-12
    #[arg(value_name = "ID", required_unless_present_any = ["label", "where"])]
    ids: Vec<IdRange>,
    /// Every pattern with this label
    #[arg(long)]
    label: Vec<String>,
    #[command(flatten)]
    chosen: Chosen,
}

#[derive(Serialize)]
struct Document {
    memory: String,
    removed: Vec<u64>,
    patterns: usize,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let memory = Memory::open(&arguments.memory)?;
    let now = memory.snapshot()?;
    let mut ids = arguments.ids.iter().try_fold(Vec::new(), |mut ids, range| {
        ids.extend(range.present(&now)?);
        Ok::<_, Error>(ids)
    })?;
    for label in &arguments.label {
        let before = ids.len();
        for record in now.records()? {
            let record = record?;
            if record.label.as_ref() == Some(label) {
                ids.push(record.id);
            }
        }
        if ids.len() == before {
            return Err(Error::data(&arguments.memory, format!("no pattern has the label '{label}'")));
        }
    }
    if let Some(filter) = &arguments.chosen.filter {
        ids.extend(now.query(filter)?);
    }
    ids.sort_unstable();
    ids.dedup();
    memory.remove(&ids)?;
    let document = Document { memory: arguments.memory.clone(), removed: ids, patterns: memory.count()? };
    if common.json {
        return print_json(&document);
    }
    let text =
        format!("{}: {} removed; {} patterns left\n", document.memory, document.removed.len(), document.patterns);
    print_bytes(text.as_bytes())
}
