//! Reports on long work.

use std::ops::ControlFlow;

/// Hears how many of how many pieces of work are done, always more than the last time, and may stop the work. It may be
/// called from any thread, by one at a time.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) -> ControlFlow<()> + Sync);
