//! `hfy memory remove`: patterns out of a memory.

use clap::Args;
use hfy_store::Memory;
use serde::Serialize;

use crate::cli::Common;
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};

const EXAMPLES: &str = "\
Examples:
  hfy memory remove letters.hfy 3 10-12
  hfy memory remove letters.hfy --label q";

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
    #[arg(value_name = "ID", value_parser = range, required_unless_present = "label")]
    ids: Vec<(u64, u64)>,
    /// Every pattern with this label
    #[arg(long)]
    label: Vec<String>,
}

#[derive(Serialize)]
struct Document {
    memory: String,
    removed: Vec<u64>,
    patterns: usize,
}

/// A first and a last id.
fn range(text: &str) -> std::result::Result<(u64, u64), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first <= last => Ok((first, last)),
        _ => Err("must be an id, or a range of ids as in 10-12".to_owned()),
    }
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let mut memory = Memory::open(&arguments.memory)?;
    let mut ids = Vec::new();
    for &(first, last) in &arguments.ids {
        // Checked first, so that a range of billions is an error and not a long list.
        memory.get(first)?;
        memory.get(last)?;
        ids.extend(first..=last);
    }
    for label in &arguments.label {
        let before = ids.len();
        for record in memory.iter() {
            if record.label()? == Some(label) {
                ids.push(record.id());
            }
        }
        if ids.len() == before {
            return Err(Error::data(&arguments.memory, format!("no pattern has the label '{label}'")));
        }
    }
    ids.sort_unstable();
    ids.dedup();
    memory.remove(&ids)?;
    memory.save()?;
    let document = Document { memory: arguments.memory.clone(), removed: ids, patterns: memory.len() };
    if common.json {
        return print_json(&document);
    }
    let text =
        format!("{}: {} removed; {} patterns left\n", document.memory, document.removed.len(), document.patterns);
    print_bytes(text.as_bytes())
}
