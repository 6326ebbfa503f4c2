//! `hfy man`: manual pages.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory};
use serde::Serialize;

use crate::cli::{Cli, Common};
use crate::error::{Error, Result};
use crate::io::Output;
use crate::io::output::{print_bytes, print_json};

const EXAMPLES: &str = "\
Examples:
  hfy man | man -l -
  hfy man --out ~/.local/share/man/man1";

/// Print the manual page of the program, or write those of all commands
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Write a page for each command into this folder: hfy.1, hfy-map.1, ...
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace pages that exist
    #[arg(long, requires = "out")]
    force: bool,
}

#[derive(Serialize)]
struct Document {
    pages: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    let mut program = Cli::command();
    program.build();
    let Some(folder) = &arguments.out else {
        if common.json {
            return Err(Error::Usage("--json lists the pages that --out DIR writes".to_owned()));
        }
        return print_bytes(&page(program)?);
    };
    std::fs::create_dir_all(folder).map_err(Error::io("create the folder", folder))?;
    let mut pages = Vec::new();
    collect(&program, "hfy", folder, arguments.force, &mut pages)?;
    // All are looked for before the first is written.
    for (output, text) in &pages {
        output.write(|to| to.write_all(text))?;
    }
    if common.json {
        let pages = pages.iter().map(|(output, _)| output.path().display().to_string()).collect();
        return print_json(&Document { pages });
    }
    print_bytes(format!("{} pages written to {}\n", pages.len(), folder.display()).as_bytes())
}

/// A command and all below it.
fn collect(
    command: &clap::Command,
    name: &str,
    folder: &Path,
    force: bool,
    pages: &mut Vec<(Output, Vec<u8>)>,
) -> Result<()> {
    let output = Output::file("a page", folder.join(format!("{name}.1")), force)?;
    pages.push((output, page(command.clone())?));
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help") {
        collect(below, &format!("{name}-{}", below.get_name()), folder, force, pages)?;
    }
    Ok(())
}

/// A page, which is called by the display name that building the command gave it.
fn page(command: clap::Command) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text).map_err(Error::io("write", "manual page"))?;
    Ok(text)
}
