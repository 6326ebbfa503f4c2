//! What several test programs share; each uses its own part of it.
#![allow(dead_code)]

pub(crate) mod draw;
pub(crate) mod golden;
pub(crate) mod named;
