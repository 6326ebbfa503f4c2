use crate::cli::Common;
use crate::error::Result;
use clap::Args;
#[derive(Debug, Args)]
pub(crate) struct Arguments {}
pub(crate) fn run(_: &Arguments, _: Common) -> Result<()> {
    Ok(())
}
