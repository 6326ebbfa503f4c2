//! The subcommands, one a file.

pub(crate) mod certify;
#[cfg(feature = "lab")]
pub(crate) mod data;
pub(crate) mod demo;
pub(crate) mod energy;
pub(crate) mod map;
pub(crate) mod memory;
pub(crate) mod recall;
#[cfg(feature = "lab")]
pub(crate) mod reproduce;
pub(crate) mod retrieve;

use crate::cli::{Cli, Command};
use crate::error::Result;

/// Does what was asked for.
pub(crate) fn run(arguments: Cli) -> Result<()> {
    let common = arguments.common;
    match arguments.command {
        Command::Demo(arguments) => demo::run(&arguments, common),
        Command::Memory(command) => memory::run(&command, common),
        Command::Retrieve(arguments) => retrieve::run(&arguments, common),
        Command::Recall(command) => recall::run(&command, common),
        #[cfg(feature = "lab")]
        Command::Reproduce(arguments) => reproduce::run(&arguments, common),
        Command::Energy(arguments) => energy::run(&arguments, common),
        Command::Certify(arguments) => certify::run(&arguments, common),
        Command::Map(arguments) => map::run(&arguments, common),
        #[cfg(feature = "lab")]
        Command::Data(command) => data::run(&command, common),
    }
}
