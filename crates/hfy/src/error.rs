//! What can be wrong with the input. Outcomes of a computation are data, not errors.

/// The result of every fallible call in this crate.
pub type Result<V> = std::result::Result<V, Error>;

/// Misuse, with the argument, its value and the rule that it broke.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter lies outside its domain.
    #[error("{argument} = {value}: {rule}")]
    Parameter {
        /// Name of the argument.
        argument: &'static str,
        /// The value that was given.
        value: String,
        /// What the value has to satisfy.
        rule: &'static str,
    },
    /// An entry of an array is not a number that the computation can take.
    #[error("{argument}[{index}] = {value}{}: {rule}", .row.map(|r| format!(" in row {r}")).unwrap_or_default())]
    Entry {
        /// Name of the array.
        argument: &'static str,
        /// Row of the batch, where there is one.
        row: Option<usize>,
        /// Position in the row.
        index: usize,
        /// The value that was given.
        value: f64,
        /// What the value has to satisfy.
        rule: &'static str,
    },
    /// Two shapes do not fit.
    #[error("{argument} has shape {got:?}, expected {expected:?}")]
    Shape {
        /// Name of the array.
        argument: &'static str,
        /// Its shape.
        got: Vec<usize>,
        /// The shape that fits.
        expected: Vec<usize>,
    },
    /// Upper bounds that cannot hold the mass that must be spread over them.
    #[error("upper sums to {capacity} over the unmasked entries{}: it must reach the mass {mass}", .row.map(|r| format!(" of row {r}")).unwrap_or_default())]
    Infeasible {
        /// Row of the batch, where there is one.
        row: Option<usize>,
        /// Sum of the bounds.
        capacity: f64,
        /// Mass to be placed.
        mass: f64,
    },
    /// A text that names no map.
    #[error("cannot read {text:?} as a map: {rule}")]
    Parse {
        /// The text.
        text: String,
        /// What would have been understood.
        rule: String,
    },
    /// A long computation that its caller stopped.
    #[error("interrupted after {done} of {total}")]
    Interrupted {
        /// How much had been done.
        done: usize,
        /// How much there was to do.
        total: usize,
    },
    /// A linear system whose solution could not be brought within the tolerance.
    #[error(
        "{what}: the relative residual is {residual:e} after {iterations} products, above the tolerance {tolerance:e}"
    )]
    Unsolved {
        /// What was to be solved.
        what: &'static str,
        /// The relative residual that was reached.
        residual: f64,
        /// The one that was asked for.
        tolerance: f64,
        /// How many products with the matrix that took.
        iterations: usize,
    },
    /// A quantity that this function does not have or does not provide.
    #[error("{function} does not provide {what}")]
    Unsupported {
        /// The function that was asked.
        function: &'static str,
        /// What was asked of it.
        what: &'static str,
    },
}

impl Error {
    pub(crate) fn parameter(argument: &'static str, value: impl ToString, rule: &'static str) -> Self {
        Error::Parameter { argument, value: value.to_string(), rule }
    }

    pub(crate) fn shape(argument: &'static str, got: &[usize], expected: &[usize]) -> Self {
        Error::Shape { argument, got: got.to_vec(), expected: expected.to_vec() }
    }

    /// The same error, said of a row of a batch.
    pub fn in_row(mut self, number: usize) -> Self {
        if let Error::Entry { row, .. } | Error::Infeasible { row, .. } = &mut self {
            *row = Some(number);
        }
        self
    }
}

/// Fails unless `got` has length `expected`.
pub(crate) fn check_len(argument: &'static str, got: usize, expected: usize) -> Result<()> {
    if got == expected { Ok(()) } else { Err(Error::shape(argument, &[got], &[expected])) }
}
