//! `hfy data get`: data sets from where they are published.

use std::path::PathBuf;

use clap::Args;

use super::names;
use crate::cli::Common;
use crate::error::Result;

const EXAMPLES: &str = "\
Examples:
  hfy data get mnist
  hfy data get cifar10 mil --data ~/data
  hfy data get all --from https://mirror.example/hfy";

/// Get data sets from where they are published
///
/// They are put into DIR/SET. What is there already and right is left alone. A download that is cut short, or stopped
/// with Ctrl-C, leaves a file that ends in .part, and the next get goes on from there.
#[derive(Debug, Args)]
#[cfg_attr(not(feature = "download"), allow(dead_code, reason = "they are read to be refused"))]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The sets, or all of them
    #[arg(value_name = "SET", value_parser = names(&["all"]), required = true)]
    pub(super) sets: Vec<String>,
    /// Put them into this folder [default: HFY_DATA_DIR, then the cache folder]
    #[arg(long, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
    /// Get the files from this address, under their usual names, and not from their usual homes
    #[arg(long, value_name = "URL")]
    pub(super) from: Option<String>,
    /// Get also what is there already
    #[arg(long)]
    pub(super) force: bool,
}

#[cfg(not(feature = "download"))]
pub(crate) fn run(_: &Arguments, _: Common) -> Result<()> {
    let what = "this program was built without downloads: build it with its feature `download`, or get the files yourself: \
                hfy data list --json has their addresses, hfy data where the folders to put them into";
    Err(crate::error::Error::Data(what.to_owned()))
}

#[cfg(feature = "download")]
pub(crate) fn run(arguments: &Arguments, common: Common) -> Result<()> {
    super::getting::run(arguments, common)
}
