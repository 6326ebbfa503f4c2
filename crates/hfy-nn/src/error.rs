//! What can be wrong with the input of a layer, of training, or of a file.

use std::path::PathBuf;

/// The result of every fallible call in this crate.
pub type Result<V> = std::result::Result<V, Error>;

/// Misuse, with the argument, its value and the rule that it broke; or a file that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument lies outside its domain.
    #[error("{argument} = {value}: {rule}")]
    Argument {
        /// The argument.
        argument: &'static str,
        /// The value that was given.
        value: String,
        /// What the value has to satisfy.
        rule: String,
    },
    /// The library refused its arguments.
    #[error("{0}")]
    Library(#[from] hfy::Error),
    /// A number that training needs is not finite.
    #[error(
        "{quantity} = {value} in epoch {epoch}, step {step}: training has diverged; a smaller learning rate may help"
    )]
    Diverged {
        /// The quantity.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// The epoch, from 1.
        epoch: usize,
        /// The step in the epoch, from 1.
        step: usize,
    },
    /// Someone asked the work to stop.
    #[error("stopped before it was done")]
    Interrupted,
    /// A file is not what it has to be.
    #[error("{}: {rule}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        rule: String,
    },
}

impl Error {
    pub(crate) fn argument(argument: &'static str, value: impl ToString, rule: impl Into<String>) -> Self {
        Error::Argument { argument, value: value.to_string(), rule: rule.into() }
    }

    pub(crate) fn shape(argument: &'static str, got: &[usize], rule: impl Into<String>) -> Self {
        Error::Argument { argument, value: format!("a tensor of shape {got:?}"), rule: rule.into() }
    }
}

/// Fails with the error that `error` makes unless `holds`.
pub(crate) fn ensure(holds: bool, error: impl FnOnce() -> Error) -> Result<()> {
    if holds { Ok(()) } else { Err(error()) }
}
