//! Text rationales: a prediction, and the words that it rests on.
//!
//! A bidirectional LSTM reads the words of a text, and a Hopfield pooling whose separation map selects some of them
//! makes one vector of it, which a linear head decides by. With `subsets:20%` exactly a fifth of the words have weight,
//! with `sequence:20%:t=…` they come in runs. The others have none: the prediction does not see them but through the
//! states of the LSTM, and [`faithfulness`] says by how much. Without the LSTM it does not see them at all.
//!
//! ```
//! use hfy_nn::text::{self, Evaluation, RationaliserConfig, Selector, Targets, Texts, TextTrainConfig, Vocabulary};
//! use hfy_nn::train::{FitConfig, Watch};
//! use ndarray::array;
//!
//! let words = ["good", "bad", "beer", "the"].map(String::from).to_vec();
//! let vectors = array![[1.0, 0.0, 0.1], [-1.0, 0.0, 0.2], [0.0, 1.0, 0.3], [0.0, 0.1, 1.0]];
//! let vocabulary = Vocabulary::new(words, vectors)?;
//! let tokens = [["the", "good", "beer"], ["beer", "the", "bad"], ["good", "the", "the"], ["bad", "beer", "beer"]];
//! let texts = Texts::encode(&vocabulary, tokens.iter().cycle().take(40))?;
//! let targets = Targets::Classes { classes: 2, of: (0..40).map(|text| text % 2).collect() };
//!
//! let config = TextTrainConfig {
//!     model: RationaliserConfig {
//!         hidden: 8,
//!         head: 8,
//!         ..RationaliserConfig::new(3, 2, Selector { omega: "subsets:1".into(), temperature: 0.3 })
//!     },
//!     rate: 1e-2,
//!     fit: FitConfig { epochs: 10, batch: 8, patience: None, ..FitConfig::default() },
//!     ..TextTrainConfig::default()
//! };
//! let (train, validation): (Vec<usize>, Vec<usize>) = (0..40).partition(|text| text % 5 > 0);
//! let fitted = text::train(&config, &vocabulary, &texts, &targets, [&train, &validation], Watch::default())?;
//! let read = text::read(&fitted.module.for_use()?, &vocabulary, &texts, &validation)?;
//! assert_eq!(read[0].weights.iter().filter(|weight| **weight > 0.0).count(), 1);
//! assert!(Evaluation::new(&read, &targets, &validation).quality() > 0.9);
//! # Ok::<(), hfy_nn::Error>(())
//! ```

mod faithfulness;
mod metrics;
mod model;
mod rationaliser;
mod read;
mod selector;
mod task;
mod texts;
mod tokens;
mod train;
mod vocabulary;

pub use faithfulness::{Faithfulness, faithfulness};
pub use metrics::{Agreement, Evaluation, agreement, macro_f1, runs};
pub use model::{Labels, Rationale, TextModel};
pub use rationaliser::{Rationaliser, RationaliserConfig};
pub use read::{Read, read};
pub use selector::Selector;
pub use task::{Targets, TextTask};
pub use texts::Texts;
pub use tokens::tokens;
pub use train::{TextTrainConfig, train};
pub use vocabulary::Vocabulary;
