//! Ids of the command line.

use std::ops::RangeInclusive;
use std::str::FromStr;

use hfy_store::Snapshot;

use crate::error::Result;

/// A first and a last id.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IdRange(RangeInclusive<u64>);

impl FromStr for IdRange {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(IdRange(first..=last)),
            _ => Err("must be an id, or a range of ids as in 10-12".to_owned()),
        }
    }
}

impl IdRange {
    /// The ids, if both ends are there: so a range of billions is an error and not a long list.
    pub(crate) fn present(&self, now: &Snapshot) -> Result<RangeInclusive<u64>> {
        now.expect_row(*self.0.start())?;
        now.expect_row(*self.0.end())?;
        Ok(self.0.clone())
    }
}
