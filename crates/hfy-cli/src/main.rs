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

/// Training makes and drops megabytes at every step. This allocator keeps their pages; the system's returns them to the
/// kernel, and page faults then take as long as the arithmetic.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Errors about the command line itself are to be JSON, too, where that is asked for.
    terminal::set_speech(asks_for_json(), false);
    terminal::handle_interrupts();
    let arguments = match cli::Cli::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return ExitCode::from(terminal::misuse(&error)),
    };
    terminal::set_speech(arguments.common.json, arguments.common.quiet);
    match commands::run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let code = error.exit_code();
            if code != 0 {
                terminal::error(&error);
            }
            ExitCode::from(code)
        }
    }
}

fn asks_for_json() -> bool {
    std::env::args_os().skip(1).take_while(|argument| argument != "--").any(|argument| argument == "--json")
}
