//! The subcommands, one a file.

pub(crate) mod certify;
pub(crate) mod completions;
#[cfg(feature = "lab")]
pub(crate) mod data;
pub(crate) mod demo;
pub(crate) mod energy;
pub(crate) mod man;
pub(crate) mod map;
pub(crate) mod memory;
#[cfg(feature = "learn")]
pub(crate) mod mil;
pub(crate) mod recall;
#[cfg(feature = "lab")]
pub(crate) mod reproduce;
pub(crate) mod retrieve;
#[cfg(feature = "learn")]
pub(crate) mod text;

use crate::cli::{Cli, Command};
use crate::error::{Error, Result};

/// Does what was asked for.
pub(crate) fn run(arguments: Cli) -> Result<()> {
    let common = arguments.common;
    if let Some(threads) = common.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        pool.build_global().map_err(|error| Error::Usage(format!("--threads {threads}: {error}")))?;
    }
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
        #[cfg(feature = "learn")]
        Command::Mil(command) => mil::run(&command, common),
        #[cfg(feature = "learn")]
        Command::Text(command) => text::run(&command, common),
        #[cfg(feature = "lab")]
        Command::Data(command) => data::run(&command, common),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments, common),
    }
}
