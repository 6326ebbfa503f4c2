//! What can be wrong with what is to be drawn.

/// The result of every fallible call in this crate.
pub type Result<V> = std::result::Result<V, Error>;

/// Why something cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument breaks a rule.
    #[error("{argument} is {value}: {rule}")]
    Argument {
        /// The argument.
        argument: &'static str,
        /// What it is.
        value: String,
        /// What it has to be.
        rule: String,
    },
}

impl Error {
    pub(crate) fn argument(argument: &'static str, value: impl ToString, rule: impl Into<String>) -> Self {
        Error::Argument { argument, value: value.to_string(), rule: rule.into() }
    }
}
