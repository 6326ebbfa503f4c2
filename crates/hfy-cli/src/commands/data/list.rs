//! `hfy data list`: what there is to get, and what is here.

use std::path::PathBuf;

use clap::Args;
use hfy_lab::data::catalogue::SETS;
use hfy_lab::data::{Place, Set};
use serde::Serialize;

use super::size;
use crate::cli::Common;
use crate::error::Result;
use crate::io::output::{print_bytes, print_json};
use crate::terminal::{Align, Style, Table};

const EXAMPLES: &str = "\
Examples:
  hfy data list
  hfy data list --json";

/// List the data sets: what they are, their size as published, and whether they are here
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Look in this folder first [default: HFY_DATA_DIR, then the cache folder]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

#[derive(Serialize)]
struct Document {
    sets: Vec<SetOut>,
}

#[derive(Serialize)]
struct SetOut {
    set: &'static str,
    about: &'static str,
    terms: &'static str,
    /// To be got, as published.
    bytes: u64,
    addresses: Vec<&'static str>,
    here: bool,
    /// What part of it is here, where it is not the whole.
    part: Option<&'static str>,
    paths: Vec<String>,
}

impl SetOut {
    fn new(set: &Set<'static>, place: &Place) -> Self {
        let found = (set.find)(place).ok();
        let paths = found.iter().flat_map(|found| &found.files).map(|path| path.display().to_string()).collect();
        SetOut {
            set: set.name,
            about: set.about,
            terms: set.terms,
            bytes: set.size(),
            addresses: set.sources.iter().map(|source| source.address).collect(),
            here: found.is_some(),
            part: found.and_then(|found| found.part),
            paths,
        }
    }

    /// Where it is, in a few words.
    fn whereabouts(&self) -> String {
        let Some(first) = self.paths.first() else { return "no".to_owned() };
        let folder = std::path::Path::new(first).parent().map_or_else(String::new, |path| path.display().to_string());
        match self.part {
            Some(part) => format!("{part}, in {folder}"),
            None => format!("in {folder}"),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let place = Place::find(arguments.data.as_deref())?;
    let document = Document { sets: SETS.iter().map(|set| SetOut::new(set, &place)).collect() };
    if common.json {
        return print_json(&document);
    }
    let style = Style::of_stdout();
    let columns = [("set", Align::Left), ("size", Align::Right), ("what", Align::Left), ("here", Align::Left)];
    let mut table = Table::new(columns);
    for set in &document.sets {
        table.row([set.set.to_owned(), size(set.bytes), set.about.to_owned(), set.whereabouts()]);
    }
    let mut text = table.render(style);
    text += "\nTerms:\n";
    for set in &document.sets {
        text += &format!("  {}{}\n", style.dim(&format!("{:<15}", set.set)), set.terms);
    }
    if cfg!(feature = "download") && document.sets.iter().any(|set| !set.here || set.part.is_some()) {
        text += "\nhfy data get SET gets one.\n";
    }
    print_bytes(text.as_bytes())
}
