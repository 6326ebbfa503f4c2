//! `hfy memory export`, `import` and `merge`: memories as files, and from them.

use clap::Args;
use hfy_store::Memory;
use serde::Serialize;

use crate::cli::Common;
use crate::error::Result;
use crate::io::output::{print_bytes, print_json};
use crate::io::{Output, distinct};
use crate::patterns::Chosen;
use crate::terminal::{Unfinished, Watch};

const EXPORT: &str = "\
Examples:
  hfy memory export letters.hfy letters.safetensors
  hfy memory export news.hfy german.safetensors --where 'lang = \"de\"'";

/// Write a memory to one file, for exchange
///
/// The file is of the safetensors format, has everything that the memory holds, and can be used in its place, but not
/// changed.
#[derive(Debug, Args)]
#[command(after_help = EXPORT)]
pub(crate) struct Export {
    /// The memory
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// The file to write
    #[arg(value_name = "FILE")]
    file: String,
    #[command(flatten)]
    chosen: Chosen,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

const IMPORT: &str = "\
Examples:
  hfy memory import letters.safetensors letters.hfy
  hfy memory import copied-from.hfy copy.hfy";

/// Make a memory of an exchange file, or of another memory
///
/// Ids, labels, metadata and settings are kept.
#[derive(Debug, Args)]
#[command(after_help = IMPORT)]
pub(crate) struct Import {
    /// The file, or a memory to copy
    #[arg(value_name = "FILE")]
    file: String,
    /// The memory to make
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// Replace the memory if it exists
    #[arg(long)]
    force: bool,
}

const MERGE: &str = "\
Examples:
  hfy memory merge all.hfy more.hfy letters.safetensors";

/// Add the patterns of other memories
///
/// They get new ids and keep labels and metadata. All of a memory is added, or nothing of it.
#[derive(Debug, Args)]
#[command(after_help = MERGE)]
pub(crate) struct Merge {
    /// The memory to add to
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// Memories or exchange files
    #[arg(value_name = "OTHER", required = true)]
    others: Vec<String>,
    #[command(flatten)]
    chosen: Chosen,
}

#[derive(Serialize)]
struct Document {
    memory: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    patterns: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    added: Option<usize>,
}

impl Document {
    fn print(&self, common: Common, text: String) -> Result<()> {
        if common.json { print_json(self) } else { print_bytes(text.as_bytes()) }
    }
}

pub(crate) fn export(arguments: &Export, common: Common) -> Result<()> {
    let output = Output::file("an exported memory", &arguments.file, arguments.force)?;
    distinct::check(&[("the file", Some(output.path()))], &[std::slice::from_ref(&arguments.memory)])?;
    let now = arguments.chosen.snapshot(&Memory::open(&arguments.memory)?)?;
    let _unfinished = Unfinished::new(output.path());
    let watch = Watch::of_patterns("exporting");
    now.export_with(output.path(), &|done, total| watch.hear_bytes(done, total))?;
    drop(watch);
    let (memory, file, patterns) = (arguments.memory.clone(), arguments.file.clone(), now.len());
    let text = format!("{file}: {patterns} patterns of {memory}\n");
    Document { memory, file: Some(file), patterns, added: None }.print(common, text)
}

pub(crate) fn import(arguments: &Import, common: Common) -> Result<()> {
    let output = Output::memory(&arguments.memory, arguments.force)?;
    distinct::check(&[("the memory", Some(output.path()))], &[std::slice::from_ref(&arguments.file)])?;
    let source = Memory::open(&arguments.file)?.snapshot()?;
    let _unfinished = Unfinished::new(output.path());
    let watch = Watch::of_patterns("importing");
    Memory::import_with(&source, output.path(), arguments.force, &|done, total| watch.hear_bytes(done, total))?;
    drop(watch);
    let (memory, file, patterns) = (arguments.memory.clone(), arguments.file.clone(), source.len());
    let text = format!("{memory}: {patterns} patterns of {file}\n");
    Document { memory, file: Some(file), patterns, added: None }.print(common, text)
}

pub(crate) fn merge(arguments: &Merge, common: Common) -> Result<()> {
    let memory = Memory::open(&arguments.memory)?;
    let mut added = 0;
    for other in &arguments.others {
        let other = arguments.chosen.snapshot(&Memory::open(other)?)?;
        let watch = Watch::of_patterns("merging");
        memory.merge_with(&other, &|done, total| watch.hear_bytes(done, total))?;
        added += other.len();
    }
    let document =
        Document { memory: arguments.memory.clone(), file: None, patterns: memory.count()?, added: Some(added) };
    let text = format!("{}: {added} added; {} patterns now\n", document.memory, document.patterns);
    document.print(common, text)
}
