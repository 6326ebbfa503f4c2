//! Hopfield-Fenchel-Young networks, from the convex functions up.
//!
//! # The one idea
//!
//! An associative memory is a matrix of patterns X and two convex functions, Ω and Ψ:
//!
//! ```text
//! energy    E(q) = Ψ(q) - Ω*(X q)
//! update    q  ←  ŷ_Ψ( Xᵀ ŷ_Ω( X q ) )
//! ```
//!
//! Both functions enter through their conjugate alone: `f*(θ) = max_y θ·y - f(y)` and its gradient, the *map*
//! `ŷ(θ) = argmax_y θ·y - f(y)`. So the crate hangs on one trait, [`Convex`]. Ω turns the scores of the patterns into
//! weights: those are the [separation maps](separation), softmax, sparsemax and their relatives. Ψ turns what the
//! weights retrieve into the next state: those are the [post-transformations](post), layer normalisation and the
//! like. The rows of the table of conjugates (a temperature, a translation, a sum) are [combinators](convex) that are
//! convex functions again.
//!
//! # A map
//!
//! Maps work in place on slices of `f32` or `f64`.
//!
//! ```
//! use hfy::{Convex, Entmax, Separation, Support};
//!
//! let theta = [1.0716, -1.1221, -0.3288, 0.3368, 0.0425];
//! let map = Entmax::SPARSEMAX;
//!
//! let mut y = theta;
//! map.argmax(&mut y)?; //                      the weights
//! assert!((y[0] - 0.8674_f64).abs() < 1e-12);
//! assert_eq!(y.iter().filter(|y| **y > 0.0).count(), 2);
//!
//! let mut support = Support::default(); //     the same, without a dense row
//! map.support(&theta, &mut support)?;
//! assert_eq!(support.indices(), [0, 3]);
//!
//! // Fenchel-Young: Ω(y) + Ω*(θ) - θ·y is zero at y = ŷ(θ), and nowhere else.
//! assert!(map.loss(&theta, &y)? < 1e-15);
//! assert!(map.loss(&theta, &[0.0, 1.0, 0.0, 0.0, 0.0])? > 1.0);
//! # Ok::<(), hfy::Error>(())
//! ```
//!
//! # The maps
//!
//! | text | type | Ω(y) | domain | margin |
//! |---|---|---|---|---|
//! | `softmax` | [`Entmax::SOFTMAX`] | `Σ y log y` | simplex | none |
//! | `entmax:1.5` | [`Entmax`], α in (0, ∞] | `(Σ y^α - 1) / (α(α-1))` | simplex | `1/(α-1)` |
//! | `sparsemax` | [`Entmax::SPARSEMAX`] | `(\|y\|² - 1) / 2` | simplex | 1 |
//! | `argmax` | [`Entmax::ARGMAX`] | 0 | simplex | 0 |
//! | `normmax:5` | [`Normmax`], γ in (1, ∞] | `‖y‖_γ - 1` | simplex | 1 |
//! | `subsets:4` | [`Subsets`], k in [0, N] | `\|y\|²/2` | `Σ y = k`, `0 ≤ y ≤ 1` | 1, of the k-th |
//! | `sequence:2:t=0.5`, `spans`, ... | [`SparseMap`] over a [structure] | `\|y\|²/2` less what interactions score | hull of the structures | structured |
//! | `bounded:0.5,0.25,1` | [`Bounded`], u ≥ 0 | `\|y\|²/2` | simplex, `y ≤ u` | 1, if a bound reaches 1 |
//! | `quadratic` | [`Quadratic`] | `\|y\|²/2` | all | none |
//! | `power:3` | [`Power`], r > 1 | `‖y‖_s^s / s`, `1/r + 1/s = 1` | all | none |
//! | `exponential` | [`Exponential`] | `Σ y log y - y` | `y ≥ 0` | none |
//!
//! [structure]: structure
//!
//! The margin is the lead of the best score over the next from which on the weights are exactly one-hot. The text is
//! what [`Map`], the enum for choices at run time, reads and prints; [`Post`] is its like for post-transformations.
//!
//! ```
//! use hfy::{Map, Separation};
//!
//! let map: Map = "entmax:1.5".parse()?;
//! let margin: Option<f64> = map.margin();
//! assert_eq!(margin, Some(2.0));
//! assert_eq!("entmax:2".parse::<Map>()?.to_string(), "sparsemax");
//! # Ok::<(), hfy::Error>(())
//! ```
//!
//! # Temperature
//!
//! A temperature is the combinator [`Scaled`]: Ω/β has the map `ŷ(β θ)`.
//!
//! ```
//! use hfy::{Convex, Entmax, Scaled};
//!
//! let cold = Scaled::with_beta(Entmax::SPARSEMAX, 4.0)?;
//! let mut y = [0.5, 0.25, 0.0];
//! cold.argmax(&mut y)?;
//! assert_eq!(y, [1.0, 0.0, 0.0]); // a lead of 0.25 · 4 is the margin
//! # Ok::<(), hfy::Error>(())
//! ```
//!
//! # Batches, masks, half types
//!
//! [`Batch`] applies any convex function along an axis of an [`ndarray`] array of any dimension: into a new array, into
//! yours, or in place. Rows run in parallel (feature `rayon`, on by default). `f16` and `bf16` of the crate [`half`]
//! are storage, computed in `f32` and rounded once. A [`Mask`] hides entries, which get exactly zero weight and zero
//! gradient; a score of minus infinity says the same. A row with nothing left gives zeros, and the [`Report`] names it.
//!
//! ```
//! use half::f16;
//! use hfy::{Batch, Entmax, Mask};
//! use ndarray::array;
//!
//! let scores = array![[2.0, 1.5, 9.0], [9.0, 9.0, 9.0]].mapv(f16::from_f64);
//! let batch = Batch::new(&Entmax::SPARSEMAX).mask(Mask::lengths(&[2, 0]));
//! let (weights, report) = batch.map(scores.view())?;
//! assert_eq!(weights.mapv(f16::to_f64), array![[0.75, 0.25, 0.0], [0.0, 0.0, 0.0]]);
//! assert_eq!(report.empty, [1]);
//! # Ok::<(), hfy::Error>(())
//! ```
//!
//! # Losses
//!
//! Every convex function carries its Fenchel-Young loss, [`Convex::loss`], whose gradient in the scores is `ŷ(θ) - y`.
//! [`FenchelYoung`] does it for the rows of a matrix, with one-hot, k-hot or dense [`Targets`], a [`Reduction`], and
//! rows to ignore. For a map with a margin the loss is exactly zero once the right score leads by it.
//!
//! ```
//! use hfy::{Entmax, FenchelYoung, Targets};
//! use ndarray::array;
//!
//! let scores = array![[3.0, 0.0, 0.0], [0.0, 0.5, 0.0]];
//! let loss = FenchelYoung::new(&Entmax::ENTMAX15);
//! let losses = loss.evaluate(scores.view(), &Targets::OneHot(&[0, 1]))?;
//! assert_eq!(losses.rows[0], 0.0); // a lead of 3, margin 2
//! assert!(losses.rows[1] > 0.0);
//! # Ok::<(), hfy::Error>(())
//! ```
//!
//! # Derivatives
//!
//! The Jacobian J of a map is the Hessian of the conjugate, hence symmetric: one product serves forward and backward.
//!
//! | derivative | call |
//! |---|---|
//! | in the scores, `J g` | [`Convex::vjp`]; from the weights alone, [`Separation::pullback`] |
//! | in α, γ, k or r | [`Separation::parameter_vjp`] |
//! | in the bounds u | [`Bounded::upper_vjp`] |
//! | in the inverse temperature β | [`Scaled::d_beta`] |
//! | second, `∇_θ (u·J w)` | [`Convex::second_vjp`] |
//!
//! ```
//! use hfy::{Convex, Entmax, Scaled, Separation};
//!
//! let theta = [1.0, 0.4, 0.1_f64];
//! let map = Scaled::with_beta(Entmax::ENTMAX15, 0.8)?;
//! let mut y = theta;
//! map.argmax(&mut y)?;
//!
//! // How does the first weight change? Upstream gradient: its unit vector.
//! let g = [1.0, 0.0, 0.0];
//! let mut in_scores = g;
//! map.vjp(&theta, &y, &mut in_scores)?;
//! assert!(in_scores[0] > 0.0 && in_scores.iter().sum::<f64>().abs() < 1e-15);
//! let in_beta = map.d_beta(&theta, &in_scores);
//! let in_alpha = map.inner().parameter_vjp(&y, &g)?.expect("entmax has a parameter");
//! assert!(in_beta > 0.0 && in_alpha > 0.0); // colder or sparser, it grows
//!
//! let mut second = [0.0; 3]; // the gradient of u·J w
//! map.second_vjp(&theta, &y, &g, &[0.0, 1.0, 0.0], &mut second)?;
//! assert!(second[0] != 0.0);
//! # Ok::<(), hfy::Error>(())
//! ```
//!
//! Where a map has a kink (a score exactly at the edge of the support) one element of the generalised Jacobian is used.
//!
//! # A convex function of your own
//!
//! Write four methods; temperatures, batches, sums and losses follow.
//!
//! ```
//! use hfy::{Batch, Convex, Outcome, Real, Result, Scaled};
//!
//! /// `f(y) = |y|²/2` on the non-negative orthant: the map is the rectifier.
//! struct Rectifier;
//!
//! impl<T: Real> Convex<T> for Rectifier {
//!     fn value(&self, y: &[T]) -> T {
//!         if y.iter().any(|v| *v < T::zero()) { T::infinity() } else { y.iter().map(|&v| v * v).sum::<T>() / T::of(2.0) }
//!     }
//!     fn conjugate(&self, theta: &[T]) -> Result<T> {
//!         Ok(theta.iter().map(|s| s.max(T::zero()).powi(2)).sum::<T>() / T::of(2.0))
//!     }
//!     fn argmax(&self, theta: &mut [T]) -> Result<Outcome> {
//!         theta.iter_mut().for_each(|s| *s = s.max(T::zero()));
//!         Ok(Outcome::Solved)
//!     }
//!     fn vjp(&self, _theta: &[T], y: &[T], g: &mut [T]) -> Result<()> {
//!         g.iter_mut().zip(y).filter(|(_, y)| **y == T::zero()).for_each(|(g, _)| *g = T::zero());
//!         Ok(())
//!     }
//! }
//!
//! let warm = Scaled::new(Rectifier, 0.5)?;
//! let (y, _) = Batch::new(&warm).map(ndarray::array![[1.0_f32, -2.0]].view())?;
//! assert_eq!(y, ndarray::array![[2.0, 0.0]]);
//! assert_eq!(warm.loss(&[1.0, -2.0], &[2.0, 0.0])?, 0.0);
//! # Ok::<(), hfy::Error>(())
//! ```
//!
//! # Errors
//!
//! Misuse is an [`Error`] that names the argument, its value and the rule it broke; nothing panics on data. What a
//! computation came to, an [`Outcome`] or a [`Report`], is data.
//!
//! ```
//! use hfy::{Batch, Entmax};
//! use ndarray::array;
//!
//! let error = Entmax::new(-0.5).unwrap_err();
//! assert_eq!(error.to_string(), "alpha = -0.5: alpha must lie in (0, inf]");
//!
//! let error = Batch::new(&Entmax::SOFTMAX).map(array![[0.0, 1.0], [0.0, f64::NAN]].view()).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "scores[1] = NaN in row 1: a score must be finite, or minus infinity where it is masked"
//! );
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod batch;
pub mod certify;
pub mod convex;
mod error;
mod gram;
pub mod loss;
mod map;
pub mod network;
pub mod post;
mod progress;
mod real;
pub mod recall;
pub mod retrieval;
pub mod separation;
pub mod structure;
mod support;
mod threshold;

pub use batch::{Batch, Mask, Report};
pub use certify::{Certificate, Certifier, Margin};
pub use convex::{Convex, InfimalConvolution, NormBall, Outcome, Scaled, SeparableSum, Transformed, Translated};
pub use error::{Error, Result};
pub use loss::{FenchelYoung, Losses, Reduction, Targets};
pub use map::Map;
pub use network::{AnyNetwork, Binary, Network};
pub use post::{Ball, LayerNorm, Linear, Post, Sign, Tanh, Variance};
pub use real::{Element, Real};
pub use recall::{FreeRecall, SequentialRecall};
pub use separation::{Bounded, Entmax, Exponential, Normmax, Power, Quadratic, Separation, Share, Subsets};
pub use structure::{SparseMap, Structure};
pub use support::Support;

/// Runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/maps.md")]
struct Readme;
