//! What every structure asks of its arguments.

use crate::error::{Error, Result, check_len};

/// Fails unless `value` is at least `least`.
pub(super) fn at_least(least: usize, argument: &'static str, value: usize, rule: &'static str) -> Result<()> {
    if value >= least { Ok(()) } else { Err(Error::parameter(argument, value, rule)) }
}

/// Fails on the first score of a part that is NaN or plus infinity.
pub(super) fn check_parts(argument: &'static str, scores: &[f64]) -> Result<()> {
    match scores.iter().position(|&score| !(score < f64::INFINITY)) {
        None => Ok(()),
        Some(index) => Err(Error::Entry {
            argument,
            row: None,
            index,
            value: scores[index],
            rule: "a score must be finite, or minus infinity where its part is forbidden",
        }),
    }
}

/// Fails unless there are `parts` higher-order scores.
pub(super) fn check_higher(higher: &[f64], parts: usize) -> Result<()> {
    check_len("higher", higher.len(), parts)
}

/// Fails unless there are `expected` variables.
pub(super) fn check_variables(variables: usize, expected: usize) -> Result<()> {
    check_len("unary", variables, expected)
}

/// The most numbers that the parts or the table of one structure may take: 2 GiB of them. Sizes come from texts, too.
const MOST: usize = 1 << 28;

/// Fails if `numbers`, which a structure of this size needs, are more than fit.
pub(super) fn check_memory(argument: &'static str, value: impl ToString, numbers: usize) -> Result<()> {
    let rule = "the table of a structure must hold at most 2^28 numbers";
    if numbers <= MOST { Ok(()) } else { Err(Error::parameter(argument, value.to_string(), rule)) }
}
