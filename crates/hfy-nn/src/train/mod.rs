//! Training: optimisers, early stopping, checkpoints that a killed run goes on from, progress.

mod adamw;
mod checkpoint;
mod fit;
mod norm;
mod optimiser;
mod schedule;

pub use adamw::{AdamW, AdamWConfig};
pub use fit::{Epoch, FitConfig, Fitted, Keep, Observer, Progress, Task, Validation, Watch, fit};
pub use optimiser::{BurnOptimiser, Optimiser};
pub use schedule::{Plateau, Schedule};
