//! A bar on the standard error, and Ctrl-C.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

static STOPPED: AtomicBool = AtomicBool::new(false);
static HANDLER: OnceLock<()> = OnceLock::new();

/// Watches a long computation: shows how far it is, and stops it on Ctrl-C.
#[derive(Debug)]
pub(crate) struct Watch {
    bar: ProgressBar,
}

impl Watch {
    /// Draws only if the standard error is a terminal. From here on the first Ctrl-C asks the work to stop, so that nothing
    /// is left half-written, and a second one ends the program at once.
    pub(crate) fn new(what: &'static str, quiet: bool) -> Self {
        Watch::with_template(what, quiet, "{msg} {wide_bar} {pos}/{len} {eta}")
    }

    /// The same, of bytes.
    #[cfg(feature = "download")]
    pub(crate) fn of_bytes(quiet: bool) -> Self {
        Watch::with_template("", quiet, "{msg} {wide_bar} {decimal_bytes}/{decimal_total_bytes} {eta}")
    }

    fn with_template(what: &'static str, quiet: bool, template: &str) -> Self {
        HANDLER.get_or_init(|| {
            // Without a handler Ctrl-C ends the program, and files still appear whole or not at all.
            let _ = ctrlc::set_handler(|| {
                if STOPPED.swap(true, Ordering::Relaxed) {
                    std::process::exit(130);
                }
            });
        });
        let shown = std::io::stderr().is_terminal() && !quiet;
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target).with_message(what);
        let style = ProgressStyle::with_template(template);
        Watch { bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())) }
    }

    /// Shows another word before the bar.
    #[cfg(feature = "lab")]
    pub(crate) fn say(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Prints a line above the bar.
    #[cfg(feature = "lab")]
    pub(crate) fn print(&self, line: &str) {
        self.bar.suspend(|| {
            // Whoever reads the lines may have stopped reading, which is no failure.
            let _ = std::io::Write::write_all(&mut std::io::stdout(), format!("{line}\n").as_bytes());
        });
    }

    /// Begins something else.
    #[cfg(feature = "download")]
    pub(crate) fn begin(&self, what: String) {
        if self.bar.message() != what {
            self.bar.set_message(what);
            // The time left is that of this, not of what came before.
            self.bar.reset();
        }
    }

    /// Prints a line beside the bar.
    #[cfg(feature = "download")]
    pub(crate) fn note(&self, line: &str) {
        self.bar.suspend(|| eprintln!("note: {line}"));
    }

    /// Hears that so many of so many are done.
    pub(crate) fn hear(&self, done: usize, total: usize) -> ControlFlow<()> {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        if STOPPED.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
