//! `hfy memory add`: more patterns for a memory.

use clap::Args;
use hfy_store::Memory;
use serde::Serialize;

use super::texts::{Into, TextFiles, put_rows, read_for};
use crate::cli::{Common, Files};
use crate::error::Result;
use crate::io::output::{print_bytes, print_json};

const EXAMPLES: &str = "\
Examples:
  hfy memory add letters.hfy z.png
  hfy memory add digits.hfy more.npy --labels more.txt";

/// Add patterns to a memory
///
/// They get the ids that follow; the patterns that are there keep theirs. Several programs may add at once: they take
/// turns.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The memory
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// Files, folders of pictures, or @LIST of files
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<String>,
    #[command(flatten)]
    texts: TextFiles,
    #[command(flatten)]
    files: Files,
}

#[derive(Serialize)]
struct Document {
    memory: String,
    added: usize,
    first_id: u64,
    next_id: u64,
    patterns: usize,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let memory = Memory::open(&arguments.memory)?;
    let rows = read_for(&memory, &arguments.memory, &arguments.sources, &arguments.files)?;
    let ids = put_rows(&memory, &rows, &arguments.texts.of_rows(&rows)?, Into::Add)?;
    let document = Document {
        memory: arguments.memory.clone(),
        added: rows.dim.0,
        first_id: ids.start,
        next_id: ids.end,
        patterns: memory.count()?,
    };
    if common.json {
        return print_json(&document);
    }
    let (added, first, last) = (document.added, ids.start, ids.end - 1);
    print_bytes(
        format!("{}: {added} added, ids {first} to {last}; {} patterns now\n", document.memory, document.patterns)
            .as_bytes(),
    )
}
