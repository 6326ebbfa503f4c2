//! What is said on the standard error: notes and errors, as lines for people or as JSON for programs.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

use hfy_io::visible;
use serde_json::{Value, json};

use super::Style;
use crate::error::Error;

/// Whether programs listen.
static JSON: AtomicBool = AtomicBool::new(false);
/// Whether people want to see how far the work is.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Says everything in JSON from here on, or shows no progress.
pub(crate) fn set_speech(json: bool, quiet: bool) {
    JSON.store(json, Ordering::Relaxed);
    QUIET.store(quiet, Ordering::Relaxed);
}

pub(super) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Something that was left out or interpreted.
pub(crate) fn note(text: &str) {
    line(json!({ "note": { "message": text } }), || format!("note: {}", visible(text)));
}

/// Why the program ends.
pub(crate) fn error(error: &Error) {
    let label = || Style::of_stderr().bad("error:");
    line(error.document(), || format!("{} {}", label(), visible(&error.to_string())));
}

/// Takes away what a bar has left of its line.
pub(super) fn clear_line() {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[2K");
    }
}

/// The command line was not understood. Texts of help go to the standard output.
pub(crate) fn misuse(error: &clap::Error) -> u8 {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    if !error.use_stderr() {
        let _ = error.print();
        return code;
    }
    let text = error.render().to_string();
    let plain = text.trim().trim_start_matches("error: ").to_owned();
    let shown = || {
        let lines: Vec<String> = text.trim_end().lines().map(visible).collect();
        lines.join("\n")
    };
    // What was typed is part of the text: its control characters do not reach the terminal.
    if JSON.load(Ordering::Relaxed) || std::env::args_os().any(|argument| has_control(&argument)) {
        line(json!({ "error": { "kind": "usage", "message": plain } }), shown);
    } else {
        let _ = error.print();
    }
    code
}

fn has_control(argument: &std::ffi::OsStr) -> bool {
    argument.to_string_lossy().chars().any(|c| visible(c.encode_utf8(&mut [0; 4])).chars().ne([c]))
}

fn line(document: Value, text: impl FnOnce() -> String) {
    match JSON.load(Ordering::Relaxed) {
        true => eprintln!("{document}"),
        false => eprintln!("{}", text()),
    }
}
