//! `hfy completions`: what a shell needs to complete command lines.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::error::Result;
use crate::io::output::print_bytes;

const EXAMPLES: &str = "\
Examples:
  hfy completions bash > ~/.local/share/bash-completion/completions/hfy
  hfy completions zsh > ~/.zfunc/_hfy
  hfy completions fish > ~/.config/fish/completions/hfy.fish";

/// Print a script that completes commands and options in a shell
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "hfy", &mut script);
    print_bytes(&script)
}
