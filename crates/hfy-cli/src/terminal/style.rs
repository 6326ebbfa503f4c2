//! Colours, where there is someone to see them.

use std::io::IsTerminal;

/// Whether to colour what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    colour: bool,
}

impl Style {
    /// Colours if the standard output is a terminal that has them and `NO_COLOR` is not set.
    pub(crate) fn of_stdout() -> Self {
        Style { colour: std::io::stdout().is_terminal() && allowed() }
    }

    /// The same of the standard error.
    pub(crate) fn of_stderr() -> Self {
        Style { colour: std::io::stderr().is_terminal() && allowed() }
    }

    fn escape(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.escape("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.escape("2", text)
    }

    /// A word that stands out in a text; between brackets where there are no colours.
    #[cfg(feature = "learn")]
    pub(crate) fn marked(self, text: &str) -> String {
        if self.colour { self.escape("30;43", text) } else { format!("[{text}]") }
    }

    /// What went well.
    pub(crate) fn good(self, text: &str) -> String {
        self.escape("32", text)
    }

    /// What did not.
    pub(crate) fn bad(self, text: &str) -> String {
        self.escape("1;31", text)
    }
}

fn allowed() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    set("NO_COLOR").is_none() && set("TERM").is_none_or(|terminal| terminal != "dumb")
}
