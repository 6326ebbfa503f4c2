//! How far long work is, and whether it is to go on.

use std::cell::Cell;
use std::ops::ControlFlow;

use crate::{Error, Result};

/// Hears how many bytes of how many are done, and may stop the work, which then leaves everything as it was.
pub type Progress<'a> = &'a dyn Fn(u64, u64) -> ControlFlow<()>;

/// Never stops.
pub(crate) const UNWATCHED: Progress<'static> = &|_, _| ControlFlow::Continue(());

/// Bytes between two words to whoever watches.
pub(crate) const STEP: usize = 32 << 20;

/// Counts what is done.
#[derive(Clone, Copy)]
pub(crate) struct Watched<'a> {
    progress: Progress<'a>,
    done: &'a Cell<u64>,
    total: u64,
}

impl<'a> Watched<'a> {
    pub(crate) fn new(progress: Progress<'a>, done: &'a Cell<u64>, total: u64) -> Self {
        Watched { progress, done, total }
    }

    /// So many bytes more. Stopping is an error.
    pub(crate) fn step(self, bytes: usize) -> Result<()> {
        let done = self.done.get() + bytes as u64;
        self.done.set(done);
        match (self.progress)(done, self.total) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::Interrupted { done, total: self.total }),
        }
    }
}
