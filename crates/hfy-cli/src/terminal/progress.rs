//! A bar on the standard error.

use std::io::IsTerminal;
use std::ops::ControlFlow;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::interrupt::stopped;
use super::speech::is_quiet;

/// Watches a long computation: shows how far it is, and stops it on Ctrl-C.
#[derive(Debug)]
pub(crate) struct Watch {
    bar: ProgressBar,
}

impl Watch {
    /// Draws only if the standard error is a terminal and nobody asked for quiet.
    pub(crate) fn new(what: &'static str, quiet: bool) -> Self {
        let shown = std::io::stderr().is_terminal() && !quiet && !is_quiet();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target).with_message(what);
        Watch { bar }.template("{msg} {wide_bar} {human_pos}/{human_len}, {eta} left")
    }

    /// What is counted.
    pub(crate) fn of(self, unit: &'static str) -> Self {
        self.template(&format!("{{msg}} {{wide_bar}} {{human_pos}}/{{human_len}} {unit}, {{eta}} left"))
    }

    /// Bytes are counted.
    pub(crate) fn of_bytes(what: &'static str, quiet: bool) -> Self {
        Watch::new(what, quiet).template("{msg} {wide_bar} {decimal_bytes}/{decimal_total_bytes}, {eta} left")
    }

    fn template(self, template: &str) -> Self {
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar.set_style(style);
        self
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
    #[cfg(feature = "lab")]
    pub(crate) fn note(&self, line: &str) {
        self.bar.suspend(|| super::note(line));
    }

    /// Hears that so many of so many are done.
    pub(crate) fn hear(&self, done: usize, total: usize) -> ControlFlow<()> {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Watch {
    /// Bytes of patterns that the store reads or writes.
    pub(crate) fn of_patterns(what: &'static str) -> Self {
        Watch::of_bytes(what, false)
    }

    /// The same as [`Watch::hear`], in the numbers of the store.
    pub(crate) fn hear_bytes(&self, done: u64, total: u64) -> ControlFlow<()> {
        self.hear(done as usize, total as usize)
    }
}

/// What Ctrl-C makes of a computation that hears of it between two pieces of work.
pub(crate) fn stop_here(watch: &Watch, done: usize, total: usize) -> crate::error::Result<()> {
    match watch.hear(done, total) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(crate::error::Error::Library(hfy::Error::Interrupted { done, total })),
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
