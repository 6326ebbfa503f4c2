//! `hfy memory`: patterns in a file, under stable ids.

mod add;
mod build;
mod info;
mod remove;
mod texts;

use clap::Subcommand;

use crate::cli::Common;
use crate::error::Result;

/// Build, extend and look into a memory
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Build(Box<build::Arguments>),
    Add(add::Arguments),
    Remove(remove::Arguments),
    Info(info::Arguments),
}

pub(crate) fn run(command: &Command, common: Common) -> Result<()> {
    match command {
        Command::Build(arguments) => build::run(arguments, common),
        Command::Add(arguments) => add::run(arguments, common),
        Command::Remove(arguments) => remove::run(arguments, common),
        Command::Info(arguments) => info::run(arguments, common),
    }
}
