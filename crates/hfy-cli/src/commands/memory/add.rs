//! `hfy memory add`: more patterns for a memory.

use clap::Args;
use hfy_store::{Dtype, Memory};
use serde::Serialize;

use super::texts::Texts;
use crate::cli::{Common, Files};
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::io::{self, Float};
use crate::patterns::{match_pictures, picture_of};

const EXAMPLES: &str = "\
Examples:
  hfy memory add letters.hfy z.png
  hfy memory add digits.hfy more.npy --labels more.txt";

/// Add patterns to a memory
///
/// They get the ids that follow; the patterns that are there keep theirs.
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
    texts: Texts,
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
    let mut memory = Memory::open(&arguments.memory)?;
    let float = if memory.dtype() == Dtype::F64 { Float::F64 } else { Float::F32 };
    let mut rows = io::read_all(&arguments.sources, arguments.files.options(Some(float)))?;
    match_pictures(&mut rows, picture_of(memory.info()), &arguments.memory)?;
    if rows.dim.1 != memory.dim() {
        let what =
            format!("has {} columns, but the patterns in {} have {}", rows.dim.1, arguments.memory, memory.dim());
        return Err(Error::data(rows.file(), what));
    }
    let ids = arguments.texts.add(&mut memory, &rows)?;
    memory.save()?;
    let document = Document {
        memory: arguments.memory.clone(),
        added: rows.dim.0,
        first_id: ids.start,
        next_id: memory.next_id(),
        patterns: memory.len(),
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
