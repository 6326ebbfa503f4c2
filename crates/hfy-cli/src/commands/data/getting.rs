//! The downloads of `hfy data get`.

use std::ops::ControlFlow;

use hfy_lab::data::catalogue::SETS;
use hfy_lab::data::download::{Outcome, Progress, Settings, get};
use hfy_lab::data::{Place, Source};
use serde::Serialize;

use super::get::Arguments;
use crate::cli::Common;
use crate::error::Result;
use crate::io::output::{print_bytes, print_json};
use crate::terminal::Watch;

#[derive(Serialize)]
struct Document {
    sets: Vec<SetOut>,
}

#[derive(Serialize)]
struct SetOut {
    set: &'static str,
    folder: String,
    /// `got`, or `there` if there was nothing to do.
    outcome: &'static str,
}

/// Gets what was asked for, set after set.
pub(super) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let target = Place::target(arguments.data.as_deref())?;
    let settings = Settings { from: arguments.from.clone(), force: arguments.force, ..Settings::default() };
    let asked = |name: &str| arguments.sets.iter().any(|asked| asked == name || asked == "all");
    let mut document = Document { sets: Vec::new() };
    for set in SETS.iter().filter(|set| asked(set.name)) {
        let mut show = Show { watch: Watch::of_bytes("", common.quiet), quiet: common.quiet, noted: String::new() };
        let outcome = get(set, &target, &settings, |source, progress| show.hear(source, progress))?;
        drop(show);
        let folder = target.join(set.name).display().to_string();
        let (outcome, text) = match outcome {
            Outcome::There => ("there", format!("{}: already there and right, in {folder}\n", set.name)),
            Outcome::Got => ("got", format!("{}: got, in {folder}\n", set.name)),
        };
        document.sets.push(SetOut { set: set.name, folder, outcome });
        if !common.json {
            print_bytes(text.as_bytes())?;
        }
    }
    if common.json { print_json(&document) } else { Ok(()) }
}

/// Shows how far it is.
struct Show {
    watch: Watch,
    quiet: bool,
    /// The last note, which is printed once.
    noted: String,
}

impl Show {
    fn hear(&mut self, source: &Source<'_>, progress: Progress<'_>) -> ControlFlow<()> {
        let (what, done, total) = match progress {
            Progress::Receiving { done, total } => ("receiving", done, total.unwrap_or(source.size)),
            Progress::Checking { done, total } => ("checking", done, total),
            Progress::Unpacking { done, total } => ("unpacking", done, total),
            Progress::Retrying { why } => {
                self.note(format!("{}: {why}; trying again", source.file()));
                ("waiting to try again for", 0, source.size)
            }
            Progress::Waiting => {
                self.note("another process is getting the same set; waiting for it".to_owned());
                ("waiting for", 0, source.size)
            }
            _ => ("getting", 0, source.size),
        };
        self.watch.begin(format!("{what} {}", source.file()));
        self.watch.hear(done as usize, total as usize)
    }

    fn note(&mut self, note: String) {
        if !self.quiet && self.noted != note {
            self.watch.note(&note);
            self.noted = note;
        }
    }
}
