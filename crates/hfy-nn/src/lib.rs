//! Hopfield layers and their training, on [Burn](burn) 0.22.
//!
//! # The problem
//!
//! A layer has patterns in its memory, as keys K and values V, and is asked with a state q:
//!
//! ```text
//! update    q  ←  ŷ_Ψ( Kᵀ ŷ_Ω( β K q ) )      as often as asked for
//! answer    ŷ_Ψ( Vᵀ ŷ_Ω( β K q ) )
//! ```
//!
//! ŷ_Ω turns scores into weights and ŷ_Ψ transforms what they retrieve; both are maps of the library [`hfy`]. With the
//! softmax, no update and no Ψ this is multi-head attention. With a sparse map such as `sparsemax` or `entmax:1.5` most
//! weights are exactly zero, so that the patterns with weight are an explanation: without the others the answer would
//! be the same.
//!
//! # The parts
//!
//! | module | what it has |
//! |---|---|
//! | [`layers`] | [`Hopfield`], [`HopfieldPooling`] and [`HopfieldLayer`]: their settings, masks and reports |
//! | [`mil`] | multiple-instance learning: bags with labels, a classifier, its training, its evidence, metrics and folds |
//! | [`text`] | rationales: texts with labels, a network that selects words and decides by them, its training, agreement with people |
//! | [`train`] | the training loop of any module: optimisers, early stopping, checkpoints |
//! | [`state`] | weights as safetensors files, under the names of the Python package `hfy.torch.nn` |
//!
//! [`Hopfield`]: layers::Hopfield
//! [`HopfieldPooling`]: layers::HopfieldPooling
//! [`HopfieldLayer`]: layers::HopfieldLayer
//!
//! `Hopfield` associates states with stored patterns, `HopfieldPooling` makes a bag one vector, and `HopfieldLayer` has
//! stored patterns that are learned. [`HopfieldConfig`](layers::HopfieldConfig) has the parameters of hflayers by their
//! names, and then `omega` and `psi`. A layer of the Python package reads what is trained here, and the other way
//! round.
//!
//! # A bag
//!
//! Bags of different sizes lie one after the other, with offsets that say where each begins. Nothing is padded.
//!
//! ```
//! use burn::tensor::{Device, Tensor};
//! use hfy_nn::layers::{HopfieldConfig, HopfieldPooling, Patterns};
//! use hfy_nn::{Phase, Random};
//!
//! let device = Device::flex();
//! let config = HopfieldConfig {
//!     num_heads: 2,
//!     hidden_size: Some(4),
//!     scaling: Some(2.0.into()), // β
//!     omega: "sparsemax".into(),
//!     ..HopfieldConfig::new(3)
//! };
//! let pooling = HopfieldPooling::new(&config, 1, true, &mut Random::new(0, 0), &device)?;
//!
//! // Two bags, of two patterns and of three.
//! let rows = [[0.9, 0.1, 0.0], [0.0, 0.2, 0.8], [0.5, 0.5, 0.1], [0.1, 0.9, 0.3], [0.7, 0.0, 0.6]];
//! let bags = Patterns::bags(Tensor::from_data(rows, &device), &[0, 2, 5])?;
//! let (pooled, report) = pooling.forward_with_report(bags, Phase::Inference)?;
//! assert_eq!(pooled.dims(), [2, 3]);
//!
//! // For each bag, head and learned query: a weight for each pattern, and which ones have any.
//! for (bag, size) in [2, 3].into_iter().enumerate() {
//!     for head in 0..report.heads() {
//!         let weights = report.weights(bag, head, 0);
//!         assert_eq!(weights.len(), size);
//!         assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
//!         assert!(report.support(bag, head, 0).iter().all(|&pattern| weights[pattern] > 0.0));
//!     }
//! }
//! # Ok::<(), hfy_nn::Error>(())
//! ```
//!
//! [`Masks`](layers::Masks) leave patterns out; [`forward_from`](layers::HopfieldPooling::forward_from) takes masks,
//! and patterns to answer with other than those that are asked.
//!
//! # Devices
//!
//! Layers compute in single precision on the processor, with operators of their own: `Device::flex()` is the device of
//! Burn for that. To train, make the module and its inputs on `Device::flex().autodiff()`, which records what gradients
//! need. To use a module, `Device::flex()` is enough, and quicker. [`mil::train()`] and [`mil::explain()`] take care of
//! that by themselves; a module that was trained is brought to the plain device by Burn's `Module::valid`.
//!
//! ```
//! use burn::module::Module;
//! use burn::optim::GradientsParams;
//! use burn::tensor::{Device, Tensor};
//! use hfy_nn::layers::{Hopfield, HopfieldConfig};
//! use hfy_nn::{Phase, Random};
//!
//! let device = Device::flex().autodiff();
//! let layer = Hopfield::new(&HopfieldConfig::new(4), &mut Random::new(0, 0), &device)?;
//! let answers = layer.forward(Tensor::ones([1, 3, 4], &device), Phase::Training(&mut Random::new(0, 1)))?;
//! let gradients = GradientsParams::from_grads(answers.sum().backward(), &layer);
//! assert!(!gradients.is_empty());
//!
//! let layer = layer.valid();
//! layer.forward(Tensor::ones([1, 3, 4], &Device::flex()), Phase::Inference)?;
//! # Ok::<(), hfy_nn::Error>(())
//! ```
//!
//! # What is deterministic
//!
//! Everything, on one kind of processor: weights, the order of training and dropout come from [`Random`], a stream that
//! a seed alone decides, and sums are taken in the same order in one thread and in many. The same seed gives the same
//! weights to the last bit, whatever else the machine does, and a run that goes on from a checkpoint ends where it
//! would have ended. Processors with other vector instructions may round differently.
//!
//! # Errors
//!
//! Misuse is an [`Error`] that names the argument, its value and the rule it broke; nothing panics on data.
//!
//! ```
//! use burn::tensor::Device;
//! use hfy_nn::layers::{Hopfield, HopfieldConfig};
//! use hfy_nn::Random;
//!
//! let config = HopfieldConfig { num_heads: 3, ..HopfieldConfig::new(4) };
//! let error = Hopfield::new(&config, &mut Random::new(0, 0), &Device::flex()).unwrap_err();
//! assert_eq!(error.to_string(), "input_size = 4: without hidden_size it must be divisible by num_heads = 3");
//! ```

mod error;
mod family;
pub mod layers;
pub mod mil;
mod omega;
mod operators;
mod random;
pub mod state;
pub mod text;
pub mod train;

pub use error::{Error, Result};
pub use omega::{Omega, OmegaParameter};
pub use operators::Rows;
pub use random::{Phase, Random, RandomState};

/// Runs the example of the page about learning from bags.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/learning.md")]
struct Learning;

/// Runs the example of the page about rationales.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rationales.md")]
struct Rationales;
