//! `hfy memory compact`: one segment, without the patterns that were removed.

use clap::Args;
use hfy_store::Memory;
use serde::Serialize;

use crate::cli::Common;
use crate::error::Result;
use crate::io::output::{print_bytes, print_json};
use crate::terminal::Watch;

/// Merge the segments of a memory into one
///
/// Small segments are merged by themselves as they come. This gives back the room of all removed patterns, and lets
/// programs use the patterns in place. Readers go on meanwhile; writers wait.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  hfy memory compact letters.hfy")]
pub(crate) struct Arguments {
    /// The memory
    #[arg(value_name = "MEMORY")]
    memory: String,
}

#[derive(Serialize)]
struct Document {
    memory: String,
    segments_before: usize,
    segments: usize,
    bytes_before: u64,
    bytes: u64,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let memory = Memory::open(&arguments.memory)?;
    let size = || memory.snapshot().map(|now| (now.segments(), now.bytes()));
    let (segments_before, bytes_before) = size()?;
    let watch = Watch::of_patterns("merging segments");
    memory.compact_with(&|done, total| watch.hear_bytes(done, total))?;
    drop(watch);
    let (segments, bytes) = size()?;
    let document = Document { memory: arguments.memory.clone(), segments_before, segments, bytes_before, bytes };
    if common.json {
        return print_json(&document);
    }
    let text = format!("{segments_before} to {segments} segments, {bytes_before} to {bytes} bytes");
    print_bytes(format!("{}: {text}\n", document.memory).as_bytes())
}
