//! Recall: lists of memories, one after the other, from a single cue.
//!
//! A retrieval ends at one memory. Recall goes on from there, by keeping account of what has had its turn:
//!
//! | procedure | account | a round |
//! |---|---|---|
//! | [`FreeRecall::constrained`] | upper bounds `u`, at first 1 | T times `p ← csparsemax(β X q; u)`, `q ← Xᵀ p`; then `u ← u - p` |
//! | [`FreeRecall::penalised`] | an average `a`, at first 0 | `p ← α-entmax(β (X q - λ a))`, `a ← τ p + (1 - τ) a`, `q ← Xᵀ p`; then T times `p ← α-entmax(β X q)`, `q ← Xᵀ p` |
//! | [`SequentialRecall`] | an average `a`, at first 0 | `y ← sequential 2-subsets(β (X q - λ a))`, `q ← Xᵀ y - q`; T times `p ← α-entmax(β' X q)`, `q ← Xᵀ p`; then `a ← τ (y - ω p) + (1 - τ) a` |
//!
//! A round recalls the memory with the largest weight of its last `p`. There are as many rounds as memories unless told
//! otherwise. Free recall brings the memories in any order; how well is the [unique ratio](Recall::unique_ratio).
//! Sequential recall takes the order in which they are stored; how well says the [Levenshtein
//! coefficient](Recall::levenshtein).
//!
//! **Cost.** The state is kept as coefficients of memories, `q = Xᵀ c + s q₀`, few of them not zero, and the scores are
//! `X q = (X Xᵀ) c + s X q₀`: after one product of the patterns with themselves a step takes as many operations as
//! there are nonzero coefficients, for each memory. Where that is dearer than `X q` itself, `X q` is computed. An
//! update that gives its own state back is not repeated.
//!
//! **Stability.** Bounds, averages, penalised scores and constrained sparsemax are in double precision whatever the
//! type of the patterns. So no bound falls below zero, and the bounds hold what is still to be given out to the last
//! round.
//!
//! Reference: the paper's algorithms for free recall with constrained sparsemax, free recall with penalised entmax, and
//! sequential recall.
//!
//! ```
//! use hfy::Entmax;
//! use hfy::recall::{FreeRecall, Penalty, SequentialRecall};
//! use ndarray::array;
//!
//! let patterns = array![[3., 1., 0., 0.], [0., 3., 1., 0.], [0., 0., 3., 2.], [1., 0., 0., 3.]];
//!
//! let free = FreeRecall::constrained(1.0, 20)?.run(patterns.view(), &[0.1, 1.0, 0.5, 0.0])?;
//! assert_eq!(free.recalled()[0], 1); // the nearest one comes first,
//! assert_eq!(free.unique_ratio(), 1.0); // and every one comes once
//!
//! let biological = FreeRecall::penalised(Entmax::SPARSEMAX, Penalty::default(), 1.0, 20)?;
//! assert_eq!(biological.run(patterns.view(), 2)?.unique_ratio(), 1.0);
//!
//! let sequence = SequentialRecall::new(1.0, 20)?.run(patterns.view(), 0)?;
//! assert_eq!(sequence.recalled()[..3], [1, 2, 3]); // after which there is none
//! assert_eq!(sequence.levenshtein(), sequence.ceiling());
//! # Ok::<(), hfy::Error>(())
//! ```

mod cue;
mod drive;
mod free;
mod measures;
mod outcome;
mod penalty;
mod scores;
mod sequential;
mod settle;

pub use cue::Cue;
pub use free::FreeRecall;
pub use measures::{levenshtein_ceiling, levenshtein_coefficient, levenshtein_distance, unique_ratio};
pub use outcome::{Recall, Round, Trace};
pub use penalty::Penalty;
pub use sequential::SequentialRecall;
