//! `hfy memory`: patterns under stable ids, in a folder that many programs may use at once.

mod add;
mod build;
mod compact;
mod exchange;
mod ids;
mod info;
mod remove;
mod texts;
mod update;

use clap::Subcommand;

use crate::cli::Common;
use crate::error::Result;

/// Build, change and look into a memory
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Build(Box<build::Arguments>),
    Add(add::Arguments),
    Update(update::Arguments),
    Remove(remove::Arguments),
    Info(info::Arguments),
    Compact(compact::Arguments),
    Export(exchange::Export),
    Import(exchange::Import),
    Merge(exchange::Merge),
}

pub(crate) fn run(command: &Command, common: Common) -> Result<()> {
    match command {
        Command::Build(arguments) => build::run(arguments, common),
        Command::Add(arguments) => add::run(arguments, common),
        Command::Update(arguments) => update::run(arguments, common),
        Command::Remove(arguments) => remove::run(arguments, common),
        Command::Info(arguments) => info::run(arguments, common),
        Command::Compact(arguments) => compact::run(arguments, common),
        Command::Export(arguments) => exchange::export(arguments, common),
        Command::Import(arguments) => exchange::import(arguments, common),
        Command::Merge(arguments) => exchange::merge(arguments, common),
    }
}
