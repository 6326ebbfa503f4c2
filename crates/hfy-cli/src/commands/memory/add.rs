//! `hfy memory add`: more patterns for a memory.

use clap::Args;
use hfy_store::{Dtype, Memory};
use serde::Serialize;

use super::texts::Texts;
use crate::cli::Common;
use crate::error::{Error, Result};
use crate::io::output::{print_bytes, print_json};
use crate::io::{self, Float};
use crate::patterns::picture_of;

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
    let rows = io::read_all(&arguments.sources, Some(float))?;
    if rows.dim.1 != memory.dim() {
        let what = format!("{} columns, but the patterns in {} have {}", rows.dim.1, arguments.memory, memory.dim());
        return Err(Error::Data(format!("{} has {what}", rows.file())));
    }
    if let (Some((height, width)), Some(stored)) = (rows.picture, picture_of(memory.info()))
        && (height, width) != stored
    {
        let what = format!("{width} x {height} pixels, but the pictures in {} are", arguments.memory);
        return Err(Error::Data(format!("{} is {what} {} x {}", rows.file(), stored.1, stored.0)));
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
