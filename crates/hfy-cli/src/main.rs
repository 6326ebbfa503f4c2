//! The program `hfy`: associative memories from the command line. `docs/command-line.md` describes it.

mod cli;
mod commands;
mod demo;
mod error;
mod glyphs;
mod io;
mod number;
mod patterns;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = cli::Cli::parse();
    match commands::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let code = error.exit_code();
            if code != 0 {
                eprintln!("{} {error}", terminal::Style::of_stderr().bad("error:"));
            }
            ExitCode::from(code)
        }
    }
}
