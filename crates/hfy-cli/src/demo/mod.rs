//! The demonstration: pictures in a memory, damaged, and recalled by every network.

pub(crate) mod cues;
pub(crate) mod lineup;
pub(crate) mod page;
mod random;
pub(crate) mod report;
pub(crate) mod session;
pub(crate) mod studies;
