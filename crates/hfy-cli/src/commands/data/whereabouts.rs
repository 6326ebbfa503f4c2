//! `hfy data where`: the folders that are looked in, and what is found there.

use std::path::PathBuf;

use clap::Args;
use hfy_lab::data::catalogue::SETS;
use hfy_lab::data::{Origin, Place};
use serde::Serialize;

use super::names;
use crate::cli::Common;
use crate::error::Result;
use crate::io::output::{print_bytes, print_json};
use crate::terminal::Style;

const EXAMPLES: &str = "\
Examples:
  hfy data where
  hfy data where mnist --data ~/data";

/// Show the folders that are looked in for data, in order, and what is found
///
/// With a SET, the exit code is 1 if it is not there.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Only this set
    #[arg(value_name = "SET", value_parser = names(&[]))]
    set: Option<String>,
    /// Look in this folder first [default: HFY_DATA_DIR, then the cache folder]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

#[derive(Serialize)]
struct Document {
    folders: Vec<FolderOut>,
    sets: Vec<SetOut>,
}

#[derive(Serialize)]
struct FolderOut {
    folder: String,
    /// Why it is looked in.
    because: &'static str,
    exists: bool,
}

#[derive(Serialize)]
struct SetOut {
    set: &'static str,
    here: bool,
    part: Option<&'static str>,
    paths: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let place = Place::find(arguments.data.as_deref())?;
    let mut sets = Vec::new();
    for set in SETS.iter().filter(|set| arguments.set.as_ref().is_none_or(|name| name == set.name)) {
        let found = match (set.find)(&place) {
            Ok(found) => Some(found),
            Err(missing) if arguments.set.is_some() => return Err(missing.into()),
            Err(_) => None,
        };
        let paths = found.iter().flat_map(|found| &found.files).map(|path| path.display().to_string()).collect();
        sets.push(SetOut { set: set.name, here: found.is_some(), part: found.and_then(|found| found.part), paths });
    }
    let folders = place.folders().iter().zip(place.origins());
    let folders = folders.map(|(folder, origin)| FolderOut {
        folder: folder.display().to_string(),
        because: reason(*origin),
        exists: folder.is_dir(),
    });
    let document = Document { folders: folders.collect(), sets };
    if common.json { print_json(&document) } else { print_bytes(document.text(Style::of_stdout()).as_bytes()) }
}

fn reason(origin: Origin) -> &'static str {
    match origin {
        Origin::Named => "--data",
        Origin::Variable => "HFY_DATA_DIR",
        Origin::Cache => "cache",
    }
}

impl Document {
    fn text(&self, style: Style) -> String {
        let mut text = "Looked in:\n".to_owned();
        for folder in &self.folders {
            let note = if folder.exists { "" } else { ", which is not there" };
            text += &format!("  {} ({}{note})\n", folder.folder, folder.because);
        }
        for set in &self.sets {
            text += &match (set.here, set.part) {
                (false, _) => format!("{}: not here\n", style.bold(set.set)),
                (true, None) => format!("{}:\n", style.bold(set.set)),
                (true, Some(part)) => format!("{}: {part}\n", style.bold(set.set)),
            };
            for path in &set.paths {
                text += &format!("  {path}\n");
            }
        }
        text
    }
}
